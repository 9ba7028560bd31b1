//! Metering one agent while it runs, from its transcript and from what its stream says.
//!
//! Both count the same tokens and neither is ever ahead of the truth: a transcript lacks the last
//! numbers of a message, a stream the turn that is still going on. So the larger number counts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::transcript::{TranscriptReader, add};
use crate::platform::FsError;
use crate::runtimes::{Runtime, Usage};

/// Snapshots are taken at most this often while a turn is going on.
const EVERY: Duration = Duration::from_secs(30);

/// What one agent has used.
pub struct Meter {
    runtime: &'static dyn Runtime,
    transcript: Option<PathBuf>,
    reader: TranscriptReader,
    /// What transcripts before the present one said.
    earlier: Usage,
    streamed: Usage,
    last: Option<Instant>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter")
            .field("runtime", &self.runtime.id())
            .field("transcript", &self.transcript)
            .finish_non_exhaustive()
    }
}

impl Meter {
    pub fn new(runtime: &'static dyn Runtime) -> Self {
        Self {
            runtime,
            transcript: None,
            reader: TranscriptReader::default(),
            earlier: Usage::default(),
            streamed: Usage::default(),
            last: None,
        }
    }

    /// Where the CLI writes its transcript.
    pub fn set_transcript(&mut self, path: PathBuf) {
        if self.transcript.as_ref() == Some(&path) {
            return;
        }
        // A new conversation goes on counting where the one before it ended.
        self.take_in_transcript();
        let ended = std::mem::take(&mut self.reader).usage();
        add(&mut self.earlier, &ended);
        if self.earlier.model.is_none() {
            self.earlier.model = ended.model;
        }
        self.transcript = Some(path);
    }

    /// A turn has ended; its tokens are added, its cost is a total of the conversation.
    pub fn add_turn(&mut self, turn: &Usage) {
        let total = &mut self.streamed;
        add(total, turn);
        total.total_cost_usd = turn.total_cost_usd.or(total.total_cost_usd);
        if turn.model.is_some() {
            total.model.clone_from(&turn.model);
        }
    }

    /// The model, as soon as it is known.
    pub fn set_model(&mut self, model: &str) {
        if self.streamed.model.is_none() {
            self.streamed.model = Some(model.to_owned());
        }
    }

    /// Whether it is time for a snapshot.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= EVERY)
    }

    /// What has been used until now, for a snapshot; `None` while that is nothing. The next one
    /// is due later.
    pub fn for_snapshot(&mut self) -> Option<Usage> {
        let usage = self.usage();
        let tokens = [
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_creation,
        ];
        if tokens.iter().all(|count| *count == 0) {
            return None;
        }
        self.last = Some(Instant::now());
        Some(usage)
    }

    /// What has been used until now. A transcript that cannot be read is left out.
    pub fn usage(&mut self) -> Usage {
        self.take_in_transcript();
        let mut read = self.reader.usage();
        add(&mut read, &self.earlier);
        let said = &self.streamed;
        Usage {
            input: read.input.max(said.input),
            output: read.output.max(said.output),
            cache_read: read.cache_read.max(said.cache_read),
            cache_creation: read.cache_creation.max(said.cache_creation),
            total_cost_usd: said.total_cost_usd,
            model: said
                .model
                .clone()
                .or_else(|| self.earlier.model.clone())
                .or(read.model),
        }
    }

    fn take_in_transcript(&mut self) {
        if let Err(error) = self.read_transcript() {
            tracing::debug!("usage without the transcript: {error}");
        }
    }

    fn read_transcript(&mut self) -> Result<(), FsError> {
        match &self.transcript {
            Some(path) if path.is_file() => self.reader.read_on(path, self.runtime),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtimes;

    #[test]
    fn stream_and_transcript_are_not_added_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let line = r#"{"type":"assistant","message":{"id":"m1","model":"claude-haiku","usage":{"input_tokens":30,"output_tokens":1}}}"#;
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let mut meter = Meter::new(runtimes::find("claude").unwrap());
        meter.add_turn(&Usage {
            input: 20,
            output: 9,
            total_cost_usd: Some(0.5),
            ..Usage::default()
        });
        meter.set_transcript(path);
        let usage = meter.usage();
        assert_eq!((usage.input, usage.output), (30, 9));
        assert_eq!(usage.total_cost_usd, Some(0.5));
        assert_eq!(usage.model.as_deref(), Some("claude-haiku"));
    }

    #[test]
    fn a_snapshot_of_nothing_does_not_put_the_next_one_off() {
        let mut meter = Meter::new(runtimes::find("script").unwrap());
        meter.set_model("m");
        assert_eq!(meter.for_snapshot(), None);
        assert!(meter.is_due());
        meter.add_turn(&Usage {
            output: 1,
            ..Usage::default()
        });
        assert!(meter.for_snapshot().is_some());
        assert!(!meter.is_due());
    }
}
