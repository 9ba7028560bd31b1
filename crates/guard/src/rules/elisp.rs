//! Emacs Lisp given on a command line: only functions that are known to be harmless may be called.

use super::editors::{doubtful, unknown_script};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Functions and special forms that compute, or work on the text of a buffer.
const HARMLESS: &[&str] = &[
    "progn",
    "prog1",
    "let",
    "let*",
    "setq",
    "setq-default",
    "setq-local",
    "if",
    "when",
    "unless",
    "cond",
    "while",
    "dolist",
    "dotimes",
    "save-excursion",
    "save-restriction",
    "with-current-buffer",
    "with-temp-buffer",
    "and",
    "or",
    "not",
    "message",
    "princ",
    "prin1",
    "print",
    "terpri",
    "format",
    "concat",
    "substring",
    "length",
    "list",
    "cons",
    "car",
    "cdr",
    "nth",
    "append",
    "mapconcat",
    "number-to-string",
    "string-to-number",
    "point",
    "point-min",
    "point-max",
    "goto-char",
    "goto-line",
    "forward-line",
    "forward-char",
    "beginning-of-line",
    "end-of-line",
    "beginning-of-buffer",
    "end-of-buffer",
    "search-forward",
    "re-search-forward",
    "search-backward",
    "re-search-backward",
    "replace-match",
    "match-string",
    "match-beginning",
    "match-end",
    "replace-string",
    "replace-regexp",
    "query-replace",
    "insert",
    "delete-region",
    "delete-char",
    "kill-line",
    "kill-region",
    "kill-whole-line",
    "newline",
    "indent-region",
    "indent-for-tab-command",
    "untabify",
    "tabify",
    "whitespace-cleanup",
    "delete-trailing-whitespace",
    "fill-region",
    "sort-lines",
    "mark-whole-buffer",
    "buffer-string",
    "buffer-substring",
    "buffer-file-name",
    "current-buffer",
    "erase-buffer",
    "save-buffer",
    "save-some-buffers",
    "kill-emacs",
    "kill-buffer",
    "save-buffers-kill-emacs",
    "save-buffers-kill-terminal",
    "require",
    "featurep",
    "fboundp",
    "boundp",
    "emacs-version",
    "version",
    "json-pretty-print-buffer",
    "json-pretty-print",
    "upcase-region",
    "downcase-region",
    "check-parens",
    "set-mark",
    "narrow-to-region",
    "widen",
    "interactive",
    "file-exists-p",
    "expand-file-name",
    "ert-run-tests-batch-and-exit",
    "package-initialize",
    "python-mode",
    "emacs-lisp-mode",
    "text-mode",
    "org-mode",
    "c-mode",
    "sort-numeric-fields",
    "align-regexp",
    "looking-at",
    "eobp",
    "bobp",
    "eolp",
    "bolp",
    "string=",
    "equal",
    "eq",
    "=",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "1+",
    "1-",
    "null",
    "error",
];

/// Functions that open a file, which is then saved.
const OPENS: &[&str] = &[
    "find-file",
    "find-file-noselect",
    "insert-file-contents",
    "write-file",
    "append-to-file",
];

/// Judges code: every function it calls, and the files it opens.
pub(super) fn judge(w: &mut Walker<'_>, code: &str, st: &State) -> Judged<()> {
    if text::is_any(code) {
        return Err(unknown_script());
    }
    for (at, _) in code.match_indices('(') {
        w.charge(1)?;
        let part = code.get(at + 1..).unwrap_or("");
        let end = part
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '\'' | ';'))
            .unwrap_or(part.len());
        let (head, rest) = part.split_at(end);
        if OPENS.contains(&head) {
            let path = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            match path {
                Some(path) => w.write_path(&crate::tool_paths::home(path), st)?,
                None => return Err(doubtful(head)),
            }
            continue;
        }
        // `(let ((name value)) …)` binds.
        let before = code.get(..at).unwrap_or("").trim_end();
        let binds = before.strip_suffix('(').is_some_and(|start| {
            start.trim_end().ends_with("let") || start.trim_end().ends_with("let*")
        });
        if !(head.is_empty() || HARMLESS.contains(&head) || binds) {
            return Err(doubtful(head));
        }
    }
    Ok(())
}

/// Judges a function that is called by its name alone.
pub(super) fn function(name: &str) -> Judged<()> {
    let runs = [
        "shell",
        "process",
        "eval",
        "load",
        "write",
        "delete",
        "rename",
        "copy",
        "server",
        "publish",
        "term",
        "compile-command",
        "tramp",
        "async",
    ];
    if text::is_any(name) || runs.iter().any(|word| name.contains(word)) {
        return Err(doubtful(name));
    }
    Ok(())
}
