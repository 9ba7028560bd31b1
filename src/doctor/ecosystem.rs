//! Versions of companion programs. grove needs none, so their absence is no fault.

use super::{Check, Patient};
use crate::process::find_program;
use crate::setup::packages::{COMPANIONS, version};

pub(super) fn check(patient: &Patient) -> Vec<Check> {
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
