//! Repositories that the same command has made, to try something out: their branches, tags and settings are nobody
//! else's.
//!
//! Only where git plainly acts on them: in their folder, without anything that names another repository.

use std::path::{Path, PathBuf};

use super::super::flags::{Flags, parse};
use super::options::Plan;
use crate::commands::Call;
use crate::paths::{Place, Zone};
use crate::shell::state::{State, Var};
use crate::shell::text;
use crate::shell::walk::Walker;

/// Settings that run nothing.
const SETTINGS: &[&str] = &[
    "user.name",
    "user.email",
    "commit.gpgsign",
    "tag.gpgsign",
    "init.defaultbranch",
    "core.autocrlf",
    "core.filemode",
    "merge.ff",
    "pull.rebase",
    "rebase.autosquash",
    "push.default",
];

/// How such a repository is remembered: in all, and among the variables of the states that have it, whose joining
/// tells whether it was made for sure.
fn mark(folder: &Path) -> String {
    format!("{MADE}{}", folder.display())
}

const MADE: &str = "repository ";
/// One that the command being judged makes.
const NEW: &str = "new repository ";

/// Remembers a repository that `init` makes here, or `clone` where no other one is around it.
pub(super) fn note(
    w: &mut Walker<'_>,
    target: &str,
    flags: &Flags,
    plan: &Plan,
    call: &Call,
    cloned: bool,
) {
    let plain = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric());
    let named = flags.values(&["b", "initial-branch"]);
    // With another option, or for a name that is none, it might fail and leave git with the repository around it.
    let usual = flags.options.iter().all(|(name, _)| {
        matches!(
            name.as_str(),
            "q" | "quiet" | "b" | "initial-branch" | "depth" | "branch"
        )
    }) && named.iter().all(|name| plain(name) && *name != "HEAD");
    let Some(folder) = w.key(target, &plan.st) else {
        return;
    };
    let apart = is_apart(w, target, &folder, &plan.st);
    let inside = !cloned
        && text::is_known(target)
        && text::is_known(&folder.to_string_lossy())
        && plan
            .st
            .cwd
            .iter()
            .all(|place| w.paths.zone(target, place) == Zone::Inside);
    let git = folder.join(".git");
    let few = flags.operands.len() <= 1 + usize::from(cloned);
    if usual
        && few
        && (apart || inside)
        && is_plain(plan, call)
        && !w.paths.exists(&git)
        && !touches(w, &git)
    {
        w.begun.insert(format!("{NEW}{}", folder.display()));
    }
}

/// Whether a folder is in a temporary one that is in no repository itself.
fn is_apart(w: &Walker<'_>, path: &str, folder: &Path, st: &State) -> bool {
    let temp = |place: &Place| w.paths.zone(path, place) == Zone::Temp || w.is_fresh(path, place);
    !w.paths.is_of_project(folder) && st.cwd.iter().all(temp)
}

/// Whether this command wrote a file there, or made a link.
fn touches(w: &Walker<'_>, git: &Path) -> bool {
    let known = Place::Known(PathBuf::from("/"));
    w.written.keys().any(|file| file.starts_with(git))
        || w.paths.is_made_link(&git.to_string_lossy(), &known)
}

/// Whether nothing but the folder says which repository is meant.
fn is_plain(plan: &Plan, call: &Call) -> bool {
    let harmless = |name: &str| {
        [
            "GIT_AUTHOR_",
            "GIT_COMMITTER_",
            "GIT_PAGER",
            "GIT_TERMINAL_PROMPT",
        ]
        .iter()
        .any(|start| name.starts_with(start))
    };
    let moves = |name: &str| name.starts_with("GIT_") && !harmless(name);
    // `-C folder` is followed.
    let own = call.args().strip_suffix(plan.rest.as_slice());
    own.is_some_and(|own| {
        own.chunks(2)
            .all(|pair| matches!(pair, [c, _] if c == "-C"))
    }) && plan.repository.git_dir.is_none()
        && plan.repository.work_tree.is_none()
        && !call.env.iter().any(|(name, _)| moves(name))
        && !plan.st.vars.keys().any(|name| moves(name))
}

