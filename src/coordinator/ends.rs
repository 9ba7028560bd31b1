//! Hearing of the end of hosts. One that is killed writes nothing, so nobody is told by a store: each that
//! a look has found alive is waited for, on a thread of its own that sleeps until then.

use super::headless::Message;
use crate::db::grove::HostRow;
use crate::host::client;
use crate::types::host::ProcessId;
use std::collections::HashSet;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes a loop look again when a host ends, however it ends.
pub(super) struct Ends {
    sender: Sender<Message>,
    waited_for: Arc<Mutex<HashSet<ProcessId>>>,
}

fn lock(hosts: &Mutex<HashSet<ProcessId>>) -> MutexGuard<'_, HashSet<ProcessId>> {
    hosts.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ends {
    pub(super) fn new(sender: Sender<Message>) -> Self {
        Self {
            sender,
            waited_for: Arc::default(),
        }
    }

    /// Waits for the end of hosts that were seen alive, in addition to those it waits for already. One that
    /// has ended since then makes the loop look at once.
    pub(super) fn follow(&self, seen_alive: Vec<HostRow>) {
        for host in seen_alive {
            let id = host.host;
            if lock(&self.waited_for).insert(id)
                && let Err(e) = self.wait_for(host)
            {
                // The next look tries again.
                lock(&self.waited_for).remove(&id);
                tracing::warn!("the end of an agent will be noticed late: {e}");
            }
        }
    }

    fn wait_for(&self, host: HostRow) -> std::io::Result<()> {
        let (sender, waited_for) = (self.sender.clone(), Arc::clone(&self.waited_for));
        let started = std::thread::Builder::new()
            .name(format!("end-{}", host.agent))
            .stack_size(128 * 1024)
            .spawn(move || {
                client::wait_end(&host);
                // First of all: whether it has ended is for the look to say, which may find that it has not.
                lock(&waited_for).remove(&host.host);
                // The loop has ended when nobody receives this.
                sender.send(Message::Look).unwrap_or_default();
            });
        started.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::liveness;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    const SOON: Duration = Duration::from_secs(60);

    fn host(id: ProcessId) -> HostRow {
        HostRow {
            host: id,
            ..HostRow::example("ann")
        }
    }

    #[test]
    fn a_host_that_ends_between_the_look_and_the_wait_is_looked_at_again() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let seen = host(liveness::identify(child.id() as i32));
        child.kill().unwrap();
        child.wait().unwrap();
        let (sender, receiver) = mpsc::channel();
        let ends = Ends::new(sender);
        ends.follow(vec![seen]);
        assert_eq!(receiver.recv_timeout(SOON), Ok(Message::Look));
    }

    #[test]
    fn an_end_is_told_once_and_who_lives_again_is_waited_for_again() {
        let (sender, receiver) = mpsc::channel();
        let ends = Ends::new(sender);
        for _ in 0..2 {
            let mut child = Command::new("sleep").arg("60").spawn().unwrap();
            let seen = host(liveness::identify(child.id() as i32));
            ends.follow(vec![seen.clone()]);
            ends.follow(vec![seen]);
            assert_eq!(lock(&ends.waited_for).len(), 1);
            assert!(receiver.try_recv().is_err());
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(receiver.recv_timeout(SOON), Ok(Message::Look));
            assert!(lock(&ends.waited_for).is_empty());
            assert!(receiver.try_recv().is_err());
        }
    }
}
