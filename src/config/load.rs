//! Reads the configuration files of a project and joins the layers.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::model::Config;
use super::node::Node;
use super::{deprecated, extract, validate, yaml};

/// Name of the state folder inside a project.
pub const STATE_DIR: &str = ".overstory";
/// The shared configuration file, inside the state folder.
pub const CONFIG_FILE: &str = "config.yaml";
/// The personal configuration file laid over the shared one.
pub const CONFIG_LOCAL_FILE: &str = "config.local.yaml";

/// A usable configuration and what the user should be told about it.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The validated configuration.
    pub config: Config,
    /// Lines for stderr: deprecated keys, values that were replaced.
    pub notices: Vec<String>,
    /// Those of them about keys that nobody reads, without what lines for stderr begin with.
    pub unknown: Vec<String>,
}

/// Returns the path of the shared configuration file of the project at `root`.
pub fn config_path(root: &Path) -> PathBuf {
    root.join(STATE_DIR).join(CONFIG_FILE)
}

/// Loads the configuration of the project at `root`; a missing file means defaults.
pub fn load(root: &Path) -> Result<LoadedConfig, ConfigError> {
    let state = root.join(STATE_DIR);
    let mut layers = Vec::new();
    for name in [CONFIG_FILE, CONFIG_LOCAL_FILE] {
        let path = state.join(name);
        match fs::read(&path) {
            Ok(bytes) => {
                let text = as_text(bytes, &path)?;
                layers.push((path, text));
            }
            Err(source)
                if matches!(
                    source.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory
                ) => {}
            Err(source) => {
                return Err(ConfigError::Io {
                    action: "read",
                    path,
                    source,
                });
            }
        }
    }
    let mut loaded = parse(root, &layers)?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let closed = loaded.config.sandbox.closed_notices(home.as_deref(), root);
    loaded.notices.extend(closed);
    Ok(loaded)
}

fn as_text(bytes: Vec<u8>, path: &Path) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to());
        let line = before.map_or(1, |b| b.split(|b| *b == b'\n').count());
        ConfigError::Syntax {
            path: path.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            reason: "this line is not UTF-8; write it anew, or save the file as UTF-8".to_owned(),
        }
    })
}

/// Joins the given layers (path and text, lowest first) over the defaults.
pub fn parse(root: &Path, layers: &[(PathBuf, String)]) -> Result<LoadedConfig, ConfigError> {
    let mut notices = Vec::new();
    let mut tree: Option<Node> = None;
    let mut tier0_known = false;
    for (path, text) in layers {
        let mut layer = yaml::read(text, path)?;
        notices.extend(deprecated::migrate(&mut layer, tier0_known));
        tier0_known |= deprecated::names_tier0(&layer);
        match &mut tree {
            Some(below) => below.merge(layer),
            None => tree = Some(layer),
        }
    }
    let mut config = Config::default();
    let mut unknown = Vec::new();
    if let Some(tree) = &tree {
        unknown = extract::fill(&mut config, tree, &mut notices)?;
        let told = unknown.iter();
        notices.extend(told.map(|key| format!("[overstory] WARNING: {key}")));
    }
    root.clone_into(&mut config.project.root);
    if config.project.name.is_empty() {
        config.project.name = root
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    }
    validate::check(&config, tree.as_ref(), &mut notices)?;
    Ok(LoadedConfig {
        config,
        notices,
        unknown,
    })
}
