//! Versions of companion programs, and the data grove shares with them. grove needs none of the programs,
//! so their absence is no fault; the data has to be readable.

use super::{Check, Patient};
use crate::mulch::{Filter, Mulch};
use crate::process::find_program;
use crate::setup::packages::{COMPANIONS, version};
use crate::text::counted;
use crate::tracker::Seeds;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let root = &patient.paths.root;
    versions(patient)
        .into_iter()
        .chain(Seeds::open(root).map(|seeds| tasks(&seeds)))
        .chain(Mulch::open(root).map(|mulch| expertise(&mulch)))
        .collect()
}

fn versions(patient: &Patient) -> Vec<Check> {
    // Programs that take their time to say who they are do so side by side.
    std::thread::scope(|scope| {
        let asked: Vec<_> = COMPANIONS
            .iter()
            .map(|package| {
                let is_there = find_program(package.cli, patient.search_path.as_deref()).is_some();
                let answer = is_there.then(|| scope.spawn(|| version(package.cli)));
                (package, answer)
            })
            .collect();
        asked
            .into_iter()
            .map(|(package, answer)| {
                let name = format!("{} semver", package.name);
                match answer.map(|answer| answer.join().ok().flatten()) {
                    None => Check::pass(name, format!("{} is not needed", package.name)),
                    Some(Some(version)) => Check::pass(name, format!("{} {version}", package.name))
                        .details(vec![format!("Version: {version}")]),
                    Some(None) => Check::warn(
                        name,
                        format!(
                            "{} ({}) does not tell its version",
                            package.name, package.cli
                        ),
                    )
                    .details(vec![format!("Install: npm install -g {}", package.npm)]),
                }
            })
            .collect()
    })
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
