//! Generated data sets, parameters and expressions for any entry of the registry.
//!
//! Everything is derived from the registry entry (the domains of its parameters, the types of columns it takes), so
//! that a new kernel is tested automatically. A case is a function of a number of objects and a seed: a failure reports
//! the two, and shrinks by removing objects.

use std::sync::Arc;

use mercer::data::{
    Categories, Column, Dataset, Dense, Graph, GraphBuilder, Image, Kind, Labels, Network, Nodes,
    Precomputed, Series, Sparse, Target, Times, Values,
};
use mercer::expression::{Call, Entry, Expression, Setting, Value, find};
use mercer::kernel::{Domain, Parameter};

/// A small generator of pseudo-random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with probability 1/n.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A random permutation of the numbers below `n`.
    pub(crate) fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// A test case: the first `train` objects are for fitting, the others are new.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) expression: Expression,
    pub(crate) data: Dataset,
    pub(crate) train: usize,
}

/// Properties of the numbers of a data set.
#[derive(Clone, Copy)]
struct Style {
    /// Added to every number.
    offset: f64,
    /// Integers only.
    whole: bool,
    /// No negative numbers.
    counts: bool,
    /// Some values are missing.
    gaps: bool,
    /// The largest dimension of sparse vectors.
    dim: usize,
    /// Series, strings and texts have equal lengths.
    even: bool,
    /// Some vectors are zero.
    zeros: bool,
}

impl Style {
    fn number(&self, random: &mut Random) -> f64 {
        let v = if self.whole { random.below(7) as f64 - 3.0 } else { random.between(-2.0, 2.0) };
        self.offset + if self.counts { v.abs() } else { v }
    }
}

/// Inner kernels suitable for a wrapper.
fn inner_names(wrapper: &str) -> &'static [&'static str] {
    match wrapper {
        // An indefinite kernel has no norms to divide by.
        "normalize" | "tanimoto" | "dice" => &["linear", "polynomial", "rbf", "delta"],
        "atoms" => &["wl", "wl-oa", "vertex-histogram"],
        "center" => &["linear", "polynomial", "rbf", "delta"],
        "rbf-of" => &["linear", "polynomial", "delta", "cosine"],
        "zero-extend" => &["linear", "rbf", "delta", "laplacian"],
        "repair" | "exponential" => &["sigmoid", "linear", "rbf", "precomputed"],
        "walk" => &["linear", "rbf", "delta", "sigmoid", "precomputed"],
        // Steps of a walk have non-negative weights.
        "markov" | "laplacian-walk" | "cluster" => &["rbf", "laplacian", "delta"],
        "column-sum" | "column-product" => &["linear", "rbf", "laplacian", "delta"],
        "standardize" => &["linear", "rbf", "cosine"],
        "minmax" => &["chi2", "rbf", "linear"],
        "resample" | "bin" | "znormalize" => &["dtw", "gak", "lcss", "erp"],
        "learned-window" => &["erp", "msm", "lcss", "twe"],
        "mkl" | "learned" => &["linear", "rbf", "laplacian", "delta"],
        // Functions of differences of coordinates.
        "relevance" => &["rbf", "laplacian", "rational-quadratic"],
        // Models inside refuse negative eigenvalues.
        "fusion" => &["rbf", "laplacian", "delta"],
        "terms" | "content" => &["linear", "cosine", "rbf"],
        "visual" => &["linear", "rbf", "euclidean"],
        "similarity" => &["euclidean", "rbf", "laplacian", "delta"],
        "explicit" => &["linear", "spectrum", "symbol-distribution", "wl", "shortest-path", "graphlet"],
        // With and without explicit features, and of the nodes themselves.
        "smooth" => &["linear", "polynomial", "rbf", "delta", "spectrum", "pagerank"],
        "core" | "wl-of" => &["wl", "vertex-edge-histogram", "random-walk", "graph-hopper"],
        _ => &["rbf", "delta"],
    }
}

