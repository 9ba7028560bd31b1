//! Finding the transcript of a conversation and adding up what it used.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::platform::{FsError, fs};
use crate::runtimes::{Runtime, Usage};

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
}

impl TranscriptReader {
    /// Takes in the new lines of the file. A last line without its end is left for next time.
    pub fn read_on(&mut self, path: &Path, runtime: &dyn Runtime) -> Result<(), FsError> {
        self.take_new(path, runtime).map_err(|source| FsError {
            op: "read",
            path: path.to_owned(),
            source,
        })
    }

    fn take_new(&mut self, path: &Path, runtime: &dyn Runtime) -> io::Result<()> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() < self.offset {
            // Another file of the same name: start again.
            *self = Self::default();
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            if read == 0 || !line.ends_with(b"\n") {
                // A whole JSON object is complete even when its line has no end yet, but then it
                // will be read again; nothing is counted twice because it is not counted now.
                return Ok(());
            }
            self.offset += read as u64;
            self.take(&String::from_utf8_lossy(&line), runtime);
        }
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
    let bytes = std::fs::read(path).map_err(|source| FsError {
        op: "read",
        path: path.to_owned(),
        source,
    })?;
    let mut reader = TranscriptReader::default();
    for line in String::from_utf8_lossy(&bytes).lines() {
        reader.take(line, runtime);
    }
    Ok(reader.usage())
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
