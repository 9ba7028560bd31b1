//! Python: the tools that the project configures or lists, through its environment's runner.

use super::view::{Gate, NO_ERRORS, NO_TYPE_ERRORS, TESTS_PASS, View, gate};

/// Files in which tools are configured or listed.
const LISTS: [&str; 6] = [
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "Pipfile",
];

pub(super) fn gates(view: &View<'_>) -> Vec<Gate> {
    let runner = runner(view);
    let uses = |tool: &str, files: &[&str]| {
        view.has_any(files)
            || LISTS
                .iter()
                .filter_map(|name| view.text(name))
                .any(|text| mentions(text, tool))
    };
    let mut gates = Vec::new();
    if uses("pytest", &["pytest.ini", "conftest.py"]) {
        let command = format!("{runner}pytest");
        gates.push(gate("Tests", "pytest", command, TESTS_PASS));
    }
    if uses("ruff", &["ruff.toml", ".ruff.toml"]) {
        let command = format!("{runner}ruff check .");
        gates.push(gate("Lint", "ruff", command, NO_ERRORS));
    }
    if uses("mypy", &["mypy.ini", ".mypy.ini"]) {
        let command = format!("{runner}mypy .");
        gates.push(gate("Typecheck", "mypy", command, NO_TYPE_ERRORS));
    }
    gates
}

fn runner(view: &View<'_>) -> &'static str {
    let locked = [
        ("uv.lock", "uv run "),
        ("poetry.lock", "poetry run "),
        ("pdm.lock", "pdm run "),
        ("Pipfile", "pipenv run "),
    ];
    let at = |folder: &str| {
        locked
            .iter()
            .find(|(file, _)| view.tree.has(folder, file))
            .map(|(_, runner)| *runner)
    };
    at(view.folder).or_else(|| at("")).unwrap_or("")
}

/// Whether a list names a tool as a word of its own, outside comments: `pytest>=8`, `[tool.ruff]`,
/// but neither `pytest-cov` nor `ruffian`.
fn mentions(text: &str, tool: &str) -> bool {
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_-".contains(c));
    text.lines()
        .map(|line| line.split('#').next().unwrap_or(""))
        .any(|line| {
            line.match_indices(tool).any(|(at, _)| {
                let before = line.get(..at).and_then(|part| part.chars().next_back());
                let after = line
                    .get(at + tool.len()..)
                    .and_then(|part| part.chars().next());
                !part_of_word(before) && !part_of_word(after)
            })
        })
}
