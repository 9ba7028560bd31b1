//! JSON text in the two layouts of the contract: one compact line, and tab-indented files.
//!
//! Numbers print as JavaScript prints them, because consumers compare bytes.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::number::format_number;

/// Serialises to one compact line without a final newline.
pub fn to_compact_json<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serialize_with(value, JsNumbers(CompactFormatter))
}

/// As `to_compact_json`, at the end of what is there already.
pub fn append_compact_json<T: Serialize + ?Sized>(
    value: &T,
    bytes: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    value.serialize(&mut Serializer::with_formatter(
        bytes,
        JsNumbers(CompactFormatter),
    ))
}

/// Serialises with tab indentation and a final newline, the layout of files under `.overstory/`.
pub fn to_tabbed_json<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let mut text = serialize_with(value, JsNumbers(PrettyFormatter::with_indent(b"\t")))?;
    text.push('\n');
    Ok(text)
}

fn serialize_with<T, F>(value: &T, formatter: F) -> Result<String, serde_json::Error>
where
    T: Serialize + ?Sized,
    F: Formatter,
{
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))?;
    String::from_utf8(bytes).map_err(|error| serde::ser::Error::custom(error.to_string()))
}

struct JsNumbers<F>(F);

impl<F: Formatter> Formatter for JsNumbers<F> {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(format_number(value).as_bytes())
    }

    fn write_f32<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        self.write_f64(writer, f64::from(value))
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_floats_have_no_fraction() {
        let value = json!({"b": 1.0, "a": [1e21, 0.5, 3]});
        assert_eq!(
            to_compact_json(&value).unwrap(),
            r#"{"b":1,"a":[1e+21,0.5,3]}"#
        );
    }

    #[test]
    fn files_are_indented_with_tabs() {
        let value = json!({"a": [], "b": {"c": [1]}});
        assert_eq!(
            to_tabbed_json(&value).unwrap(),
            "{\n\t\"a\": [],\n\t\"b\": {\n\t\t\"c\": [\n\t\t\t1\n\t\t]\n\t}\n}\n"
        );
    }
}
