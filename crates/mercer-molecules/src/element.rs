//! The elements: symbols, valences, outer electrons and atomic weights.
//!
//! The valences are those that the RDKit (2026.03) accepts, read from its periodic table, so that both accept the same
//! molecules and add the same hydrogens.

/// What is known of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Its symbol.
    pub symbol: &'static str,
    /// Its usual valences in ascending order, the default first; -1 stands for any.
    pub valences: &'static [i8],
    /// The number of electrons in its outer shell.
    pub outer: u8,
    /// Its standard atomic weight.
    pub weight: f64,
}

impl Element {
    /// The element with this atomic number; 0 is the wildcard `*`, and numbers beyond the table are too.
    pub fn of(number: u8) -> &'static Element {
        ELEMENTS.get(usize::from(number)).unwrap_or(&ELEMENTS[0])
    }

    /// The atomic number of a symbol.
    pub fn number(symbol: &str) -> Option<u8> {
        ELEMENTS.iter().position(|e| e.symbol == symbol).map(|at| at as u8)
    }

    /// The default valence; -1 stands for any.
    pub fn default_valence(&self) -> i8 {
        self.valences[0]
    }

    /// Whether the table names no valence, as for most metals.
    pub fn takes_any_valence(&self) -> bool {
        self.valences[0] < 0
    }
}

/// The whole part of the difference between the mass of an isotope and the weight of its element.
pub fn mass_difference(element: u8, isotope: u16) -> i32 {
    if isotope == 0 {
        return 0;
    }
    let known = ISOTOPES.iter().find(|(z, mass, _)| (*z, *mass) == (element, isotope));
    known.map_or_else(|| (f64::from(isotope) - Element::of(element).weight) as i32, |(_, _, d)| i32::from(*d))
}

const fn element(symbol: &'static str, valences: &'static [i8], outer: u8, weight: f64) -> Element {
    Element { symbol, valences, outer, weight }
}

/// Isotopes whose exact mass gives another whole difference than their mass number.
const ISOTOPES: &[(u8, u16, i8)] = &[
    (1, 2, 1),
    (1, 3, 2),
    (1, 4, 3),
    (1, 5, 4),
    (1, 6, 5),
    (1, 7, 6),
    (2, 3, 0),
    (2, 5, 1),
    (2, 6, 2),
    (2, 7, 3),
    (2, 8, 4),
    (2, 9, 5),
    (2, 10, 6),
    (4, 5, -3),
    (4, 6, -2),
    (4, 7, -1),
    (4, 10, 1),
    (4, 11, 2),
    (4, 12, 3),
    (4, 13, 4),
    (4, 14, 5),
    (4, 15, 6),
    (6, 8, -3),
    (6, 9, -2),
    (6, 10, -1),
    (6, 11, 0),
    (6, 16, 4),
    (6, 17, 5),
    (6, 18, 6),
    (7, 10, -3),
    (7, 11, -2),
    (7, 12, -1),
    (7, 17, 3),
    (7, 18, 4),
    (7, 19, 5),
    (7, 20, 6),
    (11, 25, 1),
    (13, 28, 0),
    (13, 29, 1),
    (15, 32, 0),
    (15, 33, 1),
    (15, 34, 2),
    (15, 35, 3),
];

