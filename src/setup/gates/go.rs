//! Go: every module is tested and vetted.

use super::view::{Gate, TESTS_PASS, View, gate};

pub(super) fn gates(view: &View<'_>) -> Vec<Gate> {
    if !view.has("go.mod") {
        return Vec::new();
    }
    vec![
        gate("Tests", "go", "go test ./...", TESTS_PASS),
        gate("Vet", "go", "go vet ./...", "no findings"),
    ]
}
