//! `redact`: find secrets in what is stored, and take them out of logs and recordings.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::db::{GroveStore, secrets_in_store};
use crate::logging::{Cleaned, clean_cast, clean_file, secrets};
use crate::mulch;
use crate::platform::liveness::{self, Liveness};
use crate::platform::lock_file::{LockFile, LockRules};
use crate::platform::{ProjectPaths, fs};
use crate::sandbox::CACHE_FOLDERS;
use crate::text::{Redactor, counted};
use crate::tracker::{TrackerError, seeds};

/// Find secrets in logs, recordings and stores, and take them out of files
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove redact --check\n  grove redact --check .overstory/casts --json\n  grove redact --yes\n\nA secret is a token of a known shape, or a value of your environment that looks like one."
)]
pub struct Args {
    /// Only look; exit code 1 when something is found
    #[arg(long)]
    check: bool,
    /// Rewrite files without asking
    #[arg(long, conflicts_with = "check")]
    yes: bool,
    /// Files and folders; the project's own when left out
    #[arg(value_name = "path", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
}

/// Folders of `.overstory/` that hold no records, but work and settings.
const NOT_RECORDS: &[&str] = &["worktrees", "agent-defs"];

/// What beads keeps: its program holds it in a database and writes the files from there.
const BEADS: &str = ".beads";

/// What a host leaves behind besides its CLI's settings, which hold what the user has put there.
const OF_HOSTS: &[&str] = &["host.log", "screen.bin"];

#[derive(Serialize)]
struct FindingJson {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    kind: String,
}

#[derive(Serialize)]
struct UnreadJson {
    file: String,
    why: String,
}

#[derive(Serialize)]
struct RedactJson {
    findings: Vec<FindingJson>,
    rewritten: Vec<String>,
    unread: Vec<UnreadJson>,
}

/// What a file is, by its name.
enum Content {
    Store,
    File(fn(&Arc<Redactor>, &[u8]) -> Cleaned),
    /// The same, packed by gzip.
    Packed(fn(&Arc<Redactor>, &[u8]) -> Cleaned),
    /// Packed otherwise.
    Closed,
}

/// Larger files are not unpacked; bytes of what is in them.
const LARGEST_UNPACKED: u64 = 512 * 1024 * 1024;

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    if args.paths.is_empty() {
        ctx.require_state(&paths)?;
    }
    let redactor = secrets();
    let mut report = RedactJson {
        findings: Vec::new(),
        rewritten: Vec::new(),
        unread: Vec::new(),
    };
    let busy = at_work(&paths)?;
    for file in files(&paths, &args.paths)? {
        let shown = shown(&paths, &file);
        match look(&file, &redactor) {
            Ok((findings, cleaned)) if !findings.is_empty() => {
                report
                    .findings
                    .extend(findings.into_iter().map(|f| FindingJson {
                        file: shown.clone(),
                        ..f
                    }));
                if args.yes && matches!(content(&file), Content::Packed(_)) {
                    report.unread.push(UnreadJson {
                        file: shown,
                        why: "it is compressed; unpack it and run this again, or remove it"
                            .to_owned(),
                    });
                    continue;
                }
                let Some(cleaned) = cleaned.filter(|_| args.yes) else {
                    continue;
                };
                if file.starts_with(paths.root.join(BEADS)) {
                    report.unread.push(UnreadJson {
                        file: shown,
                        why: "beads writes it from its database; change the issue with 'bd'"
                            .to_owned(),
                    });
                    continue;
                }
                if busy.iter().any(|folder| file.starts_with(folder)) {
                    report.unread.push(UnreadJson {
                        file: shown,
                        why: "its agent is at work; stop it first".to_owned(),
                    });
                    continue;
                }
                if is_committed(&paths, &file) {
                    rewrite_shared(&file, &redactor)?;
                } else {
                    fs::write_atomic(&file, cleaned.bytes)?;
                }
                report.rewritten.push(shown);
            }
            Ok(_) => {}
            Err(why) => report.unread.push(UnreadJson { file: shown, why }),
        }
    }
    show(ctx, &args, &report)
}

