//! Make and CMake: targets that exist, and CTest where the project has tests.

use super::view::{Gate, NO_ERRORS, TESTS_PASS, View, gate};

/// Targets that stand for a gate.
const TARGETS: [(&str, &str, &str, &str); 3] = [
    ("test", "Tests", "make test", TESTS_PASS),
    ("lint", "Lint", "make lint", NO_ERRORS),
    ("check", "Check", "make check", "all checks must pass"),
];

pub(super) fn make(view: &View<'_>) -> Vec<Gate> {
    let Some(text) = ["GNUmakefile", "makefile", "Makefile"]
        .iter()
        .find_map(|name| view.text(name))
    else {
        return Vec::new();
    };
    TARGETS
        .iter()
        .filter(|(target, ..)| has_target(text, target))
        .map(|(_, name, command, description)| gate(name, "make", *command, description))
        .collect()
}

/// A rule such as `test: build` or `lint test:`; neither `test := x` nor a recipe line.
fn has_target(text: &str, target: &str) -> bool {
    text.lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else {
            return false;
        };
        !line.starts_with(['\t', ' ', '#', '.'])
            && !rest.starts_with('=')
            && !rest.starts_with(":=")
            && targets.split_whitespace().any(|name| name == target)
    })
}

pub(super) fn cmake(view: &View<'_>) -> Vec<Gate> {
    let Some(text) = view.text("CMakeLists.txt") else {
        return Vec::new();
    };
    let build = "cmake -S . -B build && cmake --build build";
    let has_tests = std::iter::once(text)
        .chain(view.tree.below(view.folder, "CMakeLists.txt"))
        .map(str::to_lowercase)
        .any(|text| {
            ["enable_testing", "include(ctest)", "add_test("]
                .iter()
                .any(|word| text.contains(word))
        });
    if has_tests {
        let command = format!("{build} && ctest --test-dir build --output-on-failure");
        return vec![gate("Tests", "cmake", command, TESTS_PASS)];
    }
    vec![gate("Build", "cmake", build, "the build must succeed")]
}
