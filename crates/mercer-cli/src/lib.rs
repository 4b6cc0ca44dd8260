//! The program `mercer`: one file per command, each a thin layer over the library.
//!
//! It is a library crate so that tests and fuzzing can call its parts without a process or a network. The library is
//! not a public interface.

mod args;
mod commands;
mod console;
mod progress;
mod table;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

#[doc(hidden)]
pub use commands::serve::reply;

/// Runs the command line and returns the exit code.
pub fn run() -> ExitCode {
    let cli = args::Cli::parse();
    let console = console::Console::new(&cli.global);
    let result = console.enter(|| commands::run(&cli, &console));
    match result {
        Ok(()) => console.code(),
        Err(error) => console.fail(&error),
    }
}
