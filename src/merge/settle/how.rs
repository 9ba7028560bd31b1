//! How a path is settled. Data only.

use crate::process::shell::Cancel;

use super::file::Rules;

/// By which rules, by whom else, and how long.
#[derive(Clone, Default)]
pub(crate) struct How<'a> {
    pub(crate) rules: Rules,
    /// The project does not want the file merged line by line; the driver that it named, or an empty name.
    pub(crate) driver: Option<String>,
    /// What ends it.
    pub(crate) cancel: Option<&'a Cancel>,
}
