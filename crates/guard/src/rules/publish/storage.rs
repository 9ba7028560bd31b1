//! Programs for storage elsewhere: which way files go decides. What comes into the worktree is a download, what is
//! listed or printed is read, and everything else lets work out.

use crate::policy::Judged;
use crate::rules::flags::parse;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// How a program is told what to do.
struct Program {
    name: &'static str,
    /// Words before the one that says what is done.
    under: &'static [&'static str],
    /// What lists or prints.
    reads: &'static [&'static str],
    /// What copies, from the first operand to the last.
    copies: &'static [&'static str],
    /// What stands between the scheme or name of a place elsewhere and its path.
    elsewhere: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "aws",
        under: &["s3"],
        reads: &["ls"],
        copies: &["cp", "sync"],
        elsewhere: "://",
    },
    Program {
        name: "gcloud",
        under: &["storage"],
        reads: &["ls", "cat", "du"],
        copies: &["cp", "rsync"],
        elsewhere: "://",
    },
    Program {
        name: "gsutil",
        under: &[],
        reads: &["ls", "cat", "du", "stat", "hash", "version"],
        copies: &["cp", "rsync"],
        elsewhere: "://",
    },
    Program {
        name: "s3cmd",
        under: &[],
        reads: &["ls", "la", "du", "info"],
        copies: &["get", "sync"],
        elsewhere: "://",
    },
    Program {
        name: "s5cmd",
        under: &[],
        reads: &["ls", "cat", "du", "head"],
        copies: &["cp", "sync"],
        elsewhere: "://",
    },
    Program {
        name: "rclone",
        under: &[],
        reads: &[
            "ls", "lsl", "lsd", "lsf", "lsjson", "size", "cat", "tree", "about", "version",
        ],
        copies: &["copy", "copyto"],
        elsewhere: ":",
    },
];

/// Options with a value in a word of its own.
const VALUED: &[&str] = &[
    "exclude",
    "include",
    "profile",
    "region",
    "endpoint-url",
    "project",
    "account",
    "impersonate-service-account",
    "filter",
    "transfers",
    "checkers",
    "config",
    "max-depth",
];

/// Judges what only reads or downloads; `None` for everything else.
pub(super) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    args: &[String],
    st: &State,
) -> Option<Judged<()>> {
    if name == "az" {
        return blobs(w, args, st);
    }
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    let flags = parse(args, "", VALUED);
    let words: Vec<&str> = flags.operands.iter().map(String::as_str).collect();
    let words = words.strip_prefix(program.under)?;
    let (verb, places) = words.split_first()?;
    // What is removed there is lost for others, and a setting of rclone may run a program.
    let harmful = |option: &str| option.contains("command") || option.starts_with("config");
    if flags.options.iter().any(|(option, _)| harmful(option)) {
        return None;
    }
    if program.reads.contains(verb) {
        return Some(Ok(()));
    }
    let (target, sources) = places.split_last()?;
    let far = |place: &&str| {
        place
            .split_once(program.elsewhere)
            .is_some_and(|(scheme, _)| !scheme.contains('/') && !scheme.starts_with("file"))
    };
    if !program.copies.contains(verb) || far(target) {
        return None;
    }
    if sources.is_empty() {
        // `s3cmd get s3://bucket/file`
        return None;
    }
    sources
        .iter()
        .all(far)
        .then(|| downloads(w, sources, target, st))
}

/// `az storage blob download --file x`, `download-batch -d folder`
fn blobs(w: &mut Walker<'_>, args: &[String], st: &State) -> Option<Judged<()>> {
    let words: Vec<&str> = args.iter().take(3).map(String::as_str).collect();
    if !matches!(
        words.as_slice(),
        ["storage", "blob", "download" | "download-batch"]
    ) {
        return None;
    }
    let flags = parse(
        args,
        "fdncs",
        &["file", "destination", "name", "container-name", "source"],
    );
    let target = flags.value(&["f", "file", "d", "destination"])?;
    Some(downloads(w, &[], target, st))
}

fn downloads(w: &mut Walker<'_>, sources: &[&str], target: &str, st: &State) -> Judged<()> {
    if target == "-" {
        return Ok(());
    }
    w.download_to(target, st)?;
    // A folder that is there takes the name of the source, or a whole tree.
    w.landed_in(target, true, st);
    let folder = target.trim_end_matches('/');
    sources
        .iter()
        .try_for_each(|source| w.downloaded(source, folder, st))
}
