//! Graphs in GraphML (Brandes, Eiglsperger, Herman, Himsolt & Marshall 2002).
//!
//! Each `<graph>` is one graph; its `id` is its name, and its own `<data>` are its properties. Names are those of
//! `attr.name` in `<key>`, whose defaults apply. Graphs inside nodes, hyperedges, and directed and undirected edges in
//! one graph are rejected. Only the five predefined XML entities are expanded, whatever a document declares.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use quick_xml::{XmlVersion, escape};

use super::super::Options;
use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::batch::{Draft, GraphBatch, Value};
use crate::error::Code;

pub(super) fn read(text: &Text<'_>, batch: &mut GraphBatch, options: &Options) -> Result<(), Fault> {
    let mut reader = Reader::from_str(text.as_str());
    // Then empty elements are handled like those with an end tag.
    reader.config_mut().expand_empty_elements = true;
    let mut file = File {
        reader,
        keys: HashMap::new(),
        defaults: Defaults::new(),
        new_defaults: Vec::new(),
        used_defaults: BTreeSet::new(),
        pace: Pace::from(0),
        lines: (0, 1),
        text: text.as_str(),
        directed: options.graph.directed,
    };
    let mut is_graphml = false;
    loop {
        let (offset, event) = file.next()?;
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "graphml" => is_graphml = true,
                "key" => file.key(&tag, offset)?,
                "graph" => file.graph(&tag, offset, batch)?,
                _ if is_graphml => file.skip(&tag, offset)?,
                other => {
                    let reason = format!("got <{}>, expected <graphml>", clean(other));
                    return Err(Fault::new(offset, Code::Syntax, reason));
                }
            },
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// The declaration of a `<key>`: what it applies to, its name, and whether it has a default.
struct Key {
    of: String,
    name: String,
    has_default: bool,
}

/// Defaults by what they apply to and their name; of several with one name that of the first id is used.
type Defaults = HashMap<(String, String), BTreeMap<String, String>>;

struct File<'t> {
    reader: Reader<&'t [u8]>,
    keys: HashMap<String, Key>,
    defaults: Defaults,
    /// Defaults, by what they apply to and their name, not yet passed to the batch. Most are not used, so passing each
    /// one once is enough.
    new_defaults: Vec<(String, String)>,
    /// Names of the graph defaults that are used.
    used_defaults: BTreeSet<String>,
    pace: Pace,
    /// The last offset whose line was computed, and that line.
    lines: (usize, u64),
    text: &'t str,
    directed: bool,
}

/// Names and texts with their offsets.
type Data = Vec<(usize, String, String)>;

impl<'t> File<'t> {
    fn next(&mut self) -> Result<(usize, Event<'t>), Fault> {
        let offset = self.reader.buffer_position() as usize;
        self.pace.at(offset)?;
        match self.reader.read_event() {
            Ok(event) => Ok((offset, event)),
            Err(error) => {
                let at = self.reader.error_position() as usize;
                let cut = self.reader.buffer_position() as usize >= self.text.len();
                let code = if cut { Code::Truncated } else { Code::Syntax };
                Err(Fault::new(at, code, format!("not XML: {}", clean(&error.to_string()))))
            }
        }
    }

