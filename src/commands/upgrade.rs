//! `upgrade`: newer versions of grove and of companion programs.

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::env;
use crate::setup::packages::{self, Installed, NOT_PUBLISHED, Package};

/// Look for newer versions of companion programs and install them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
grove itself is one file and is replaced the way it was installed; it cannot look newer versions of itself up.
Companions (mulch, seeds, canopy) come from npm; only those that are installed are upgraded.

Examples:
  grove upgrade --all --check    which companions have newer versions
  grove upgrade --all            install them")]
pub struct Args {
    /// Only look, install nothing
    #[arg(long)]
    check: bool,
    /// Companion programs
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct CheckJson {
    packages: Vec<CheckedJson>,
}

#[derive(Serialize)]
struct CheckedJson {
    package: &'static str,
    latest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct UpgradeJson {
    packages: Vec<UpgradedJson>,
    updated: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UpgradedJson {
    package: &'static str,
    current: &'static str,
    latest: String,
    up_to_date: bool,
    updated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    if !args.all {
        return Err(CliError::of_command(
            "upgrade",
            NOT_PUBLISHED,
            format!("{NOT_PUBLISHED} (this is {})", env!("CARGO_PKG_VERSION")),
        )
        .hint("'grove upgrade --all' looks after companion programs (mulch, seeds, canopy)"));
    }
    let path = env::var("PATH");
    let found: Vec<(Package, Installed)> = packages::survey(path.as_deref())
        .into_iter()
        .filter(|(_, installed)| installed.version.is_some())
        .collect();
    if args.check {
        check(ctx, &found)
    } else {
        upgrade(ctx, &found)
    }
}

/// The newest version, or an empty text and the reason why it is not known.
fn newest(installed: &Installed) -> (String, Option<String>) {
    match installed.latest.clone() {
        Some(Ok(version)) => (version, None),
        Some(Err(error)) => (String::new(), Some(error)),
        None => (String::new(), None),
    }
}

fn is_outdated(installed: &Installed) -> bool {
    match &installed.latest {
        Some(Ok(latest)) => installed.version.as_ref() != Some(latest),
        Some(Err(_)) | None => false,
    }
}

fn check(ctx: &Context, found: &[(Package, Installed)]) -> CliResult {
    if ctx.is_json() {
        let packages = found
            .iter()
            .map(|(package, installed)| {
                let (latest, error) = newest(installed);
                CheckedJson {
                    package: package.npm,
                    latest,
                    error,
                }
            })
            .collect();
        ctx.out.json("upgrade", &CheckJson { packages })?;
        return Ok(Outcome::Done);
    }
    nothing_installed(ctx, found)?;
    for (package, installed) in found {
        let version = installed.version.as_deref().unwrap_or("unknown");
        match &installed.latest {
            Some(Err(error)) => ctx.out.warning(package.npm, Some(error))?,
            Some(Ok(latest)) if is_outdated(installed) => ctx.out.warning(
                &format!("{} {version}", package.npm),
                Some(&format!("{latest} is available")),
            )?,
            Some(Ok(_)) | None => ctx
                .out
                .success(format!("{} {version} is up to date", package.npm))?,
        }
    }
    let outdated = found.iter().any(|(_, installed)| is_outdated(installed));
    Ok(if outdated {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

fn upgrade(ctx: &Context, found: &[(Package, Installed)]) -> CliResult {
    let mut packages = Vec::new();
    for (package, installed) in found {
        let (latest, mut error) = newest(installed);
        let mut updated = false;
        if is_outdated(installed) {
            match packages::install(package.npm) {
                Ok(()) => updated = true,
                Err(reason) => error = Some(reason),
            }
        }
        let up_to_date = error.is_none();
        packages.push(UpgradedJson {
            package: package.npm,
            current: "unknown",
            latest,
            up_to_date,
            updated,
            error,
        });
    }
    let failed = packages.iter().any(|package| package.error.is_some());
    if ctx.is_json() {
        ctx.out.json(
            "upgrade",
            &UpgradeJson {
                packages,
                updated: true,
            },
        )?;
    } else {
        nothing_installed(ctx, found)?;
        for package in &packages {
            match &package.error {
                Some(error) => ctx.out.warning(package.package, Some(error))?,
                None if package.updated => ctx.out.success(format!(
                    "{} upgraded to {}",
                    package.package, package.latest
                ))?,
                None => ctx
                    .out
                    .success(format!("{} is up to date", package.package))?,
            }
        }
    }
    Ok(if failed {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

fn nothing_installed(ctx: &Context, found: &[(Package, Installed)]) -> CliResult<()> {
    if found.is_empty() {
        ctx.out
            .line("No companion programs are installed; grove needs none.")?;
    }
    Ok(())
}
