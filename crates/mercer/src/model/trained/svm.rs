//! Saving and loading of support vector machines.
//!
//! The coefficients of all binary classifiers are concatenated in `coefficients`, their support vectors in `support`;
//! `ends` holds the end of each classifier's part. Locations are stored the same way, one byte per training object.
//! Probabilities exist if the document has a `calibration`.

use serde_json::json;

use super::{Get, Put, ends};
use crate::error::shown;
use crate::error::{Code, Result};
use crate::learn::svm::{
    Calibration, Certificate, DecisionFunction, Location, OneClassModel, Scheme, Sigmoid, SvcModel, SvrModel,
};

impl Put<'_> {
    pub(super) fn svc(&mut self, trained: &SvcModel) -> Result<()> {
        self.classifiers(trained.classifiers())?;
        self.array("support-classes", trained.support_classes().to_vec())?;
        self.array("target", trained.target().to_vec())?;
        self.say("scheme", scheme_name(trained.scheme()))
    }

    pub(super) fn svr(&mut self, trained: &SvrModel) -> Result<()> {
        self.classifiers(std::slice::from_ref(trained.model()))?;
        self.array("epsilon", vec![trained.epsilon()])
    }

    pub(super) fn one_class(&mut self, trained: &OneClassModel) -> Result<()> {
        self.classifiers(std::slice::from_ref(trained.model()))
    }

    pub(super) fn calibration(&mut self, calibration: &Calibration) -> Result<()> {
        let of = |which: fn(&Sigmoid) -> f64| calibration.sigmoids.iter().map(which).collect::<Vec<_>>();
        self.array("sigmoid-slopes", of(|s| s.a))?;
        self.array("sigmoid-shifts", of(|s| s.b))?;
        let Calibration { folds, unconverged, .. } = calibration;
        let folds = folds.iter().map(|&f| f.into()).collect();
        let folds = self.container.put_list(&format!("{}/calibration/folds", self.prefix), folds)?;
        self.say("calibration", json!({"folds": folds, "unconverged": unconverged}))
    }

    fn classifiers(&mut self, classifiers: &[DecisionFunction]) -> Result<()> {
        self.array("offsets", classifiers.iter().map(|m| m.offset).collect::<Vec<_>>())?;
        self.array("ends", ends(classifiers.iter().map(|m| m.support.len())))?;
        let support = classifiers.iter().flat_map(|m| &m.support).map(|&s| s as u32);
        self.array("support", support.collect::<Vec<_>>())?;
        let coefficients = classifiers.iter().flat_map(|m| m.coefficients.iter().copied());
        self.array("coefficients", coefficients.collect::<Vec<_>>())?;
        self.array("location-ends", ends(classifiers.iter().map(|m| m.locations.len())))?;
        let locations = classifiers.iter().flat_map(|m| m.locations.iter().map(|l| byte(*l)));
        self.array("locations", locations.collect::<Vec<u8>>())?;
        self.records("certificates", classifiers.iter().map(|m| m.certificate.as_ref()))
    }
}

impl Get<'_> {
    pub(super) fn svc(&self, classes: usize) -> Result<SvcModel> {
        let scheme = self.field.get("scheme")?;
        let scheme = match scheme.text()? {
            "one-versus-one" => Scheme::OneVersusOne,
            "one-versus-rest" => Scheme::OneVersusRest,
            other => return Err(scheme.fault(Code::ModelSyntax, format!("{} is not a scheme", shown(other)))),
        };
        let support_classes = self.u32s("support-classes")?.to_vec();
        let target = self.u32s("target")?.to_vec();
        self.fits(SvcModel::from_parts(classes, scheme, self.classifiers()?, support_classes, target))
    }

    /// The sigmoids; `None` for models without probabilities.
    pub(super) fn calibration(&self) -> Result<Option<Calibration>> {
        let Some(field) = self.field.find("calibration")? else { return Ok(None) };
        let slopes = self.finite("sigmoid-slopes")?;
        let shifts = self.finite_of("sigmoid-shifts", slopes.len())?;
        let sigmoids = slopes.iter().zip(shifts).map(|(&a, &b)| Sigmoid { a, b }).collect();
        let mut folds = Vec::with_capacity(slopes.len());
        self.container.list(&self.name("calibration/folds"), &field.get("folds")?)?.each(|_, fold| {
            folds.push(fold.count()?);
            Ok(())
        })?;
        Ok(Some(Calibration { sigmoids, folds, unconverged: field.get("unconverged")?.count()? }))
    }

    pub(super) fn svr(&self) -> Result<SvrModel> {
        let epsilon = self.one("epsilon")?;
        if epsilon < 0.0 || epsilon.is_infinite() {
            return Err(self.field.fault(Code::ModelNonFinite, format!("a tube of half-width {epsilon}")));
        }
        self.fits(SvrModel::from_parts(self.model()?, epsilon))
    }

    pub(super) fn one_class(&self) -> Result<OneClassModel> {
        self.fits(OneClassModel::from_parts(self.model()?))
    }

    fn model(&self) -> Result<DecisionFunction> {
        let mut classifiers = self.classifiers()?;
        let count = classifiers.len();
        match classifiers.pop() {
            Some(trained) if count == 1 => Ok(trained),
            _ => Err(self.field.fault(Code::ModelCount, format!("{count} models, expected 1"))),
        }
    }

    fn classifiers(&self) -> Result<Vec<DecisionFunction>> {
        let offsets = self.finite("offsets")?;
        let list_of = |part: &str| -> Result<&[u64]> {
            let ends = self.container.u64s(&self.name(part))?;
            self.container.check_len(&self.name(part), ends.len(), offsets.len())?;
            Ok(ends)
        };
        let (support_ends, location_ends) = (list_of("ends")?, list_of("location-ends")?);
        let support = self.pieces("support", self.u32s("support")?, support_ends)?;
        let coefficients = self.pieces("coefficients", self.finite("coefficients")?, support_ends)?;
        let locations = self.container.u8s(&self.name("locations"))?;
        let locations = self.pieces("locations", locations, location_ends)?;
        let certificates: Vec<Option<Certificate>> = self.list("certificates", offsets.len())?;
        let mut classifiers = Vec::with_capacity(offsets.len());
        for (i, certificate) in certificates.into_iter().enumerate() {
            let locations = locations[i].iter().map(|&b| self.location(b)).collect::<Result<_>>()?;
            classifiers.push(DecisionFunction {
                support: support[i].iter().map(|&s| s as usize).collect(),
                coefficients: coefficients[i].to_vec(),
                offset: offsets[i],
                certificate,
                locations,
            });
        }
        Ok(classifiers)
    }

    fn location(&self, byte: u8) -> Result<Location> {
        match byte {
            0 => Ok(Location::Outside),
            1 => Ok(Location::On),
            2 => Ok(Location::Inside),
            _ => Err(self.field.fault(Code::ModelSyntax, format!("{byte} is not a location"))),
        }
    }
}

fn byte(location: Location) -> u8 {
    match location {
        Location::Outside => 0,
        Location::On => 1,
        Location::Inside => 2,
    }
}

fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::OneVersusOne => "one-versus-one",
        Scheme::OneVersusRest => "one-versus-rest",
    }
}
