//! The program `mercer`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mercer_cli::run()
}
