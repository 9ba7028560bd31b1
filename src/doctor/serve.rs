//! The local web server needs nothing but a free port, which is known only when it is started.

use super::{Check, Patient};

pub(super) fn check(_patient: &Patient) -> Vec<Check> {
    Vec::new()
}