/// A case for an entry with `n` objects; `None` if there is no generator for its type of data.
pub(crate) fn case(entry: &'static Entry, n: usize, seed: u64) -> Option<Case> {
    let mut random = Random::new(seed);
    // Kernels that are fitted to classes need two of them.
    let least = if ["mkl", "fusion", "relevance", "learned"].contains(&entry.facts.name) { 2 } else { 1 };
    let n = n.max(least);
    let (mut call, kinds) = call_of(entry, &mut random)?;
    let leaf = leaf(&call);
    // Far from the origin, differences of similarities lose digits with any algorithm.
    let far = !["center", "rbf-of", "repair", "exponential", "walk", "similarity"]
        .contains(&entry.facts.name)
        && random.once_in(4);
    let tree = ["regular-tree", "binary-tree"].contains(&leaf);
    let style = Style {
        // Vertices of a tree are counted from 1.
        offset: if far { 1e6 } else { f64::from(u8::from(tree)) },
        // Positions on a ring are integers.
        whole: random.once_in(2) || leaf == "closed-chain" || tree,
        counts: tree || ["chi2", "jensen-shannon"].contains(&leaf),
        gaps: ["zero-extend", "forest"].contains(&entry.facts.name)
            || call.settings.iter().any(|s| s.word() == Some("mean")),
        // A convolution compares all pairs of coordinates, including zeros, and kernels of single columns have one
        // kernel for each.
        dim: if ["convolution", "column-sum", "column-product"].contains(&entry.facts.name) {
            9
        } else {
            100_000
        },
        even: ["series-euclidean", "weighted-degree", "weighted-degree-shifts"].contains(&leaf),
        zeros: !tree,
    };
    let alone = [Kind::Graphs, Kind::Molecules, Kind::Nodes, Kind::Series, Kind::Images];
    let one = leaf == "precomputed" || alone.iter().any(|k| kinds == [*k]);
    let mut columns = columns(&kinds, n, style, one, &mut random)?;
    if entry.facts.name == "smooth" {
        describe(&mut columns[0], find(leaf)?, style, &mut random)?;
    }
    if random.once_in(2) && entry.facts.name != "ones" {
        call.columns = Some(columns.iter().map(|c| c.name.clone()).collect());
    }
    let data = Dataset::new(columns).unwrap();
    // Some objects are repeated.
    let mut rows: Vec<usize> = (0..n).collect();
    for i in 1..n {
        if random.once_in(6) {
            rows[i] = rows[random.below(i)];
        }
    }
    let train = if random.once_in(3) { n } else { (1 + random.below(n)).max(least) };
    let data = with_classes(data.select(&rows));
    if let Some(through) = call.settings.iter_mut().find(|s| s.word() == Some("support"))
        && (train < 2 || ["sigmoid", "precomputed"].contains(&leaf))
    {
        // One object has only one class, and the first model refuses negative eigenvalues.
        *through = Setting::Fixed(Value::Word("train".to_owned()));
    }
    tame(&mut call);
    find_channel(&mut call, &data);
    let mut expression = Expression::Call(call);
    if [[Kind::Graphs], [Kind::Molecules]].iter().any(|k| kinds == k)
        && expression.fit(&data, crate::support::engine()).is_err()
    {
        ignore_others(&mut expression);
    }
    Some(Case { expression, data, train })
}

/// Gives the nodes of a column attributes of the types that a kernel takes.
fn describe(column: &mut Column, inner: &Entry, style: Style, random: &mut Random) -> Option<()> {
    let Values::Nodes(nodes) = &column.values else { return None };
    let mut kinds: Vec<Kind> = inner.facts.kinds.iter().copied().filter(|k| *k != Kind::Nodes).collect();
    if kinds.is_empty() {
        kinds.push(Kind::Numbers);
    }
    let mut attributes = columns(&kinds, nodes.network().len(), style, false, random)?;
    // Names within a graph may be those of columns of the data.
    attributes.iter_mut().filter(|c| c.name == column.name).for_each(|c| c.name = "words".into());
    let network = (**nodes.network()).clone().with_attributes(Dataset::new(attributes).unwrap()).unwrap();
    column.values = Values::Nodes(Nodes::new(Arc::new(network), nodes.chosen().to_vec()).unwrap());
    Some(())
}

