//! A model by example: objects that stand for a class, objects that do not fit them, and what would have to be different.

use serde::Serialize;

use crate::data::Dataset;
use crate::error::Result;
use crate::gram::{Engine, criticisms, prototypes};
use crate::model::Model;

/// Examples, from the similarities of the kernel of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Examples {
    /// For each predicted class; one entry without a class for a predicted number.
    pub classes: Vec<ClassExamples>,
    /// For each explained object the nearest one that the model gives another class.
    pub nearest_other: Vec<Option<NearestOther>>,
}

/// Objects of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassExamples {
    /// The class that the model predicts for them.
    pub class: Option<String>,
    /// Objects that represent the class best, the first alone, the others together with those before.
    pub prototypes: Vec<ExampleObject>,
    /// Objects that they represent worst.
    pub criticisms: Vec<ExampleObject>,
}

/// An object of the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExampleObject {
    /// Its number in the data, from 0.
    pub object: usize,
    /// Its id, where the data has ids.
    pub id: Option<String>,
}

/// The nearest object that is predicted otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearestOther {
    /// The object.
    pub object: ExampleObject,
    /// Its predicted class.
    pub class: String,
    /// √(k(x, x) + k(y, y) - 2·k(x, y)).
    pub distance: f64,
}

/// Prototypes and criticisms per class.
const EACH: usize = 3;

impl Examples {
    /// `numbers` are the numbers of the objects in the data they were drawn from.
    pub(super) fn of(model: &Model, part: &Dataset, numbers: &[usize], engine: &Engine) -> Result<Examples> {
        let prediction = model.predict(part, engine)?;
        let gram = engine.gram(model.kernel(), &model.aligned(part)?)?;
        let class: Vec<Option<&str>> = (0..part.len()).map(|i| prediction.class(i)).collect();
        let mut names: Vec<Option<&str>> = Vec::new();
        for one in &class {
            if !names.contains(one) {
                names.push(*one);
            }
        }
        names.sort_unstable();
        let object =
            |i: usize| ExampleObject { object: numbers[i], id: part.ids().map(|ids| ids[i].clone()) };
        let mut classes = Vec::with_capacity(names.len());
        for name in names {
            let rows: Vec<usize> = (0..part.len()).filter(|&i| class[i] == name).collect();
            let own = gram.select(&rows);
            let values = (0..rows.len()).flat_map(|i| rows.iter().map(|&j| own.at(i, j)).collect::<Vec<_>>());
            let own = crate::data::Dense::new(rows.len(), rows.len(), values.collect())?;
            let best = prototypes(&own, EACH)?;
            let worst = criticisms(&own, &best, EACH)?;
            let named = |chosen: Vec<usize>| chosen.into_iter().map(|i| object(rows[i])).collect();
            classes.push(ClassExamples {
                class: name.map(str::to_owned),
                prototypes: named(best),
                criticisms: named(worst),
            });
        }
        let other = |i: usize| {
            let squared = |j: usize| gram.at(i, i) + gram.at(j, j) - 2.0 * gram.at(i, j);
            let others = (0..part.len()).filter(|&j| class[j] != class[i]);
            let nearest = others.min_by(|&a, &b| squared(a).total_cmp(&squared(b)).then(a.cmp(&b)))?;
            let distance = squared(nearest).max(0.0).sqrt();
            Some(NearestOther { object: object(nearest), class: class[nearest]?.to_owned(), distance })
        };
        let nearest_other = (0..part.len()).map(other).collect();
        Ok(Examples { classes, nearest_other })
    }
}
