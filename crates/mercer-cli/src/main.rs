//! The program `mercer`: one file per command, thin over the library.

mod args;
mod commands;
mod console;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let console = console::Console::new(&cli.global);
    let done = commands::run(&cli, &console);
    match done {
        Ok(()) => console.code(),
        Err(error) => console.fail(&error),
    }
}
