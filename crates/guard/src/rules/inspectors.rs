//! Programs that show what is in a file, as long as no option makes them do more: pictures, films, documents,
//! packed texts.
//!
//! Only for roles that read: whoever writes is judged by what is named outside of the worktree.

use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    if w.role.writes() || args.iter().any(|arg| text::is_any(arg)) {
        return None;
    }
    let files = match name {
        "zstdcat" | "lzcat" | "lz4cat" => packed(args),
        "pdftotext" => document(args),
        "pdfinfo" | "pdffonts" => plain(args),
        "identify" => picture(args),
        "exiftool" => details(args),
        "ffprobe" => film(args),
        _ => None,
    }?;
    Some(files.into_iter().try_for_each(|file| w.read_path(file, st)))
}

fn is_option(arg: &str) -> bool {
    arg.starts_with('-') && arg.len() > 1
}

/// The files, where nothing else is given.
fn plain(args: &[String]) -> Option<Vec<&str>> {
    let none = !args.iter().any(|arg| is_option(arg));
    none.then(|| args.iter().map(String::as_str).collect())
}

fn packed(args: &[String]) -> Option<Vec<&str>> {
    let (options, files): (Vec<&str>, Vec<&str>) = args
        .iter()
        .map(String::as_str)
        .partition(|arg| is_option(arg));
    let shows = |arg: &&str| {
        matches!(
            *arg,
            "-c" | "-d" | "-f" | "-k" | "-q" | "-v" | "-dc" | "-cd"
        )
    };
    options.iter().all(shows).then_some(files)
}

/// `pdftotext FILE -`: any other last word, and none, is or makes the name of a file.
fn document(args: &[String]) -> Option<Vec<&str>> {
    match args {
        [before @ .., file, last] if last == "-" && !is_option(file) => {
            let known = |arg: &String| {
                !is_option(arg)
                    || matches!(
                        arg.as_str(),
                        "-f" | "-l" | "-layout" | "-raw" | "-nopgbrk" | "-enc" | "-eol" | "-q"
                    )
            };
            before.iter().all(known).then(|| vec![file.as_str()])
        }
        _ => None,
    }
}

/// Some formats of pictures are programs, and a colon or `@` chooses among them.
fn picture(args: &[String]) -> Option<Vec<&str>> {
    const FORMATS: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico",
    ];
    let mut files = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-verbose" | "-ping" | "-quiet" | "-version" => {}
            "-format" => {
                rest.next().filter(|format| !format.starts_with('@'))?;
            }
            file => {
                let (_, end) = file.rsplit_once('.')?;
                let known = FORMATS.contains(&end.to_lowercase().as_str());
                if !known || is_option(file) || file.contains([':', '@']) {
                    return None;
                }
                files.push(file);
            }
        }
    }
    Some(files)
}

/// Names of values may be asked for: `-Make`. What holds a sign besides sets one, and some words do more.
fn details(args: &[String]) -> Option<Vec<&str>> {
    const SHOWN: &[&str] = &[
        "-a", "-b", "-e", "-f", "-g", "-G", "-h", "-j", "-l", "-n", "-q", "-s", "-S", "-t", "-T",
        "-u", "-U", "-v", "-ver", "-X", "-json", "-csv",
    ];
    const MORE: &[&str] = &[
        "tagsfromfile",
        "addtagsfromfile",
        "tagout",
        "textout",
        "overwrite",
        "delete",
        "restore",
        "geo",
        "config",
        "if",
        "execute",
        "srcfile",
        "common",
        "userparam",
        "use",
        "stay",
        "out",
        "printformat",
        "preserve",
        "api",
        "echo",
        "efile",
        "file",
        "diff",
        "password",
        "require",
    ];
    let shows = |arg: &str| {
        let name = arg.get(1..).unwrap_or_default();
        let lower = name.to_lowercase();
        SHOWN.contains(&arg)
            || name.len() > 3
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == ':')
                && !MORE.iter().any(|more| lower.starts_with(more))
    };
    let (options, files): (Vec<&str>, Vec<&str>) = args
        .iter()
        .map(String::as_str)
        .partition(|arg| is_option(arg));
    options.iter().all(|arg| shows(arg)).then_some(files)
}

/// Filters and protocols can write; what is shown of one file of the disk is chosen by few options.
fn film(args: &[String]) -> Option<Vec<&str>> {
    let mut files = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-hide_banner" | "-pretty" | "-version" | "-count_frames" | "-count_packets" => {}
            "-v" | "-loglevel" | "-of" | "-print_format" | "-output_format" | "-select_streams"
            | "-show_entries" | "-read_intervals" => {
                rest.next()?;
            }
            "-i" => files.push(rest.next()?.as_str()),
            shows if shows.starts_with("-show_") => {}
            file if is_option(file) => return None,
            file => files.push(file),
        }
    }
    let plain = !files
        .iter()
        .any(|file| file.contains(':') || is_option(file));
    plain.then_some(files)
}
