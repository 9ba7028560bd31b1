//! The end of what a command prints: it may print more than anybody wants to keep.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

/// How much of the output's end is kept of a gate.
pub const TAIL_BYTES: usize = 64 * 1024;

pub(super) type Pipe = Box<dyn Read + Send>;

#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    keep: usize,
    pub(super) dropped: u64,
}

impl Tail {
    pub(super) fn shared(keep: usize) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            bytes: VecDeque::new(),
            keep,
            dropped: 0,
        }))
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(self.keep);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let (one, two) = self.bytes.as_slices();
        [one, two].concat()
    }
}

/// Reads a pipe to its end.
pub(super) fn collect(mut pipe: Pipe, tail: &Mutex<Tail>) {
    let mut chunk = [0; 8192];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push(chunk.get(..length).unwrap_or_default());
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
