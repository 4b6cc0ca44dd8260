use std::borrow::Cow;

use super::*;

fn evidence(values: &[&str]) -> Evidence {
    let mut all = Evidence::default();
    for (i, v) in values.iter().enumerate() {
        all.add(&Cell { offset: i, text: Cow::Borrowed(v), quoted: false });
    }
    all
}

fn decided(values: &[&str]) -> Decision {
    evidence(values).decide("x", Marks::default()).unwrap()
}

fn kind(values: &[&str]) -> Kind {
    decided(values).kind
}

#[test]
fn kinds() {
    assert_eq!(kind(&["1", "2.5", "x"]), Kind::Numbers);
    assert_eq!(kind(&["nan", "1,5", "x", "3", "4"]), Kind::Numbers);
    assert_eq!(kind(&["red", "blue", "red", "red"]), Kind::Categories);
    assert_eq!(kind(&["y", "n"]), Kind::Categories);
    assert_eq!(kind(&["yes", "no", "maybe"]), Kind::Strings);
    assert_eq!(kind(&["nan", "NaN"]), Kind::Numbers);
    assert_eq!(kind(&["-", "+", "-", "-"]), Kind::Categories);
    assert_eq!(kind(&["ACGT", "AAGT", "CCGT", "ACGA"]), Kind::Strings);
    assert_eq!(kind(&["the cat sat", "on the old mat", "so there"]), Kind::Text);
    assert_eq!(kind(&["2024-01-31", "2024-02-01 12:00"]), Kind::Times);
    assert_eq!(decided(&["TRUE", "false"]).form, CellForm::Truth);
    assert_eq!(decided(&["Yes", "no", "NO"]).form, CellForm::Truth);
}

#[test]
fn a_few_odd_cells_do_not_change_numbers() {
    let mut values: Vec<String> = (0..18).map(|i| (f64::from(i) * 1.5).to_string()).collect();
    values.extend(["A/5 21171".to_owned(), "no idea".to_owned()]);
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    assert_eq!(decided(&texts), Decision::new(Kind::Numbers, CellForm::Plain, true));
    // One more is too many; with this much evidence the column holds names, not errors.
    let more = [&texts[..], &["x"]].concat();
    let found = decided(&more);
    assert_eq!(found.kind, Kind::Strings);
    assert!(found.note.unwrap().1.contains("18 of 21 values are numbers"));
    // With little evidence it is refused.
    assert_eq!(decided(&["1", "2", "x"]), Decision::new(Kind::Numbers, CellForm::Plain, false));
    assert_eq!(
        evidence(&["1", "2", "x"]).decide_strictly(),
        Decision::new(Kind::Numbers, CellForm::Plain, false)
    );
}

#[test]
fn repeated_codes_among_whole_numbers_are_names() {
    let chromosomes: Vec<String> =
        (0..100).map(|i| if i % 20 == 0 { "X".to_owned() } else { (1 + i % 22).to_string() }).collect();
    let texts: Vec<&str> = chromosomes.iter().map(String::as_str).collect();
    assert_eq!(kind(&texts), Kind::Categories);
    // The same word among measurements is a missing value.
    let ages: Vec<String> =
        (0..100).map(|i| if i % 20 == 0 { "old".to_owned() } else { format!("{}.5", i) }).collect();
    let texts: Vec<&str> = ages.iter().map(String::as_str).collect();
    assert_eq!(decided(&texts), Decision::new(Kind::Numbers, CellForm::Plain, true));
}

#[test]
fn digits_that_are_codes() {
    assert_eq!(kind(&["02139", "90210", "02139", "02139", "90210", "02139"]), Kind::Categories);
    assert_eq!(kind(&["850378874241145000", "765879171936494512", "59465839104311361"]), Kind::Strings);
    // Hours, months and numbers of different lengths are numbers.
    assert_eq!(kind(&["00", "01", "12", "23"]), Kind::Numbers);
    assert_eq!(kind(&["0012", "5", "123456"]), Kind::Numbers);
    assert_eq!(kind(&["0.25", "1250"]), Kind::Numbers);
}

