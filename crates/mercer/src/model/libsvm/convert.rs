//! Conversion between LIBSVM's models and the models of this library.
//!
//! LIBSVM numbers classes in the order of `label` and decides for the first of a pair if the value is positive; here a
//! positive value means the second. Coefficients and offsets of classifiers therefore change their signs, and decision
//! values are LIBSVM's with the opposite sign. Its sigmoids give the probability of the first class, 1 / (1 + exp(A·d +
//! B)); with f = -d that of the second is 1 / (1 + exp(A·f - B)), so A stays and B changes its sign. Regression and
//! one-class models are the same in both.

use super::{KernelType, LibsvmModel, Support, SvmType};
use crate::data::{Dataset, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::learn::svm::{Calibration, DecisionFunction, OneClassModel, Scheme, Sigmoid, SvcModel, SvrModel};
use crate::learn::{AnyModel, Trained};

/// A LIBSVM model as parts of this library: a kernel, the support objects, and the trained model.
///
/// ```
/// use mercer::data::Dataset;
/// use mercer::gram::Engine;
/// use mercer::model::LibsvmModel;
/// let text = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\n\
///             nr_sv 1 1\nSV\n0.75 1:2 3:-1 \n-0.75 2:1.5 \n";
/// let parts = LibsvmModel::from_bytes("svm.model", text.as_bytes())?.parts()?;
/// assert_eq!(parts.kernel.to_string(), "rbf(gamma=0.5)");
/// let support = parts.support.as_ref().unwrap();
/// let engine = Engine::new();
/// let kernel = parts.kernel.fit(support, &engine)?.kernel;
/// let cross = engine.cross(&kernel, support, support)?; // the support vectors as new objects
/// let prediction = parts.trained.predict(&cross, None)?;
/// assert_eq!((prediction.class(0), prediction.class(1)), (Some("1"), Some("-1")));
/// assert_eq!(LibsvmModel::from_bytes("again", parts.model()?.to_text()?.as_bytes())?, parts.model()?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LibsvmParts {
    /// LIBSVM's SVM type.
    pub svm_type: SvmType,
    /// The kernel: linear, polynomial, rbf, sigmoid or precomputed.
    pub kernel: Expression,
    /// The support objects, a column of sparse numbers, in the order of the model's support. `None` for precomputed
    /// similarities: the model's support is then the indices of training objects, from 0.
    pub support: Option<Dataset>,
    /// The model; its classes are the labels. A classifier's probabilities are its [calibration](Trained::calibration).
    pub trained: Trained,
    /// The index of the first feature in the file: 1, or 0.
    pub index_base: u32,
    /// LIBSVM's probA if it is not part of a classifier's calibration: the noise scale in regression.
    pub prob_a: Option<Vec<f64>>,
    /// The same for probB, which only classifiers use.
    pub prob_b: Option<Vec<f64>>,
    /// The decision values at which the probability of a one-class model increases.
    pub prob_density_marks: Option<Vec<f64>>,
}

impl LibsvmModel {
    /// Converts the model to parts of this library. Fails for kernel parameters that this library does not allow (a
    /// gamma of 0, a negative constant of a polynomial) and for classifiers of one class.
    pub fn parts(&self) -> Result<LibsvmParts> {
        // The same checks as for a file.
        super::write::check(self)?;
        let (order, support, index_base) = match &self.support {
            Support::Vectors { vectors, index_base } => {
                ((0..vectors.rows()).collect(), Some(Dataset::of_vectors(vectors.clone())), *index_base)
            }
            Support::Serial(numbers) => {
                let mut order: Vec<usize> = (0..numbers.len()).collect();
                order.sort_by_key(|&i| numbers[i]);
                (order, None, 1)
            }
        };
        let trained = self.trained(&order)?;
        let trained = match &self.support {
            Support::Vectors { .. } => trained,
            Support::Serial(numbers) => {
                trained.over(order.iter().map(|&i| numbers[i] as usize - 1).collect())?
            }
        };
        let (trained, prob_a, prob_b) = match (&self.prob_a, &self.prob_b) {
            // Probabilities need both.
            (Some(a), Some(b)) if self.svm_type.is_classifier() => {
                let sigmoids = a.iter().zip(b).map(|(&a, &b)| Sigmoid { a, b: -b }).collect();
                let calibration = Calibration { sigmoids, folds: Vec::new(), unconverged: 0 };
                (trained.with_calibration(calibration)?, None, None)
            }
            (a, b) => (trained, a.clone(), b.clone()),
        };
        Ok(LibsvmParts {
            svm_type: self.svm_type,
            kernel: self.kernel()?,
            support,
            trained,
            index_base,
            prob_a,
            prob_b,
            prob_density_marks: self.prob_density_marks.clone(),
        })
    }

