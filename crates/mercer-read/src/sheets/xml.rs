//! The elements of an XML member, with the checks that every reader needs.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use quick_xml::{XmlVersion, escape};

use super::Book;
use crate::budget;
use crate::error::{Code, Result};

/// What follows in a document.
pub(super) enum Next<'t> {
    Start(BytesStart<'t>),
    End,
    Text(String),
    Eof,
}

/// The document in a member.
pub(super) struct Xml<'t> {
    reader: Reader<&'t [u8]>,
    member: &'t str,
}

impl<'t> Xml<'t> {
    /// `content` must be UTF-8, which both formats prescribe in practice.
    pub(super) fn new(book: &Book<'_, '_>, member: &'t str, content: &'t [u8]) -> Result<Self> {
        let text = std::str::from_utf8(content)
            .map_err(|_| book.fault(member, Code::Encoding, "the XML is not UTF-8 text"))?;
        let mut reader = Reader::from_str(text.trim_start_matches('\u{FEFF}'));
        reader.config_mut().expand_empty_elements = true;
        Ok(Xml { reader, member })
    }

    /// The next start, end or text. Comments and declarations are skipped.
    pub(super) fn next(&mut self, book: &Book<'_, '_>) -> Result<Next<'t>> {
        loop {
            budget::check_often()?;
            let event = self.reader.read_event().map_err(|error| {
                let reason = format!("not XML: {error}");
                book.fault(self.member, Code::Syntax, reason)
            })?;
            return Ok(match event {
                Event::Start(tag) => Next::Start(tag),
                Event::End(_) => Next::End,
                Event::Text(text) => Next::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Next::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(entity) => {
                    let raw = format!("&{};", entity.xml10_content());
                    let text = escape::unescape(&raw).map_err(|_| {
                        book.fault(self.member, Code::Syntax, format!("{raw} is not an XML entity"))
                    })?;
                    Next::Text(text.into_owned())
                }
                Event::Eof => Next::Eof,
                _ => continue,
            });
        }
    }

    /// Skips an element after its start.
    pub(super) fn skip(&mut self, book: &Book<'_, '_>) -> Result<()> {
        let mut depth = 1u64;
        while depth > 0 {
            match self.next(book)? {
                Next::Start(_) => depth += 1,
                Next::End => depth -= 1,
                Next::Text(_) => {}
                Next::Eof => return Err(self.cut(book)),
            }
        }
        Ok(())
    }

    /// The text of an element after its start, with that of the elements in it, but for those that `skipped` names.
    pub(super) fn text(&mut self, book: &Book<'_, '_>, skipped: &str) -> Result<String> {
        let (mut out, mut depth) = (String::new(), 1u64);
        while depth > 0 {
            match self.next(book)? {
                Next::Start(tag) if tag.local_name().as_ref() == skipped => self.skip(book)?,
                Next::Start(_) => depth += 1,
                Next::End => depth -= 1,
                Next::Text(text) => out.push_str(&text),
                Next::Eof => return Err(self.cut(book)),
            }
        }
        Ok(out)
    }

    /// The error for a document that ends within an element.
    pub(super) fn cut(&self, book: &Book<'_, '_>) -> crate::error::Error {
        book.fault(self.member, Code::Truncated, "the XML ends within an element")
    }

    /// The value of an attribute, whatever its namespace prefix.
    pub(super) fn attribute(
        &self,
        book: &Book<'_, '_>,
        tag: &BytesStart<'_>,
        name: &str,
    ) -> Result<Option<String>> {
        let bad = |why: String| book.fault(self.member, Code::Syntax, format!("attribute {name}: {why}"));
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| bad(e.to_string()))?;
            if attribute.key.local_name().as_ref() == name {
                let value =
                    attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|e| bad(e.to_string()))?;
                return Ok(Some(value.into_owned()));
            }
        }
        Ok(None)
    }
}