/// Adjusts parameters so that infinite sums over walks neither diverge nor overflow and parameters are consistent.
pub(crate) fn tame(call: &mut Call) {
    for inner in &mut call.inner {
        if let Expression::Call(inner) = inner {
            tame(inner);
        }
    }
    let setting = |name: &str| call.entry.facts.parameters.iter().position(|p| p.name == name);
    if let (Some(least), Some(most)) = (setting("min-bonds"), setting("max-bonds"))
        && call.settings[least].number() > call.settings[most].number()
    {
        // The longest paths are at least as long as the shortest.
        call.settings.swap(least, most);
    }
    if let (Some(strands), Some(alphabet)) = (setting("reverse-complement"), setting("alphabet"))
        && call.settings[strands].word() == Some("yes")
        && !matches!(call.settings[alphabet].word(), Some("dna" | "rna"))
    {
        // Other alphabets have no complements.
        call.settings[alphabet] = Setting::Fixed(Value::Word("dna".to_owned()));
    }
    if let (Some(scores), Some(alphabet)) = (setting("scores"), setting("alphabet"))
        && call.settings[scores].word() == Some("blosum62")
    {
        call.settings[alphabet] = Setting::Fixed(Value::Word("protein".to_owned()));
    }
    // The exponential of large similarities overflows.
    if let (Some(scale), Some(Expression::Call(inner))) = (setting("scale"), call.inner.first())
        && call.entry.facts.name == "exponential"
        && ["linear", "precomputed"].contains(&inner.entry.facts.name)
    {
        call.settings[scale] = Setting::Fixed(Value::Word("radius".to_owned()));
    }
    // k may be at most l, and m below k.
    for (less, more, room) in [("k", "l", 0.0), ("m", "k", 1.0), ("shortest", "longest", 0.0)] {
        if let (Some(less), Some(more)) = (setting(less), setting(more))
            && let (Some(a), Some(b)) = (call.settings[less].number(), call.settings[more].number())
            && a + room > b
        {
            call.settings[more] = Setting::Fixed(Value::Number(a + room));
        }
    }
    // Filters are for at most 2^24 different l-mers.
    if let (Some(weights), Some(l), Some(alphabet)) = (setting("weights"), setting("l"), setting("alphabet"))
        && let Some(length) = call.settings[l].number()
        && length
            > match call.settings[alphabet].word() {
                Some("bytes") => 3.0,
                Some("protein") => 5.0,
                _ => 12.0,
            }
    {
        call.settings[weights] = Setting::Fixed(Value::Word("gapped".to_owned()));
    }
    // The number of words grows with the power of the level.
    if let (Some(at), "signature") = (setting("level"), call.entry.facts.name)
        && let Some(level) = call.settings[at].number()
    {
        call.settings[at] = Setting::Fixed(Value::Number(1.0 + level % 3.0));
    }
    // For larger values, all similarities in a tree are 0 up to rounding.
    if let (Some(at), "regular-tree") = (setting("beta"), call.entry.facts.name)
        && call.settings[at].number().is_some_and(|beta| beta > 20.0)
    {
        call.settings[at] = Setting::Fixed(Value::Number(20.0));
    }
    if let Some(at) = setting("b")
        && call.settings[at].number().is_some_and(|b| b > 1.0)
    {
        call.settings[at] = Setting::Fixed(Value::Number(0.5));
    }
    let infinite = call.settings.iter().any(|s| matches!(s.word(), Some("geometric" | "exponential")));
    let at = call.entry.facts.parameters.iter().position(|p| p.name == "decay").filter(|_| infinite);
    if let Some(Setting::Fixed(Value::Number(decay))) = at.map(|at| &mut call.settings[at]) {
        *decay *= 5e-4;
    }
}

/// Restricts a channel to those that the series have.
pub(crate) fn find_channel(call: &mut Call, data: &Dataset) {
    for inner in &mut call.inner {
        if let Expression::Call(inner) = inner {
            find_channel(inner, data);
        }
    }
    let Values::Series(all) = &data.columns()[0].values else { return };
    let at = call.entry.facts.parameters.iter().position(|p| p.name == "channel");
    if let Some(Setting::Fixed(Value::Number(channel))) = at.map(|at| &mut call.settings[at]) {
        *channel %= (all[0].channels() + 1) as f64;
    }
}

