//! Rust: cargo's own commands, as far as they are installed.

use super::view::{Gate, NO_WARNINGS, TESTS_PASS, View, gate};

pub(super) fn gates(view: &View<'_>) -> Vec<Gate> {
    if !view.has("Cargo.toml") {
        return Vec::new();
    }
    let mut gates = vec![gate("Tests", "cargo", "cargo test", TESTS_PASS)];
    if view.tree.can_run("cargo-clippy") {
        let command = "cargo clippy --all-targets -- -D warnings";
        gates.push(gate("Lint", "cargo", command, NO_WARNINGS));
    }
    if view.tree.can_run("cargo-fmt") {
        let description = "the code is formatted";
        gates.push(gate(
            "Format",
            "cargo",
            "cargo fmt --all --check",
            description,
        ));
    }
    gates
}
