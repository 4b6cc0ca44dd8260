//! A system under test: a process that runs its workload on request.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Outcome;

/// A running system. Its commands are described in `bench/src/main.rs`.
pub(crate) struct Worker {
    who: String,
    child: Child,
    words: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a system with that many threads and waits until it has loaded its data and warmed up.
    pub(crate) fn start(who: &str, command: &mut Command, threads: usize) -> Outcome<Self> {
        let threads = threads.to_string();
        for name in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, &threads);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{who} could not be started: {e}"))?;
        let (Some(words), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{who} has no input or output"));
        };
        let mut worker = Worker { who: who.to_owned(), child, words, answers: BufReader::new(answers) };
        worker.answer("ready")?;
        Ok(worker)
    }

    /// Runs the workload once; returns the seconds.
    pub(crate) fn run(&mut self) -> Outcome<f64> {
        self.ask("run", "seconds")
    }

    /// Ends the process; returns its peak memory in bytes.
    pub(crate) fn end(mut self) -> Outcome<f64> {
        let peak = self.ask("end", "peak")?;
        self.child.wait().map_err(|e| format!("{}: {e}", self.who))?;
        Ok(peak)
    }

    fn ask(&mut self, word: &str, expected: &str) -> Outcome<f64> {
        writeln!(self.words, "{word}").map_err(|e| format!("{}: {e}", self.who))?;
        let answer = self.answer(expected)?;
        answer.parse().map_err(|_| format!("{} answered {answer:?} to {word}", self.who))
    }

    /// The rest of the next line, which must begin with `expected`.
    fn answer(&mut self, expected: &str) -> Outcome<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|e| format!("{}: {e}", self.who))?;
        match line.trim().strip_prefix(expected) {
            Some(rest) => Ok(rest.trim().to_owned()),
            None => Err(format!("{} stopped or printed {line:?}, expected {expected}", self.who)),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // After an error the process may still wait for commands; if it has ended, this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