/// Sets `ignore=others`, so that the kernel on graphs ignores what it does not use.
pub(crate) fn ignore_others(expression: &mut Expression) {
    let Expression::Call(call) = expression else { return };
    call.inner.iter_mut().for_each(ignore_others);
    if let Some(at) = call.entry.facts.parameters.iter().position(|p| p.name == "ignore") {
        call.settings[at] = Setting::Fixed(Value::Word("others".to_owned()));
    }
}

/// The data with alternating classes: two objects have two.
pub(crate) fn with_classes(data: Dataset) -> Dataset {
    let classes: Vec<_> = (0..data.len()).map(|i| Some(["no", "yes"][i % 2])).collect();
    data.with_target("class", Target::Classes(Categories::from_values(classes))).unwrap()
}

/// The name of the innermost kernel, which takes the data.
pub(crate) fn leaf(call: &Call) -> &'static str {
    match call.inner.first() {
        Some(Expression::Call(inner)) => leaf(inner),
        _ => call.entry.facts.name,
    }
}

/// A call of an entry, and the types of columns it can then take.
fn call_of(entry: &'static Entry, random: &mut Random) -> Option<(Call, Vec<Kind>)> {
    let settings = entry.facts.parameters.iter().map(|p| setting(p, random)).collect();
    let mut call = Call { entry, inner: Vec::new(), settings, columns: None };
    if entry.facts.name == "von-neumann" {
        // Within the bound of the largest eigenvalue of any network generated below.
        call.settings[0] = random.between(-0.004, 0.004).into();
    }
    if entry.arity() == 0 {
        let mut kinds =
            if entry.facts.kinds.is_empty() { vec![Kind::Numbers] } else { entry.facts.kinds.to_vec() };
        // A distance on two types of data takes one at a time.
        match entry.facts.name {
            "jensen-shannon" if random.once_in(3) => kinds = vec![Kind::Text],
            "jensen-shannon" => kinds.retain(|k| *k != Kind::Text),
            "hamming-distance" => kinds = vec![*random.pick(&kinds)],
            _ => {}
        }
        return Some((call, kinds));
    }
    let word = |call: &Call, name: &str| {
        let at = entry.facts.parameters.iter().position(|p| p.name == name)?;
        call.settings[at].word().map(str::to_owned)
    };
    // Parts of numbers are numbers; parts of strings are compared for equality.
    let (inner, kinds) = match word(&call, "parts").as_deref() {
        Some("columns") => ("rbf", Some(vec![Kind::Numbers])),
        Some(_) => ("delta", Some(vec![*random.pick(&[Kind::Strings, Kind::Text])])),
        None if ["terms", "content", "visual"].contains(&entry.facts.name) => {
            (*random.pick(inner_names(entry.facts.name)), Some(entry.facts.kinds.to_vec()))
        }
        None if entry.facts.name == "smooth" => {
            (*random.pick(inner_names("smooth")), Some(vec![Kind::Nodes]))
        }
        None if entry.facts.name == "relevance" => {
            (*random.pick(inner_names("relevance")), Some(vec![Kind::Numbers]))
        }
        None if entry.facts.name == "atoms" => {
            (*random.pick(inner_names("atoms")), Some(vec![Kind::Molecules]))
        }
        None => (*random.pick(inner_names(entry.facts.name)), None),
    };
    let (inner, inner_kinds) = call_of(find(inner)?, random)?;
    call.inner.push(Expression::Call(inner));
    if entry.takes_more() && random.once_in(2) {
        let more = call_of(find(if leaf(&call) == "delta" { "delta" } else { "laplacian" })?, random)?;
        call.inner.push(Expression::Call(more.0));
    }
    Some((call, kinds.unwrap_or(inner_kinds)))
}

fn setting(parameter: &Parameter, random: &mut Random) -> Setting {
    let positive = 10f64.powf(random.between(-3.0, 0.7));
    let number = match parameter.domain {
        Domain::Positive | Domain::PositiveOr(_) => positive,
        Domain::NonNegative => *random.pick(&[0.0, 1.0, positive]),
        Domain::Finite => random.between(-2.0, 2.0),
        Domain::AtLeast(low) => low + *random.pick(&[0.0, positive]),
        Domain::Share => random.between(0.01, 1.0),
        Domain::Whole(low, high) => (low + random.next() % (high - low + 1).min(6)) as f64,
        Domain::Word(words) => return Setting::Fixed(Value::Word((*random.pick(words)).to_owned())),
        Domain::ClassWeights => return Setting::Fixed(Value::Word("balanced".to_owned())),
    };
    Setting::Fixed(Value::Number(number))
}

