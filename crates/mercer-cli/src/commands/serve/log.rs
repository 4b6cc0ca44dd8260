//! The request log: a line of JSON for each request and its outcome. Bodies and tokens are never logged.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mercer::{Code, Error, Result};
use serde_json::Value;

/// Lines queued for writing. With a slow disk lines are lost and counted, instead of delaying requests.
const WAITING: usize = 1024;

/// The log file or stream.
pub(super) struct Log(SyncSender<String>);

impl Log {
    /// Appends to a file, or writes to standard error if the path is `-`.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { path: path.into(), code: Code::IoOpen, source };
        let out: Box<dyn Write + Send> = match path.as_os_str() == "-" {
            true => Box::new(std::io::stderr()),
            false => Box::new(OpenOptions::new().create(true).append(true).open(path).map_err(failed)?),
        };
        let (sender, receiver) = sync_channel(WAITING);
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write(out, &receiver))
            .map_err(failed)?;
        Ok(Log(sender))
    }

    /// Writes a line; `false` if it is lost.
    pub(super) fn line(&self, line: &Value) -> bool {
        self.0.try_send(plain(&line.to_string())).is_ok()
    }
}

fn write(mut out: Box<dyn Write + Send>, lines: &Receiver<String>) {
    for line in lines {
        // A failure cannot be reported.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}

/// JSON in ASCII: control and bidirectional characters, which a terminal would interpret, are escaped.
fn plain(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        match c {
            ' '..='~' => out.push(c),
            _ => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|u| out.push_str(&format!("\\u{u:04x}")));
            }
        }
    }
    out.push('\n');
    out
}

/// The time now, as in RFC 3339.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Days since 1 March of the year 0 in eras of 400 years (Howard Hinnant's civil_from_days).
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let date = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, rest) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{rest:02}.{:03}Z", since.subsec_millis())
}
