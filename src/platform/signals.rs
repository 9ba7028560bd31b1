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
        Self::listen_but(0)
    }

    /// The same, but for some signals: one bit for each.
    fn listen_but(others: u64) -> Self {
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
                .filter(|kind| others >> (kind.as_raw_value() - 1) & 1 == 0)
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

    fn listen_but(_others: u64) -> Self {
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

/// Calls `heard` for each signal that asks this process to end, on a thread that lives as long as the process, which no
/// longer ends by itself from then on. What it was started to ignore, as by `nohup`, stays ignored.
pub fn heed(mut heard: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut ending = {
        let _inside = runtime.enter();
        Ending::listen_but(ignored())
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            loop {
                heard(runtime.block_on(ending.signal()));
            }
        })?;
    Ok(())
}

/// The signals that this process ignores, one bit for each, where the system tells.
#[cfg(target_os = "linux")]
fn ignored() -> u64 {
    let own = super::liveness::status(std::process::id() as i32).unwrap_or_default();
    let mask = own.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn ignored() -> u64 {
    0
}

/// Whether the signal is the one that a terminal sends when it goes away; more than once, where a shell does too.
#[cfg(unix)]
pub fn is_hangup(signal: i32) -> bool {
    signal == tokio::signal::unix::SignalKind::hangup().as_raw_value()
}

/// Whether the signal is the one that a terminal sends when it goes away.
#[cfg(not(unix))]
pub fn is_hangup(_signal: i32) -> bool {
    false
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
