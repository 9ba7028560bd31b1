//! Where a path really leads: relative to which directory, through which links, inside what.
//!
//! Works on text with unknown parts (`shell::text`). A path counts as inside only when both its spelling and
//! its physical target are inside. The only effect is reading links, behind `Links`.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::policy::Policy;
use super::shell::glob;
use super::shell::text;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Missing,
    File,
    Directory,
    Link(PathBuf),
}

/// Read-only questions about the file system.
pub trait Links {
    /// What is at `path`, without following it if it is a link.
    fn entry(&self, path: &Path) -> Entry;
    /// The links directly inside a directory; `None` when there are too many entries to tell.
    fn links_in(&self, directory: &Path) -> Option<Vec<PathBuf>>;
}

/// Answers from the disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskLinks;

/// The longest path of a system call.
const LONGEST: usize = 4096;

/// A directory with more entries than this is not searched for links.
const LISTING_LIMIT: usize = 4096;

impl Links for DiskLinks {
    fn entry(&self, path: &Path) -> Entry {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => match path.read_link() {
                Ok(target) => Entry::Link(target),
                Err(_) => Entry::Missing,
            },
            Ok(meta) if meta.is_dir() => Entry::Directory,
            Ok(_) => Entry::File,
            Err(_) => Entry::Missing,
        }
    }

    fn links_in(&self, directory: &Path) -> Option<Vec<PathBuf>> {
        let Ok(entries) = directory.read_dir() else {
            return Some(Vec::new());
        };
        let mut found = Vec::new();
        for (seen, entry) in entries.enumerate() {
            if seen >= LISTING_LIMIT {
                return None;
            }
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                found.push(entry.path());
            }
        }
        Some(found)
    }
}

/// A directory a command may be running in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Absolute, may hold unknown parts that stay below it.
    Known(PathBuf),
    Unknown,
}

/// What kind of place a path is, from the agent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Zone {
    /// The null device, standard streams.
    Device,
    /// The agent's own temporary folder.
    Temp,
    /// Below the worktree and free to change.
    Inside,
    /// The worktree's own top folder.
    Top,
    /// The worktree's `.git`, or anything in it.
    Git,
    /// What arms the guard, or the orchestrator's files, inside the worktree.
    Guard,
    /// A folder the worktree is in.
    Above,
    Outside,
    /// A disk or another device that must not be written.
    Disk,
    Unknown,
}

/// Files and folders inside a worktree that arm the guard or hold orchestrator state.
const GUARD_FILES: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".mcp.json",
    ".pi/extensions",
    ".pi/settings.json",
    ".github/hooks",
    ".sapling/guards.json",
    ".codex",
    ".gemini/settings.json",
    ".gemini/hooks",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    "opencode.json",
    "opencode.jsonc",
    ".cursor/hooks.json",
    ".cursor/cli.json",
    ".cursor/hooks",
    ".overstory",
    ".grove",
    ".amp/settings.json",
    ".goose/hooks",
    ".agents/plugins",
    ".copilot/hooks",
];

