//! Noticing that nobody reads standard output any more, also while there is nothing to write.

use std::time::{Duration, Instant};

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// There is something to read.
    Ready,
    TimeUp,
    /// Nobody reads standard output any more.
    ReaderGone,
}

/// Waits, and tells whether whoever reads standard output has gone meanwhile; then it does not wait
/// for longer.
#[cfg(unix)]
pub fn pause(pause: Duration) -> bool {
    wait_on(&std::io::stdout(), None, Some(pause)) == Woken::ReaderGone
}

/// Waits; the system does not tell who reads.
#[cfg(not(unix))]
pub fn pause(pause: Duration) -> bool {
    std::thread::sleep(pause);
    false
}

/// Waits until there is something to read from `source`, or its other end has closed, until the time
/// is up, or until whoever reads standard output has gone. Without a limit for as long as it takes.
#[cfg(unix)]
pub fn wait(source: &impl std::os::fd::AsFd, limit: Option<Duration>) -> Woken {
    wait_on(&std::io::stdout(), Some(source.as_fd()), limit)
}

#[cfg(unix)]
fn wait_on(
    output: &impl std::os::fd::AsFd,
    source: Option<std::os::fd::BorrowedFd<'_>>,
    limit: Option<Duration>,
) -> Woken {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    let end = limit.map(|limit| Instant::now() + limit);
    // Errors and hang-ups are told unasked.
    let mut output = Some(PollFd::new(output, PollFlags::empty()));
    let mut source = source.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN));
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limit = left.map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        let mut streams: Vec<_> = output.iter().chain(&source).cloned().collect();
        match poll(&mut streams, limit.as_ref()) {
            Ok(0) => return Woken::TimeUp,
            Ok(_) | Err(Errno::INTR) => {}
            // Nothing that could be asked: then it is only a pause.
            Err(_) => (output, source) = (None, None),
        }
        let mut told = streams.iter().map(PollFd::revents);
        if output.is_some() {
            let told = told.next().unwrap_or_else(PollFlags::empty);
            if told.intersects(PollFlags::ERR | PollFlags::HUP) {
                return Woken::ReaderGone;
            }
            if !told.is_empty() {
                output = None;
            }
        }
        if told.any(|told| !told.is_empty()) {
            return Woken::Ready;
        }
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
    use std::io::Write;
    use std::os::fd::AsFd;

    const HOUR: Duration = Duration::from_hours(1);

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
        let is_gone = |limit| wait_on(&writer, None, Some(limit)) == Woken::ReaderGone;
        assert!(!is_gone(Duration::ZERO));
        assert!(!is_gone(Duration::from_millis(1)));
        drop(reader);
        assert!(is_gone(HOUR));
        let file = tempfile::tempfile().unwrap();
        let waited = wait_on(&file, None, Some(Duration::from_millis(1)));
        assert_eq!(waited, Woken::TimeUp);
    }

    #[test]
    fn what_comes_to_be_read_ends_the_wait_and_so_does_the_end_of_its_writer() {
        let (_output_reader, output) = std::io::pipe().unwrap();
        let (source, mut writer) = std::io::pipe().unwrap();
        let wait = |limit| wait_on(&output, Some(source.as_fd()), limit);
        assert_eq!(wait(Some(Duration::from_millis(1))), Woken::TimeUp);
        writer.write_all(b"x").unwrap();
        assert_eq!(wait(None), Woken::Ready);
        let (source, writer) = std::io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait_on(&output, Some(source.as_fd()), None), Woken::Ready);
        let (reader, output) = std::io::pipe().unwrap();
        let (source, _writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(
            wait_on(&output, Some(source.as_fd()), None),
            Woken::ReaderGone
        );
    }
}
