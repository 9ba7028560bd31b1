//! Signals that ask a process to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// The signals that ask to end, listened for from its making on. Must be made inside a runtime; the
/// process no longer ends by itself from then on.
#[cfg(unix)]
#[derive(Debug)]
pub struct Ending {
    streams: Vec<(i32, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
impl Ending {
    /// Starts listening.
    pub fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
            SignalKind::quit(),
        ];
        Self {
            streams: kinds
                .into_iter()
                .filter_map(|k| Some((k.as_raw_value(), signal(k).ok()?)))
                .collect(),
        }
    }

    /// Returns when this process has been asked to end.
    pub async fn asked(&mut self) {
        self.signal().await;
    }

    /// As `asked`; the number of the signal.
    pub async fn signal(&mut self) -> i32 {
        std::future::poll_fn(|cx| {
            let mut came = self
                .streams
                .iter_mut()
                .filter_map(|(number, stream)| stream.poll_recv(cx).is_ready().then_some(*number));
            came.next()
                .map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

/// The number that other systems give to Ctrl-C.
#[cfg(not(unix))]
const INTERRUPT: i32 = 2;

/// The signals that ask to end.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Ending;

#[cfg(not(unix))]
impl Ending {
    /// Nothing is listened for before somebody waits.
    pub fn listen() -> Self {
        Self
    }

    /// Returns when this process is asked to end.
    pub async fn asked(&mut self) {
        // Without the handler the system ends the process by itself.
        tokio::signal::ctrl_c().await.unwrap_or_default();
    }

    /// As `asked`; the number of the signal.
    pub async fn signal(&mut self) -> i32 {
        self.asked().await;
        INTERRUPT
    }
}

/// Whether the signal is the one that Ctrl-C sends.
#[cfg(unix)]
pub fn is_interrupt(signal: i32) -> bool {
    signal == tokio::signal::unix::SignalKind::interrupt().as_raw_value()
}

/// Whether the signal is the one that Ctrl-C sends.
#[cfg(not(unix))]
pub fn is_interrupt(signal: i32) -> bool {
    signal == INTERRUPT
}

/// Notes that this process was asked to end, for work that is to be taken back rather than cut off.
/// From its making on the process no longer ends by itself.
#[derive(Debug)]
pub struct Noted {
    /// 0 until one came.
    signal: Arc<AtomicI32>,
}

impl Noted {
    /// Starts listening, on a thread that lives as long as the process.
    pub fn listen() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut ending = {
            let _inside = runtime.enter();
            Ending::listen()
        };
        let signal = Arc::new(AtomicI32::new(0));
        let noted = Arc::clone(&signal);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let number = runtime.block_on(ending.signal());
                noted.store(number, Ordering::Release);
            })?;
        Ok(Self { signal })
    }

    /// The number of the signal that asked this process to end.
    pub fn signal(&self) -> Option<i32> {
        match self.signal.load(Ordering::Acquire) {
            0 => None,
            number => Some(number),
        }
    }
}

/// Returns when this process is asked to end.
pub async fn end() {
    Ending::listen().asked().await;
}
