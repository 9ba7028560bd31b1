//! Which version this is.

use super::{Check, Patient};

pub(super) fn check(_patient: &Patient) -> Vec<Check> {
    let version = env!("CARGO_PKG_VERSION");
    vec![
        Check::pass("version-current", format!("grove v{version}")),
        Check::pass(
            "package-json-sync",
            "The version is part of the binary; no file can disagree with it",
        )
        .details(vec![format!("grove: {version}")]),
    ]
}
