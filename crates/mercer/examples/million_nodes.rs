//! Columns of a diffusion kernel on a large network, without the kernel matrix.
//!
//! `cargo run --release -p mercer --example million_nodes -- 1000000 5 0.1 64`: nodes, edges per node, beta, columns.

use std::time::Instant;

use mercer::data::generate;
use mercer::kernel::node::{Base, Family, NodeKernel};

fn main() -> mercer::Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: f64| given.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (nodes, joins) = (number(0, 20_000.0) as usize, number(1, 5.0) as usize);
    let (beta, columns) = (number(2, 0.1), number(3, 64.0) as usize);
    let started = Instant::now();
    let network = generate::power_law(nodes, joins, 1)?;
    let most = (0..network.len()).map(|i| network.degree(i)).fold(0.0, f64::max);
    println!(
        "{} nodes, {} edges, largest degree {most}: {:.1} s",
        network.len(),
        network.edges(),
        started.elapsed().as_secs_f64()
    );
    let chosen: Vec<u32> = (0..columns).map(|k| (k * (nodes / columns.max(1))) as u32).collect();
    let started = Instant::now();
    let kernel = NodeKernel::new(Family::Diffusion { beta }, Base::Laplacian)?;
    // Diffusion preserves the total, so every column sums to 1 and has a norm of at least 1/√n.
    let (mut sums, mut squares) = (vec![0.0f64; columns], vec![0.0f64; columns]);
    let error = kernel.columns(&network, &chosen, 1e-8 / (nodes as f64).sqrt(), |column, _, value| {
        sums[column] += value;
        squares[column] += value * value;
    })?;
    let shortest = squares.iter().fold(f64::INFINITY, |m, s| m.min(s.sqrt()));
    let off = sums.iter().fold(0.0f64, |m, s| m.max((s - 1.0).abs()));
    println!(
        "{columns} columns of exp(-{beta}·L): {:.1} s, error at most {error:.1e}, {:.1e} relative to the smallest column norm; sums are 1 to {off:.1e}",
        started.elapsed().as_secs_f64(),
        error / shortest
    );
    Ok(())
}
