//! Which version this is.

use super::{Check, Patient};

pub(super) fn check(_patient: &Patient) -> Vec<Check> {
    vec![Check::pass(
        "version-current",
        format!("grove {}", env!("CARGO_PKG_VERSION")),
    )]
}