fn show(ctx: &Context, args: &Args, report: &RedactJson) -> CliResult {
    let left = report
        .findings
        .iter()
        .filter(|f| !report.rewritten.contains(&f.file))
        .count();
    let outcome = if left == 0 {
        Outcome::Done
    } else {
        Outcome::Failed
    };
    if ctx.is_json() {
        ctx.out.json("redact", report)?;
        return Ok(outcome);
    }
    for finding in &report.findings {
        let place = match (finding.line, &finding.table, finding.row, &finding.column) {
            (Some(line), ..) => format!(":{line}"),
            (None, Some(table), Some(row), Some(column)) => {
                format!(": {table} row {row}, {column}")
            }
            (None, ..) => String::new(),
        };
        let file = &finding.file;
        ctx.out.line(format!("{file}{place}  {}", finding.kind))?;
    }
    for unread in &report.unread {
        ctx.out.warning(
            &format!("{} was left alone", unread.file),
            Some(&unread.why),
        )?;
    }
    if report.findings.is_empty() {
        ctx.out.success("No secrets found")?;
        return Ok(outcome);
    }
    if !report.rewritten.is_empty() {
        ctx.out.success(format!(
            "{} rewritten",
            counted(report.rewritten.len() as u64, "file")
        ))?;
    }
    let of_beads = |f: &FindingJson| Path::new(&f.file).starts_with(BEADS);
    if report
        .findings
        .iter()
        .any(|f| f.table.is_some() && !of_beads(f))
    {
        ctx.out.hint(
            "stores are not rewritten: 'grove clean' removes them, and a secret that was stored should be replaced by a new one",
        )?;
    }
    let committed = |f: &FindingJson| {
        let mut folders = [seeds::FOLDER, mulch::FOLDER, BEADS].into_iter();
        folders.any(|folder| Path::new(&f.file).starts_with(folder))
    };
    if report.findings.iter().any(committed) {
        ctx.out.hint(
            "what was committed stays in git's history: replace such a secret by a new one",
        )?;
    }
    let in_file = |f: &FindingJson| f.table.is_none() && !of_beads(f);
    if !args.yes && report.findings.iter().any(in_file) {
        ctx.out
            .hint("'grove redact --yes' takes them out of logs and recordings")?;
    }
    if report.findings.iter().any(of_beads) {
        ctx.out
            .hint("what beads keeps is changed with its own program: 'bd update'")?;
    }
    Ok(outcome)
}

fn look(
    file: &Path,
    redactor: &Arc<Redactor>,
) -> Result<(Vec<FindingJson>, Option<Cleaned>), String> {
    let finding = |kind: String| FindingJson {
        file: String::new(),
        line: None,
        table: None,
        row: None,
        column: None,
        kind,
    };
    match content(file) {
        Content::Store => {
            let found = secrets_in_store(file, redactor)?;
            let findings = found.into_iter().map(|f| FindingJson {
                table: Some(f.table),
                row: Some(f.row),
                column: Some(f.column),
                ..finding(f.kind)
            });
            Ok((findings.collect(), None))
        }
        Content::File(clean) | Content::Packed(clean) => {
            let read = fs::read_bytes(file).map_err(|e| e.source.to_string())?;
            let is_packed = matches!(content(file), Content::Packed(_));
            let bytes = if is_packed { unpacked(&read)? } else { read };
            let cleaned = clean(redactor, &bytes);
            let findings = cleaned.found.iter().map(|f| FindingJson {
                line: Some(f.line),
                ..finding(f.kind.clone())
            });
            Ok((findings.collect(), (!is_packed).then_some(cleaned)))
        }
        Content::Closed => Err("it is compressed; unpack it to have it looked through".to_owned()),
    }
}

/// What gzip has packed.
fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(LARGEST_UNPACKED + 1);
    reader
        .read_to_end(&mut text)
        .map_err(|e| format!("it cannot be unpacked: {e}"))?;
    if text.len() as u64 > LARGEST_UNPACKED {
        let most = LARGEST_UNPACKED / 1024 / 1024;
        return Err(format!(
            "unpacked it has more than {most} MiB; unpack it to have it looked through"
        ));
    }
    Ok(text)
}

