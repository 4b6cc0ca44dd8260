//! Runs the program in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The longest a refusal may take.
const MOST: Duration = Duration::from_secs(5);

/// What a run gave.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Run {
    fn of(command: &mut Command) -> Self {
        let started = Instant::now();
        let output = command.output().unwrap();
        Run { took: started.elapsed(), ..Run::from(output) }
    }

    /// The JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert!(!err.contains("panicked"), "{err}");
        Run { code: output.status.code(), out, err, took: Duration::ZERO }
    }
}

/// A folder that the program runs in, so that messages name files without their folder.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// The program with arguments separated by spaces, not yet started.
    pub(crate) fn command(&self, args: &str) -> Command {
        self.set_up(Command::new(env!("CARGO_BIN_EXE_mercer")), args)
    }

    fn set_up(&self, mut command: Command, args: &str) -> Command {
        command.args(args.split_whitespace()).current_dir(&self.0);
        command.env("COLUMNS", "100").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs the program with arguments separated by spaces.
    pub(crate) fn run(&self, args: &str) -> Run {
        Run::of(&mut self.command(args))
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, args: &str) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(0), "{args}: {}{}", run.out, run.err);
        run
    }

    /// Runs the program, which must refuse its input with this beginning of a message, quickly, and leave nothing.
    #[track_caller]
    pub(crate) fn refused(&self, args: &str, expected: &str) -> Run {
        let run = self.run(args);
        self.check(&run, args, expected);
        run
    }

    /// The same within an address space of so many megabytes.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn refused_within(&self, megabytes: u64, args: &str, expected: &str) {
        let mut shell = Command::new("sh");
        // The program may use two threads, and one heap for both: each thread's own would reserve address space
        // that it never touches.
        shell.args(["-c", "ulimit -v $0 && exec \"$@\""]).arg((megabytes << 10).to_string());
        shell.env("MALLOC_ARENA_MAX", "1");
        shell.arg(env!("CARGO_BIN_EXE_mercer"));
        let run = Run::of(&mut self.set_up(shell, &format!("{args} --threads 2")));
        self.check(&run, args, expected);
    }

    #[track_caller]
    fn check(&self, run: &Run, args: &str, expected: &str) {
        assert_eq!(run.code, Some(2), "{args}: {}{}", run.out, run.err);
        assert!(run.err.starts_with(expected), "{args}: expected {expected:?}, got {}", run.err);
        assert!(run.took < MOST, "{args}: {:?}", run.took);
        assert_eq!(run.out, "", "{args}");
        for name in ["K.npy", "K.npy.partial", "K.npy.journal"] {
            assert!(!self.has(name), "{args}: {name} is left");
        }
    }
}
