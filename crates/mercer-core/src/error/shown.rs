//! Quoting user text in messages.

/// A value quoted for a message, shortened to fit one line.
#[doc(hidden)]
pub fn shown(value: &str) -> String {
    let clean: String = value.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if value.chars().nth(40).is_some() { format!("'{clean}…'") } else { format!("'{clean}'") }
}