fn content(file: &Path) -> Content {
    let extension = |file: &Path| {
        file.extension()
            .and_then(|e| e.to_str())
            .map(str::to_ascii_lowercase)
    };
    let text = |extension: Option<&str>| -> fn(&Arc<Redactor>, &[u8]) -> Cleaned {
        if extension == Some("cast") {
            clean_cast
        } else {
            clean_file
        }
    };
    match extension(file).as_deref() {
        Some("db" | "sqlite" | "sqlite3") => Content::Store,
        Some("gz") => Content::Packed(text(extension(&file.with_extension("")).as_deref())),
        Some("7z" | "br" | "bz2" | "lz4" | "tgz" | "xz" | "zip" | "zst") => Content::Closed,
        known => Content::File(text(known)),
    }
}

/// The files to look at, each once. Folders are walked; links are not followed.
fn files(paths: &ProjectPaths, given: &[PathBuf]) -> CliResult<BTreeSet<PathBuf>> {
    let own = paths.dir();
    let mut found = BTreeSet::new();
    let mut folders = Vec::new();
    if given.is_empty() {
        folders.push(own.clone());
        folders.extend(
            committed(paths)
                .into_iter()
                .chain([paths.root.join(BEADS)])
                .filter(|f| f.is_dir() && !f.is_symlink()),
        );
    }
    for path in given {
        if path.is_dir() {
            folders.push(path.clone());
        } else if path.is_file() {
            found.insert(path.clone());
        } else {
            return Err(CliError::validation(format!(
                "{} is neither a file nor a folder",
                path.display()
            )));
        }
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::list_dir(&folder)? {
            let name = entry.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if entry.is_symlink() {
                continue;
            }
            if entry.is_dir() {
                let is_work = NOT_RECORDS.contains(&name) || CACHE_FOLDERS.contains(&name);
                if !(folder == own && is_work) {
                    folders.push(entry);
                }
            } else if is_record(&own, &entry, name) {
                found.insert(entry);
            }
        }
    }
    Ok(found)
}

fn is_record(own: &Path, file: &Path, name: &str) -> bool {
    let of_host = file.starts_with(own.join("hosts"));
    let token = name == "serve-token"
        || name.ends_with(".jsonl.lock")
        || name.ends_with("-wal")
        || name.ends_with("-shm");
    file.is_file() && !token && (!of_host || OF_HOSTS.contains(&name))
}

/// Folders that a running host writes to.
fn at_work(paths: &ProjectPaths) -> CliResult<Vec<PathBuf>> {
    if !paths.grove_db().is_file() {
        return Ok(Vec::new());
    }
    let hosts = GroveStore::look(&paths.grove_db())?.hosts()?;
    let running = hosts
        .iter()
        .filter(|row| row.ended_at.is_none() && liveness::check(row.host) != Liveness::Dead);
    Ok(running
        .flat_map(|row| {
            [
                paths.casts(&row.agent),
                paths.host_dir(&row.agent),
                paths.file("logs").join(&row.agent),
            ]
        })
        .collect())
}

/// Folders that people commit, and other programs write to.
fn committed(paths: &ProjectPaths) -> [PathBuf; 2] {
    [seeds::FOLDER, mulch::FOLDER].map(|name| paths.root.join(name))
}

fn is_committed(paths: &ProjectPaths, file: &Path) -> bool {
    let folders = committed(paths);
    folders.iter().any(|folder| file.starts_with(folder))
}

/// Cleans a file as it is now, while nobody else changes it.
fn rewrite_shared(file: &Path, redactor: &Arc<Redactor>) -> CliResult<()> {
    let lock = LockFile::acquire(file, &LockRules::OF_SEEDS_AND_MULCH);
    let lock = lock.map_err(TrackerError::Lock)?;
    let bytes = fs::read_bytes(file)?;
    if !lock.is_held() {
        let path = file.to_owned();
        return Err(TrackerError::LockLost { path }.into());
    }
    fs::write_shared(file, clean_file(redactor, &bytes).bytes)?;
    Ok(())
}

fn shown(paths: &ProjectPaths, file: &Path) -> String {
    file.strip_prefix(&paths.root)
        .unwrap_or(file)
        .display()
        .to_string()
}
