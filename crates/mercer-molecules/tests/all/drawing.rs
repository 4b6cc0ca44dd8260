//! Coordinates and images: distances, stated geometry, labels, sizes.

use std::path::PathBuf;

use mercer_molecules::{DrawStyle, MOST_DRAWN, Molecule, Point, Theme};

fn molecule(text: &str) -> Molecule {
    text.parse().unwrap()
}

fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// The smallest distance of two atoms, and the largest deviation of a bond from length 1.
fn quality(molecule: &Molecule) -> (f64, f64) {
    let at = molecule.layout().unwrap();
    assert!(at.iter().all(|p| p.x.is_finite() && p.y.is_finite()), "{molecule}");
    let mut least = f64::INFINITY;
    for i in 0..at.len() {
        (0..i).for_each(|j| least = least.min(distance(at[i], at[j])));
    }
    let length = |b: &mercer_molecules::Bond| {
        let [p, q] = b.atoms.map(|a| at[a as usize]);
        (distance(p, q) - 1.0).abs()
    };
    (least, molecule.bonds().iter().map(length).fold(0.0, f64::max))
}

#[test]
fn ring_systems_of_all_kinds_have_regular_bonds() {
    let fused =
        ["c1ccc2ccccc2c1", "c1cc2ccc3cccc4ccc(c1)c2c34", "C1CC11CC1", "C1CCC2(CC1)OCCO2", "C1CCCCCCCCCCC1"];
    for text in fused {
        let (least, off) = quality(&molecule(text));
        assert!(least > 0.99 && off < 1e-6, "{text}: {least}, {off}");
    }
    // Bridged systems have no regular drawing.
    let bridged =
        ["C1CC2CCC1C2", "C1CC2CCC1CC2", "C1C2CC3CC1CC(C2)C3", "C12C3C4C1C5C2C3C45", "CN1C2CCC1CC(C2)O"];
    for text in bridged {
        let (least, off) = quality(&molecule(text));
        assert!(least > 0.3 && off < 0.6, "{text}: {least}, {off}");
    }
}

#[test]
fn double_bonds_have_the_stated_geometry() {
    for (text, together) in [("F/C=C/F", false), ("F/C=C\\F", true), ("C(/F)=C/F", true), ("F\\C=C/F", true)]
    {
        let molecule = molecule(text);
        let at = molecule.layout().unwrap();
        let halogens: Vec<usize> = (0..4).filter(|&i| molecule.symbol(i) == "F").collect();
        let apart = distance(at[halogens[0]], at[halogens[1]]);
        assert_eq!(apart < 2.3, together, "{text}: {apart}");
    }
}

