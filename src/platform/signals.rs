//! Signals that ask a process to end.

/// The signals that ask to end, listened for from its making on. Must be made inside a runtime; the
/// process no longer ends by itself from then on.
#[cfg(unix)]
#[derive(Debug)]
pub struct Ending {
    streams: Vec<tokio::signal::unix::Signal>,
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
            streams: kinds.into_iter().filter_map(|k| signal(k).ok()).collect(),
        }
    }

    /// Returns when this process has been asked to end.
    pub async fn asked(&mut self) {
        std::future::poll_fn(|cx| {
            if self.streams.iter_mut().any(|s| s.poll_recv(cx).is_ready()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}

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
}

/// Returns when this process is asked to end.
pub async fn end() {
    Ending::listen().asked().await;
}