    fn kernel(&self) -> Result<Expression> {
        let number = |v: Option<f64>| crate::numeric::shortest(v.unwrap_or(f64::NAN));
        let (gamma, coef0) = (number(self.gamma), number(self.coef0));
        let text = match self.kernel_type {
            KernelType::Linear => "linear".to_owned(),
            KernelType::Polynomial => {
                format!("polynomial(degree={}, c={coef0}, gamma={gamma})", self.degree.unwrap_or(0))
            }
            KernelType::Rbf => format!("rbf(gamma={gamma})"),
            KernelType::Sigmoid => format!("sigmoid(gamma={gamma}, c={coef0})"),
            KernelType::Precomputed => "precomputed".to_owned(),
        };
        text.parse()
    }

    /// The model over support vectors in that order.
    fn trained(&self, order: &[usize]) -> Result<Trained> {
        if !self.svm_type.is_classifier() {
            let coefficients = order.iter().map(|&i| self.coefficients[0][i]).collect();
            let trained = decision_function((0..order.len()).collect(), coefficients, self.rho[0]);
            let trained: Box<dyn AnyModel> = match self.svm_type {
                SvmType::OneClass => Box::new(OneClassModel::from_parts(trained)?),
                _ => Box::new(SvrModel::from_parts(trained, f64::NAN)?),
            };
            return Trained::stored(trained, Vec::new());
        }
        let (Some(label), Some(nr_sv)) = (&self.label, &self.nr_sv) else {
            return Err(Error::usage("a classifier without labels"));
        };
        let classes = label.len();
        let of_class = nr_sv.iter().enumerate().flat_map(|(class, &n)| std::iter::repeat_n(class, n));
        let of_class: Vec<usize> = of_class.collect();
        let mut members = vec![Vec::new(); classes];
        order.iter().enumerate().for_each(|(at, &i)| members[of_class[i]].push((at, i)));
        let mut classifiers = Vec::with_capacity(self.rho.len());
        for a in 0..classes {
            for b in a + 1..classes {
                // The coefficient of a support vector against another class is in that class's row; its own class has
                // no row.
                let of_a = members[a].iter().map(|&(at, i)| (at, self.coefficients[b - 1][i]));
                let of_b = members[b].iter().map(|&(at, i)| (at, self.coefficients[a][i]));
                let mut used: Vec<(usize, f64)> = of_a.chain(of_b).filter(|(_, c)| *c != 0.0).collect();
                used.sort_unstable_by_key(|(at, _)| *at);
                let (support, coefficients) = used.into_iter().map(|(at, c)| (at, -c)).unzip();
                classifiers.push(decision_function(support, coefficients, -self.rho[classifiers.len()]));
            }
        }
        let support_classes = order.iter().map(|&i| of_class[i] as u32).collect();
        let trained =
            SvcModel::from_parts(classes, Scheme::OneVersusOne, classifiers, support_classes, Vec::new())?;
        Trained::stored(Box::new(trained), label.iter().map(i64::to_string).collect())
    }
}

fn decision_function(support: Vec<usize>, coefficients: Vec<f64>, offset: f64) -> DecisionFunction {
    DecisionFunction { support, coefficients, offset, certificate: None, locations: Vec::new() }
}

impl LibsvmParts {
    /// The model in LIBSVM's format. Fails where LIBSVM has no counterpart: other kernels and learners, one-versus-rest
    /// with several classes, classes whose names are not integers.
    ///
    /// The kernel's columns of `support` are concatenated as features, numbered from `index_base`.
    pub fn model(&self) -> Result<LibsvmModel> {
        let mut model = LibsvmModel {
            svm_type: self.svm_type,
            kernel_type: KernelType::Linear,
            degree: None,
            gamma: None,
            coef0: None,
            nr_class: 2,
            rho: Vec::new(),
            label: None,
            prob_a: self.prob_a.clone(),
            prob_b: self.prob_b.clone(),
            prob_density_marks: self.prob_density_marks.clone(),
            nr_sv: None,
            coefficients: Vec::new(),
            support: Support::Serial(Vec::new()),
        };
        if let Some(calibration) = self.trained.calibration() {
            model.prob_a = Some(calibration.sigmoids.iter().map(|s| s.a).collect());
            model.prob_b = Some(calibration.sigmoids.iter().map(|s| -s.b).collect());
        }
        self.write_kernel(&mut model)?;
        let order = self.write_model(&mut model)?;
        model.support = self.written_support(&order, model.kernel_type)?;
        super::write::check(&model)?;
        Ok(model)
    }

