//! Builds a scenario's project and runs its cases against it.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use grove::types::Timestamp;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};

use crate::compare::{blank, blank_text, text_difference};
use crate::deviations;
use crate::rebase::{self, Alive};

const GROVE: &str = env!("CARGO_BIN_EXE_grove");

/// Runs all cases of a scenario and reports every one that differs.
pub(crate) fn run(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/contract/golden")
        .join(name);
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    let scenario = Scenario::build(folder, &manifest);
    let mut failures = Vec::new();
    let mut compared = 0;
    for case in manifest["cases"].as_array().unwrap() {
        let case_name = case["name"].as_str().unwrap();
        if deviations::reason(name, case_name).is_some() {
            continue;
        }
        compared += 1;
        if let Err(difference) = scenario.check(case) {
            failures.push(format!("{name}/{case_name}: {difference}"));
        }
    }
    assert!(compared > 0, "{name} has no cases to compare");
    assert!(
        failures.is_empty(),
        "{} of {compared} cases differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

struct Scenario {
    folder: PathBuf,
    dir: tempfile::TempDir,
    base: PathBuf,
    /// The recorded moment that counts as now.
    moment: Option<Timestamp>,
    /// What is added to recorded times, in milliseconds; new with every case.
    delta: Cell<i64>,
    alive: Option<Alive>,
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Scenario {
    fn build(folder: PathBuf, manifest: &Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let scenario = Self {
            folder,
            dir,
            base,
            moment: manifest["rebase"]
                .as_str()
                .map(|text| Timestamp::parse(text).unwrap()),
            delta: Cell::new(0),
            alive: manifest["alivePid"].as_i64().map(Alive::start),
        };
        for name in ["pristine", "home", "stubs"] {
            fs::create_dir(scenario.base.join(name)).unwrap();
        }
        // Built where it will stand, because worktrees record their absolute place.
        fs::rename(scenario.base.join("pristine"), scenario.root()).unwrap();
        scenario.git(Path::new(""), &["init", "-q", "-b", "main"]);
        fs::write(
            scenario.root().join(".git/info/exclude"),
            ".overstory/\n.claude/\n",
        )
        .unwrap();
        for step in manifest["repo"].as_array().into_iter().flatten() {
            scenario.repository_step(step);
        }
        scenario.write_stubs();
        fs::rename(scenario.root(), scenario.pristine()).unwrap();
        scenario
    }

    fn root(&self) -> PathBuf {
        self.base.join("project")
    }

    fn pristine(&self) -> PathBuf {
        self.base.join("pristine")
    }

    fn git(&self, place: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.root().join(place));
        self.scrub(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    fn repository_step(&self, step: &Value) {
        let place = Path::new(step["in"].as_str().unwrap_or(""));
        for (path, text) in step["write"].as_object().into_iter().flatten() {
            let path = self.root().join(place).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.as_str().unwrap()).unwrap();
        }
        if let Some(message) = step["commit"].as_str() {
            self.git(place, &["add", "-A"]);
            self.git(place, &["commit", "-q", "--no-gpg-sign", "-m", message]);
        }
        if let Some(branch) = step["branch"].as_str() {
            self.git(place, &["branch", branch]);
        }
        if let Some(branch) = step["checkout"].as_str() {
            self.git(place, &["checkout", "-q", branch]);
        }
        if let [path, branch] = words(&step["worktree"]).as_slice() {
            self.git(place, &["worktree", "add", "-q", "-b", branch, path]);
        }
    }

    fn write_stubs(&self) {
        let answers = self.folder.join("stubs/sd").display().to_string();
        let scripts = [
            ("tmux", "echo 'no server running on stub' >&2; exit 1".to_owned()),
            (
                "sd",
                format!("case \"$1\" in show) F=\"{answers}/show-$2.json\";; *) F=\"{answers}/$1.json\";; esac\nif [ -f \"$F\" ]; then cat \"$F\"; else exit 1; fi"),
            ),
            ("ml", "case \"$1\" in --version) echo 9.9.9;; prime) echo \"stub expertise: $*\";; *) exit 1;; esac".to_owned()),
        ];
        for (name, text) in scripts {
            let path = self.base.join("stubs").join(name);
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    fn scrub(&self, command: &mut Command) {
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.base.join("stubs").display()
        );
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.base.join("home"))
            // Others' hosts have left their sockets where all of this user's are.
            .env("XDG_RUNTIME_DIR", &self.base)
            .envs([
                ("TZ", "UTC"),
                ("LANG", "C.UTF-8"),
                ("NO_COLOR", "1"),
                ("TERM", "dumb"),
            ])
            .envs([
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
            ])
            .envs([
                ("GIT_AUTHOR_NAME", "fx"),
                ("GIT_AUTHOR_EMAIL", "fx@example.com"),
            ])
            .envs([
                ("GIT_COMMITTER_NAME", "fx"),
                ("GIT_COMMITTER_EMAIL", "fx@example.com"),
            ])
            .envs([
                ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
                ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
            ])
            .stdin(Stdio::null());
    }

    /// A fresh copy of repository and state.
    fn reset(&self) {
        if self.root().exists() {
            fs::remove_dir_all(self.root()).unwrap();
        }
        if let Some(moment) = self.moment {
            self.delta.set(now_ms() - moment.0);
        }
        copy_tree(&self.pristine(), &self.root(), &|bytes, _| bytes);
        let state = self.root().join(".overstory");
        copy_tree(&self.folder.join("state"), &state, &|bytes, path| {
            if path.extension().is_some_and(|extension| extension == "db") {
                return bytes;
            }
            String::from_utf8(bytes).map_or_else(
                |error| error.into_bytes(),
                |text| self.placed(&text).into_bytes(),
            )
        });
        for entry in fs::read_dir(&state).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "db") {
                let connection = Connection::open(path).unwrap();
                rebase::change_texts(&connection, &|text| self.placed(text));
                if let Some(alive) = &self.alive {
                    alive.place(&connection);
                }
            }
        }
    }

    /// A recorded text as it reads here and now.
    fn placed(&self, text: &str) -> String {
        let root = self.root().display().to_string();
        let now = now_ms();
        let mut text = rebase::shift(&text.replace("{{ROOT}}", &root), self.delta.get());
        while let Some(start) = text.find("{{NOW") {
            let end = start + text[start..].find("}}").unwrap();
            let offset: i64 = text[start + 5..end].parse().unwrap_or(0);
            text.replace_range(start..end + 2, &Timestamp(now + offset).iso());
        }
        text
    }

    /// What was written here and now as it would have been recorded.
    fn recorded(&self, text: &str) -> String {
        let root = self.root().display().to_string();
        let text = text.replace(&root, "{{ROOT}}");
        let text = self
            .alive
            .as_ref()
            .map_or_else(|| text.clone(), |alive| alive.hide(&text));
        rebase::shift(&text, -self.delta.get())
    }

    fn call(&self, argv: &[String], case: &Value) -> Ran {
        let place = case["cwd"].as_str().unwrap_or("");
        let mut command = Command::new(GROVE);
        command
            .args(argv.iter().map(|word| self.placed(word)))
            .current_dir(self.root().join(place));
        self.scrub(&mut command);
        for (name, value) in case["env"].as_object().into_iter().flatten() {
            command.env(name, self.placed(value.as_str().unwrap()));
        }
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| as_other(&self.recorded(&String::from_utf8_lossy(bytes)));
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    fn check(&self, case: &Value) -> Result<(), String> {
        self.reset();
        for setup in case["setup"].as_array().into_iter().flatten() {
            self.call(&words(setup), case);
        }
        let ran = self.call(&words(&case["argv"]), case);
        let quirk = &case["quirk"];
        if quirk.is_object() {
            let expected = self.expected(&quirk["stdout"]);
            if quirk["exit"].as_i64() == Some(i64::from(ran.code)) && expected == ran.stdout {
                return Ok(());
            }
        }
        if case["exit"].as_i64() != Some(i64::from(ran.code)) {
            return Err(format!(
                "exit {}, expected {}; {}",
                ran.code, case["exit"], ran.stderr
            ));
        }
        let expected = self.expected(&case["stdout"]);
        if case["kind"].as_str() == Some("text") {
            compare_text(case, &expected, &ran)?;
        } else {
            compare_json(case, &expected, &ran)?;
        }
        self.compare_rows(case)
    }

    fn expected(&self, path: &Value) -> String {
        fs::read_to_string(self.folder.join(path.as_str().unwrap())).unwrap()
    }

    fn compare_rows(&self, case: &Value) -> Result<(), String> {
        let Some(queries) = case["dump"].as_array() else {
            return Ok(());
        };
        let name = case["name"].as_str().unwrap();
        let path = self.folder.join(format!("expected/{name}.dump.json"));
        let recorded: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for (query, expected) in queries.iter().zip(recorded.as_array().unwrap()) {
            let mut expected = expected.clone();
            let mut actual = self.rows(
                query["db"].as_str().unwrap(),
                query["sql"].as_str().unwrap(),
            );
            for document in [&mut expected, &mut actual] {
                blank(
                    document,
                    query["normalise"].as_object().unwrap_or(&Map::new()),
                );
            }
            if expected != actual {
                return Err(format!(
                    "rows differ:\nexpected {expected}\ngot      {actual}"
                ));
            }
        }
        Ok(())
    }

    fn rows(&self, database: &str, sql: &str) -> Value {
        let path = self.root().join(".overstory").join(database);
        if !path.exists() {
            return Value::Null;
        }
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let rows = statement.query_map([], |row| {
            let cell = |index: usize| match row.get_ref(index).unwrap() {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => self.recorded(&String::from_utf8_lossy(text)).into(),
                ValueRef::Blob(_) => "blob".into(),
            };
            Ok(Value::Object(
                names
                    .iter()
                    .cloned()
                    .enumerate()
                    .map(|(index, name)| (name, cell(index)))
                    .collect(),
            ))
        });
        Value::Array(rows.unwrap().map(Result::unwrap).collect())
    }
}

impl Drop for Scenario {
    fn drop(&mut self) {
        // Kept by name so that the folder outlives every case.
        let _: &Path = self.dir.path();
    }
}

fn compare_text(case: &Value, expected: &str, ran: &Ran) -> Result<(), String> {
    let rules = words(&case["text"]);
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let difference = text_difference(
        &blank_text(expected, &rules),
        &blank_text(&ran.stdout, &rules),
    );
    if let Some(difference) = difference {
        return Err(difference);
    }
    match case["stderr"].as_str() {
        // What follows the first line says what to do, and is ours.
        Some(stderr) if !ran.stderr.starts_with(stderr) => {
            Err(format!("stderr expected {stderr:?}, got {:?}", ran.stderr))
        }
        _ => Ok(()),
    }
}

fn compare_json(case: &Value, expected: &str, ran: &Ran) -> Result<(), String> {
    let one = |text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| format!("{error}: {text}"))
    };
    let parse = |text: &str| match case["kind"].as_str() {
        Some("ndjson") => text
            .lines()
            .map(one)
            .collect::<Result<_, _>>()
            .map(Value::Array),
        _ => one(text),
    };
    let (mut expected, mut actual) = (parse(expected)?, parse(&ran.stdout)?);
    let none = Map::new();
    let rules = case["normalise"].as_object().unwrap_or(&none);
    blank(&mut expected, rules);
    blank(&mut actual, rules);
    let order = keys(&expected) == keys(&actual);
    if expected != actual || !order {
        return Err(format!("\nexpected {expected}\ngot      {actual}"));
    }
    Ok(())
}

/// All keys in order, because consumers print what they get.
fn keys(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, below)| [vec![key.clone()], keys(below)].concat())
            .collect(),
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Our name in texts is theirs in the recording.
fn as_other(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    while let Some(at) = rest.find("grove") {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let alone = !is_word(out.chars().last()) && !is_word(found["grove".len()..].chars().next());
        out.push_str(if alone { "ov" } else { "grove" });
        rest = &found["grove".len()..];
    }
    out + rest
}

fn words(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|word| word.as_str().map(str::to_owned))
        .collect()
}

fn copy_tree(from: &Path, to: &Path, change: &dyn Fn(Vec<u8>, &Path) -> Vec<u8>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target, change);
        } else if entry.file_name() != ".keep" {
            let bytes = fs::read(entry.path()).unwrap();
            fs::write(target, change(bytes, &entry.path())).unwrap();
        }
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
