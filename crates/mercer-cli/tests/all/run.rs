//! Runs the program in its own temporary folder.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest a run may take before it counts as hanging.
const LONGEST: Duration = Duration::from_secs(300);

/// The longest a refusal may take.
const MOST: Duration = Duration::from_secs(5);

/// A time limit, extended on a loaded computer by the number of processes per core.
pub(crate) fn stretched(limit: Duration) -> Duration {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // The tests themselves keep two processes per core busy.
    limit.mul_f64((load / cores as f64 - 1.0).max(1.0))
}

/// The result of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        let started = Instant::now();
        let run = Run::finished(start(command));
        Run { took: started.elapsed(), ..run }
    }

    /// The result of a started program; one that never ends is a failure.
    pub(crate) fn finished(mut child: Child) -> Self {
        let started = Instant::now();
        let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LONGEST {
                child.kill().unwrap();
                panic!("no end after {LONGEST:?}: {}", String::from_utf8_lossy(&err.join().unwrap()));
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(5));
        };
        let took = started.elapsed();
        let (stdout, stderr) = (out.join().unwrap(), err.join().unwrap());
        Run { took, ..Run::from(Output { status, stdout, stderr }) }
    }

    /// The JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

/// Starts a program with its output captured.
pub(crate) fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Reads a pipe to its end, on its own thread.
fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.map(|mut pipe| pipe.read_to_end(&mut bytes)).transpose().unwrap();
        bytes
    })
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert!(!err.contains("panicked"), "{err}");
        Run { code: output.status.code(), out, err, took: Duration::ZERO }
    }
}

/// A temporary folder that the program runs in, so that messages name files without their folder.
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

    /// A command in this folder, with these arguments after its own. Lines of up to 1000 characters are not wrapped.
    pub(crate) fn set_up(&self, mut command: Command, args: &str) -> Command {
        command.args(args.split_whitespace()).current_dir(&self.0);
        command.env("COLUMNS", "1000").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
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

    /// Runs the program, which must quickly refuse its input with a message that begins so, and leave no files.
    #[track_caller]
    pub(crate) fn refused(&self, args: &str, expected: &str) -> Run {
        self.refused_by(args, expected, || self.command(args))
    }

    /// The same with a limited address space, in megabytes.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn refused_within(&self, megabytes: u64, args: &str, expected: &str) -> Run {
        self.refused_by(args, expected, || {
            let mut shell = Command::new("sh");
            // Two threads share one heap: a heap for each thread would reserve address space that it never uses.
            shell.args(["-c", "ulimit -v $0 && exec \"$@\""]).arg((megabytes << 10).to_string());
            shell.env("MALLOC_ARENA_MAX", "1");
            shell.arg(env!("CARGO_BIN_EXE_mercer"));
            self.set_up(shell, &format!("{args} --threads 2"))
        })
    }

    #[track_caller]
    fn refused_by(&self, args: &str, expected: &str, command: impl Fn() -> Command) -> Run {
        let before = self.listing();
        let run = Run::of(&mut command());
        self.check(&run, args, expected, &before);
        run
    }

    /// Every file below the folder with its length.
    pub(crate) fn listing(&self) -> BTreeMap<PathBuf, u64> {
        let (mut found, mut left) = (BTreeMap::new(), vec![self.0.path().to_owned()]);
        while let Some(folder) = left.pop() {
            // Folders of other users cannot always be read.
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let facts = entry.path().symlink_metadata().unwrap();
                if facts.is_dir() {
                    left.push(entry.path());
                }
                found.insert(entry.path(), if facts.is_file() { facts.len() } else { 0 });
            }
        }
        found
    }

    /// Bytes of all files below the folder.
    pub(crate) fn bytes(&self) -> u64 {
        self.listing().values().sum()
    }

    #[track_caller]
    fn check(&self, run: &Run, args: &str, expected: &str, before: &BTreeMap<PathBuf, u64>) {
        assert_eq!(run.code, Some(2), "{args}: {}{}", run.out, run.err);
        assert!(run.err.starts_with(expected), "{args}: expected {expected:?}, got {}", run.err);
        assert!(run.took < stretched(MOST), "{args}: {:?}", run.took);
        assert_eq!(run.out, "", "{args}");
        assert_eq!(self.listing(), *before, "{args}: files were made or changed");
    }
}