/// Some columns of those types: at least one.
fn columns(kinds: &[Kind], n: usize, style: Style, one: bool, random: &mut Random) -> Option<Vec<Column>> {
    // Strings and text are used one column at a time.
    let one = one || kinds.iter().all(|k| matches!(k, Kind::Strings | Kind::Text));
    let count = if one { 1 } else { 1 + random.below(3) };
    let names = ["x", "a b", "größe", "x-1"];
    (0..count).map(|c| Some(Column::new(names[c], values(*random.pick(kinds), n, style, random)?))).collect()
}

/// Values of a type; `None` if the type has no generator.
fn values(kind: Kind, n: usize, style: Style, random: &mut Random) -> Option<Values> {
    Some(match kind {
        Kind::Numbers => Values::Numbers(dense(n, style, random)),
        Kind::Sparse => Values::Sparse(sparse(n, style, random)),
        Kind::Categories => {
            let values: Vec<_> = (0..n).map(|_| Some(*random.pick(&["red", "green", "blue"]))).collect();
            Values::Categories(Categories::from_values(values))
        }
        Kind::Times => Values::Times(Times::new((0..n).map(|_| random.between(-1e9, 2e9).floor()).collect())),
        // Of equal length in bytes too.
        Kind::Strings if style.even => Values::Strings(texts(n, &["a", "c", "g", "t"], "", true, random)),
        Kind::Text if style.even => Values::Text(texts(n, &["a", "b", "c"], " ", true, random)),
        Kind::Strings => Values::Strings(texts(n, &["a", "c", "g", "t", "é"], "", false, random)),
        Kind::Text => Values::Text(texts(n, &["the", "a", "kernel", "trick", "naïve"], " ", false, random)),
        Kind::Series => Values::Series(series(n, style, random)),
        Kind::Graphs => Values::Graphs(graphs(n, random)),
        Kind::Molecules => Values::Molecules((0..n).map(|_| molecule(random)).collect()),
        Kind::Images => Values::Images((0..n).map(|_| image(random)).collect()),
        Kind::Precomputed => Values::Precomputed(precomputed(n, random)),
        Kind::Nodes => Values::Nodes(nodes(n, random)),
    })
}

/// A small molecule: a chain of pieces, sometimes with a salt.
fn molecule(random: &mut Random) -> std::sync::Arc<mercer::data::Molecule> {
    const PIECES: [&str; 9] =
        ["C", "O", "C(=O)", "c1ccc(cc1)", "N", "C(C)(F)", "S(=O)(=O)", "C1CC1", "[C@H](Cl)"];
    let length = 1 + random.below(5);
    let mut text: String = (0..length).map(|_| *random.pick(&PIECES)).collect();
    if random.once_in(6) {
        text.push_str(".[Na+]");
    }
    std::sync::Arc::new(text.parse().unwrap())
}

/// A small image with any number of channels: noise, or one colour.
fn image(random: &mut Random) -> Image {
    let (width, height, channels) = (1 + random.below(9), 1 + random.below(9), 1 + random.below(4));
    let most = if random.once_in(6) { 1 } else { 256 };
    let pixels = (0..width * height * channels).map(|_| random.below(most) as u8).collect();
    Image::new(width, height, channels, pixels).unwrap()
}

/// Series of one set have the same number of channels.
fn series(n: usize, style: Style, random: &mut Random) -> Vec<Series> {
    let (channels, even) = (*random.pick(&[1, 1, 3]), 1 + random.below(8));
    let one = |_| {
        let length = if style.even { even } else { 1 + random.below(8) };
        Series::new(channels, (0..channels * length).map(|_| style.number(random)).collect()).unwrap()
    };
    (0..n).map(one).collect()
}

