//! Support vector machines in a model.
//!
//! The coefficients of all machines stand one after the other in `coefficients`, the support vectors they belong to in
//! `support`; `ends` says where each machine's end. Locations are kept the same way, a byte for each training object.
//! Probabilities are there where the document has a `calibration`.

use serde_json::json;

use super::{Get, Put, ends};
use crate::error::shown;
use crate::error::{Code, Result};
use crate::learn::svm::{
    Calibration, Certificate, Location, Machine, OneClassMachine, Scheme, Sigmoid, SvcMachine, SvrMachine,
};

impl Put<'_> {
    pub(super) fn svc(&mut self, machine: &SvcMachine) -> Result<()> {
        self.machines(machine.machines())?;
        self.array("support-classes", machine.support_classes().to_vec())?;
        self.array("target", machine.target().to_vec())?;
        self.say("scheme", scheme_name(machine.scheme()))
    }

    pub(super) fn svr(&mut self, machine: &SvrMachine) -> Result<()> {
        self.machines(std::slice::from_ref(machine.machine()))?;
        self.array("epsilon", vec![machine.epsilon()])
    }

    pub(super) fn one_class(&mut self, machine: &OneClassMachine) -> Result<()> {
        self.machines(std::slice::from_ref(machine.machine()))
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

    fn machines(&mut self, machines: &[Machine]) -> Result<()> {
        self.array("offsets", machines.iter().map(|m| m.offset).collect::<Vec<_>>())?;
        self.array("ends", ends(machines.iter().map(|m| m.support.len())))?;
        let support = machines.iter().flat_map(|m| &m.support).map(|&s| s as u32);
        self.array("support", support.collect::<Vec<_>>())?;
        let coefficients = machines.iter().flat_map(|m| m.coefficients.iter().copied());
        self.array("coefficients", coefficients.collect::<Vec<_>>())?;
        self.array("location-ends", ends(machines.iter().map(|m| m.locations.len())))?;
        let locations = machines.iter().flat_map(|m| m.locations.iter().map(|l| byte(*l)));
        self.array("locations", locations.collect::<Vec<u8>>())?;
        self.records("certificates", machines.iter().map(|m| m.certificate.as_ref()))
    }
}

impl Get<'_> {
    pub(super) fn svc(&self, classes: usize) -> Result<SvcMachine> {
        let scheme = self.field.get("scheme")?;
        let scheme = match scheme.text()? {
            "one-versus-one" => Scheme::OneVersusOne,
            "one-versus-rest" => Scheme::OneVersusRest,
            other => return Err(scheme.fault(Code::ModelSyntax, format!("{} is no scheme", shown(other)))),
        };
        let support_classes = self.u32s("support-classes")?.to_vec();
        let target = self.u32s("target")?.to_vec();
        self.fits(SvcMachine::from_parts(classes, scheme, self.machines()?, support_classes, target))
    }

    /// The sigmoids; nothing in files of machines without probabilities.
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

    pub(super) fn svr(&self) -> Result<SvrMachine> {
        let epsilon = self.one("epsilon")?;
        if epsilon < 0.0 || epsilon.is_infinite() {
            return Err(self.field.fault(Code::ModelNonFinite, format!("a tube of half-width {epsilon}")));
        }
        self.fits(SvrMachine::from_parts(self.machine()?, epsilon))
    }

    pub(super) fn one_class(&self) -> Result<OneClassMachine> {
        self.fits(OneClassMachine::from_parts(self.machine()?))
    }

    fn machine(&self) -> Result<Machine> {
        let mut machines = self.machines()?;
        let count = machines.len();
        match machines.pop() {
            Some(machine) if count == 1 => Ok(machine),
            _ => Err(self.field.fault(Code::ModelCount, format!("{count} machines where 1 is needed"))),
        }
    }

    fn machines(&self) -> Result<Vec<Machine>> {
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
        let mut machines = Vec::with_capacity(offsets.len());
        for (i, certificate) in certificates.into_iter().enumerate() {
            let locations = locations[i].iter().map(|&b| self.location(b)).collect::<Result<_>>()?;
            machines.push(Machine {
                support: support[i].iter().map(|&s| s as usize).collect(),
                coefficients: coefficients[i].to_vec(),
                offset: offsets[i],
                certificate,
                locations,
            });
        }
        Ok(machines)
    }

    fn location(&self, byte: u8) -> Result<Location> {
        match byte {
            0 => Ok(Location::Outside),
            1 => Ok(Location::On),
            2 => Ok(Location::Inside),
            _ => Err(self.field.fault(Code::ModelSyntax, format!("{byte} is no location"))),
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
