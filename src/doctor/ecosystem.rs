//! External companion tools. grove needs none, so their absence is no finding. The data they share with
//! grove has to be readable.

use super::{Check, Patient};
use crate::mulch::{Filter, Mulch};
use crate::process::find_program;
use crate::text::counted;
use crate::tracker::Seeds;

const TOOLS: [(&str, &str); 3] = [("mulch", "ml"), ("seeds", "sd"), ("canopy", "cn")];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let tools = TOOLS
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
        .collect::<Vec<_>>();
    let root = &patient.paths.root;
    tools
        .into_iter()
        .chain(Seeds::open(root).map(|seeds| tasks(&seeds)))
        .chain(Mulch::open(root).map(|mulch| expertise(&mulch)))
        .collect()
}

fn tasks(seeds: &Seeds) -> Check {
    match seeds.all() {
        Ok(all) => {
            let count = counted(all.len() as u64, "task");
            Check::pass("seeds tasks", format!("{count} in .seeds/"))
        }
        Err(e) => Check::fail("seeds tasks", format!("the tasks cannot be read: {e}")),
    }
}

fn expertise(mulch: &Mulch) -> Check {
    match mulch.query(&[], &Filter::default()) {
        Ok(domains) => {
            let count: usize = domains.iter().map(|(_, records)| records.len()).sum();
            let count = counted(count as u64, "record");
            Check::pass("mulch expertise", format!("{count} in .mulch/"))
        }
        Err(e) => Check::fail(
            "mulch expertise",
            format!("the expertise cannot be read: {e}"),
        ),
    }
}
