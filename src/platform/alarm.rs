//! A wait for a time of day that somebody else can cut short. It counts what the machine has slept, and notices a
//! clock that is set.

#[cfg(target_os = "linux")]
pub use linux::Alarm;
#[cfg(not(target_os = "linux"))]
pub use others::Alarm;

#[cfg(target_os = "linux")]
mod linux {
    use crate::types::Timestamp;
    use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
    use rustix::io::Errno;
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use std::io;
    use std::os::fd::OwnedFd;

    /// See the module.
    #[derive(Debug)]
    pub struct Alarm {
        rung: OwnedFd,
    }

    impl Alarm {
        /// # Errors
        /// The process has too many open files.
        pub fn new() -> io::Result<Self> {
            let rung = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
            Ok(Self { rung })
        }

        /// Ends a wait, or the next one.
        pub fn ring(&self) {
            if let Err(e) = rustix::io::write(&self.rung, &1u64.to_ne_bytes()) {
                // A full counter rings as well.
                tracing::debug!("an alarm was not rung: {e}");
            }
        }

        /// Sleeps until that time, or until somebody rings, or the clock is set; `None` is never. The caller looks again
        /// in any case.
        pub fn wait(&self, until: Option<Timestamp>) {
            let timer = until.map(timer).transpose().unwrap_or_else(|e| {
                tracing::warn!("no timer, so only a change is noticed: {e}");
                None
            });
            let mut sources: Vec<PollFd<'_>> = timer
                .iter()
                .chain([&self.rung])
                .map(|source| PollFd::new(source, PollFlags::IN))
                .collect();
            match poll(&mut sources, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(e) => tracing::warn!("an alarm ends early: {e}"),
            }
            let mut count = [0; 8];
            // Empty unless somebody has rung.
            rustix::io::read(&self.rung, &mut count).ok();
        }
    }

    fn timer(at: Timestamp) -> Result<OwnedFd, Errno> {
        let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::CLOEXEC)?;
        let zero = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // All zero would mean no timer.
        let at = at.0.max(1);
        let time = Itimerspec {
            it_interval: zero,
            it_value: Timespec {
                tv_sec: at / 1000,
                tv_nsec: (at % 1000) * 1_000_000,
            },
        };
        let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
        timerfd_settime(&timer, flags, &time)?;
        Ok(timer)
    }
}

#[cfg(not(target_os = "linux"))]
mod others {
    use crate::platform::clock;
    use crate::types::Timestamp;
    use std::io;
    use std::sync::{Condvar, Mutex, PoisonError};
    use std::time::Duration;

    /// See the module; here it does not count what the machine has slept.
    #[derive(Debug, Default)]
    pub struct Alarm {
        rung: Mutex<bool>,
        changed: Condvar,
    }

    impl Alarm {
        /// # Errors
        /// None here.
        pub fn new() -> io::Result<Self> {
            Ok(Self::default())
        }

        /// Ends a wait, or the next one.
        pub fn ring(&self) {
            *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.changed.notify_all();
        }

        /// Sleeps until that time, or until somebody rings; `None` is never.
        pub fn wait(&self, until: Option<Timestamp>) {
            let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
            let left = until.map(|until| u64::try_from(until.0 - clock::now().0).unwrap_or(0));
            let left = left.map_or(Duration::MAX, Duration::from_millis);
            let waited = self.changed.wait_timeout_while(rung, left, |rung| !*rung);
            *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::clock;
    use crate::types::Timestamp;
    use std::sync::Arc;

    #[test]
    fn an_alarm_ends_at_its_time_and_when_somebody_rings() {
        let alarm = Arc::new(Alarm::new().unwrap());
        let soon = Timestamp(clock::now().0 + 30);
        while clock::now() < soon {
            alarm.wait(Some(soon));
        }
        for past in [Timestamp(0), Timestamp(-5), Timestamp(1)] {
            alarm.wait(Some(past));
        }
        // Before the wait and during it.
        alarm.ring();
        alarm.wait(None);
        let ringing = Arc::clone(&alarm);
        let other = std::thread::spawn(move || ringing.ring());
        alarm.wait(None);
        other.join().unwrap();
    }
}
