//! The project whose rules answer.

use std::path::PathBuf;

use crate::cli::{CliResult, Context};
use crate::config::{Config, config_path};
use crate::guard::check::Rules;

/// The project around, if there is one. One that cannot be read is an error: an answer by other rules would mislead.
pub(super) fn project(ctx: &Context) -> CliResult<Option<(PathBuf, Config)>> {
    let has_config = || {
        ctx.paths()
            .is_ok_and(|paths| config_path(&paths.root).is_file())
    };
    match ctx.project() {
        Ok(project) => Ok(Some((project.root, project.config))),
        Err(error) if ctx.globals.project.is_some() || has_config() => Err(error),
        Err(_) => Ok(None),
    }
}

pub(super) fn rules(root: PathBuf, config: Config) -> Rules {
    let gates = config.project.quality_gates.into_iter();
    Rules {
        quality_gates: gates.map(|gate| gate.command).collect(),
        allow: config.guard.allow,
        block: config.guard.block,
        roots: root.canonicalize().into_iter().chain([root]).collect(),
    }
}
