//! Signals that concern the interface: end, continue after having been stopped, and another size.
//!
//! The size is told by the keyboard too, but only from the moment it is read, which is after the first frame:
//! a window that is resized while a program starts would keep a picture of the old size until something else
//! happens.
//!
//! Where a signal cannot be listened for, waiting for it simply never ends.

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Leave and give the terminal back.
    Terminate,
    /// The same, from the keyboard of a terminal that is not in raw mode.
    Interrupt,
    /// The process was stopped and goes on: the screen may hold anything.
    Continue,
    /// The terminal has another size, or had one.
    Resize,
}

#[cfg(unix)]
mod listen {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::Signal;

    /// The signals being listened for.
    pub(crate) struct Signals {
        streams: Vec<(Stream, Signal)>,
    }

    impl Signals {
        /// Starts listening.
        pub(crate) fn listen() -> Self {
            let kinds = [
                (SignalKind::terminate(), Signal::Terminate),
                (SignalKind::hangup(), Signal::Terminate),
                (SignalKind::interrupt(), Signal::Interrupt),
                (SignalKind::quit(), Signal::Interrupt),
                (
                    SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()),
                    Signal::Continue,
                ),
                (SignalKind::window_change(), Signal::Resize),
            ];
            let streams = kinds
                .into_iter()
                .filter_map(|(kind, meaning)| Some((signal(kind).ok()?, meaning)))
                .collect();
            Self { streams }
        }

        /// Waits for the next signal.
        pub(crate) async fn next(&mut self) -> Signal {
            poll_fn(|cx| {
                for (stream, meaning) in &mut self.streams {
                    if let Poll::Ready(Some(())) = stream.poll_recv(cx) {
                        return Poll::Ready(*meaning);
                    }
                }
                Poll::Pending
            })
            .await
        }
    }
}

#[cfg(not(unix))]
mod listen {
    use super::Signal;

    /// Nothing is listened for here.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn listen() -> Self {
            Self
        }

        pub(crate) async fn next(&mut self) -> Signal {
            std::future::pending().await
        }
    }
}

pub(crate) use listen::Signals;