/// Resolves paths for one policy, with the links a command creates on its way laid over the disk.
pub(crate) struct Paths<'a> {
    links: &'a dyn Links,
    worktree: PathBuf,
    worktree_real: PathBuf,
    temp: Option<PathBuf>,
    root: PathBuf,
    root_real: PathBuf,
    /// Links made earlier in the same command.
    made: HashMap<PathBuf, PathBuf>,
    known: std::cell::RefCell<HashMap<PathBuf, Entry>>,
    pub(crate) dotglob: bool,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(policy: &Policy, links: &'a dyn Links) -> Self {
        let mut paths = Self {
            links,
            worktree: normal(&policy.worktree),
            worktree_real: PathBuf::new(),
            temp: policy.temp.as_deref().map(normal),
            root: normal(&policy.root),
            root_real: PathBuf::new(),
            made: HashMap::new(),
            known: std::cell::RefCell::default(),
            dotglob: false,
        };
        paths.worktree_real = paths
            .physical(&paths.worktree)
            .unwrap_or_else(|| paths.worktree.clone());
        paths.root_real = paths
            .physical(&paths.root)
            .unwrap_or_else(|| paths.root.clone());
        paths.temp = paths.temp.as_deref().and_then(|temp| paths.physical(temp));
        paths
    }

    pub(crate) fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// Remembers a link the command makes.
    pub(crate) fn link_made(&mut self, at: PathBuf, target: PathBuf) {
        self.made.insert(at, target);
    }

    pub(crate) fn has_made_links(&self) -> bool {
        !self.made.is_empty()
    }

    /// Whether the command itself made a link at this path.
    pub(crate) fn is_made_link(&self, path: &str, place: &Place) -> bool {
        absolute(path, place).is_some_and(|path| self.made.contains_key(&normal(&path)))
    }

    fn entry(&self, path: &Path) -> Entry {
        if let Some(target) = self.made.get(path) {
            return Entry::Link(target.clone());
        }
        if let Some(entry) = self.known.borrow().get(path) {
            return entry.clone();
        }
        let entry = self.links.entry(path);
        self.known
            .borrow_mut()
            .insert(path.to_path_buf(), entry.clone());
        entry
    }

    /// Whether the path is a directory that exists now.
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        self.physical(path)
            .is_some_and(|real| self.entry(&real) == Entry::Directory)
    }

    /// Whether anything exists at the path.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.physical(path)
            .is_some_and(|real| self.entry(&real) != Entry::Missing)
    }

    /// Follows links the way the kernel does; `None` when they do not end.
    fn physical(&self, path: &Path) -> Option<PathBuf> {
        // The kernel takes no longer ones, and following them would take long.
        if path.as_os_str().len() > LONGEST {
            return None;
        }
        let mut done = PathBuf::from("/");
        let mut todo: Vec<std::ffi::OsString> = components(path);
        todo.reverse();
        let mut hops = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                done.pop();
                continue;
            }
            done.push(&part);
            if let Entry::Link(target) = self.entry(&done) {
                hops += 1;
                if hops > 40 || target.as_os_str().len() > LONGEST {
                    return None;
                }
                done.pop();
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                let mut more = components(&target);
                more.reverse();
                todo.extend(more);
            }
        }
        Some(done)
    }

    /// What kind of place a path is. The more dangerous of its spelling and its physical target counts.
    pub(crate) fn zone(&self, path: &str, place: &Place) -> Zone {
        if let Some(device) = device(path) {
            return device;
        }
        if text::is_any(path) || path.is_empty() {
            return Zone::Unknown;
        }
        let Some(absolute) = absolute(path, place) else {
            return Zone::Unknown;
        };
        if absolute.as_os_str().len() > LONGEST {
            return Zone::Unknown;
        }
        let spelled = self.of_normal(&normal(&absolute));
        let Some(real) = self.physical(&absolute) else {
            return Zone::Unknown;
        };
        let mut worst = spelled.max(self.of_normal(&real));
        if text::has_glob(path) || text::has_glob(&absolute.to_string_lossy()) {
            worst = worst.max(self.through_globs(&absolute));
        }
        worst
    }

    /// Like `zone`, for what acts on the entry itself: a link at the end is not followed.
    pub(crate) fn zone_of_entry(&self, path: &str, place: &Place) -> Zone {
        let trimmed = path.trim_end_matches('/');
        let (parent, last) = match trimmed.rsplit_once('/') {
            Some(("", last)) => ("/", last),
            Some((parent, last)) => (parent, last),
            None => (".", trimmed),
        };
        if trimmed.len() < path.len()
            || text::is_any(path)
            || matches!(last, "" | "." | "..")
            || device(path).is_some()
        {
            return self.zone(path, place);
        }
        let Some(absolute) = absolute(parent, place) else {
            return Zone::Unknown;
        };
        let Some(real) = self.physical(&absolute) else {
            return Zone::Unknown;
        };
        let spelled = self.of_normal(&normal(&absolute.join(last)));
        let mut worst = spelled.max(self.of_normal(&real.join(last)));
        if text::has_glob(parent) {
            worst = worst.max(self.zone(parent, place));
        }
        if text::has_glob(last) {
            for hidden in ["..", ".git", ".claude", ".overstory"] {
                if glob::matches(last, hidden, self.dotglob && hidden != "..") {
                    worst = worst.max(self.of_normal(&normal(&real.join(hidden))));
                }
            }
        }
        worst
    }

    /// The spelling of a path below the worktree.
    pub(crate) fn below_worktree(&self, path: &str, place: &Place) -> Option<String> {
        let absolute = normal(&absolute(path, place)?);
        [&self.worktree, &self.worktree_real]
            .into_iter()
            .find_map(|base| absolute.strip_prefix(base).ok())
            .map(|inner| inner.to_string_lossy().into_owned())
    }

    /// A pattern in the middle of a path may match a link that leads elsewhere, `..`, or `.git`.
    fn through_globs(&self, absolute: &Path) -> Zone {
        let parts = components(absolute);
        let mut walked = PathBuf::from("/");
        let mut worst = Zone::Device;
        for (at, part) in parts.iter().enumerate() {
            let name = part.to_string_lossy();
            if !text::has_glob(&name) {
                walked.push(part);
                continue;
            }
            if name.starts_with('.') && glob::matches(&name, "..", true) {
                worst = worst.max(self.of_normal(&normal(&walked.join(".."))));
            }
            let base = self.physical(&walked).unwrap_or_else(|| walked.clone());
            for hidden in [".git", ".claude", ".overstory"] {
                if glob::matches(&name, hidden, self.dotglob) {
                    let rest: PathBuf = parts.iter().skip(at + 1).collect();
                    worst = worst.max(self.of_normal(&base.join(hidden).join(rest)));
                }
            }
            if text::has_glob(&base.to_string_lossy()) {
                break;
            }
            let made = self.made.keys().filter(|link| link.parent() == Some(&base));
            let Some(found) = self.links.links_in(&base) else {
                return Zone::Unknown;
            };
            for link in found.iter().chain(made) {
                let file = link.file_name().map(|n| n.to_string_lossy());
                if file.is_some_and(|file| glob::matches(&name, &file, self.dotglob)) {
                    let rest: PathBuf = parts.iter().skip(at + 1).collect();
                    // The link itself as last part may be deleted or replaced; what is behind it may not.
                    if let Some(real) = self.physical(&link.join(rest)) {
                        worst = worst.max(self.of_normal(&real));
                    }
                }
            }
            walked.push(part);
        }
        worst
    }

    fn of_normal(&self, path: &Path) -> Zone {
        for base in [&self.worktree_real, &self.worktree] {
            if let Ok(inner) = path.strip_prefix(base) {
                return inner_zone(inner);
            }
        }
        if let Some(temp) = &self.temp
            && path.starts_with(temp)
        {
            return Zone::Temp;
        }
        if let Some(device) = path.to_str().and_then(device) {
            return device;
        }
        if self.worktree_real.starts_with(path) || self.worktree.starts_with(path) {
            return Zone::Above;
        }
        Zone::Outside
    }

    /// Whether the path is in the worktree or names it, links followed.
    pub(crate) fn is_inside(&self, path: &str, place: &Place) -> bool {
        matches!(
            self.zone(path, place),
            Zone::Inside | Zone::Top | Zone::Git | Zone::Guard
        )
    }

    /// Whether the path is orchestrator state of the main checkout.
    pub(crate) fn is_state(&self, path: &str, place: &Place) -> bool {
        let Some(absolute) = absolute(path, place) else {
            return false;
        };
        let real = self.physical(&absolute);
        [Some(normal(&absolute)), real]
            .into_iter()
            .flatten()
            .any(|path| {
                [&self.root, &self.root_real].into_iter().any(|root| {
                    path.strip_prefix(root).is_ok_and(|inner| {
                        let text = inner.to_string_lossy();
                        (inner.starts_with(".overstory") || text.starts_with(".overstory"))
                            && !inner.starts_with(".overstory/worktrees")
                    })
                })
            })
    }

    /// Whether the path is a place where secrets of the user are kept.
    pub(crate) fn is_secret(&self, path: &str, place: &Place) -> bool {
        if path.is_empty() || path.len() > 4096 {
            return false;
        }
        let Some(absolute) = absolute(path, place) else {
            return false;
        };
        let spelled = normal(&absolute);
        let real = self.physical(&absolute).unwrap_or_else(|| spelled.clone());
        [spelled, real].iter().any(|path| {
            !path.starts_with(&self.worktree)
                && !path.starts_with(&self.worktree_real)
                && secret(&path.to_string_lossy())
        })
    }

    /// Where a path physically is, as a key for files the command wrote itself.
    pub(crate) fn key(&self, path: &str, place: &Place) -> Option<PathBuf> {
        if text::is_any(path) {
            return None;
        }
        let absolute = absolute(path, place)?;
        self.physical(&absolute)
    }
}

