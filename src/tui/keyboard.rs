//! The keyboard and mouse, read on a thread of its own.
//!
//! The reader of the terminal never comes back once the terminal is gone: it reads nothing, again and
//! again. So nobody who has to end waits for it, and that the terminal is gone is noticed beside it.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::oneshot;

use crate::platform::hangup;
use crate::tui::wait;

/// Events that may wait to be taken.
const WAITING: usize = 256;
/// How often a reader that does not stop is looked at.
const STOPPING: Duration = Duration::from_millis(20);

type Told = io::Result<Event>;

/// The reading of one terminal; the reader can be stopped and started again.
#[derive(Clone)]
pub(crate) struct Keyboard {
    events: Sender<Told>,
    reader: Arc<Mutex<Option<Reader>>>,
    /// Ends the watch over the terminal when the last clone goes.
    _watch: Option<Arc<hangup::Watch>>,
}

struct Reader {
    stop: oneshot::Sender<()>,
    stopped: std::sync::mpsc::Receiver<()>,
}

impl Keyboard {
    /// Watches the terminal, and gives where its events come from. Nothing is read yet.
    pub(crate) fn new() -> (Self, Receiver<Told>) {
        let (events, told) = mpsc::channel(WAITING);
        let lost = events.clone();
        let watch = hangup::watch_input(move || {
            let error = io::Error::from(io::ErrorKind::BrokenPipe);
            // Whoever listened has left already.
            lost.blocking_send(Err(error)).unwrap_or_default();
        });
        let keyboard = Self {
            events,
            reader: Arc::default(),
            _watch: watch.map(Arc::new),
        };
        (keyboard, told)
    }

    /// Starts reading, unless it is read.
    pub(crate) fn start(&self) -> io::Result<()> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if reader.is_some() {
            return Ok(());
        }
        let events = self.events.clone();
        let (stop, told_to_stop) = oneshot::channel();
        let (end, stopped) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("keyboard".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        _stopped = told_to_stop => {}
                        () = read(events) => {}
                    }
                });
                // Nobody waits where the terminal is given back for good.
                end.send(()).unwrap_or_default();
            })?;
        *reader = Some(Reader { stop, stopped });
        Ok(())
    }

    /// Stops reading: the keys are somebody else's now. Waits for the reader, but not for the one of a
    /// terminal that is gone.
    pub(crate) fn stop(&self) {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Reader { stop, stopped }) = reader.take() else {
            return;
        };
        // It may have ended by itself.
        stop.send(()).unwrap_or_default();
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(STOPPING) {
            if hangup::is_input_gone() {
                return;
            }
        }
    }
}

async fn read(events: Sender<Told>) {
    let mut stream = EventStream::new();
    loop {
        // What cannot be passed on is not read either.
        let Ok(room) = events.reserve().await else {
            return;
        };
        match wait::next(&mut stream).await {
            Some(event) => room.send(event),
            None => return,
        }
    }
}
