//! Requests to the server: the query in the first line, the content type in the second, then the body. The first byte of
//! the query picks the model.

use std::sync::OnceLock;

use mercer::model::Model;

use super::engine;

/// Models of different types of objects.
const MODELS: [&[u8]; 4] = [
    include_bytes!("../../../crates/mercer/tests/golden/categories.mercer"),
    include_bytes!("../../../crates/mercer/tests/golden/graphs.mercer"),
    include_bytes!("../../../crates/mercer/tests/golden/strings.mercer"),
    include_bytes!("../../../crates/mercer/tests/golden/text.mercer"),
];

fn models() -> &'static [Model] {
    static LOADED: OnceLock<Vec<Model>> = OnceLock::new();
    LOADED.get_or_init(|| {
        MODELS.iter().filter_map(|bytes| Model::from_bytes("m.mercer", bytes, engine()).ok()).collect()
    })
}

pub(super) fn request(bytes: &[u8]) {
    let mut lines = bytes.splitn(3, |b| *b == b'\n');
    let (query, kind) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let body = lines.next().unwrap_or_default();
    let Some((which, query)) = query.split_first() else { return };
    let models = models();
    let Some(model) = models.get(usize::from(*which) % models.len().max(1)) else { return };
    let query = String::from_utf8_lossy(query);
    let _ = mercer_cli::reply(model, &query, kind, body, engine());
}
