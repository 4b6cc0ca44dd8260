//! Ridge regression, perceptrons, nearest neighbours and linear models in model files.

use std::slice::from_ref;
use std::sync::Arc;

use super::{functions, pieces, several, single};
use crate::container::{Get, Put, Stored, Word, ends, stored};
use crate::data::Dense;
use crate::error::{Code, Result};
use crate::gram::Centering;
use crate::learn::{
    Knn, KnnClassifier, KnnRegressor, Linear, LinearClassifier, LinearFunctions, LinearMap, LinearModel,
    LinearRegressor, Measure, Mistake, Neighbours, PerceptronModel, RidgeClassifier, RidgeModel, Rule,
    VotedPerceptronModel,
};
use crate::solve::Duality;

stored! { RidgeModel: m, get {
    alpha: matrix = m.alpha(),
        where alpha.cols() == functions(get)?
            => ModelCount format!("coefficients of {} targets, expected {}", alpha.cols(), functions(get)?);
    origin: part when "intercept" = m.origin();
} => RidgeModel::from_parts(alpha, origin) }

// The data for an intercept.
stored! { (Centering, Vec<f64>): m, get {
    centering: part = &m.0;
    means: numbers as "target-means" = &m.1;
} => Ok((centering, means)) }

stored! { RidgeClassifier: m, get {
    model: part = m.model();
} => {
    several(get)?;
    Ok(RidgeClassifier::from_parts(model))
} }

stored! { PerceptronModel: m, get {
    coefficients: matrix = m.coefficients(),
        where coefficients.rows() == functions(get)?
            => ModelCount format!("{} binary classifiers, expected {}", coefficients.rows(), functions(get)?);
    biases: numbers = m.biases();
    runs: records = m.runs();
} => {
    several(get)?;
    PerceptronModel::from_parts(coefficients, biases, runs)
} }

stored! { VotedPerceptronModel: m, get {
    ends: u64s = ends(m.made().iter().map(Vec::len)), len functions(get)?;
    objects: u32s = m.made().iter().flatten().map(|m| m.object as u32);
    positive: u8s = m.made().iter().flatten().map(|m| u8::from(m.y > 0.0)),
        len objects.len(),
        where positive.iter().all(|p| *p <= 1) => ModelSyntax "a sign that is neither 0 nor 1";
    survivals: values = m.made().iter().flatten().map(|m| m.survival), len objects.len();
    bias: flag = m.bias();
    rule: word = m.rule();
} => {
    several(get)?;
    let of = |((&object, &positive), &survival): ((&u32, &u8), &f64)| {
        Mistake { object: object as usize, y: if positive == 1 { 1.0 } else { -1.0 }, survival }
    };
    let made: Vec<Mistake> = objects.iter().zip(positive).zip(survivals).map(of).collect();
    let mistakes = pieces(get, "mistakes", &made, ends)?.into_iter().map(<[Mistake]>::to_vec).collect();
    VotedPerceptronModel::from_parts(used(get, objects)?, bias, rule, mistakes)
} }

/// The number of objects that mistakes were made on, which have the numbers from 0.
fn used(get: &Get<'_>, objects: &[u32]) -> Result<usize> {
    // Each stored object was misclassified by some model, so there are no more objects than mistakes.
    let mut seen = vec![false; objects.len()];
    for &object in objects {
        let Some(seen) = seen.get_mut(object as usize) else {
            let reason = format!("object index {object}, but there are {} objects", objects.len());
            return Err(get.field.fault(Code::ModelCount, reason));
        };
        *seen = true;
    }
    let n = seen.iter().filter(|s| **s).count();
    match seen[..n].contains(&false) {
        true => Err(get.field.fault(Code::ModelCount, "objects without a mistake")),
        false => Ok(n),
    }
}

stored! { KnnClassifier: m, get {
    k: count = m.parts().0;
    measure: word = m.parts().1;
    weights: word = m.weighting();
    own: values = m.parts().2;
    codes: indices = m.codes();
} => Knn::new(k).with_measure(measure).with_neighbours(weights).fit_self_similarities(own, &codes, several(get)?) }

