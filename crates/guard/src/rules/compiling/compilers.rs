//! Compilers and linkers: options that run programs or load code.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Whether a word names a compiler or linker as people set it.
pub(in crate::rules) fn is_tool_name(word: &str) -> bool {
    let plain = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
    matches!(
        plain,
        "" | "cc"
            | "gcc"
            | "clang"
            | "c++"
            | "g++"
            | "clang++"
            | "tcc"
            | "icc"
            | "ld"
            | "lld"
            | "ld.lld"
            | "mold"
            | "gold"
            | "bfd"
            | "rust-lld"
            | "lld-link"
            | "wasm-ld"
            | "ar"
            | "nm"
            | "as"
            | "ranlib"
            | "strip"
            | "gcc-ar"
            | "gcc-nm"
            | "gcc-ranlib"
            | "llvm-ar"
            | "llvm-nm"
            | "llvm-ranlib"
            | "llvm-strip"
            | "cpp"
            | "gfortran"
            | "musl-gcc"
            | "sccache"
            | "ccache"
            | "cl"
            | "zig"
            | "rustc"
            | "rustdoc"
            | "cargo"
    ) || plain.ends_with("-gcc")
        || plain.ends_with("-clang")
        || plain.ends_with("-g++")
        || plain.ends_with("-ld")
        || plain.ends_with("-ar")
}

fn refused(what: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!("{what} would run or load other code while compiling; use plain compiler options"),
    )
}

/// Options of a compiler in one text, as build tools take them from variables.
pub(in crate::rules) fn judge_flags(text: &str) -> Judged<()> {
    let words: Vec<&str> = text.split([' ', '\t', '\u{1f}', '\n']).collect();
    for (at, word) in words.iter().enumerate() {
        judge_flag(word, words.get(at + 1).copied())?;
    }
    Ok(())
}

fn judge_flag(word: &str, next: Option<&str>) -> Judged<()> {
    let outside = |path: &str| path.starts_with(['/', '~']) || path.contains("..");
    let loads = ["-fplugin=", "-specs=", "--specs=", "-fpass-plugin="]
        .iter()
        .find(|prefix| word.starts_with(**prefix));
    if let Some(prefix) = loads
        && (*prefix == "-fplugin=" || outside(word))
    {
        return Err(refused(prefix.trim_end_matches('=')));
    }
    if matches!(word, "-wrapper" | "-load" | "-specs") {
        return Err(refused(word));
    }
    if word.strip_prefix('@').is_some_and(outside) || word.strip_prefix("-B").is_some_and(outside) {
        return Err(refused(word));
    }
    let codegen = word
        .strip_prefix("-C")
        .or_else(|| word.strip_prefix("--codegen="))
        .filter(|rest| !rest.is_empty())
        .or_else(|| next.filter(|_| matches!(word, "-C" | "--codegen")));
    if let Some(linker) = codegen.and_then(|option| option.strip_prefix("linker=")) {
        let own = linker.contains('/') && !outside(linker);
        let system = linker.starts_with("/usr/bin/")
            && is_tool_name(linker.rsplit('/').next().unwrap_or(linker));
        if !own && !system && !is_tool_name(linker) {
            return Err(refused("this linker"));
        }
    }
    if word.starts_with("-Zcodegen-backend") || word.starts_with("-Zllvm-plugins") {
        return Err(refused(word));
    }
    Ok(())
}

/// Judges a compiler's own command line.
pub(in crate::rules) fn judge(
    _: &mut Walker<'_>,
    name: &str,
    call: &Call,
    _: &State,
) -> Judged<()> {
    let compiler =
        matches!(name, "rustc" | "rustdoc" | "ld" | "as") || is_tool_name(name) && name != "cargo";
    if !compiler {
        return Ok(());
    }
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        judge_flag(arg, args.get(at + 1).map(String::as_str))?;
    }
    Ok(())
}