    fn write_kernel(&self, model: &mut LibsvmModel) -> Result<()> {
        let none =
            || Error::param("kernel", &self.kernel, "linear, polynomial, rbf, sigmoid or precomputed, alone");
        let Expression::Call(call) = &self.kernel else { return Err(none()) };
        let number = |name: &str| call.number(name).map_err(|_| none());
        let known = |name: &str| KernelType::ALL.iter().copied().find(|kind| kind.name() == name);
        model.kernel_type = call.entry.libsvm().and_then(known).ok_or_else(none)?;
        if !matches!(model.kernel_type, KernelType::Linear | KernelType::Precomputed) {
            model.gamma = Some(number("gamma")?);
        }
        if matches!(model.kernel_type, KernelType::Polynomial | KernelType::Sigmoid) {
            model.coef0 = Some(number("c")?);
        }
        if model.kernel_type == KernelType::Polynomial {
            model.degree = Some(number("degree")? as u32);
        }
        Ok(())
    }

    /// Writes the model; returns the order of the support vectors in LIBSVM's file: class by class.
    fn write_model(&self, model: &mut LibsvmModel) -> Result<Vec<usize>> {
        let alone = |trained: &DecisionFunction, model: &mut LibsvmModel| {
            model.rho = vec![trained.offset];
            model.coefficients = vec![trained.coefficients.clone()];
            (0..trained.support.len()).collect()
        };
        let trained = self.trained.model();
        match self.svm_type {
            SvmType::CSvc | SvmType::NuSvc => trained.downcast_ref().map(|m| self.write_classes(m, model)),
            SvmType::EpsilonSvr | SvmType::NuSvr => {
                trained.downcast_ref::<SvrModel>().map(|m| Ok(alone(m.model(), model)))
            }
            SvmType::OneClass => trained.downcast_ref::<OneClassModel>().map(|m| Ok(alone(m.model(), model))),
        }
        .unwrap_or_else(|| {
            Err(Error::usage(format!("the model is not of LIBSVM's type {}", self.svm_type.name())))
        })
    }

    fn write_classes(&self, trained: &SvcModel, model: &mut LibsvmModel) -> Result<Vec<usize>> {
        let classes = trained.classes();
        if trained.scheme() != Scheme::OneVersusOne && classes > 2 {
            return Err(Error::usage("LIBSVM supports only the scheme one-versus-one"));
        }
        let labels = self.trained.classes().iter().map(|name| label(name)).collect::<Result<Vec<_>>>()?;
        let own = trained.support_classes();
        let mut order: Vec<usize> = (0..own.len()).collect();
        order.sort_by_key(|&s| own[s]);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &s)| place[s] = at);
        let mut coefficients = vec![vec![0.0; order.len()]; classes - 1];
        for (&(a, b), m) in trained.pairs().iter().zip(trained.classifiers()) {
            for (&s, c) in m.support.iter().zip(&m.coefficients) {
                let row = match own[s] as usize {
                    own if own == a => b - 1,
                    own if own == b => a,
                    _ => return Err(Error::usage("a support vector of neither class of its model")),
                };
                coefficients[row][place[s]] = -c;
            }
        }
        let count = |class: usize| own.iter().filter(|&&c| c as usize == class).count();
        model.nr_class = classes;
        model.rho = trained.classifiers().iter().map(|m| -m.offset).collect();
        model.label = Some(labels);
        model.nr_sv = Some((0..classes).map(count).collect());
        model.coefficients = coefficients;
        Ok(order)
    }

    fn written_support(&self, order: &[usize], kernel: KernelType) -> Result<Support> {
        if kernel == KernelType::Precomputed {
            let number = |&at: &usize| u32::try_from(self.trained.support()[at] + 1).unwrap_or(u32::MAX);
            return Ok(Support::Serial(order.iter().map(number).collect()));
        }
        let support = self.support.as_ref().ok_or_else(|| Error::usage("no support objects"))?;
        if support.len() != order.len() {
            let reason = format!("{} support objects, expected {}", support.len(), order.len());
            return Err(Error::usage(reason));
        }
        let columns = self.kernel.columns_used(support)?;
        let vectors = match support.vectors(&columns)? {
            Vectors::Sparse(x) => x.select(order),
            Vectors::Dense(x) => {
                let filled = |&i: &usize| {
                    let entries = x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                    entries.map(|(f, v)| (f as u32, *v)).collect::<Vec<_>>()
                };
                Sparse::from_rows(x.cols(), &order.iter().map(filled).collect::<Vec<_>>())?
            }
        };
        Ok(Support::Vectors { vectors, index_base: self.index_base })
    }
}

/// A class name as LIBSVM's integer label.
fn label(name: &str) -> Result<i64> {
    let decimal = || {
        let value = name.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && v.abs() < 9e15)?;
        Some(value as i64)
    };
    name.parse().ok().or_else(decimal).ok_or_else(|| {
        Error::usage(format!("class '{name}' is not an integer, which LIBSVM's labels must be"))
    })
}

#[cfg(test)]
mod tests;
