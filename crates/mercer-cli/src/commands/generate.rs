//! `mercer generate`: synthetic data sets.

use std::path::PathBuf;

use clap::Args;
use mercer::data::{Dataset, Network, Target, Values, generate};
use mercer::error::nearest;
use mercer::{Error, Result};
use serde_json::{Value, json};

use super::write_file;
use crate::console::Console;

/// The name of the network.
const NETWORK: &str = "power-law";

/// Arguments of `mercer generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer generate half-moons -o moons.csv
  mercer generate rings --n 300 --noise 0.2 --seed 7 -o rings.csv
  mercer generate balance | head -3
  mercer generate power-law --n 1000 --joins 5 -o edges.csv

  balance1    all 400 pairs of whole numbers from 1 to 20;
              class L, B or R as the first is larger, equal or smaller
  balance     the balance scale: all 625 (weight, distance, weight, distance)
              from 1 to 5; class by the products of both sides
  balance3    all 729 tuples of six whole numbers from 1 to 3;
              class by the products of both halves
  half-moons  two interleaving half circles of radius 1; 800 objects, noise 0.1
  rings       three concentric rings of radius 1, 2 and 3;
              685 objects, noise 0.15
  swiss-roll  a rolled sheet in space, cut into four strips;
              1600 objects, noise 0.3
  power-law   the edges of a network that grew by preferential attachment;
              1000 nodes, each new one connects to 3

The balance data sets are complete tables without randomness; the others depend on --seed. The data sets promoters, mutag and iris \
are embedded in the program: every command reads them by name.")]
pub(crate) struct GenerateArgs {
    /// Data set to generate
    name: String,
    /// Number of objects or nodes [default: the published number]
    #[arg(long, value_name = "N")]
    n: Option<usize>,
    /// Standard deviation of the Gaussian noise added to each coordinate [default: see below]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// Number of nodes that each new node of a network connects to [default: 3]
    #[arg(long, value_name = "N")]
    joins: Option<usize>,
    /// CSV file to write; without it standard output
    #[arg(short, long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<()> {
    let (text, facts) = if args.name == NETWORK { network(args, console)? } else { table(args, console)? };
    match &args.output {
        Some(path) => write_file(path, |out| out.write_all(text.as_bytes()))?,
        None if console.is_json() => {}
        None => console.raw(text.as_bytes())?,
    }
    if let Some(path) = &args.output {
        let count = |name: &str| facts[name].as_u64().unwrap_or(0);
        console.line(match args.name == NETWORK {
            true => format!("{}: {} nodes, {} edges", path.display(), count("nodes"), count("edges")),
            false => format!("{}: {} objects", path.display(), count("objects")),
        })?;
    }
    let mut document = facts;
    document["name"] = args.name.as_str().into();
    document["seed"] = console.seed.into();
    document["output"] = json!(args.output);
    console.document("generate", document)
}

/// A network as a table of its edges.
fn network(args: &GenerateArgs, console: &Console) -> Result<(String, Value)> {
    if args.noise.is_some() {
        return Err(Error::usage("--noise is for points, and power-law is a network"));
    }
    let network: Network =
        generate::power_law(args.n.unwrap_or(1000), args.joins.unwrap_or(3), console.seed)?;
    let mut text = "source,target\n".to_owned();
    for i in 0..network.len() {
        for (j, _) in network.row(i).filter(|&(j, _)| i < j as usize) {
            text += &format!("{i},{j}\n");
        }
    }
    Ok((text, json!({ "nodes": network.len(), "edges": network.edges() })))
}

/// Points with their classes as a table.
fn table(args: &GenerateArgs, console: &Console) -> Result<(String, Value)> {
    if args.joins.is_some() {
        return Err(Error::usage(format!("--joins is for the network {NETWORK}")));
    }
    let names = || generate::NAMES.into_iter().chain([NETWORK]);
    if !names().any(|name| name == args.name) {
        let near = nearest(&args.name, names());
        let hint = near.first().map_or_else(String::new, |name| format!("; did you mean {name}?"));
        let domain = format!("one of {}{hint}", names().collect::<Vec<_>>().join(", "));
        return Err(Error::param("name", format!("'{}'", args.name), &domain));
    }
    let data = generate::sized(&args.name, args.n, args.noise, console.seed)?;
    let (text, columns) = csv(&data)?;
    let classes = match data.target() {
        Some(Target::Classes(classes)) => classes.levels().to_vec(),
        _ => Vec::new(),
    };
    Ok((text, json!({ "objects": data.len(), "columns": columns, "classes": classes })))
}

/// The table with a column for each coordinate, and the number of coordinates.
fn csv(data: &Dataset) -> Result<(String, usize)> {
    let (Some(column), Some(Target::Classes(classes))) = (data.columns().first(), data.target()) else {
        return Err(Error::usage("there is nothing to write"));
    };
    let Values::Numbers(x) = &column.values else {
        return Err(Error::usage("only points are written as a table"));
    };
    let mut text: String = (1..=x.cols()).map(|i| format!("x{i},")).collect();
    text += "class\n";
    for i in 0..x.rows() {
        x.row(i).iter().for_each(|v| text += &format!("{v},"));
        text += classes.get(i).unwrap_or("");
        text.push('\n');
    }
    Ok((text, x.cols()))
}