stored! { KnnRegressor: m, get {
    k: count = m.parts().0;
    measure: word = m.parts().1;
    weights: word = m.weighting();
    own: values = m.parts().2;
    target: values = m.target();
} => Knn::new(k).with_measure(measure).with_neighbours(weights).fit_values_self_similarities(own, target) }

stored! { LinearClassifier: m, get {
    models: linear = m.classifiers();
} => LinearClassifier::from_parts(several(get)?, models) }

stored! { LinearRegressor: m, get {
    models: linear = from_ref(m.model());
} => Ok(LinearRegressor::from_parts(single(get, models)?)) }

impl Put<'_> {
    fn linear(&mut self, _: &str, models: &[LinearModel]) -> Result<()> {
        let width = models.first().map_or(0, |m| m.weights().len());
        let weights = models.iter().flat_map(|m| m.weights().iter().copied()).collect();
        self.matrix("weights", &Dense::new(models.len(), width, weights)?)?;
        // Weights of only some features are stored with their indices and the total number of features.
        if let Some((trained, features)) = models.first().and_then(|m| Some((m, m.features()?))) {
            self.u32s("features", features)?;
            self.count("dim", trained.dim())?;
        }
        self.values("intercepts", models.iter().map(LinearModel::intercept))?;
        self.records("dualities", models.iter().map(LinearModel::duality))
    }
}

impl Get<'_> {
    fn linear(&self, _: &str) -> Result<Vec<LinearModel>> {
        let (intercepts, weights) = (self.values("intercepts")?, self.matrix("weights")?);
        self.check_len("weights", weights.rows(), intercepts.len())?;
        let dualities: Vec<Duality> = self.records("dualities")?;
        self.check_len("dualities", dualities.len(), intercepts.len())?;
        let (dim, features) = match self.field.find("dim")? {
            None => (weights.cols(), None),
            Some(dim) => (dim.count()?, Some(Arc::<[u32]>::from(self.u32s("features")?))),
        };
        let model = |(i, duality)| {
            let own = weights.row(i).to_vec();
            self.fits(LinearModel::from_parts(own, dim, features.clone(), intercepts[i], duality))
        };
        dualities.into_iter().enumerate().map(model).collect()
    }
}

impl Stored for LinearFunctions {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        put.matrix("weights", self.map.weights())?;
        put.numbers("offsets", self.map.offsets())?;
        if let Some((variances, total)) = self.map.variances() {
            put.numbers("variances", variances)?;
            put.one("total-variance", total)?;
        }
        put.word("machine", self.stand_for)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let (weights, offsets) = (get.matrix("weights")?, get.numbers("offsets")?);
        let stand_for: Linear = get.word("machine")?;
        if stand_for == Linear::Classes {
            several(get)?;
        }
        let variances = match stand_for {
            Linear::Components => Some((get.numbers("variances")?, get.one("total-variance")?)),
            Linear::Number | Linear::Classes => {
                get.check_len("offsets", offsets.len(), functions(get)?)?;
                None
            }
        };
        let map = get.fits(LinearMap::from_parts(weights, offsets, variances))?;
        Ok(LinearFunctions { map, stand_for })
    }
}

impl Word for Linear {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("linear-ridge", Linear::Number),
        ("linear-ridge-classes", Linear::Classes),
        ("linear-pca", Linear::Components),
    ];
}

impl Word for Rule {
    const WORDS: &'static [(&'static str, Self)] =
        &[("vote", Rule::Vote), ("average", Rule::Average), ("last", Rule::Last)];
}

impl Word for Measure {
    const WORDS: &'static [(&'static str, Self)] =
        &[("similarity", Measure::Similarity), ("distance", Measure::Distance)];
}

impl Word for Neighbours {
    const WORDS: &'static [(&'static str, Self)] =
        &[("uniform", Neighbours::Uniform), ("distance", Neighbours::Distance)];
}