    fn skip(&mut self, tag: &BytesStart<'_>, offset: usize) -> Result<(), Fault> {
        let mut depth = 1u64;
        while depth > 0 {
            match self.next()?.1 {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => return Err(unclosed(tag, offset)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The text of an element after its start tag; elements in it are skipped.
    fn text(&mut self, tag: &BytesStart<'_>, offset: usize) -> Result<String, Fault> {
        let mut out = String::new();
        loop {
            let (at, event) = self.next()?;
            match event {
                Event::Text(text) => out.push_str(&text.xml10_content()),
                Event::CData(text) => out.push_str(&text.xml10_content()),
                Event::GeneralRef(entity) => {
                    let raw = format!("&{};", entity.xml10_content());
                    let text = escape::unescape(&raw).map_err(|_| {
                        Fault::new(at, Code::Syntax, format!("{} is not an XML entity", shown(&raw)))
                    })?;
                    out.push_str(&text);
                }
                Event::Start(inner) => self.skip(&inner, at)?,
                Event::End(_) => return Ok(out.trim().to_owned()),
                Event::Eof => return Err(unclosed(tag, offset)),
                _ => {}
            }
        }
    }

    fn key(&mut self, tag: &BytesStart<'_>, offset: usize) -> Result<(), Fault> {
        let id = needed(tag, "id", offset)?;
        let of = attribute(tag, "for", offset)?.unwrap_or(Cow::Borrowed("all")).into_owned();
        let name = attribute(tag, "attr.name", offset)?.map_or_else(|| id.clone(), Cow::into_owned);
        let mut default = None;
        loop {
            let (at, event) = self.next()?;
            match event {
                Event::Start(inner) if inner.local_name().as_ref() == "default" => {
                    default = Some(self.text(&inner, at)?);
                }
                Event::Start(inner) => self.skip(&inner, at)?,
                Event::End(_) => break,
                Event::Eof => return Err(unclosed(tag, offset)),
                _ => {}
            }
        }
        let key = Key { of: of.clone(), name: name.clone(), has_default: default.is_some() };
        if let Some(before) = self.keys.insert(id.clone(), key).filter(|before| before.has_default)
            && let Some(same) = self.defaults.get_mut(&(before.of, before.name))
        {
            same.remove(&id);
        }
        if let Some(default) = default {
            self.new_defaults.push((of.clone(), name.clone()));
            self.defaults.entry((of, name)).or_default().insert(id, default);
        }
        Ok(())
    }

    /// The name and text of a `<data>` element.
    fn data(&mut self, tag: &BytesStart<'_>, offset: usize, out: &mut Data) -> Result<(), Fault> {
        let key = needed(tag, "key", offset)?;
        let text = self.text(tag, offset)?;
        let Some(known) = self.keys.get(&key) else {
            let reason = format!("data with key {}, which no <key> declares", shown(&key));
            return Err(Fault::new(offset, Code::Syntax, reason));
        };
        // Drawings and other data without text are not properties of the graph.
        if !text.is_empty() {
            out.push((offset, known.name.clone(), text));
        }
        Ok(())
    }

    /// Adds defaults for missing values of a node, edge or graph.
    fn complete(&self, of: &str, names: &BTreeSet<String>, offset: usize, data: &mut Data) {
        for name in names.iter().filter(|_| !self.defaults.is_empty()) {
            let under = |of: &str| self.defaults.get(&(of.to_owned(), name.clone()))?.first_key_value();
            let default = match (under(of), under("all")) {
                (Some(own), Some(all)) => Some(own.min(all)),
                (own, all) => own.or(all),
            };
            if let Some((_, default)) = default
                && !data.iter().any(|(_, known, _)| known == name)
            {
                data.push((offset, name.clone(), default.clone()));
            }
        }
    }

    /// Passes defaults that are new since the last graph to the batch.
    fn mention(&mut self, batch: &mut GraphBatch) {
        for (of, name) in std::mem::take(&mut self.new_defaults) {
            let is = |kind: &str| of == kind || of == "all";
            if is("graph") {
                if batch.keeps(&name) {
                    self.used_defaults.insert(name.clone());
                } else {
                    batch.mention(&name);
                }
            }
            if is("node") {
                batch.unread(true, std::slice::from_ref(&name));
            }
            if is("edge") {
                batch.unread(false, std::slice::from_ref(&name));
            }
        }
    }

    fn graph(&mut self, tag: &BytesStart<'_>, offset: usize, batch: &mut GraphBatch) -> Result<(), Fault> {
        let id = attribute(tag, "id", offset)?.map(Cow::into_owned);
        let default = match attribute(tag, "edgedefault", offset)?.as_deref() {
            Some("directed") => true,
            Some("undirected") => false,
            None => self.directed,
            Some(other) => {
                let reason = format!("edgedefault must be directed or undirected, not {}", shown(other));
                return Err(Fault::new(offset, Code::Syntax, reason));
            }
        };
        self.mention(batch);
        let wanted = [true, false].map(|is_node| batch.wanted(is_node).into_iter().collect::<BTreeSet<_>>());
        let mut draft = Draft::default();
        let mut own = Data::new();
        let mut direction: Option<bool> = None;
        loop {
            let (at, event) = self.next()?;
            let inner = match event {
                Event::Start(inner) => inner,
                Event::End(_) => break,
                Event::Eof => return Err(unclosed(tag, offset)),
                _ => continue,
            };
            match inner.local_name().as_ref() {
                "node" => {
                    let name = needed(&inner, "id", at)?;
                    let data = self.record(&inner, "node", &wanted[0], at)?;
                    draft.node(batch, &name, at, &values(&data))?;
                }
                "edge" => {
                    let ends = (needed(&inner, "source", at)?, needed(&inner, "target", at)?);
                    let directed = match attribute(&inner, "directed", at)?.as_deref() {
                        Some("true" | "1") => true,
                        Some("false" | "0") => false,
                        _ => default,
                    };
                    if *direction.get_or_insert(directed) != directed {
                        let reason = "a graph with directed and undirected edges";
                        return Err(Fault::new(at, Code::Graph, reason));
                    }
                    let data = self.record(&inner, "edge", &wanted[1], at)?;
                    draft.edge(batch, (&ends.0, &ends.1), at, &values(&data))?;
                }
                "data" => self.data(&inner, at, &mut own)?,
                "hyperedge" => {
                    return Err(Fault::new(at, Code::Graph, "hyperedges are not supported"));
                }
                _ => self.skip(&inner, at)?,
            }
        }
        self.complete("graph", &self.used_defaults, offset, &mut own);
        for (at, name, text) in &own {
            let line = self.line(*at);
            batch.note(batch.len(), name, text, line);
        }
        draft.finish(batch, id, direction.unwrap_or(default))
    }

    /// Parses the data of a node or edge after its start tag.
    fn record(
        &mut self,
        tag: &BytesStart<'_>,
        of: &str,
        names: &BTreeSet<String>,
        offset: usize,
    ) -> Result<Data, Fault> {
        let mut data = Data::new();
        loop {
            let (at, event) = self.next()?;
            match event {
                Event::Start(inner) => match inner.local_name().as_ref() {
                    "data" => self.data(&inner, at, &mut data)?,
                    "graph" => return Err(Fault::new(at, Code::Graph, "nested graphs are not supported")),
                    _ => self.skip(&inner, at)?,
                },
                Event::End(_) => break,
                Event::Eof => return Err(unclosed(tag, offset)),
                _ => {}
            }
        }
        self.complete(of, names, offset, &mut data);
        Ok(data)
    }

    /// The line of an offset, counted from the previous call if possible.
    fn line(&mut self, offset: usize) -> u64 {
        let (from, line) = if offset < self.lines.0 { (0, 1) } else { self.lines };
        let between = self.text.as_bytes().get(from..offset).unwrap_or(&[]);
        self.lines = (offset, line + memchr::memchr_iter(b'\n', between).count() as u64);
        self.lines.1
    }
}

fn values(data: &Data) -> Vec<Value<'_>> {
    data.iter().map(|(offset, name, text)| Value { name, text, offset: *offset }).collect()
}

fn unclosed(tag: &BytesStart<'_>, offset: usize) -> Fault {
    let reason = format!("the file ends inside <{}>", clean(tag.local_name().as_ref()));
    Fault::new(offset, Code::Truncated, reason)
}

/// A message of another library on one line.
fn clean(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn attribute<'a>(tag: &'a BytesStart<'_>, name: &str, offset: usize) -> Result<Option<Cow<'a, str>>, Fault> {
    let bad = |why: String| Fault::new(offset, Code::Syntax, format!("attribute {name}: {}", clean(&why)));
    let found = tag.try_get_attribute(name).map_err(|e| bad(e.to_string()))?;
    found.map(|a| a.normalized_value(XmlVersion::Implicit1_0).map_err(|e| bad(e.to_string()))).transpose()
}

fn needed(tag: &BytesStart<'_>, name: &str, offset: usize) -> Result<String, Fault> {
    attribute(tag, name, offset)?.map(Cow::into_owned).ok_or_else(|| {
        let reason = format!("<{}> without {name}", clean(tag.local_name().as_ref()));
        Fault::new(offset, Code::Syntax, reason)
    })
}
