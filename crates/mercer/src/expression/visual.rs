//! Images as Fisher vectors over the visual words of the training images, before a kernel.

use std::fmt;

use super::columns::{Scope, inner_of};
use super::features::FeatureTable;
use super::step::Step;
use super::tree::Call;
use super::value::Columns;
use crate::budget::Budget;
use crate::data::{Column, Dataset, Image, Kind, Values};
use crate::error::{Error, Result, Warning};
use crate::kernel::image::{Descriptor, Encoder, EncoderSettings, Grid};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};

/// The name of the column of Fisher vectors.
const COLUMN: &str = "visual";

/// Facts about visual words.
pub(super) const VISUAL: Facts = Facts {
    name: "visual",
    summary: "Images as Fisher vectors over the visual words of the training images, before a kernel or distance.",
    formula: "gradients 1/(T√w_k) Σ γ(k)(x-μ_k)/σ_k and 1/(T√(2w_k)) Σ γ(k)((x-μ_k)²/σ_k²-1) of a Gaussian mixture's likelihood over \
              the descriptors x of an image's blocks; z → sign(z)√|z|; unit length",
    takes: "a kernel on numbers; fitted to the training images",
    kinds: &[Kind::Images],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        number("words", "32", Domain::Whole(1, 4096), "Gaussians in the mixture, for each descriptor"),
        number("components", "32", Domain::Whole(1, 144), "principal components of descriptors"),
        Parameter {
            name: "features",
            default: "both",
            domain: Domain::Word(&["both", "hog", "colour"]),
            doc: "the descriptors of a block: histograms of gradients, statistics of colours, or both",
            alias: None,
        },
        number("block", "24", Grid::BLOCK, "the side of the smallest blocks, in pixels"),
        number("blocks", "4", Grid::BLOCKS, "sizes of blocks: block times 1, 4/3, 2, 8/3, …"),
        number("step", "8", Grid::STEP, "pixels from block to block"),
        Parameter {
            name: "bands",
            default: "yes",
            domain: Domain::Word(&["yes", "no"]),
            doc: "whether to add the Fisher vectors of the upper, middle and lower third of an image",
            alias: None,
        },
        number("pixels", "300000", Grid::PIXELS, "maximum number of pixels; larger images are reduced"),
        number(
            "sample",
            "50000",
            Domain::Whole(100, 10_000_000),
            "number of blocks that words are fitted to",
        ),
        number("seed", "0", Domain::Whole(0, 1 << 53), "seed of the random numbers"),
    ],
    cost: "that of the kernel; blocks · words · components per image before",
    reference: "Perronnin, Sánchez & Mensink 2010, Improving the Fisher kernel for large-scale image classification",
    example: "visual(linear, words=64)",
};

const fn number(name: &'static str, default: &'static str, domain: Domain, doc: &'static str) -> Parameter {
    Parameter { name, default, domain, doc, alias: None }
}

/// Makes the kernel of `visual`.
pub(super) fn visual(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let fitted = fitted(call, scope)?;
    let training = fitted.apply_on(scope)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    Ok(Boxed::new(OnVisual { fitted, shown: scope.columns.map(<[String]>::to_vec), inner }))
}

/// The features of the kernel inside, on Fisher vectors.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let encoded = fitted(call, scope)?.apply(scope.data)?;
    inner_of(call)?.table(&Scope { data: &encoded, columns: None, ..*scope })
}

/// The visual words of the training images, or the stored ones.
fn fitted(call: &Call, scope: &Scope<'_>) -> Result<Visual> {
    let columns = scope.suitable(call)?;
    let [column] = columns.as_slice() else {
        return Err(Error::Column {
            name: columns[1].clone(),
            reason: "visual takes one column of images".into(),
            hint: Some("name one with @, and add several with +".into()),
        });
    };
    let settings = EncoderSettings {
        descriptors: match call.word("features")? {
            "hog" => vec![Descriptor::Hog],
            "colour" => vec![Descriptor::Colour],
            _ => vec![Descriptor::Hog, Descriptor::Colour],
        },
        grid: Grid::new(call.get("block")?, call.get("blocks")?, call.get("step")?, call.get("pixels")?)?,
        words: call.get("words")?,
        components: call.get("components")?,
        bands: call.get("bands")?,
        sample: call.get("sample")?,
        seed: call.get("seed")?,
    };
    let encoder = match scope.fit.stored()? {
        None => {
            let asked = settings.words;
            let (images, engine) = (present(scope.data, column)?, scope.fit.engine);
            let encoder = engine.run(|| Encoder::fit(images, settings, engine.budget()))?;
            let least = encoder.words().iter().map(|w| w.mixture.words()).min().unwrap_or(asked);
            if least < asked {
                let message = format!(
                    "{least} visual words instead of {asked}: '{column}' has no more distinct blocks"
                );
                scope.fit.warn(Warning::new("W_WORDS", message));
            }
            encoder
        }
        Some(Step::Visual(words)) => Encoder::restored(settings, words)?,
        Some(other) => return Err(other.misplaced(VISUAL.name)),
    };
    scope.fit.record(Step::Visual(encoder.words().to_vec()));
    let mut printed = Vec::with_capacity(VISUAL.parameters.len());
    for parameter in VISUAL.parameters {
        printed.push(match call.word(parameter.name) {
            Ok(word) => format!("{}={word}", parameter.name),
            Err(_) => format!("{}={}", parameter.name, call.number(parameter.name)?),
        });
    }
    Ok(Visual { column: column.clone(), encoder, printed: printed.join(", ") })
}

/// The images of a column, none of which may be missing.
fn present<'d>(data: &'d Dataset, column: &str) -> Result<&'d [Image]> {
    match &data.column(column)?.values {
        Values::Images(images) => match images.iter().position(Image::is_empty) {
            None => Ok(images),
            Some(index) => Err(Error::Missing { index, column: column.to_owned() }),
        },
        other => {
            let reason = format!("holds {}, not images", other.kind());
            Err(Error::Column { name: column.to_owned(), reason, hint: None })
        }
    }
}

/// Computes the Fisher vectors of images.
pub(super) struct Visual {
    column: String,
    encoder: Encoder,
    printed: String,
}

impl Visual {
    /// The data with one column: the Fisher vectors.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        self.apply_until(data, &Budget::default())
    }

    fn apply_until(&self, data: &Dataset, budget: &Budget) -> Result<Dataset> {
        let encoded = self.encoder.encode(present(data, &self.column)?, budget)?;
        data.with_columns(vec![Column::new(COLUMN, Values::Numbers(encoded))])
    }

    /// The training objects with their Fisher vectors, if these fit in memory.
    fn apply_on(&self, scope: &Scope<'_>) -> Result<Dataset> {
        let engine = scope.fit.engine;
        let needed = (scope.data.len() as u64).saturating_mul(8 * self.encoder.width() as u64);
        if let Some(allowed) = engine.memory().filter(|allowed| needed > *allowed) {
            let (n, width) = (scope.data.len(), self.encoder.width());
            let what = format!("the Fisher vectors of {n} images, {width} numbers each,");
            return Err(Error::MemoryPlan { needed, allowed, what });
        }
        engine.run(|| self.apply_until(scope.data, engine.budget()))
    }
}

/// A kernel on Fisher vectors of images.
struct OnVisual<K> {
    fitted: Visual,
    shown: Option<Vec<String>>,
    inner: K,
}

impl<K: fmt::Display> fmt::Display for OnVisual<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "visual({}, {})", self.inner, self.fitted.printed)?;
        self.shown.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for OnVisual<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&self.fitted.apply(objects)?)
    }

    passes_on!(inner);
}
