//! The program `mercer`: one file per command, thin over the library.
//!
//! It is a library so that its parts can be driven without a process or a network; only the program is meant for others.

mod args;
mod commands;
mod console;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

#[doc(hidden)]
pub use commands::serve::reply;

/// Does what the command line says; gives the exit code.
pub fn run() -> ExitCode {
    let cli = args::Cli::parse();
    let console = console::Console::new(&cli.global);
    let done = console.enter(|| commands::run(&cli, &console));
    match done {
        Ok(()) => console.code(),
        Err(error) => console.fail(&error),
    }
}