#[test]
fn decimal_commas_by_evidence() {
    let form = |values: &[&str], european| match evidence(values)
        .decide("x", Marks { semicolons: european, ..Marks::default() })
        .unwrap()
    {
        Decision { form: CellForm::Written { mark, percent, unit }, .. } => Some((mark, percent, unit)),
        _ => None,
    };
    assert_eq!(form(&["1,5", "2", "3,25"], false), Some((DecimalMark::Comma, false, None)));
    assert_eq!(form(&["1.234,5", "1.500"], false), Some((DecimalMark::Comma, false, None)));
    assert_eq!(form(&["1,234", "2,500,000"], false), Some((DecimalMark::Point, false, None)));
    assert_eq!(form(&["1,234", "2,500"], false), Some((DecimalMark::Point, false, None)));
    assert_eq!(form(&["1,234", "2,500"], true), Some((DecimalMark::Comma, false, None)));
    assert_eq!(form(&["$5", "$1,234.50", "7"], false), Some((DecimalMark::Point, false, Unit::of("$"))));
    assert_eq!(form(&["5%", "12.5 %", "0"], false), Some((DecimalMark::Point, true, None)));
    assert_eq!(form(&["12,5 %", "0"], false), Some((DecimalMark::Comma, true, None)));
    // Shares and percentages, or two units, are no numbers of one unit.
    assert_eq!(form(&["5%", "0.07", "8%", "0.09"], false), None);
    assert_eq!(form(&["$5", "$6", "€7", "€8"], false), None);
    assert_eq!(form(&["79.5 kg", "81 kg", "60"], false), Some((DecimalMark::Point, false, Unit::of("kg"))));
    assert_eq!(form(&["5 kg", "6 g", "7 kg", "8 g"], false), None);
    assert_eq!(form(&["1.5", "2.5"], false), None);
    let fault = evidence(&["1,5", "2.5", "3,5"]).decide("x", Marks::default()).unwrap_err();
    assert_eq!((fault.code, fault.offset), (Code::Number, 0));
    assert!(fault.reason.contains("'2.5' and '1,5'"), "{}", fault.reason);
}

#[test]
fn the_order_of_dates_by_evidence() {
    let order = |values: &[&str]| match decided(values).form {
        CellForm::Dates(order) => Some(order),
        _ => None,
    };
    assert_eq!(order(&["03/04/2024", "31/01/2024"]), Some(DateOrder::Day));
    assert_eq!(order(&["03/04/2024", "01/31/2024"]), Some(DateOrder::Month));
    assert_eq!(order(&["03/04/2024", "01/02/2024"]), Some(DateOrder::Month));
    assert!(decided(&["03/04/2024"]).note.unwrap().1.contains("nothing in the column decides"));
    assert_eq!(order(&["03.04.2024", "01.02.2024"]), Some(DateOrder::Day));
    assert_eq!(order(&["31.01.2024", "2024-02-01"]), Some(DateOrder::Day));
    let fault = evidence(&["31/01/2024", "01/31/2024"]).decide("when", Marks::default()).unwrap_err();
    assert_eq!((fault.code, fault.offset), (Code::Date, 1));
    assert!(
        fault.reason.contains("'31/01/2024' has the day first, '01/31/2024' the month"),
        "{}",
        fault.reason
    );
    assert_eq!(decided(&["1:30:00", "0:05:00"]).form, CellForm::Duration);
}

#[test]
fn placeholders_are_values_only_among_names() {
    assert_eq!(kind(&["1.5", "-", "2.5", "None"]), Kind::Numbers);
    assert_eq!(kind(&["2024-01-31", "."]), Kind::Times);
    assert_eq!(kind(&["red", "None", "red", "None"]), Kind::Categories);
}

#[test]
fn a_form_of_other_data_fits_or_not() {
    let dates = |order| CellForm::Dates(order);
    let written = |mark| CellForm::Written { mark, percent: false, unit: None };
    assert!(evidence(&["03/04/2024"]).fits(dates(DateOrder::Day)));
    assert!(evidence(&["03/04/2024", "2024-01-31"]).fits(dates(DateOrder::Month)));
    assert!(!evidence(&["31/04/2024"]).fits(dates(DateOrder::Month)));
    assert!(evidence(&["1.234"]).fits(written(DecimalMark::Comma)));
    assert!(!evidence(&["1.25"]).fits(written(DecimalMark::Comma)));
    assert!(!evidence(&["$5"]).fits(written(DecimalMark::Point)));
    assert!(evidence(&["yes", "1"]).fits(CellForm::Truth) && !evidence(&["yes", "2"]).fits(CellForm::Truth));
    assert!(evidence(&["1:30:00"]).fits(CellForm::Duration) && evidence(&["-"]).fits(CellForm::Duration));
}
