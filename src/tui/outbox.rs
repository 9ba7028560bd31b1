//! Commands on their way to the engine.
//!
//! The channel is bounded; what does not fit waits here in order, so that no key is lost while the
//! engine is busy, and the loop never waits for the engine.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use crate::engine::command::{Command, Request};

/// How long leaving may wait for the engine to take what is left.
const FAREWELL: Duration = Duration::from_millis(500);

/// The queue in front of the channel.
pub(crate) struct Outbox {
    channel: Sender<Request>,
    waiting: VecDeque<Request>,
    closed: bool,
}

impl Outbox {
    pub(crate) fn new(channel: Sender<Request>) -> Self {
        Self {
            channel,
            waiting: VecDeque::new(),
            closed: false,
        }
    }

    /// Queues a command and sends what can be sent.
    pub(crate) fn push(&mut self, request: Request) {
        if let Some(request) = self.absorb(request) {
            self.waiting.push_back(request);
        }
        self.flush();
    }

    /// Joins input for the same terminal, so that a busy engine gets few large pieces.
    fn absorb(&mut self, request: Request) -> Option<Request> {
        let Command::Input { agent, bytes } = &request.command else {
            return Some(request);
        };
        match self.waiting.back_mut().map(|r| &mut r.command) {
            Some(Command::Input {
                agent: last,
                bytes: queued,
            }) if last == agent => {
                queued.extend_from_slice(bytes);
                None
            }
            Some(_) | None => Some(request),
        }
    }

    fn flush(&mut self) {
        while let Some(request) = self.waiting.pop_front() {
            match self.channel.try_send(request) {
                Ok(()) => {}
                Err(TrySendError::Full(request)) => {
                    self.waiting.push_front(request);
                    return;
                }
                Err(TrySendError::Closed(_)) => {
                    self.closed = true;
                    self.waiting.clear();
                }
            }
        }
    }

    /// Waits until something can be sent and sends it; never ends if nothing waits.
    pub(crate) async fn drain(&mut self) {
        if self.waiting.is_empty() {
            std::future::pending::<()>().await;
        }
        match self.channel.reserve().await {
            Ok(permit) => {
                if let Some(request) = self.waiting.pop_front() {
                    permit.send(request);
                }
            }
            Err(_) => self.closed = true,
        }
        self.flush();
    }

    /// Sends what is left before leaving, within a limit.
    pub(crate) async fn farewell(mut self) {
        let rest = async {
            while !self.waiting.is_empty() && !self.closed {
                self.drain().await;
            }
        };
        if tokio::time::timeout(FAREWELL, rest).await.is_err() {
            tracing::warn!("the engine did not take the last commands in time");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::engine::command::CommandId;

    fn input(id: u64, agent: &str, bytes: &[u8]) -> Request {
        Request {
            id: CommandId(id),
            command: Command::Input {
                agent: agent.to_owned(),
                bytes: bytes.to_vec(),
            },
        }
    }

    fn init(id: u64) -> Request {
        Request {
            id: CommandId(id),
            command: Command::Init,
        }
    }

    #[test]
    fn what_does_not_fit_is_sent_later_in_order_with_keys_joined() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let mut outbox = Outbox::new(sender);
            for request in [
                init(1),
                input(2, "a", b"x"),
                input(3, "a", b"y"),
                input(4, "b", b"z"),
                init(5),
            ] {
                outbox.push(request);
            }
            let mut taken = Vec::new();
            for _ in 0..4 {
                taken.push(receiver.recv().await.unwrap());
                if taken.len() < 4 {
                    outbox.drain().await;
                }
            }
            assert_eq!(
                taken,
                [init(1), input(2, "a", b"xy"), input(4, "b", b"z"), init(5)]
            );
        });
    }
}
