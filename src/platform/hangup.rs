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

/// Which of two streams was hung up.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    First,
    Second,
}

/// Sleeps until the other side of one of two streams has gone. What they still hold is not read.
#[cfg(unix)]
pub fn first_of(first: &impl std::os::fd::AsFd, second: &impl std::os::fd::AsFd) -> Gone {
    use rustix::event::{PollFd, PollFlags, poll};
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    loop {
        // Hang-ups are told unasked, and nothing else is.
        let mut streams = [
            PollFd::new(first, PollFlags::empty()),
            PollFd::new(second, PollFlags::empty()),
        ];
        match poll(&mut streams, None) {
            Ok(_) => {
                let [one, other] = &streams;
                if other.revents().intersects(gone) {
                    return Gone::Second;
                }
                if one.revents().intersects(gone) {
                    return Gone::First;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            // Neither can be asked: nobody is taken for gone.
            Err(_) => return Gone::Second,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_stream_that_is_hung_up_is_named_whatever_lies_unread_in_it() {
        use std::io::Write;
        use std::os::unix::net::UnixStream;
        let (here, mut there) = UnixStream::pair().unwrap();
        let (done, over) = UnixStream::pair().unwrap();
        there.write_all(b"unread").unwrap();
        drop(there);
        assert_eq!(first_of(&here, &over), Gone::First);
        drop(done);
        assert_eq!(first_of(&here, &over), Gone::Second);
    }

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
