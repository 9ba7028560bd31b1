//! Single values of a row, as others may have written them.
//!
//! SQLite keeps what it is given: bytes that are no text, text in a column of numbers, fractions and
//! numbers beyond 64 bits among whole ones. One odd row must not hide all others, so nothing here
//! fails because of the kind of a value.

use crate::types::host::ProcessId;
use rusqlite::Row;
use rusqlite::types::{ToSql, ToSqlOutput, Type, ValueRef};
use std::borrow::Cow;

/// Beyond this, not every whole number has a place among the floating ones: 2^63.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// A text: bytes that are no UTF-8 are shown as U+FFFD, numbers as digits.
pub(crate) fn borrowed_text<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<Cow<'r, str>> {
    optional_borrowed_text(row, index)?
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(index, String::new(), Type::Null))
}

/// As `borrowed_text`, for columns that may be empty.
pub(crate) fn optional_borrowed_text<'r>(
    row: &'r Row<'_>,
    index: usize,
) -> rusqlite::Result<Option<Cow<'r, str>>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(number.to_string().into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(lossy(bytes)),
    })
}

/// As `String::from_utf8_lossy`, which looks piece by piece: what is right is found out much faster at once.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// As `borrowed_text`, to keep.
pub(crate) fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    borrowed_text(row, index).map(Cow::into_owned)
}

/// As `text`, for columns that may be empty.
pub(crate) fn optional_text(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<String>> {
    Ok(optional_borrowed_text(row, index)?.map(Cow::into_owned))
}

/// A whole number: a fraction loses what is behind its point, what is too large is the largest there
/// is, and what is no number at all is 0.
pub(crate) fn number(row: &Row<'_>, index: usize) -> rusqlite::Result<i64> {
    Ok(optional_number(row, index)?.unwrap_or(0))
}

/// As `number`, for columns that may be empty; what is no number is nothing.
pub(crate) fn optional_number(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number),
        // The cast keeps to the ends of the range.
        ValueRef::Real(number) => Some(number as i64),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let text = lossy(bytes);
            let text = text.trim();
            let parsed = text.parse::<i64>().ok();
            parsed.or_else(|| finite(text).map(|number| number as i64))
        }
    })
}

/// The id of a process: only an exact one, as half a number may be somebody else's.
pub(crate) fn process_id(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) if number.fract() == 0.0 && number.abs() < BEYOND => {
            Some(number as i64)
        }
        ValueRef::Text(bytes) => lossy(bytes).parse().ok(),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => None,
    })
}

/// The process that two columns name, its id and its start.
pub(crate) fn process(
    row: &Row<'_>,
    pid: usize,
    start: usize,
) -> rusqlite::Result<Option<ProcessId>> {
    let pid = process_id(row, pid)?.and_then(|pid| i32::try_from(pid).ok());
    let start = number(row, start)? as u64;
    Ok(pid.map(|pid| ProcessId { pid, start }))
}

/// A number with a fraction; `None` for an empty cell and for what is no number.
pub(crate) fn optional_float(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<f64>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => finite(lossy(bytes).trim()),
    })
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A text by its bytes, to ask for again and to sort by: one that is shown with U+FFFD would not be
/// found. The order is SQLite's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exact {
    is_blob: bool,
    bytes: Vec<u8>,
}

impl Exact {
    pub(crate) fn of(row: &Row<'_>, index: usize) -> rusqlite::Result<Self> {
        let value = row.get_ref(index)?;
        Ok(match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Self {
                is_blob: matches!(value, ValueRef::Blob(_)),
                bytes: bytes.to_vec(),
            },
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Self {
                is_blob: false,
                bytes: text(row, index)?.into_bytes(),
            },
        })
    }
}

impl ToSql for Exact {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(if self.is_blob {
            ValueRef::Blob(&self.bytes)
        } else {
            ValueRef::Text(&self.bytes)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn read<T>(sql: &str, cell: impl Fn(&Row<'_>, usize) -> rusqlite::Result<T>) -> T {
        let conn = Connection::open_in_memory().unwrap();
        conn.query_row(&format!("SELECT {sql}"), [], |r| cell(r, 0))
            .unwrap()
    }

    #[test]
    fn whatever_is_in_a_cell_reads_as_a_number() {
        for (sql, expected) in [
            ("7", Some(7)),
            ("1.5", Some(1)),
            ("-1.5", Some(-1)),
            ("1e20", Some(i64::MAX)),
            ("-1e20", Some(i64::MIN)),
            ("' 12 '", Some(12)),
            ("'1e3'", Some(1000)),
            ("'many'", None),
            ("'nan'", None),
            ("CAST(x'ff' AS TEXT)", None),
            ("x'3132'", Some(12)),
            ("NULL", None),
        ] {
            assert_eq!(read(sql, optional_number), expected, "{sql}");
            assert_eq!(read(sql, number), expected.unwrap_or(0), "{sql}");
        }
        assert_eq!(read("'0.25'", optional_float), Some(0.25));
        assert_eq!(read("'inf'", optional_float), None);
        assert_eq!(read("3", optional_float), Some(3.0));
    }

    #[test]
    fn half_a_process_id_is_none() {
        for (sql, expected) in [
            ("7", Some(7)),
            ("7.0", Some(7)),
            ("'7'", Some(7)),
            ("1.5", None),
            ("1e20", None),
            ("'1x'", None),
            ("x'37'", None),
            ("NULL", None),
        ] {
            assert_eq!(read(sql, process_id), expected, "{sql}");
        }
    }
}
