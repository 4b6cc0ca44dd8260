//! The content of `layers.toml`.

use std::path::Path;

use super::source::{Source, top_modules};
use crate::Outcome;

/// The crates of the workspace, from low to high.
pub(super) struct Declaration {
    pub(super) crates: Vec<Crate>,
}

/// A crate, with its modules from low to high.
pub(super) struct Crate {
    pub(super) name: String,
    /// Its folder.
    pub(super) path: String,
    /// Its purpose.
    pub(super) about: String,
    pub(super) layers: Vec<Layer>,
    /// Whether the map lists its modules in one row.
    pub(super) folded: bool,
}

/// Modules that may use those of lower layers.
pub(super) struct Layer {
    pub(super) modules: Vec<String>,
    /// Their content.
    pub(super) about: String,
    /// Why they may also use each other; otherwise modules of one layer must not.
    pub(super) circle: Option<String>,
}

impl Crate {
    /// The layer of a module.
    pub(super) fn place(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|l| l.modules.iter().any(|m| m == module))
    }

    /// Whether a name is that of a module in its root.
    pub(super) fn knows(&self, sources: &[Source], name: &str) -> bool {
        top_modules(sources).iter().any(|m| m == name)
    }
}

impl Declaration {
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub(super) fn parse(text: &str) -> Outcome<Self> {
        let table: toml::Table = text.parse().map_err(|e| format!("{e}"))?;
        let all = table.get("crate").and_then(toml::Value::as_array).ok_or("no crates")?;
        let crates = all.iter().map(one_crate).collect::<Outcome<Vec<_>>>()?;
        Ok(Declaration { crates })
    }
}

fn text(table: &toml::Value, name: &str) -> Outcome<String> {
    let value = table.get(name).and_then(toml::Value::as_str);
    value.map(str::to_owned).ok_or_else(|| format!("no `{name}` in {table:?}"))
}

fn one_crate(table: &toml::Value) -> Outcome<Crate> {
    let layers = table.get("layer").and_then(toml::Value::as_array);
    let layers = layers.into_iter().flatten().map(|layer| {
        let modules =
            layer.get("modules").and_then(toml::Value::as_array).ok_or("a layer without modules")?;
        let modules = modules.iter().filter_map(|m| m.as_str().map(str::to_owned)).collect();
        let circle = layer.get("circle").and_then(toml::Value::as_str).map(str::to_owned);
        Ok(Layer { modules, about: text(layer, "about")?, circle })
    });
    Ok(Crate {
        name: text(table, "name")?,
        path: text(table, "path")?,
        about: text(table, "about")?,
        layers: layers.collect::<Outcome<_>>()?,
        folded: table.get("folded").and_then(toml::Value::as_bool).unwrap_or(false),
    })
}
