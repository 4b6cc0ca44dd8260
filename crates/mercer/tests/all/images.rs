//! Images from files to predictions.

use std::path::Path;

use image::ExtendedColorType;
use mercer::data::{Dataset, Image, Kind, Target, Values};
use mercer::expression::Step;
use mercer::gram::Engine;
use mercer::model::Model;
use mercer::read::{Options, read};
use mercer::{Code, Error};

use crate::generate::Random;
use crate::support::{engine, fit, parse};

/// Writes `each` images of stripes and of checkerboards, with random period, phase, contrast and noise.
fn write_textures(folder: &Path, each: usize, seed: u64) {
    let mut random = Random::new(seed);
    for class in ["stripes", "checkerboard"] {
        std::fs::create_dir_all(folder.join(class)).unwrap();
        for i in 0..each {
            let (width, height) = (40 + random.below(24), 40 + random.below(24));
            let (period, dx, dy) = (3 + random.below(4), random.below(7), random.below(7));
            let (dark, light) = (random.below(60), 120 + random.below(80));
            let mut pixels = Vec::with_capacity(width * height);
            for y in 0..height {
                for x in 0..width {
                    let column = (x + dx) / period;
                    let row = if class == "stripes" { 0 } else { (y + dy) / period };
                    let base = if (column + row) % 2 == 0 { dark } else { light };
                    pixels.push((base + random.below(40)) as u8);
                }
            }
            let path = folder.join(class).join(format!("{i}.png"));
            image::save_buffer(path, &pixels, width as u32, height as u32, ExtendedColorType::L8).unwrap();
        }
    }
}

const KERNEL: &str = "visual(linear, words=8, components=16, block=12, blocks=3, step=6, sample=4000)";

fn right(model: &Model, data: &Dataset, engine: &Engine) -> usize {
    let Some(Target::Classes(classes)) = data.target() else { panic!("no classes") };
    let prediction = model.predict(data, engine).unwrap();
    (0..data.len()).filter(|&i| prediction.class(i) == classes.get(i)).count()
}

#[test]
fn stripes_and_checkerboards_are_classified() {
    let dir = tempfile::tempdir().unwrap();
    let (train, test) = (dir.path().join("train"), dir.path().join("test"));
    write_textures(&train, 15, 1);
    write_textures(&test, 20, 2);
    let (train, test) =
        (read(&train, &Options::default()).unwrap(), read(&test, &Options::default()).unwrap());
    assert_eq!((train.len(), test.len()), (30, 40));
    for learner in ["svc(C=10)", "knn(k=3)"] {
        let model = Model::fit(&train, &parse(KERNEL), &learner.parse().unwrap(), 0, engine()).unwrap();
        let correct = right(&model, &test, engine());
        assert!(correct > 36, "{learner}: {correct} of 40");
        // The same model from a file, fitted on other threads.
        let four = Engine::new().with_threads(4).unwrap();
        let other = Model::fit(&train, &parse(KERNEL), &learner.parse().unwrap(), 0, &four).unwrap();
        let bytes = model.to_bytes().unwrap();
        assert!(bytes == other.to_bytes().unwrap(), "different bits on four threads");
        let again = Model::from_bytes("textures.mercer", &bytes, &four).unwrap();
        assert!(matches!(again.steps(), [Step::Visual(words)] if words.len() == 2));
        let (before, after) = (model.predict(&test, engine()).unwrap(), again.predict(&test, &four).unwrap());
        assert_eq!(before, after);
    }
}

fn small(n: usize) -> Vec<Image> {
    let mut random = Random::new(7);
    let mut image = |i: usize| {
        let (w, h, channels) = (9 + random.below(9), 9 + random.below(9), 1 + i % 4);
        Image::new(w, h, channels, (0..w * h * channels).map(|_| random.below(256) as u8).collect()).unwrap()
    };
    (0..n).map(&mut image).collect()
}

fn images(name: &str, values: Vec<Image>) -> mercer::data::Column {
    mercer::data::Column::new(name, Values::Images(values))
}

const SMALL: &str = "words=3, components=4, block=5, step=2, sample=500";

#[test]
fn images_are_a_modality() {
    let mut photos = small(9);
    photos[4] = Image::none();
    let numbers = mercer::data::Dense::new(9, 1, (0..9).map(f64::from).collect()).unwrap();
    let columns =
        vec![mercer::data::Column::new("age", Values::Numbers(numbers)), images("photo", photos.clone())];
    let data = Dataset::new(columns).unwrap();
    // A missing image is named; zero-extend gives it similarity 0; `similarity` applies its own policy.
    let error = parse(&format!("visual(linear, {SMALL})")).fit(&data, engine()).unwrap_err();
    assert!(matches!(&error, Error::Missing { index: 4, column } if column == "photo"), "{error}");
    let extended = fit(&format!("zero-extend(visual(linear, {SMALL})@photo)"), &data).kernel;
    let k = engine().gram(&extended, &data).unwrap();
    for i in 0..9 {
        assert_eq!(k.at(4, i), 0.0);
        assert!(i == 4 || (k.at(i, i) - 1.0).abs() < 1e-12);
    }
    let all: Vec<usize> = (0..9).filter(|i| *i != 4).collect();
    let present = data.select(&all);
    let text = format!("similarity(visual(euclidean, {SMALL})@photo, euclidean@age)");
    let kernel = fit(&text, &present).kernel;
    assert!(engine().gram(&kernel, &present).unwrap().find_non_finite().is_none());
}

#[test]
fn linear_and_euclidean_agree_on_fisher_vectors() {
    let data = Dataset::new(vec![images("x", small(7))]).unwrap();
    let linear = fit(&format!("visual(linear, {SMALL})"), &data).kernel;
    let negative = fit(&format!("visual(euclidean, {SMALL})"), &data).kernel;
    let (k, d) = (engine().gram(&linear, &data).unwrap(), engine().gram(&negative, &data).unwrap());
    for i in 0..7 {
        for j in 0..7 {
            // -|x - y|²/2 of unit vectors.
            assert!((d.at(i, j) - (k.at(i, j) - 1.0)).abs() < 1e-12);
        }
    }
}

#[test]
fn impossible_fits_give_a_reason() {
    let two = Dataset::new(vec![images("a", small(3)), images("b", small(3))]).unwrap();
    let error = parse("visual(linear)").fit(&two, engine()).unwrap_err();
    assert!(error.code() == Code::Column && error.to_string().contains("one column"), "{error}");
    assert!(parse("visual(linear)@a + visual(linear)@b").fit(&two, engine()).is_ok());
    let none = two.select(&[]);
    assert!(parse("visual(linear)@a").fit(&none, engine()).is_err());
    let five = Image::new(1, 1, 5, vec![0; 5]).unwrap();
    let odd = Dataset::new(vec![images("a", vec![small(1)[0].clone(), five])]).unwrap();
    let error = parse("visual(linear)").fit(&odd, engine()).unwrap_err();
    assert!(matches!(error, Error::Object { index: 1, .. }), "{error}");
    let one = Dataset::new(vec![images("a", vec![Image::new(1, 1, 1, vec![3]).unwrap()])]).unwrap();
    let fitted = fit("visual(linear, words=4)", &one);
    assert!(fitted.warnings.iter().any(|w| w.code == "W_WORDS"));
    assert!(engine().gram(&fitted.kernel, &one).unwrap().find_non_finite().is_none());
    assert_eq!(two.columns()[0].values.kind(), Kind::Images);
}