fn dense(n: usize, style: Style, random: &mut Random) -> Dense {
    let width = 1 + random.below(3);
    let mut x = Dense::zeros(n, width);
    for i in 0..n {
        // Sometimes a zero vector.
        if !(random.once_in(10) && style.zeros) {
            x.row_mut(i).iter_mut().for_each(|v| *v = style.number(random));
        }
        if style.gaps && random.once_in(4) {
            x.row_mut(i)[random.below(width)] = f64::NAN;
        }
    }
    x
}

fn sparse(n: usize, style: Style, random: &mut Random) -> Sparse {
    // Rarely, a dimension too large for dense tables.
    let dim = if random.once_in(8) { style.dim } else { *random.pick(&[1, 4, 9]) };
    let rows: Vec<Vec<(u32, f64)>> = (0..n)
        .map(|_| {
            let features = (0..dim.min(9)).map(|f| (f * (dim / dim.min(9))) as u32);
            let some: Vec<u32> = features.filter(|_| random.below(5) < 2).collect();
            // A stored zero is equivalent to no entry.
            some.into_iter()
                .map(|f| (f, if random.once_in(20) { 0.0 } else { style.number(random) }))
                .collect()
        })
        .collect();
    Sparse::from_rows(dim, &rows).unwrap()
}

fn texts(n: usize, words: &[&str], between: &str, even: bool, random: &mut Random) -> Vec<Option<String>> {
    let one = random.below(9);
    (0..n)
        .map(|_| {
            let length = if even { one } else { random.below(9) };
            Some((0..length).map(|_| *random.pick(words)).collect::<Vec<_>>().join(between))
        })
        .collect()
}

/// Graphs of one set have the same labels and attributes, so that kernels sometimes get ones they cannot use.
fn graphs(n: usize, random: &mut Random) -> Vec<Graph> {
    let [plain, bonds, weights, attributes, directed] = [3, 4, 4, 4, 6].map(|times| random.once_in(times));
    let mut all = Vec::with_capacity(n);
    for _ in 0..n {
        // Small ones, some of them without nodes or edges.
        let nodes = random.below(7);
        let mut edges = Vec::new();
        for a in 0..nodes {
            for b in 0..nodes {
                if random.once_in(if a == b { 12 } else { 3 }) {
                    edges.push((a as u32, b as u32));
                }
            }
        }
        let count = edges.len();
        let builder = if directed { GraphBuilder::directed(nodes) } else { GraphBuilder::undirected(nodes) };
        let names = (0..nodes).map(|_| *random.pick(&["C", "N", "O"])).collect::<Vec<_>>();
        let mut builder = builder.edges(edges);
        if !plain {
            builder = builder.node_labels(Labels::from_names(names));
        }
        if bonds {
            let names = (0..count).map(|_| *random.pick(&["-", "="])).collect::<Vec<_>>();
            builder = builder.edge_labels(Labels::from_names(names));
        }
        if weights {
            builder = builder.weights((0..count).map(|_| 1.0 + random.below(3) as f64).collect());
        }
        if attributes {
            let values = (0..2 * nodes).map(|_| random.between(-1.0, 1.0)).collect();
            builder = builder.node_attributes(Dense::new(nodes, 2, values).unwrap());
        }
        all.push(builder.build().unwrap().0);
    }
    all
}

/// Some nodes of a network with components, nodes without edges, loops, repeated edges and perhaps weights.
fn nodes(n: usize, random: &mut Random) -> Nodes {
    let count = 2 + n / 2 + random.below(n);
    let weighted = random.once_in(2);
    let mut edges = Vec::new();
    for _ in 0..random.below(2 * count) {
        let (a, b) = (random.below(count) as u32, random.below(count) as u32);
        edges.push((a, b, if weighted { random.between(0.1, 2.0) } else { 1.0 }));
    }
    let network = Network::new(count, &edges).unwrap();
    Nodes::new(Arc::new(network), (0..n).map(|_| random.below(count) as u32).collect()).unwrap()
}

fn precomputed(n: usize, random: &mut Random) -> Precomputed {
    let mut k = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let v = if i == j { 1.0 } else { random.between(-1.0, 1.0) };
            k.row_mut(i)[j] = v;
            k.row_mut(j)[i] = v;
        }
    }
    Precomputed::square(k).unwrap()
}
