//! Finding the transcript of a conversation and adding up what it used.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use crate::platform::{FsError, fs, plain};
use crate::runtimes::{Runtime, Usage};

/// So much is read at one look, in bytes; the next goes on.
const MOST_AT_ONCE: u64 = 64 * 1024 * 1024;
/// A longer line, in bytes, is passed over: it is no message of a CLI.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;
/// So often a finished transcript is looked at, to read it to its end.
const MOST_LOOKS: u32 = 64;

/// Reads a growing transcript: every call takes in only what was added since the last.
///
/// A CLI writes one message in several lines that repeat its usage, so a message counts once,
/// with the last numbers it was seen with.
#[derive(Debug, Default)]
pub struct TranscriptReader {
    offset: u64,
    messages: HashMap<String, Usage>,
    /// Usage of lines that belong to no named message.
    unnamed: Usage,
    model: Option<String>,
    /// What comes next belongs to a line that is too long.
    passing_over: bool,
}

impl TranscriptReader {
    /// Takes in the new lines of the file, as many as one look may take. A last line without its end is left for next
    /// time. The file is the agent's: whatever it is, this ends soon.
    pub fn read_on(&mut self, path: &Path, runtime: &dyn Runtime) -> Result<(), FsError> {
        self.take_new(path, runtime).map_err(failed(path))
    }

    fn take_new(&mut self, path: &Path, runtime: &dyn Runtime) -> io::Result<()> {
        let mut file = plain::open(path)?;
        if file.metadata()?.len() < self.offset {
            // Another file of the same name: start again.
            *self = Self::default();
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut reader = BufReader::new(file.take(MOST_AT_ONCE));
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut rest = reader.by_ref().take(LONGEST_LINE);
            let read = rest.read_until(b'\n', &mut line)? as u64;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && read < LONGEST_LINE {
                // A whole JSON object is complete even when its line has no end yet, but then it
                // will be read again; nothing is counted twice because it is not counted now.
                return Ok(());
            }
            self.offset += read;
            if is_whole && !self.passing_over {
                self.take(&String::from_utf8_lossy(&line), runtime);
            }
            self.passing_over = !is_whole;
        }
    }

