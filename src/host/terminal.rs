//! The agent's screen as the host keeps it, and who is watching it.

use super::clients::ClientQueue;
use super::protocol::{Frame, Kind, Size};
use super::recorder::Recorder;
use crate::platform::clock;
use crate::term::{Engine, EngineOptions, Size as TermSize, TermEvent};
use crate::text::{RedactingStream, Redactor, below_torn_key};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lines of history kept as cells; what is older is in the recording.
const HISTORY: usize = 500;

struct Inner {
    engine: Engine,
    clients: Vec<Arc<ClientQueue>>,
    recorder: Option<Recorder>,
    last_output_ms: i64,
    ended: Option<Arc<Frame>>,
}

/// The screen, shared by the thread that reads the agent and those that serve clients.
pub struct Terminal {
    inner: Mutex<Inner>,
}

impl Terminal {
    pub fn new(cols: u16, rows: u16, recorder: Option<Recorder>) -> Self {
        let engine = Engine::new(EngineOptions {
            size: TermSize { cols, rows }.clamped(),
            history: HISTORY,
            answer_queries: true,
        });
        let inner = Inner {
            engine,
            clients: Vec::new(),
            recorder,
            last_output_ms: 0,
            ended: None,
        };
        Self {
            inner: Mutex::new(inner),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the agent printed; returns what the terminal has to answer and tell.
    pub fn output(&self, bytes: &[u8]) -> Vec<TermEvent> {
        let mut inner = self.lock();
        let events = inner.engine.feed(bytes);
        inner.last_output_ms = clock::now().0;
        if let Some(recorder) = &mut inner.recorder {
            recorder.output(bytes);
        }
        if !inner.clients.is_empty() {
            let frame = Arc::new(Frame::new(Kind::Output, bytes));
            inner
                .clients
                .iter()
                .for_each(|c| c.push(Arc::clone(&frame)));
        }
        events
    }

    /// Changes the size and tells everybody; `false` if it was that size already.
    pub fn resize(&self, cols: u16, rows: u16) -> bool {
        let size = TermSize { cols, rows }.clamped();
        let mut inner = self.lock();
        if inner.engine.size() == size {
            return false;
        }
        inner.engine.resize(size);
        if let Some(recorder) = &mut inner.recorder {
            recorder.resize(size.cols, size.rows);
        }
        let body = Size {
            cols: size.cols,
            rows: size.rows,
        };
        let frame = Arc::new(Frame::json(Kind::Resized, &body));
        inner
            .clients
            .iter()
            .for_each(|c| c.push(Arc::clone(&frame)));
        true
    }

    pub fn size(&self) -> (u16, u16) {
        let size = self.lock().engine.size();
        (size.cols, size.rows)
    }

    /// Adds a client; it gets a snapshot first and then every byte after it.
    pub fn attach(&self, queue: &Arc<ClientQueue>) {
        let mut inner = self.lock();
        queue.push(Arc::new(snapshot(&inner.engine)));
        if let Some(ended) = &inner.ended {
            queue.push(Arc::clone(ended));
        }
        inner.clients.push(Arc::clone(queue));
    }

    /// A snapshot for a client that fell behind.
    pub fn resync(&self, queue: &ClientQueue) -> Frame {
        let inner = self.lock();
        queue.snapshot_taken();
        snapshot(&inner.engine)
    }

    pub fn detach(&self, queue: &Arc<ClientQueue>) {
        self.lock().clients.retain(|c| !Arc::ptr_eq(c, queue));
    }

    pub fn client_count(&self) -> usize {
        self.lock().clients.len()
    }

    pub fn last_output_ms(&self) -> i64 {
        self.lock().last_output_ms
    }

    pub fn bracketed_paste(&self) -> bool {
        self.lock().engine.modes().bracketed_paste
    }

    /// The text of the screen without secrets, also of a key that began above it.
    pub fn storable_text(&self, secrets: &Arc<Redactor>) -> String {
        let (above, text) = {
            let inner = self.lock();
            let engine = &inner.engine;
            (engine.history_text(HISTORY), engine.screen_text())
        };
        let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = rows.join("\n");
        let text = text.trim_end();
        match below_torn_key(&above, text) {
            Some(rest) => secrets.redact(&rest).into_owned(),
            None => secrets.redact(text).into_owned(),
        }
    }

    /// The screen as bytes that redraw it, without secrets.
    pub fn storable_snapshot(&self, secrets: Arc<Redactor>) -> Vec<u8> {
        let body = snapshot(&self.lock().engine).body;
        let Some((size, bytes)) = body.split_first_chunk::<4>() else {
            return body;
        };
        let mut out = size.to_vec();
        let mut stream = RedactingStream::new(secrets);
        stream.push(bytes, &mut out);
        stream.finish(&mut out);
        Redactor::without_torn_keys(&out).unwrap_or(out)
    }

    /// Tells every client, now and later, that the agent has ended, and closes the recording.
    pub fn end(&self, frame: Frame) {
        let frame = Arc::new(frame);
        let mut inner = self.lock();
        inner
            .clients
            .iter()
            .for_each(|c| c.push(Arc::clone(&frame)));
        inner.ended = Some(frame);
        inner.recorder = None;
    }

    /// Lets every client's sender finish and end.
    pub fn close_clients(&self) {
        self.lock().clients.iter().for_each(|c| c.close());
    }
}

/// Columns and rows as two big-endian numbers, then the bytes that draw the screen.
fn snapshot(engine: &Engine) -> Frame {
    let size = engine.size();
    let mut body = Vec::new();
    body.extend_from_slice(&size.cols.to_be_bytes());
    body.extend_from_slice(&size.rows.to_be_bytes());
    body.extend(engine.snapshot());
    Frame::new(Kind::Snapshot, body)
}

/// Splits a snapshot's body into columns, rows and bytes.
pub fn split_snapshot(body: &[u8]) -> Option<(u16, u16, &[u8])> {
    let (head, bytes) = body.split_first_chunk::<4>()?;
    let [a, b, c, d] = *head;
    Some((
        u16::from_be_bytes([a, b]),
        u16::from_be_bytes([c, d]),
        bytes,
    ))
}