/// The volume of a tetrahedron, negative if b, c and d follow each other clockwise, seen from a, where y points down and z to
/// the viewer.
fn volume([a, b, c, d]: [[f64; 3]; 4]) -> f64 {
    let from = |p: [f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let (u, v, w) = (from(b), from(c), from(d));
    u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

#[test]
fn wedges_show_the_stated_arrangement() {
    let texts = [
        "N[C@@H](C)C(=O)O",
        "C[C@H](N)C(=O)O",
        "O[C@]1(C)CCCC[C@@H]1N",
        "C[C@@]12CC[C@H]3[C@@H](CC[C@@]4(O)C[C@H](O)CC[C@]34C)[C@@H]1CC[C@@H]2C1=CC(=O)OC1",
        "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O",
        "F[C@](Cl)(Br)I",
        "C[S@](=O)c1ccccc1",
    ];
    let mut shown = 0;
    for text in texts {
        let molecule = molecule(text);
        let at = molecule.layout().unwrap();
        let wedges = molecule.wedges(&at);
        let mut centres: Vec<u32> = wedges.iter().map(|w| w.from).collect();
        centres.dedup();
        assert_eq!(centres.len(), wedges.len(), "{text}");
        for wedge in &wedges {
            let centre = wedge.from as usize;
            let height = if wedge.up { 1.0 } else { -1.0 };
            let c = at[centre];
            let mut corners: Vec<[f64; 3]> = molecule
                .neighbours(centre)
                .iter()
                .map(|n| {
                    let p = at[n.atom as usize];
                    [p.x - c.x, p.y - c.y, if n.bond == wedge.bond { height } else { 0.0 }]
                })
                .collect();
            if corners.len() == 3 {
                // The hydrogen or lone pair, which comes first.
                corners.insert(0, [0.0, 0.0, -3.0 * height]);
            }
            let v = volume([corners[0], corners[1], corners[2], corners[3]]);
            let found = match molecule.atoms()[centre].chirality {
                mercer_molecules::Chirality::Clockwise => v < 0.0,
                _ => v > 0.0,
            };
            assert!(found, "{text}, atom {centre}: {v}");
            shown += 1;
        }
    }
    assert_eq!(shown, 19);
    // Two equal neighbours have no arrangement; without one there are lines alone.
    for text in ["C[C@H](C)O", "CC(N)O"] {
        let svg = molecule(text).to_svg(&DrawStyle::default()).unwrap();
        assert!(!svg.contains("wedge"), "{svg}");
    }
    let (left, right) = (molecule(texts[0]), molecule("N[C@H](C)C(=O)O"));
    let [left, right] = [left, right].map(|m| m.to_svg(&DrawStyle::default()).unwrap());
    assert!(left.contains("class=\"wedge\"") != right.contains("class=\"wedge\""));
}

#[test]
fn parts_stand_side_by_side() {
    let salt = molecule("[Na+].OC(=O)c1ccccc1.[Cl-]");
    let at = salt.layout().unwrap();
    let right = |own: &[u32]| own.iter().map(|&a| at[a as usize].x).fold(f64::NEG_INFINITY, f64::max);
    let left = |own: &[u32]| own.iter().map(|&a| at[a as usize].x).fold(f64::INFINITY, f64::min);
    let parts = salt.fragments();
    assert!(parts.windows(2).all(|w| left(&w[1]) - right(&w[0]) > 1.0));
}

#[test]
fn sizes_are_bounded() {
    assert!(Molecule::default().layout().is_none());
    assert!(molecule(&"C".repeat(MOST_DRAWN)).layout().is_some());
    assert!(molecule(&"C".repeat(10_000)).to_svg(&DrawStyle::default()).is_none());
    // A crowded molecule of the largest size ends too.
    let (least, _) = quality(&molecule(&"C(C)(C)".repeat(80)));
    assert!(least.is_finite());
}

#[test]
fn labels_have_hydrogens_charges_and_isotopes() {
    let texts = |smiles: &str| -> String {
        let svg = molecule(smiles).to_svg(&DrawStyle::default()).unwrap();
        svg.split("<text").skip(1).map(|t| &t[t.find('>').unwrap() + 1..t.find('<').unwrap()]).collect()
    };
    assert_eq!(texts("O"), "O2H");
    assert_eq!(texts("N"), "NH3");
    assert_eq!(texts("C[N+](=O)[O-]"), "N+OO−");
    assert_eq!(texts("[13CH4]"), "C13H4");
    assert_eq!(texts("c1ccccc1"), "");
    assert_eq!(texts("CC#CC"), "");
    assert_eq!(texts("C=C=C"), "C");
}

#[test]
fn weights_colour_atoms_and_bonds_in_every_theme() {
    let acid = molecule("CC(=O)O");
    let (atoms, bonds) = ([0.0, 1.0, -0.5, 0.001], [0.0, -1.0, f64::NAN]);
    for (theme, ink, positive) in [
        (Theme::Page, "currentColor", "#d55e00"),
        (Theme::Light, "#1c2733", "#d55e00"),
        (Theme::Dark, "#e8edf2", "#f58a42"),
    ] {
        let style = DrawStyle { weights: Some((&atoms, &bonds)), theme, ..DrawStyle::default() };
        let svg = acid.to_svg(&style).unwrap();
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert_eq!(svg.matches("-band\"").count(), 1, "{svg}");
        assert!(svg.contains(ink) && svg.contains(positive) && !svg.contains("NaN"), "{svg}");
        assert_eq!(svg.contains("<rect"), theme != Theme::Page);
        // The same molecule is drawn the same way again.
        assert_eq!(svg, acid.to_svg(&style).unwrap());
    }
}

/// The cells of a column of a CSV file; commas within quotes separate nothing.
fn column(path: &PathBuf, name: &str) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        let mut quoted = false;
        let split = line.split(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        split.map(str::to_owned).collect()
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let at = cells(lines.next().unwrap()).iter().position(|c| c == name).unwrap();
    lines.filter_map(|line| cells(line).into_iter().nth(at)).collect()
}

#[test]
fn no_atoms_of_the_shared_molecules_lie_on_each_other() {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from).join("molecules");
    for (set, name, least_molecules) in [("ESOL", "smiles", 1100), ("Photoswitch", "SMILES", 390)] {
        let path = folder.join(set).join(format!("{set}.csv"));
        if !path.exists() {
            println!("skipped: {} not found; MERCER_DATA names the folder", path.display());
            continue;
        }
        let molecules: Vec<Molecule> = column(&path, name).iter().filter_map(|t| t.parse().ok()).collect();
        assert!(molecules.len() >= least_molecules, "{set}: {}", molecules.len());
        let (mut close, mut bent) = (0, 0);
        for molecule in &molecules {
            let (least, off) = quality(molecule);
            close += usize::from(least < 0.3);
            bent += usize::from(off > 0.25);
        }
        assert_eq!((close, bent), (0, 0), "{set}: of {}", molecules.len());
    }
}
