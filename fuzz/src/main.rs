//! Runs libFuzzer on the target named by the environment variable `MERCER_FUZZ_TARGET`.

#![no_main]

use std::sync::OnceLock;

use mercer_fuzz::{Target, find, within};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn target() -> &'static Target {
    TARGET.get_or_init(|| {
        let name = std::env::var("MERCER_FUZZ_TARGET").unwrap_or_default();
        find(&name).unwrap_or_else(|| {
            eprintln!("MERCER_FUZZ_TARGET: unknown target '{name}'");
            std::process::exit(2)
        })
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = target();
    within(|| (target.run)(bytes));
});