    /// Takes in what is left behind the last end of a line.
    fn take_rest(&mut self, path: &Path, runtime: &dyn Runtime) -> io::Result<()> {
        let mut file = plain::open(path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut line = Vec::new();
        file.take(LONGEST_LINE).read_to_end(&mut line)?;
        if !self.passing_over {
            self.take(&String::from_utf8_lossy(&line), runtime);
        }
        Ok(())
    }

    /// Takes in one line.
    pub fn take(&mut self, line: &str, runtime: &dyn Runtime) {
        let Some((message, usage)) = runtime.transcript_usage(line) else {
            return;
        };
        if self.model.is_none() {
            self.model.clone_from(&usage.model);
        }
        match message {
            Some(id) => {
                self.messages.insert(id, usage);
            }
            None => add(&mut self.unnamed, &usage),
        }
    }

    /// Everything used so far, with the first model named.
    pub fn usage(&self) -> Usage {
        let mut total = self.unnamed.clone();
        for usage in self.messages.values() {
            add(&mut total, usage);
        }
        total.model.clone_from(&self.model);
        total
    }
}

/// Adds the tokens of `more`; cost and model stay.
pub(super) fn add(total: &mut Usage, more: &Usage) {
    total.input = total.input.saturating_add(more.input);
    total.output = total.output.saturating_add(more.output);
    total.cache_read = total.cache_read.saturating_add(more.cache_read);
    total.cache_creation = total.cache_creation.saturating_add(more.cache_creation);
}

/// What a finished transcript used, its last line included whether or not it has an end.
pub fn read(path: &Path, runtime: &dyn Runtime) -> Result<Usage, FsError> {
    let mut reader = TranscriptReader::default();
    for _ in 0..MOST_LOOKS {
        let before = reader.offset;
        reader.read_on(path, runtime)?;
        if reader.offset == before {
            break;
        }
    }
    reader.take_rest(path, runtime).map_err(failed(path))?;
    Ok(reader.usage())
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> FsError {
    |source| FsError {
        op: "read",
        path: path.to_owned(),
        source,
    }
}

/// Whether a CLI that is started in `place` may keep a transcript there; one whose folders are not known may anywhere.
/// `private_dir` is that of the agent's host.
pub fn is_place_of(
    runtime: &dyn Runtime,
    home: &Path,
    private_dir: &Path,
    place: &Path,
    path: &Path,
) -> bool {
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    if leads_up || !path.is_absolute() {
        return false;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folders = runtime.transcript_folders(home, Some(private_dir), place);
    let mut all = folders.iter().filter_map(|folder| folder.parent());
    // One that is not there yet is made below its folder.
    let own = path.parent().map(real);
    let is_in = |all: &Path| {
        path.starts_with(all) || own.as_ref().is_some_and(|own| own.starts_with(real(all)))
    };
    folders.is_empty() || all.any(is_in)
}

/// The transcript of one conversation of a project: at its usual place, else in any project's
/// folder, because a CLI names the folder by where it was started. `private_dir` is that of the agent's host.
pub fn find(
    runtime: &dyn Runtime,
    home: &Path,
    private_dir: Option<&Path>,
    place: &Path,
    conversation: &str,
) -> Option<PathBuf> {
    // The id becomes a file name.
    if conversation.is_empty() || conversation.contains(['/', '\\']) {
        return None;
    }
    let name = format!("{conversation}.jsonl");
    let folders = runtime.transcript_folders(home, private_dir, place);
    let usual = folders.iter().map(|folder| folder.join(&name));
    if let Some(found) = usual.into_iter().find(|file| file.is_file()) {
        return Some(found);
    }
    let elsewhere = folders
        .iter()
        .filter_map(|folder| folder.parent())
        .flat_map(fs::subfolders)
        .map(|folder| folder.join(&name));
    elsewhere.into_iter().find(|file| file.is_file())
}

/// The newest transcript of a place: that of the session a person has open there.
pub fn newest(runtime: &dyn Runtime, home: &Path, place: &Path) -> Option<PathBuf> {
    runtime
        .transcript_folders(home, None, place)
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|e| e == "jsonl") && file.is_file())
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)))
        .max()
        .map(|(_, file)| file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtimes;
    use proptest::prelude::*;
    use std::fs::File;
    use std::io::Write;

    fn line(id: &str, input: i64, output: i64) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","model":"claude-sonnet-4","usage":{{"input_tokens":{input},"output_tokens":{output},"cache_read_input_tokens":1,"cache_creation_input_tokens":2}}}}}}"#
        )
    }

    #[test]
    fn a_message_in_several_lines_counts_once_with_its_last_numbers() {
        let claude = runtimes::find("claude").unwrap();
        let mut reader = TranscriptReader::default();
        for text in [
            line("m1", 10, 1),
            line("m1", 10, 40),
            line("m2", 5, 7),
            "{\"type\":\"user\"}".to_owned(),
            "not json".to_owned(),
        ] {
            reader.take(&text, claude);
        }
        let usage = reader.usage();
        assert_eq!((usage.input, usage.output), (15, 47));
        assert_eq!((usage.cache_read, usage.cache_creation), (2, 4));
        assert_eq!(usage.model.as_deref(), Some("claude-sonnet-4"));
    }

    #[test]
    fn a_transcript_is_found_by_place_and_elsewhere() {
        let claude = runtimes::find("claude").unwrap();
        let home = tempfile::tempdir().unwrap();
        let projects = home.path().join(".claude/projects");
        let other = projects.join("-elsewhere");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("c1.jsonl"), "").unwrap();
        let place = Path::new("/srv/my.project");
        assert_eq!(
            find(claude, home.path(), None, place, "c1"),
            Some(other.join("c1.jsonl"))
        );
        assert_eq!(newest(claude, home.path(), place), None);
        let own = projects.join("-srv-my-project");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("c1.jsonl"), "").unwrap();
        assert_eq!(
            find(claude, home.path(), None, place, "c1"),
            Some(own.join("c1.jsonl"))
        );
        assert_eq!(
            newest(claude, home.path(), place),
            Some(own.join("c1.jsonl"))
        );
        assert_eq!(find(claude, home.path(), None, place, "../x"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_transcript_that_is_none_keeps_nobody_waiting() {
        let claude = runtimes::find("claude").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        let mut reader = TranscriptReader::default();
        assert!(reader.read_on(&path, claude).is_err());
        assert!(read(&path, claude).is_err());
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(reader.read_on(&path, claude).is_err());
    }

    #[test]
    fn a_line_without_an_end_is_passed_over_and_the_rest_counts() {
        let claude = runtimes::find("claude").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let mut file = File::create(&path).unwrap();
        writeln!(file, "{}", line("m1", 1, 2)).unwrap();
        let hole = LONGEST_LINE * 5;
        file.set_len(hole).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        writeln!(file, "\n{}", line("m2", 10, 20)).unwrap();
        let mut reader = TranscriptReader::default();
        reader.read_on(&path, claude).unwrap();
        assert!(reader.offset <= MOST_AT_ONCE);
        assert_eq!(reader.usage().input, 1);
        reader.read_on(&path, claude).unwrap();
        assert_eq!(reader.usage().input, 11);
        assert_eq!(read(&path, claude).unwrap(), reader.usage());
    }

    #[test]
    fn transcripts_lie_below_the_folders_of_their_runtime() {
        let claude = runtimes::find("claude").unwrap();
        let home = tempfile::tempdir().unwrap();
        let host = Path::new("/p/.overstory/hosts/a");
        let place = Path::new("/p/.overstory/worktrees/a");
        let is = |path: &Path| is_place_of(claude, home.path(), host, place, path);
        assert!(is(&home.path().join(".claude/projects/-p/c.jsonl")));
        for path in [
            "/proc/kmsg",
            "c.jsonl",
            "/p/.overstory/hosts/b/claude/projects/x/c.jsonl",
        ] {
            assert!(!is(Path::new(path)), "{path}");
        }
        assert!(!is(&home.path().join(".claude/projects/../../x.jsonl")));
        let script = runtimes::find("script").unwrap();
        assert!(is_place_of(
            script,
            home.path(),
            host,
            place,
            Path::new("/tmp/c")
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn reading_in_pieces_gives_the_same_as_reading_at_once(cuts in prop::collection::vec(0usize..600, 0..6)) {
            let claude = runtimes::find("claude").unwrap();
            let text: String = (0..4).map(|n| format!("{}\n", line(&format!("m{}", n % 3), n, n * 2))).collect();
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("t.jsonl");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.sort_unstable();
            cuts.push(text.len());
            let mut reader = TranscriptReader::default();
            let mut file = File::create(&path).unwrap();
            let mut done = 0;
            for cut in cuts {
                file.write_all(&text.as_bytes()[done..cut]).unwrap();
                done = cut;
                reader.read_on(&path, claude).unwrap();
            }
            prop_assert_eq!(reader.usage(), read(&path, claude).unwrap());
        }
    }
}
