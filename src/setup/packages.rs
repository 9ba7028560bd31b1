//! Companion programs from npm: which are installed, which version, and whether there is a newer
//! one. Every question has a time limit, so that a machine without a network gets an answer too.

use std::path::Path;
use std::time::Duration;

use crate::process::capture::{CaptureError, capture};
use crate::process::find_program;

/// How long a program may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(5);
/// How long npm may take to look something up.
const LOOKUP_LIMIT: Duration = Duration::from_secs(10);
/// How long npm may take to install something.
const INSTALL_LIMIT: Duration = Duration::from_mins(3);

/// A companion program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Name of the tool.
    pub name: &'static str,
    /// Its program.
    pub cli: &'static str,
    /// Its npm package.
    pub npm: &'static str,
}

/// The orchestrator itself, by the names that readers of the report know; grove is in its place.
pub const ORCHESTRATOR: Package = Package {
    name: "overstory",
    cli: "grove",
    npm: "@os-eco/overstory-cli",
};

/// Companions in the order of the report.
pub const COMPANIONS: [Package; 3] = [
    Package {
        name: "mulch",
        cli: "ml",
        npm: "@os-eco/mulch-cli",
    },
    Package {
        name: "seeds",
        cli: "sd",
        npm: "@os-eco/seeds-cli",
    },
    Package {
        name: "canopy",
        cli: "cn",
        npm: "@os-eco/canopy-cli",
    },
];

/// Why nothing is known about newer versions of grove.
pub const NOT_PUBLISHED: &str =
    "grove is not published on npm; install a newer version the way you installed this one";

/// What is known about one companion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its version, when its program is there.
    pub version: Option<String>,
    /// The newest version, or why it is not known; asked only for what is installed.
    pub latest: Option<Result<String, String>>,
}

/// Looks at every companion at once.
pub fn survey(search_path: Option<&str>) -> Vec<(Package, Installed)> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = COMPANIONS
            .iter()
            .map(|package| (*package, scope.spawn(move || look(*package, search_path))))
            .collect();
        asked
            .into_iter()
            .map(|(package, answer)| {
                let unknown = Installed {
                    version: None,
                    latest: None,
                };
                (package, answer.join().unwrap_or(unknown))
            })
            .collect()
    })
}

fn look(package: Package, search_path: Option<&str>) -> Installed {
    if find_program(package.cli, search_path).is_none() {
        return Installed {
            version: None,
            latest: None,
        };
    }
    Installed {
        version: Some(version(package.cli).unwrap_or_else(|| "unknown".to_owned())),
        latest: Some(latest(package.npm, search_path)),
    }
}

/// The first version number in what a program says about itself.
pub fn version(program: &str) -> Option<String> {
    let said = capture(program, &["--version"], Path::new("."), VERSION_LIMIT).ok()?;
    version_in(&said.stdout).filter(|_| said.success)
}

/// The newest version of a package, as npm says.
pub fn latest(package: &str, search_path: Option<&str>) -> Result<String, String> {
    if find_program("npm", search_path).is_none() {
        return Err("npm is not on PATH, so newer versions cannot be looked up".to_owned());
    }
    let args = ["view", package, "version", "--fetch-retries=0"];
    match capture("npm", &args, Path::new("."), LOOKUP_LIMIT) {
        Ok(said) if said.success => {
            version_in(&said.stdout).ok_or_else(|| format!("npm gave no version of {package}"))
        }
        Ok(said) => Err(format!(
            "npm could not look up {package}: {}",
            reason(&said.stderr)
        )),
        Err(error) => Err(error.to_string()),
    }
}

/// Installs the newest version of a package for all projects.
pub fn install(package: &str) -> Result<(), String> {
    let wanted = format!("{package}@latest");
    match capture(
        "npm",
        &["install", "-g", &wanted],
        Path::new("."),
        INSTALL_LIMIT,
    ) {
        Ok(said) if said.success => Ok(()),
        Ok(said) => Err(format!(
            "npm could not install {wanted}: {}",
            reason(&said.stderr)
        )),
        Err(error @ (CaptureError::Start { .. } | CaptureError::TimedOut { .. })) => {
            Err(error.to_string())
        }
    }
}

/// The line of npm's complaint that says something.
fn reason(stderr: &str) -> &str {
    let lines = || {
        stderr
            .lines()
            .map(|line| {
                let line = line.trim();
                line.strip_prefix("npm error ")
                    .or_else(|| line.strip_prefix("npm ERR! "))
                    .unwrap_or(line)
                    .trim()
            })
            .filter(|line| !line.is_empty())
    };
    lines()
        .find(|line| !line.starts_with("code ") && !line.starts_with("errno "))
        .or_else(|| lines().next())
        .unwrap_or("it gave no reason")
}

fn version_in(text: &str) -> Option<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    text.split(|c: char| !part(c))
        .map(|word| word.trim_start_matches('v').trim_end_matches('.'))
        .find(|word| {
            let mut numbers = word.split('.');
            let is_number = |text: Option<&str>| {
                text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
            };
            is_number(numbers.next()) && is_number(numbers.next()) && is_number(numbers.next())
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (said, version) in [
            ("0.6.3\n", Some("0.6.3")),
            ("mulch v1.2.0-rc.1 (build 7)", Some("1.2.0-rc.1")),
            ("version 3.4", None),
            ("", None),
        ] {
            assert_eq!(version_in(said).as_deref(), version, "{said:?}");
        }
    }

    #[test]
    fn npms_reason_is_the_line_that_says_something() {
        let said = "npm error code E404\nnpm error 404 Not Found\n";
        assert_eq!(reason(said), "404 Not Found");
        assert_eq!(reason("npm ERR! code EAI_AGAIN\n"), "code EAI_AGAIN");
        assert_eq!(reason(""), "it gave no reason");
    }
}