/// Whether a command changes branches, tags or settings of a repository that this command has made, and nothing else.
pub(super) fn is_own_work(
    w: &Walker<'_>,
    sub: &str,
    args: &[String],
    plan: &Plan,
    call: &Call,
) -> bool {
    if !w.begun.iter().any(|mark| mark.starts_with(MADE)) {
        return false;
    }
    let known = args
        .iter()
        .all(|arg| text::is_known(&arg.replace(text::TOKEN, "")));
    let only = |flags: &Flags, names: &[&str]| {
        let known = |(name, _): &(String, Option<String>)| names.contains(&name.as_str());
        flags.dashes.is_none() && flags.options.iter().all(known)
    };
    let harmless = match sub {
        "tag" => only(
            &parse(args, "m", &["message"]),
            &["a", "m", "f", "d", "annotate", "message", "force", "delete"],
        ),
        "branch" => only(
            &parse(args, "", &[]),
            &[
                "m", "M", "d", "D", "f", "q", "move", "delete", "force", "quiet",
            ],
        ),
        "checkout" => {
            let flags = parse(args, "bB", &["orphan"]);
            only(&flags, &["b", "B", "q", "quiet", "orphan"]) && flags.operands.len() < 2
        }
        "switch" => only(
            &parse(args, "cC", &["create", "orphan"]),
            &["c", "C", "q", "quiet", "create", "orphan", "d", "detach"],
        ),
        "config" => {
            let flags = parse(args, "", &[]);
            let setting = flags.first().to_lowercase();
            only(&flags, &["local"])
                && flags.operands.len() == 2
                && SETTINGS.contains(&setting.as_str())
        }
        _ => false,
    };
    harmless && known && is_plain(plan, call) && is_in_made(w, &plan.st)
}

/// Whether the command is in such a repository for sure, and in none within.
fn is_in_made(w: &Walker<'_>, st: &State) -> bool {
    let ([Place::Known(_)], true) = (st.cwd.as_slice(), st.doubt.is_empty()) else {
        return false;
    };
    let Some(here) = w.key(".", st) else {
        return false;
    };
    for folder in here.ancestors() {
        let git = folder.join(".git");
        let mark = mark(folder);
        if w.begun.contains(&mark) {
            let made = st.vars.get(&mark).is_some_and(|var| var.value() == MADE);
            return made && !touches(w, &git);
        }
        if w.paths.exists(&git) || touches(w, &git) {
            return false;
        }
    }
    false
}

impl Walker<'_> {
    /// Puts what was just made into the state behind it.
    pub(crate) fn settle_repositories(&mut self, st: &mut State) {
        let made: Vec<String> = self
            .begun
            .iter()
            .filter_map(|mark| mark.strip_prefix(NEW).map(str::to_owned))
            .collect();
        for folder in made {
            self.begun.remove(&format!("{NEW}{folder}"));
            let mark = mark(Path::new(&folder));
            st.put(&mark, Var::scalar(MADE.to_owned()));
            self.begun.insert(mark);
        }
    }

    /// Forgets the repositories that may be gone with what is deleted.
    pub(crate) fn forget_repositories(&mut self, path: &str, st: &State) {
        if !self.begun.iter().any(|mark| mark.starts_with(MADE)) {
            return;
        }
        let gone = self.key(path, st).filter(|_| text::is_known(path));
        self.begun.retain(|mark| {
            let Some(folder) = mark.strip_prefix(MADE) else {
                return true;
            };
            let git = Path::new(folder).join(".git");
            gone.as_ref()
                .is_some_and(|gone| !git.starts_with(gone) && !gone.starts_with(&git))
        });
    }
}
