//! Support vector machines in model files.
//!
//! The coefficients of all binary classifiers are concatenated in `coefficients`, their support vectors in `support`;
//! `ends` holds the end of each classifier's part. Locations are stored the same way, one byte per training object.
//! Probabilities exist if the document has a `calibration`.

use std::slice::from_ref;

use super::{pieces, several, single};
use crate::container::{Get, Put, Word, ends, stored};
use crate::error::{Code, Result};
use crate::learn::svm::{
    Calibration, Certificate, DecisionFunction, Location, OneClassModel, Scheme, Sigmoid, SvcModel, SvrModel,
};

stored! { SvcModel: m, get {
    scheme: word = m.scheme();
    support_classes: u32s as "support-classes" = m.support_classes();
    target: u32s = m.target();
    models: decisions = m.classifiers();
} => SvcModel::from_parts(several(get)?, scheme, models, support_classes.to_vec(), target.to_vec()) }

stored! { SvrModel: m, get {
    epsilon: one_or_nan = m.epsilon(),
        where !(epsilon < 0.0 || epsilon.is_infinite())
            => ModelNonFinite format!("a tube of half-width {epsilon}");
    models: decisions = from_ref(m.model());
} => SvrModel::from_parts(single(get, models)?, epsilon) }

stored! { OneClassModel: m, get {
    models: decisions = from_ref(m.model());
} => OneClassModel::from_parts(single(get, models)?) }

stored! { Calibration: m, get {
    slopes: values as "sigmoid-slopes" = m.sigmoids.iter().map(|s| s.a);
    shifts: values as "sigmoid-shifts" = m.sigmoids.iter().map(|s| s.b), len slopes.len();
    folds: folds = &m.folds;
    unconverged: count = m.unconverged;
} => {
    let sigmoids = slopes.iter().zip(shifts).map(|(&a, &b)| Sigmoid { a, b }).collect();
    Ok(Calibration { sigmoids, folds, unconverged })
} }

impl Word for Scheme {
    const WORDS: &'static [(&'static str, Self)] =
        &[("one-versus-one", Scheme::OneVersusOne), ("one-versus-rest", Scheme::OneVersusRest)];
}

/// The locations, by the bytes that stand for them.
const LOCATIONS: [Location; 3] = [Location::Outside, Location::On, Location::Inside];

impl Put<'_> {
    /// The folds of a calibration, whose list has the name of both.
    fn folds(&mut self, key: &str, folds: &[usize]) -> Result<()> {
        let (name, folds) = (self.name("calibration/folds"), folds.iter().map(|&f| f.into()).collect());
        self.document[key] = self.container.put_list(&name, folds)?;
        Ok(())
    }

    fn decisions(&mut self, _: &str, models: &[DecisionFunction]) -> Result<()> {
        self.values("offsets", models.iter().map(|m| m.offset))?;
        self.u64s("ends", ends(models.iter().map(|m| m.support.len())))?;
        self.u32s("support", models.iter().flat_map(|m| &m.support).map(|&s| s as u32))?;
        self.values("coefficients", models.iter().flat_map(|m| &m.coefficients))?;
        self.u64s("location-ends", ends(models.iter().map(|m| m.locations.len())))?;
        let byte = |own: &Location| LOCATIONS.iter().position(|l| l == own).unwrap_or_default() as u8;
        self.u8s("locations", models.iter().flat_map(|m| &m.locations).map(byte))?;
        self.records("certificates", models.iter().map(|m| m.certificate.as_ref()))
    }
}

impl Get<'_> {
    fn folds(&self, key: &str) -> Result<Vec<usize>> {
        self.list(&self.name("calibration/folds"), &self.field.get(key)?)
    }

    fn decisions(&self, _: &str) -> Result<Vec<DecisionFunction>> {
        let offsets = self.values("offsets")?;
        let ends_of = |key: &str| {
            let ends = self.u64s(key)?;
            self.check_len(key, ends.len(), offsets.len()).map(|()| ends)
        };
        let (support_ends, location_ends) = (ends_of("ends")?, ends_of("location-ends")?);
        let support = pieces(self, "support", self.u32s("support")?, support_ends)?;
        let coefficients = pieces(self, "coefficients", self.values("coefficients")?, support_ends)?;
        let locations = pieces(self, "locations", self.u8s("locations")?, location_ends)?;
        let certificates: Vec<Option<Certificate>> = self.records("certificates")?;
        self.check_len("certificates", certificates.len(), offsets.len())?;
        let location = |&byte: &u8| {
            let known = LOCATIONS.get(usize::from(byte)).copied();
            known.ok_or_else(|| self.field.fault(Code::ModelSyntax, format!("{byte} is not a location")))
        };
        let model = |(i, certificate): (usize, Option<Certificate>)| {
            Ok(DecisionFunction {
                support: support[i].iter().map(|&s| s as usize).collect(),
                coefficients: coefficients[i].to_vec(),
                offset: offsets[i],
                certificate,
                locations: locations[i].iter().map(location).collect::<Result<_>>()?,
            })
        };
        certificates.into_iter().enumerate().map(model).collect()
    }
}
