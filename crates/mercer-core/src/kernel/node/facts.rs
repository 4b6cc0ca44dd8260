//! Facts about each kernel between nodes.

use super::base::Base;
use crate::data::Kind;
use crate::kernel::{Definiteness, Domain, Facts, OneOf, Parameter};

const TAKES: &str = "nodes of a graph; transductive: defined only for the nodes of that graph";
const KINDS: &[Kind] = &[Kind::Nodes];
const COST: &str = "terms × edges × nodes once for the graph; then one look-up";

const BASE: Parameter = Parameter {
    name: "base",
    default: "laplacian",
    domain: Domain::Word(Base::WORDS),
    doc: "S: the negated Laplacian A - D, the negated normalised Laplacian, or the (weighted) adjacency matrix A",
    alias: None,
};

const LANDMARKS: Parameter = Parameter {
    name: "landmarks",
    default: "0",
    domain: Domain::Whole(0, 100_000),
    doc: "number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values",
    alias: None,
};

const fn beta(default: &'static str, domain: Domain, doc: &'static str) -> Parameter {
    Parameter { name: "beta", default, domain, doc, alias: None }
}

/// Facts about powers.
#[doc(hidden)]
pub const POWER: Facts = Facts {
    name: "node-power",
    summary: "Walks of l steps between the nodes of a graph.",
    formula: "(S^l)_xy; positive semidefinite for even l",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "l",
            default: "2",
            domain: Domain::Whole(1, super::family::STEPS as u64),
            doc: "number of steps",
            alias: None,
        },
        Parameter { default: "adjacency", ..BASE },
        LANDMARKS,
    ],
    cost: COST,
    reference: "Zaki & Meira 2020, chapter 5",
    example: "node-power(l=2)",
};

/// Facts about diffusion.
#[doc(hidden)]
pub const DIFFUSION: Facts = Facts {
    name: "node-diffusion",
    summary: "Heat that spreads from node to node along the edges of a graph.",
    formula: "exp(beta·S)_xy; on the Laplacian exp(-beta·L)",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[beta("0.5", Domain::Positive, "how far similarity spreads"), BASE, LANDMARKS],
    cost: COST,
    reference: "Kondor & Lafferty 2002",
    example: "node-diffusion(beta=0.5)",
};

/// Facts about the von Neumann kernel.
#[doc(hidden)]
pub const VON_NEUMANN: Facts = Facts {
    name: "von-neumann",
    summary: "Walks of every length between nodes, discounted by length.",
    formula: "((I - beta·S)⁻¹)_xy = Σ_l beta^l·(S^l)_xy, |beta| < 1/ρ(S)",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        beta("0.001", Domain::Finite, "discount per step; diverges unless abs(beta) is below 1/ρ(S)"),
        Parameter { default: "adjacency", ..BASE },
        LANDMARKS,
    ],
    cost: COST,
    reference: "Kandola, Shawe-Taylor & Cristianini 2003; Zaki & Meira 2020, chapter 5",
    example: "von-neumann(beta=0.001)",
};

/// Facts about the regularised Laplacian.
#[doc(hidden)]
pub const REGULARIZED_LAPLACIAN: Facts = Facts {
    name: "regularized-laplacian",
    summary: "Inverse of the regularised graph Laplacian: functions smooth along the edges.",
    formula: "((I + beta·L)⁻¹)_xy",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        beta("1", Domain::Positive, "strength of regularisation"),
        Parameter {
            domain: Domain::Word(&["laplacian", "normalized"]),
            doc: "L: the Laplacian D - A or the normalised one",
            ..BASE
        },
        LANDMARKS,
    ],
    cost: COST,
    reference: "Smola & Kondor 2003, Kernels and regularization on graphs",
    example: "regularized-laplacian(beta=1)",
};

/// Facts about the p-step walk.
#[doc(hidden)]
pub const P_STEP: Facts = Facts {
    name: "p-step",
    summary: "Lazy walks of p steps between the nodes of a graph.",
    formula: "((a·I - L̃)^p)_xy, L̃ the normalised Laplacian",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "p",
            default: "2",
            domain: Domain::Whole(1, super::family::STEPS as u64),
            doc: "number of steps",
            alias: None,
        },
        Parameter {
            name: "a",
            default: "2",
            domain: Domain::AtLeast(2.0),
            doc: "laziness of the walk; from 2 on every power is positive semidefinite",
            alias: None,
        },
        LANDMARKS,
    ],
    cost: COST,
    reference: "Smola & Kondor 2003, Kernels and regularization on graphs",
    example: "p-step(p=3, a=2)",
};

/// Facts about commute times.
#[doc(hidden)]
pub const COMMUTE_TIME: Facts = Facts {
    name: "commute-time",
    summary: "Commute times: expected time for a random walk from one node to another and back.",
    formula: "(L⁺)_xy, the pseudo-inverse of the Laplacian; its squared distances times the sum of degrees are commute times",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "n³ once for the graph, n ≤ 8192; then one look-up",
    reference: "Fouss, Pirotte, Renders & Saerens 2007, Random-walk computation of similarities between nodes of a graph",
    example: "commute-time",
};

/// Facts about PageRank.
#[doc(hidden)]
pub const PAGERANK: Facts = Facts {
    name: "pagerank",
    summary: "Symmetrised personalised PageRank: end points of random walks that stop at each step with probability 1 - alpha.",
    formula: "(1 - alpha)·((I - alpha·D^(-1/2)·A·D^(-1/2))⁻¹)_xy; a node without edges has similarity 1 to itself and 0 to others",
    takes: TAKES,
    kinds: KINDS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "alpha",
            default: "0.85",
            domain: Domain::Share,
            doc: "probability to continue the walk, below 1",
            alias: None,
        },
        LANDMARKS,
    ],
    cost: COST,
    reference: "Page, Brin, Motwani & Winograd 1999; Zhou, Bousquet, Lal, Weston & Schölkopf 2004",
    example: "pagerank(alpha=0.85)",
};
