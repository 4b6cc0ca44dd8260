//! Parts of objects that can be hidden: stretches of series, blocks of images, words, nodes of graphs, neighbours of nodes.
//!
//! Each kind says how an object is split and what takes the place of a hidden part; whoever asks what a part does to a
//! prediction needs nothing else.

mod image;
mod network;
mod series;
mod text;

use super::{Graph, Kind, Nodes, Values};
use crate::error::{Error, Result};

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPart {
    /// What it is, in words.
    pub name: String,
    /// Where it is: the first and last time step of a series; the left, upper, right and lower pixel of an image; the first
    /// and last character of a string or text; the nodes of a graph; the neighbour of a node.
    pub places: Vec<u32>,
}

impl Kind {
    /// What takes the place of a hidden part of an object of this kind; `None` if its objects have no parts.
    ///
    /// ```
    /// use mercer_core::data::Kind;
    /// assert!(Kind::Series.hidden_as().unwrap().contains("straight line"));
    /// assert!(Kind::Numbers.hidden_as().is_none());
    /// ```
    pub fn hidden_as(self) -> Option<&'static str> {
        match self {
            Kind::Series => Some("hidden time steps become a straight line between those around them"),
            Kind::Images => Some("hidden blocks get the mean colour of the image"),
            Kind::Strings => Some("hidden symbols are removed"),
            Kind::Text => Some("hidden words are removed"),
            Kind::Graphs => Some("hidden nodes are removed with their edges"),
            Kind::Nodes => Some("the edges to hidden neighbours are removed"),
            Kind::Numbers
            | Kind::Sparse
            | Kind::Categories
            | Kind::Times
            | Kind::Molecules
            | Kind::Precomputed => None,
        }
    }
}

impl Values {
    /// The parts of an object, at most `most`, which cover it: stretches of a series or string of about equal length, blocks of
    /// an image, words of a text or runs of them, nodes of a graph or groups of neighbouring ones. Of a node they are its
    /// neighbours, those with the largest weights if there are more. Kinds without parts and missing objects have none.
    ///
    /// ```
    /// use mercer_core::data::{Series, Values};
    /// let series = Values::Series(vec![Series::new(1, vec![0.0, 1.0, 5.0, 1.0, 0.0])?]);
    /// let parts = series.parts(0, 2);
    /// assert_eq!((parts[0].name.as_str(), &parts[1].places[..]), ("time steps 0-1", &[2, 4][..]));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parts(&self, i: usize, most: usize) -> Vec<ObjectPart> {
        if i >= self.len() || most == 0 || self.is_missing(i) {
            return Vec::new();
        }
        match self {
            Values::Series(all) => series::parts(&all[i], most),
            Values::Images(all) => image::parts(&all[i], most),
            Values::Strings(all) => text::parts(all[i].as_deref().unwrap_or_default(), most, false),
            Values::Text(all) => text::parts(all[i].as_deref().unwrap_or_default(), most, true),
            Values::Graphs(all) => network::parts_of_graph(&all[i], most),
            Values::Nodes(all) => network::neighbours(all, i, most),
            _ => Vec::new(),
        }
    }

    /// An object once for each set of visible parts, the others hidden as [`Kind::hidden_as`] says. `parts` are those of
    /// [`Values::parts`]. Of a node, one set at a time: the objects of a column share a network.
    ///
    /// ```
    /// use mercer_core::data::{Series, Values};
    /// let series = Values::Series(vec![Series::new(1, vec![0.0, 1.0, 5.0, 9.0, 4.0, 5.0])?]);
    /// let parts = series.parts(0, 3);
    /// let Values::Series(seen) = series.hiding(0, &parts, &[vec![true, false, true]])? else { unreachable!() };
    /// assert_eq!(seen[0].values(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn hiding(&self, i: usize, parts: &[ObjectPart], visible: &[Vec<bool>]) -> Result<Values> {
        if i >= self.len() || visible.iter().any(|set| set.len() != parts.len()) {
            return Err(Error::usage("parts of an object that are not its own"));
        }
        let hidden = |set: &Vec<bool>| -> Vec<ObjectPart> {
            parts.iter().zip(set).filter(|(_, seen)| !**seen).map(|(part, _)| part.clone()).collect()
        };
        let each = visible.iter().map(hidden);
        Ok(match self {
            Values::Series(all) => {
                Values::Series(each.map(|h| series::without(&all[i], &h)).collect::<Result<_>>()?)
            }
            Values::Images(all) => {
                Values::Images(each.map(|h| image::without(&all[i], &h)).collect::<Result<_>>()?)
            }
            Values::Strings(all) => {
                Values::Strings(each.map(|h| text::without(&all[i], &h, false)).collect())
            }
            Values::Text(all) => Values::Text(each.map(|h| text::without(&all[i], &h, true)).collect()),
            Values::Graphs(all) => {
                let without = |h: Vec<ObjectPart>| -> Result<Graph> { network::without_nodes(&all[i], &h) };
                Values::Graphs(each.map(without).collect::<Result<_>>()?)
            }
            Values::Nodes(all) => match visible {
                [one] => Values::Nodes(network::without_neighbours(all, i, &hidden(one))?),
                _ => return Err(Error::usage("neighbours of nodes are hidden in one set at a time")),
            },
            other => return Err(Error::usage(format!("{} have no parts", other.kind()))),
        })
    }
}

impl Nodes {
    /// The same nodes of another network of the same number of nodes.
    pub fn moved_to(&self, other: &Nodes) -> Result<Nodes> {
        Nodes::new(other.network().clone(), self.chosen().to_vec())
    }
}

/// The bounds of at most `most` runs of `n` things, of about equal length.
fn runs(n: usize, most: usize) -> Vec<(usize, usize)> {
    let count = most.min(n).max(1);
    (0..count).map(|k| (k * n / count, (k + 1) * n / count)).filter(|(a, b)| a < b).collect()
}

#[cfg(test)]
mod tests;
