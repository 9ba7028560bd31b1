//! Which files a runner of tasks reads, and where: named by options, or found in the folder it works in.

use crate::shell::state::State;
use crate::shell::walk::Walker;

/// How a task file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rules) enum Kind {
    Make,
    Just,
    Package,
    Task,
}

struct Runner {
    names: &'static [&'static str],
    kind: Kind,
    /// Options whose value is the task file.
    file: &'static [&'static str],
    /// Options whose value is the folder it works in.
    folder: &'static [&'static str],
}

const RUNNERS: &[Runner] = &[
    Runner {
        names: &["make", "gmake", "bmake", "pmake", "remake", "colormake"],
        kind: Kind::Make,
        file: &["-f", "--file", "--makefile"],
        folder: &["-C", "--directory"],
    },
    Runner {
        names: &["just"],
        kind: Kind::Just,
        file: &["-f", "--justfile"],
        folder: &["-d", "--working-directory"],
    },
    Runner {
        names: &["npm", "pnpm", "yarn", "bun"],
        kind: Kind::Package,
        file: &[],
        folder: &["--prefix", "-C", "--dir", "--cwd"],
    },
    Runner {
        names: &["task", "go-task"],
        kind: Kind::Task,
        file: &["-t", "--taskfile"],
        folder: &["-d", "--dir"],
    },
];

impl Kind {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Make => &["GNUmakefile", "makefile", "Makefile", "BSDmakefile"],
            Self::Just => &["justfile", "Justfile", ".justfile"],
            Self::Package => &["package.json"],
            Self::Task => &[
                "Taskfile.yml",
                "taskfile.yml",
                "Taskfile.yaml",
                "taskfile.yaml",
                "Taskfile.dist.yml",
                "taskfile.dist.yml",
                "Taskfile.dist.yaml",
                "taskfile.dist.yaml",
            ],
        }
    }
}

/// How the files of a runner are written, those it may read by their paths, and the state it works in.
pub(in crate::rules) fn read_by(
    w: &mut Walker<'_>,
    name: &str,
    args: &[String],
    st: &State,
) -> Option<(Kind, Vec<String>, State)> {
    let runner = RUNNERS.iter().find(|row| row.names.contains(&name))?;
    let mut inner = st.clone();
    for folder in values(args, runner.folder) {
        w.enter(folder, &mut inner);
    }
    let usual = runner.kind.names().iter().map(|name| (*name).to_owned());
    let named = values(args, runner.file).map(str::to_owned);
    // A task file that is named stands where the command does for some, where the runner works for others; `just` works
    // where its file is.
    let named: Vec<String> = named.collect();
    let here = match st.cwd.as_slice() {
        [crate::paths::Place::Known(cwd)] => Some(cwd.display().to_string()),
        _ => None,
    };
    let beside = named.iter().filter(|file| !file.starts_with('/'));
    let beside: Vec<String> = beside
        .filter_map(|file| Some(format!("{}/{file}", here.as_ref()?)))
        .collect();
    Some((
        runner.kind,
        usual.chain(named).chain(beside).collect(),
        inner,
    ))
}

/// The values of these options, apart from their names, behind a sign, or attached to a letter.
pub(super) fn values<'a>(
    args: &'a [String],
    options: &'static [&'static str],
) -> impl Iterator<Item = &'a str> {
    let own = args.iter().take_while(|arg| *arg != "--").enumerate();
    own.filter_map(move |(at, arg)| {
        options.iter().find_map(|option| {
            let rest = arg.strip_prefix(option)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value),
                None if rest.is_empty() => args.get(at + 1).map(String::as_str),
                None => (option.len() == 2).then_some(rest),
            }
        })
    })
}

/// The files that a task file takes in, by their paths.
pub(in crate::rules) fn taken_in(kind: Kind, code: &str) -> Vec<String> {
    let words: &[&str] = match kind {
        Kind::Make => &["include", "-include", "sinclude"],
        Kind::Just => &["import", "import?", "mod"],
        Kind::Package | Kind::Task => &[],
    };
    let mut files = Vec::new();
    for line in code.lines().filter(|_| !words.is_empty()) {
        let mut parts = line.split_whitespace();
        if parts.next().is_some_and(|word| words.contains(&word)) {
            files.extend(parts.map(|part| part.trim_matches(['\'', '"']).to_owned()));
        }
    }
    files
}
