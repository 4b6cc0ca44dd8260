//! The program `mercer`.

use std::process::ExitCode;

/// Counts allocated memory, so that work is refused before it exceeds the memory of the computer.
#[global_allocator]
static ALLOCATOR: mercer::budget::CountingAllocator = mercer::budget::CountingAllocator;

fn main() -> ExitCode {
    mercer_cli::run()
}
