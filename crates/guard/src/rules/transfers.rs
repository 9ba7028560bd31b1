//! `rsync` and `patch`: tools that write many files at once.
//!
//! Other machines are never a source or a target.

use super::flags::parse;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

pub(super) fn rsync(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "efMBT",
        &[
            "rsh",
            "filter",
            "exclude",
            "include",
            "exclude-from",
            "include-from",
            "files-from",
            "backup-dir",
            "suffix",
            "chmod",
            "chown",
            "partial-dir",
            "temp-dir",
            "log-file",
            "compare-dest",
            "copy-dest",
            "link-dest",
            "max-size",
            "min-size",
            "bwlimit",
            "timeout",
            "port",
            "password-file",
            "rsync-path",
            "info",
            "debug",
            "out-format",
            "write-batch",
            "only-write-batch",
            "read-batch",
            "remote-option",
            "sockopts",
            "iconv",
            "usermap",
            "groupmap",
        ],
    );
    for code in flags.values(&["e", "rsh", "rsync-path"]) {
        let code = code.to_owned();
        w.script(&code, &mut st.for_program())?;
    }
    let remote = |path: &str| {
        path.starts_with("rsync://")
            || path
                .split('/')
                .next()
                .is_some_and(|head| head.contains(':'))
    };
    if flags.operands.iter().any(|path| remote(path)) {
        return Err(Refusal::new(
            rule::NETWORK,
            "files are not copied to or from other machines; work inside your worktree",
        ));
    }
    for path in flags.values(&[
        "backup-dir",
        "partial-dir",
        "temp-dir",
        "log-file",
        "write-batch",
        "only-write-batch",
    ]) {
        let path = path.to_owned();
        w.write_path(&path, st)?;
    }
    let Some((target, sources)) = flags.operands.split_last() else {
        return Ok(());
    };
    for source in sources {
        w.read_path(source, st)?;
        if flags.has(&["remove-source-files"]) {
            w.delete_path(source, true, st)?;
        }
    }
    if sources.is_empty() || flags.has(&["list-only"]) || flags.has(&["n", "dry-run"]) {
        return Ok(());
    }
    w.write_path(target, st)?;
    if flags.has(&["a", "l", "archive", "links"]) {
        super::placing::copies::carry_links(w, sources, Some(target), st);
    }
    w.carry_contents(sources, Some(target), st);
    super::placing::copies::carry_trees(w, sources, Some(target), true, st);
    if flags
        .options
        .iter()
        .any(|(name, _)| name.starts_with("del"))
    {
        w.delete_path(target, true, st)?;
    }
    Ok(())
}

pub(super) fn patch(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "bBdDFgioprVxYz",
        &[
            "directory",
            "fuzz",
            "input",
            "output",
            "strip",
            "reject-file",
            "prefix",
            "suffix",
            "basename-prefix",
            "ifdef",
        ],
    );
    if flags.has(&["dry-run"]) {
        return Ok(());
    }
    w.need_writer("applies a patch")?;
    let mut inner = st.clone();
    if let Some(directory) = flags.value(&["d", "directory"]) {
        w.enter(directory, &mut inner);
    }
    if let Some(input) = flags.value(&["i", "input"]) {
        w.read_path(input, &inner)?;
    }
    for path in flags.values(&["o", "output", "r", "reject-file"]) {
        if path != "-" {
            let path = path.to_owned();
            w.write_path(&path, &inner)?;
        }
    }
    if let Some(file) = flags.operands.first() {
        w.write_path(file, &inner)?;
    }
    w.need_inside(&inner, "applying a patch")
}
