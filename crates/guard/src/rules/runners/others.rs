//! Tools that run what a file of the project says in a language of its own, or in code: where this very command wrote
//! that file, what is plainly forbidden in it counts as run.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{configs, files};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::fragments::{self, Around};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) struct Runner {
    pub(super) names: &'static [&'static str],
    /// A word that has to be there for it to run anything of them; any call does where there is none.
    pub(super) word: &'static str,
    pub(super) files: &'static [&'static str],
}

const RUNNERS: &[Runner] = &[
    Runner {
        names: &["rake", "./rake"],
        word: "",
        files: &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
    },
    Runner {
        names: &["ninja", "samu"],
        word: "",
        files: &["build.ninja"],
    },
    Runner {
        names: &["invoke", "inv"],
        word: "",
        files: &["tasks.py"],
    },
    Runner {
        names: &["fab"],
        word: "",
        files: &["fabfile.py"],
    },
    Runner {
        names: &["doit"],
        word: "",
        files: &["dodo.py"],
    },
    Runner {
        names: &["nox"],
        word: "",
        files: &["noxfile.py"],
    },
    Runner {
        names: &["tox"],
        word: "",
        files: &["tox.ini", "tox.toml", "pyproject.toml", "setup.cfg"],
    },
    Runner {
        names: &["poe", "pdm", "hatch", "rye", "pixi", "uv", "poetry"],
        word: "",
        files: &["pyproject.toml", "pixi.toml"],
    },
    Runner {
        names: &["cargo"],
        word: "make",
        files: &["Makefile.toml"],
    },
    Runner {
        names: &["mise", "rtx"],
        word: "",
        files: &["mise.toml", ".mise.toml", "mise.local.toml"],
    },
    Runner {
        names: &["pre-commit"],
        word: "run",
        files: &[".pre-commit-config.yaml"],
    },
    Runner {
        names: &["lefthook"],
        word: "run",
        files: &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"],
    },
    Runner {
        names: &["gradle", "gradlew", "./gradlew"],
        word: "",
        files: &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
        ],
    },
    Runner {
        names: &["ant"],
        word: "",
        files: &["build.xml"],
    },
    Runner {
        names: &["grunt"],
        word: "",
        files: &["Gruntfile.js", "Gruntfile.cjs", "Gruntfile.coffee"],
    },
    Runner {
        names: &["gulp"],
        word: "",
        files: &["gulpfile.js", "gulpfile.mjs", "gulpfile.cjs", "gulpfile.ts"],
    },
    Runner {
        names: &["jake"],
        word: "",
        files: &["Jakefile", "Jakefile.js", "jakefile.js"],
    },
    Runner {
        names: &["earthly"],
        word: "",
        files: &["Earthfile"],
    },
    Runner {
        names: &["scons"],
        word: "",
        files: &["SConstruct", "Sconstruct", "SConscript"],
    },
    Runner {
        names: &["composer"],
        word: "",
        files: &["composer.json"],
    },
    Runner {
        names: &["deno"],
        word: "task",
        files: &["deno.json", "deno.jsonc", "package.json"],
    },
    Runner {
        names: &["node"],
        word: "--run",
        files: &["package.json"],
    },
];

/// Options of these tools that name the file they read.
const NAMED: &[(&[&str], &[&str])] = &[
    (&["rake", "./rake"], &["-f", "--rakefile"]),
    (&["ninja", "samu"], &["-f"]),
    (&["doit"], &["-f", "--file"]),
    (&["nox"], &["-f", "--noxfile"]),
    (&["tox"], &["-c", "--conf"]),
    (&["cargo"], &["--makefile"]),
    (
        &["gradle", "gradlew", "./gradlew"],
        &[
            "-I",
            "--init-script",
            "-b",
            "--build-file",
            "-c",
            "--settings-file",
        ],
    ),
    (&["ant"], &["-f", "-file", "-buildfile"]),
    (&["grunt"], &["--gruntfile"]),
    (&["gulp"], &["-f", "--gulpfile"]),
    (&["jake"], &["-f", "--jakefile"]),
    (&["scons"], &["-f", "--file", "--makefile", "--sconstruct"]),
    (&["pre-commit"], &["-c", "--config"]),
];

/// Tools that run the code of tests, wherever in the project it is.
const TESTERS: &[&str] = &[
    "pytest", "py.test", "jest", "vitest", "mocha", "ava", "tap", "rspec",
];

/// Judges what a runner would run of the files that this command wrote or changed.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let mut named = NAMED.iter().filter(|(names, _)| names.contains(&name));
    let named: Vec<&str> = named.next().map_or_else(Vec::new, |(_, options)| {
        files::values(call.args(), options).collect()
    });
    if named.contains(&"-")
        && let Some(input) = call.stdin.clone()
    {
        fragments::judge(w, &[input], Around::Values, st)?;
    }
    if w.written.is_empty() {
        return Ok(());
    }
    let runs = |row: &&Runner| {
        row.names.contains(&name)
            && (row.word.is_empty() || call.args().iter().any(|arg| arg == row.word))
    };
    let rows = RUNNERS.iter().chain(configs::RUNNERS);
    let usual = rows.filter(runs).flat_map(|row| row.files);
    for file in usual.copied().chain(named) {
        let Some(key) = w.key(file, st) else { continue };
        // A program and its words may stand in two lines.
        let joined = |text: &Rc<str>| Rc::from(text.replace("\nargs", " args"));
        let texts: Vec<Rc<str>> = texts_in(w, &key).iter().map(joined).collect();
        let mark = format!("{name} {}", key.display());
        if texts.is_empty() || w.calls.contains(&mark) {
            continue;
        }
        w.calls.push(mark);
        let judged = fragments::judge(w, &texts, Around::Values, st);
        w.calls.pop();
        judged?;
    }
    let tests_by_itself = name == "node" && call.args().iter().any(|arg| arg == "--test");
    if TESTERS.contains(&name) || tests_by_itself {
        tests(w, call, st)?;
    }
    Ok(())
}

/// What this command put into a file, as far as it is known.
pub(super) fn texts_in(w: &Walker<'_>, key: &Path) -> Vec<Rc<str>> {
    let whole = w.written.get(key).cloned().flatten();
    let whole = whole.filter(|code| text::is_known(code));
    let added = w.added.get(key).map(|code| Rc::from(code.as_str()));
    let parts = w.parts.get(key).map(|parts| parts.texts.clone());
    whole
        .or(added)
        .into_iter()
        .chain(parts.unwrap_or_default())
        .collect()
}

/// Judges the code of tests that this command wrote, as the interpreter would read it.
fn tests(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let mut codes: Vec<(PathBuf, Rc<str>)> = Vec::new();
    for (path, code) in &w.written {
        if let Some(code) = code.as_ref().filter(|code| text::is_known(code)) {
            codes.push((path.clone(), Rc::clone(code)));
        }
    }
    codes.sort();
    for (path, code) in codes {
        let interpreter = match path.extension().and_then(|end| end.to_str()) {
            Some("py") => ["python3", "-c"],
            Some("js" | "cjs" | "mjs" | "ts" | "jsx" | "tsx") => ["node", "-e"],
            Some("rb") => ["ruby", "-e"],
            Some(_) | None => continue,
        };
        let argv = interpreter
            .into_iter()
            .chain([code.as_ref()])
            .map(str::to_owned)
            .collect();
        let shown = w.trace.as_ref().map_or(0, Vec::len);
        fragments::definite(w.separate(call, argv, st).map(|_| ()))?;
        if let Some(trace) = &mut w.trace {
            trace.truncate(shown);
        }
    }
    Ok(())
}
