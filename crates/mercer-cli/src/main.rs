//! The program `mercer`.

use std::process::ExitCode;

/// Memory is counted, so that work is refused before it takes what the machine does not have.
#[global_allocator]
static ALLOCATOR: mercer::budget::CountingAllocator = mercer::budget::CountingAllocator;

fn main() -> ExitCode {
    mercer_cli::run()
}