/// By atomic number.
const ELEMENTS: [Element; 119] = [
    element("*", &[-1], 0, 0.0),
    element("H", &[1], 1, 1.008),
    element("He", &[0], 2, 4.003),
    element("Li", &[1, -1], 1, 6.941),
    element("Be", &[2], 2, 9.012),
    element("B", &[3], 3, 10.812),
    element("C", &[4], 4, 12.011),
    element("N", &[3], 5, 14.007),
    element("O", &[2], 6, 15.999),
    element("F", &[1], 7, 18.998),
    element("Ne", &[0], 8, 20.18),
    element("Na", &[1, -1], 1, 22.99),
    element("Mg", &[2, -1], 2, 24.305),
    element("Al", &[3], 3, 26.982),
    element("Si", &[4], 4, 28.086),
    element("P", &[3, 5], 5, 30.974),
    element("S", &[2, 4, 6], 6, 32.067),
    element("Cl", &[1], 7, 35.453),
    element("Ar", &[0], 8, 39.948),
    element("K", &[1, -1], 1, 39.098),
    element("Ca", &[2, -1], 2, 40.078),
    element("Sc", &[-1], 3, 44.956),
    element("Ti", &[-1], 4, 47.867),
    element("V", &[-1], 5, 50.944),
    element("Cr", &[-1], 6, 51.996),
    element("Mn", &[-1], 7, 54.938),
    element("Fe", &[-1], 8, 55.845),
    element("Co", &[-1], 9, 58.933),
    element("Ni", &[-1], 10, 58.693),
    element("Cu", &[-1], 11, 63.546),
    element("Zn", &[-1], 2, 65.39),
    element("Ga", &[3], 3, 69.723),
    element("Ge", &[4], 4, 72.61),
    element("As", &[3, 5], 5, 74.922),
    element("Se", &[2, 4, 6], 6, 78.96),
    element("Br", &[1], 7, 79.904),
    element("Kr", &[0], 8, 83.8),
    element("Rb", &[1, -1], 1, 85.468),
    element("Sr", &[2, -1], 2, 87.62),
    element("Y", &[-1], 3, 88.906),
    element("Zr", &[-1], 4, 91.224),
    element("Nb", &[-1], 5, 92.906),
    element("Mo", &[-1], 6, 95.94),
    element("Tc", &[-1], 7, 98.0),
    element("Ru", &[-1], 8, 101.07),
    element("Rh", &[-1], 9, 102.906),
    element("Pd", &[-1], 10, 106.42),
    element("Ag", &[-1], 11, 107.868),
    element("Cd", &[-1], 2, 112.412),
    element("In", &[3], 3, 114.818),
    element("Sn", &[2, 4], 4, 118.711),
    element("Sb", &[3, 5], 5, 121.76),
    element("Te", &[2, 4, 6], 6, 127.6),
    element("I", &[1, 3, 5], 7, 126.904),
    element("Xe", &[0, 2, 4, 6], 8, 131.29),
    element("Cs", &[1], 1, 132.905),
    element("Ba", &[2, -1], 2, 137.328),
    element("La", &[-1], 3, 138.906),
    element("Ce", &[-1], 4, 140.116),
    element("Pr", &[-1], 3, 140.908),
    element("Nd", &[-1], 4, 144.24),
    element("Pm", &[-1], 5, 145.0),
    element("Sm", &[-1], 6, 150.36),
    element("Eu", &[-1], 7, 151.964),
    element("Gd", &[-1], 8, 157.25),
    element("Tb", &[-1], 9, 158.925),
    element("Dy", &[-1], 10, 162.5),
    element("Ho", &[-1], 11, 164.93),
    element("Er", &[-1], 12, 167.26),
    element("Tm", &[-1], 13, 168.934),
    element("Yb", &[-1], 14, 173.04),
    element("Lu", &[-1], 15, 174.967),
    element("Hf", &[-1], 4, 178.49),
    element("Ta", &[-1], 5, 180.948),
    element("W", &[-1], 6, 183.84),
    element("Re", &[-1], 7, 186.207),
    element("Os", &[-1], 8, 190.23),
    element("Ir", &[-1], 9, 192.217),
    element("Pt", &[-1], 10, 195.078),
    element("Au", &[-1], 11, 196.967),
    element("Hg", &[-1], 2, 200.59),
    element("Tl", &[-1], 3, 204.383),
    element("Pb", &[2, 4], 4, 207.2),
    element("Bi", &[3, 5], 5, 208.98),
    element("Po", &[2, 4, 6], 6, 209.0),
    element("At", &[1, 3, 5], 7, 210.0),
    element("Rn", &[0], 8, 222.0),
    element("Fr", &[1], 1, 223.0),
    element("Ra", &[2, -1], 2, 226.0),
    element("Ac", &[-1], 3, 227.0),
    element("Th", &[-1], 4, 232.038),
    element("Pa", &[-1], 3, 231.036),
    element("U", &[-1], 4, 238.029),
    element("Np", &[-1], 5, 237.0),
    element("Pu", &[-1], 6, 244.0),
    element("Am", &[-1], 7, 243.0),
    element("Cm", &[-1], 8, 247.0),
    element("Bk", &[-1], 9, 247.0),
    element("Cf", &[-1], 10, 251.0),
    element("Es", &[-1], 11, 252.0),
    element("Fm", &[-1], 12, 257.0),
    element("Md", &[-1], 13, 258.0),
    element("No", &[-1], 14, 259.0),
    element("Lr", &[-1], 15, 262.0),
    element("Rf", &[-1], 2, 267.0),
    element("Db", &[-1], 2, 268.0),
    element("Sg", &[-1], 2, 269.0),
    element("Bh", &[-1], 2, 270.0),
    element("Hs", &[-1], 2, 269.0),
    element("Mt", &[-1], 2, 278.0),
    element("Ds", &[-1], 2, 281.0),
    element("Rg", &[-1], 2, 281.0),
    element("Cn", &[-1], 2, 285.0),
    element("Nh", &[-1], 2, 284.0),
    element("Fl", &[-1], 2, 289.0),
    element("Mc", &[-1], 2, 288.0),
    element("Lv", &[-1], 2, 293.0),
    element("Ts", &[-1], 2, 292.0),
    element("Og", &[-1], 2, 294.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_symbol() {
        assert_eq!(
            (Element::number("C"), Element::number("Og"), Element::number("Xx")),
            (Some(6), Some(118), None)
        );
        assert_eq!((Element::of(16).valences, Element::of(16).outer), (&[2, 4, 6][..], 6));
        assert!(Element::of(26).takes_any_valence() && Element::of(200).symbol == "*");
        // Deuterium weighs 1.006 more than the element, carbon 13 less than 1 more.
        assert_eq!([mass_difference(1, 2), mass_difference(6, 13), mass_difference(6, 0)], [1, 0, 0]);
    }
}
