//! External companion tools. grove needs none, so their absence is no finding.

use super::{Check, Patient};
use crate::process::find_program;

const TOOLS: [(&str, &str); 3] = [("mulch", "ml"), ("seeds", "sd"), ("canopy", "cn")];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    TOOLS
        .iter()
        .filter_map(|(tool, program)| {
            let found = find_program(program, patient.search_path.as_deref())?;
            Some(
                Check::pass(
                    format!("{tool} availability"),
                    format!("{tool} is available"),
                )
                .details(vec![found.display().to_string()]),
            )
        })
        .collect()
}