/// The absolute spelling of a path, `..` not yet resolved.
pub(crate) fn absolute(path: &str, place: &Place) -> Option<PathBuf> {
    if path.starts_with('/') {
        return Some(PathBuf::from(path));
    }
    match place {
        Place::Known(directory) => Some(directory.join(path)),
        Place::Unknown => None,
    }
}

fn inner_zone(inner: &Path) -> Zone {
    let lower = folded(&inner.to_string_lossy());
    if lower.is_empty() {
        return Zone::Top;
    }
    if lower == ".git" || lower.starts_with(".git/") {
        return Zone::Git;
    }
    let guarded = GUARD_FILES.iter().any(|file| {
        lower
            .strip_prefix(file)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if guarded { Zone::Guard } else { Zone::Inside }
}

/// A name as the least exact file system compares it: without case, without the characters some of them
/// ignore, without the dots and spaces others drop at the end.
fn folded(path: &str) -> String {
    let plain: String = path
        .chars()
        .filter(|c| {
            !matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        })
        .flat_map(char::to_lowercase)
        .collect();
    match plain.split_once('/') {
        Some((first, rest)) => format!("{}/{rest}", first.trim_end_matches([' ', '.'])),
        None if plain.trim_matches('.').is_empty() => plain,
        None => plain.trim_end_matches([' ', '.']).to_owned(),
    }
}

/// Whether deleting or replacing this folder would take guard files with it.
pub(crate) fn holds_guard_files(inner: &str) -> bool {
    let lower = inner.trim_end_matches('/').to_lowercase();
    GUARD_FILES
        .iter()
        .any(|file| file.len() > lower.len() && file.starts_with(&format!("{lower}/")))
}

fn device(path: &str) -> Option<Zone> {
    let name = path.strip_prefix("/dev/")?;
    let harmless = matches!(
        name,
        "null" | "stdout" | "stderr" | "stdin" | "tty" | "zero" | "full" | "random" | "urandom"
    ) || name
        .strip_prefix("fd/")
        .is_some_and(|fd| !fd.is_empty() && fd.bytes().all(|c| c.is_ascii_digit()));
    Some(if harmless { Zone::Device } else { Zone::Disk })
}

/// Folders (with a closing slash) and files that hold credentials, by the end of their path.
const SECRETS: &[&str] = &[
    ".ssh/",
    ".aws/",
    ".azure/",
    ".gnupg/",
    ".kube/",
    ".password-store/",
    ".config/gcloud/",
    ".config/gh/",
    ".config/glab-cli/",
    ".config/hub",
    ".config/op/",
    ".local/share/keyrings/",
    ".mozilla/",
    ".config/google-chrome/",
    "library/keychains/",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".docker/config.json",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraformrc",
    ".terraform.d/credentials.tfrc.json",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".local/share/opencode/auth.json",
    ".pi/agent/auth.json",
    ".config/github-copilot/",
    ".copilot/config.json",
    ".config/goose/",
    ".aider.conf.yml",
    ".bash_history",
    ".zsh_history",
    "etc/shadow",
    "etc/gshadow",
    "etc/sudoers",
    "etc/sudoers.d/",
    "etc/ssh/ssh_host_",
    ".config/rclone/",
];

fn secret(path: &str) -> bool {
    let lower = path.to_lowercase();
    if let Some(rest) = lower.strip_prefix("/proc/") {
        return rest.ends_with("/environ") || rest.ends_with("/mem");
    }
    if text::has_glob(&lower) {
        return SECRETS.iter().any(|pattern| {
            let wanted: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
            let have: Vec<&str> = lower.split('/').filter(|part| !part.is_empty()).collect();
            have.windows(wanted.len()).any(|window| {
                window
                    .iter()
                    .zip(&wanted)
                    .all(|(part, name)| glob::matches(part, name, false))
            })
        });
    }
    let with_slash = format!("{lower}/");
    SECRETS.iter().any(|pattern| {
        let anchored = format!("/{pattern}");
        if pattern.ends_with('/') || pattern.ends_with('_') {
            with_slash.contains(&anchored)
        } else {
            lower.ends_with(&anchored)
        }
    })
}

fn components(path: &Path) -> Vec<std::ffi::OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// Removes `.` and `..` from the spelling alone.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in components(path) {
        if part == ".." {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}
