//! Noticing that nobody reads standard output any more, also while there is nothing to write.

use std::time::{Duration, Instant};

/// Waits, and tells whether whoever reads standard output has gone meanwhile; then it does not wait
/// for longer.
#[cfg(unix)]
pub fn pause(pause: Duration) -> bool {
    is_gone_within(&std::io::stdout(), pause)
}

/// Waits; the system does not tell who reads.
#[cfg(not(unix))]
pub fn pause(pause: Duration) -> bool {
    std::thread::sleep(pause);
    false
}

#[cfg(unix)]
fn is_gone_within(output: &impl std::os::fd::AsFd, pause: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    let end = Instant::now() + pause;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let limit = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        // Errors and hang-ups are told unasked.
        let mut streams = [PollFd::new(output, PollFlags::empty())];
        match poll(&mut streams, Some(&limit)) {
            Ok(0) => return false,
            Ok(_) => {
                let [stream] = &streams;
                if stream.revents().intersects(PollFlags::ERR | PollFlags::HUP) {
                    return true;
                }
            }
            Err(Errno::INTR) => continue,
            Err(_) => {}
        }
        // Nothing that could be asked: then it is only a pause.
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        return false;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_leaves_is_noticed_and_one_that_stays_is_waited_out() {
        let (reader, writer) = std::io::pipe().unwrap();
        assert!(!is_gone_within(&writer, Duration::ZERO));
        assert!(!is_gone_within(&writer, Duration::from_millis(1)));
        drop(reader);
        assert!(is_gone_within(&writer, Duration::from_hours(1)));
        let file = tempfile::tempfile().unwrap();
        assert!(!is_gone_within(&file, Duration::from_millis(1)));
    }
}
