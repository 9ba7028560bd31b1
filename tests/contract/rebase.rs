//! Scenarios in flight: their times are told relative to the moment of the test, and one of their
//! processes is really alive.

use std::process::{Child, Command, Stdio};

use grove::types::Timestamp;
use rusqlite::Connection;

/// The shape of a stored time; `9` stands for any digit.
const SHAPE: &str = "9999-99-99T99:99:99.999";

/// Adds `delta` milliseconds to every time in a text; what follows the milliseconds stays.
pub(crate) fn shift(text: &str, delta: i64) -> String {
    if delta == 0 {
        return text.to_owned();
    }
    replace_shape(text, SHAPE, |found| {
        let moved = Timestamp(Timestamp::parse(found).unwrap().0 + delta).iso();
        moved.trim_end_matches('Z').to_owned()
    })
}

/// Replaces every part of a text that has the shape and does not continue as a longer number.
pub(crate) fn replace_shape(
    text: &str,
    shape: &str,
    mut change: impl FnMut(&str) -> String,
) -> String {
    let fits = |part: &[u8]| {
        part.len() == shape.len()
            && part
                .iter()
                .zip(shape.bytes())
                .all(|(byte, wanted)| match wanted {
                    b'9' => byte.is_ascii_digit(),
                    other => *byte == other,
                })
    };
    let bytes = text.as_bytes();
    let number = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at + shape.len() <= bytes.len() {
        let end = at + shape.len();
        let alone =
            !number(at.checked_sub(1).and_then(|i| bytes.get(i))) && !number(bytes.get(end));
        if alone && fits(&bytes[at..end]) {
            out.push_str(&text[copied..at]);
            out.push_str(&change(&text[at..end]));
            at = end;
            copied = end;
        } else {
            at += 1;
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Applies `change` to every text of a database.
pub(crate) fn change_texts(connection: &Connection, change: &dyn Fn(&str) -> String) {
    connection
        .execute_batch("PRAGMA synchronous = OFF; BEGIN")
        .unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    for table in
        names("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    {
        for column in names(&format!("SELECT name FROM pragma_table_info('{table}')")) {
            let select = format!(
                "SELECT rowid, \"{column}\" FROM \"{table}\" WHERE typeof(\"{column}\") = 'text'"
            );
            let mut statement = connection.prepare(&select).unwrap();
            let rows: Vec<(i64, String)> = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                // A text that is not UTF-8 has no time and no place in it.
                .filter_map(Result::ok)
                .collect();
            let update = format!("UPDATE \"{table}\" SET \"{column}\" = ?1 WHERE rowid = ?2");
            for (row, text) in rows {
                let changed = change(&text);
                if changed != text {
                    connection.execute(&update, (changed, row)).unwrap();
                }
            }
        }
    }
    connection.execute_batch("COMMIT").unwrap();
}

/// A process that lives as long as the scenario, in place of a recorded number.
pub(crate) struct Alive {
    child: Child,
    recorded: i64,
}

impl Alive {
    pub(crate) fn start(recorded: i64) -> Self {
        let child = Command::new("sleep")
            .arg("3000")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, recorded }
    }

    /// Puts the living process into the sessions that name the recorded one.
    pub(crate) fn place(&self, connection: &Connection) {
        let update = "UPDATE sessions SET pid = ?1 WHERE pid = ?2";
        // Only one of the databases has sessions with a process.
        connection
            .execute(update, (self.child.id(), self.recorded))
            .ok();
    }

    /// Gives the recorded number back wherever a process is named. Elsewhere the same digits are
    /// something else: a low number is also found among milliseconds.
    pub(crate) fn hide(&self, text: &str) -> String {
        const NAMED: &[(&str, &str)] =
            &[("\"pid\":", ","), ("\"pid\":", "}"), ("PID:       ", "\n")];
        let (own, recorded) = (self.child.id(), self.recorded);
        NAMED
            .iter()
            .fold(text.to_owned(), |text, (before, behind)| {
                let found = format!("{before}{own}{behind}");
                text.replace(&found, &format!("{before}{recorded}{behind}"))
            })
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn times_move_and_ids_stay() {
    let day = 24 * 3_600_000;
    assert_eq!(
        shift("at 2026-03-01T12:00:00.000Z, 2026-03-01T12:00:00.123|", day),
        "at 2026-03-02T12:00:00.000Z, 2026-03-02T12:00:00.123|"
    );
    for fixed in [
        "run-2026-03-01T09-30-00-000Z",
        "12026-03-01T12:00:00.000Z",
        "2026-03-01T12:00:00.0000",
        "ünï 2026-03-01",
    ] {
        assert_eq!(shift(fixed, day), fixed);
    }
}
