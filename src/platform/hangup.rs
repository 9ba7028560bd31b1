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

/// A watch over standard input; dropping it ends the watch.
#[derive(Debug)]
pub struct Watch {
    #[cfg(unix)]
    _over: std::os::unix::net::UnixStream,
}

/// Calls `gone`, on a thread of its own, when the terminal that is standard input has gone. `None` where
/// the system does not tell.
#[cfg(unix)]
pub fn watch_input(gone: impl FnOnce() + Send + 'static) -> Option<Watch> {
    watch(std::io::stdin(), gone)
}

#[cfg(unix)]
fn watch(
    input: impl std::os::fd::AsFd + Send + 'static,
    gone: impl FnOnce() + Send + 'static,
) -> Option<Watch> {
    // A device that cannot be asked counts as gone in what follows.
    if told_of(&input).is_none_or(|told| told.contains(rustix::event::PollFlags::NVAL)) {
        return None;
    }
    let (over, other) = std::os::unix::net::UnixStream::pair().ok()?;
    std::thread::Builder::new()
        .name("hangup".to_owned())
        .spawn(move || {
            if first_of(&input, &other) == Gone::First {
                gone();
            }
        })
        .ok()?;
    Some(Watch { _over: over })
}

/// The system does not tell.
#[cfg(not(unix))]
pub fn watch_input(_gone: impl FnOnce() + Send + 'static) -> Option<Watch> {
    None
}

/// Whether the terminal that is standard input has gone.
#[cfg(unix)]
pub fn is_input_gone() -> bool {
    use rustix::event::PollFlags;
    let told = told_of(&std::io::stdin());
    told.is_some_and(|told| told.intersects(PollFlags::ERR | PollFlags::HUP))
}

/// The system does not tell.
#[cfg(not(unix))]
pub fn is_input_gone() -> bool {
    false
}

#[cfg(unix)]
fn told_of(stream: &impl std::os::fd::AsFd) -> Option<rustix::event::PollFlags> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut streams = [PollFd::new(stream, PollFlags::empty())];
    poll(&mut streams, Some(&Timespec::default())).ok()?;
    let [stream] = &streams;
    Some(stream.revents())
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
    fn a_watch_tells_once_of_what_has_gone_and_nothing_after_its_end() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let (told, heard) = std::sync::mpsc::channel();
        let kept = watch(ours, move || told.send(()).unwrap()).unwrap();
        assert!(heard.try_recv().is_err());
        drop(theirs);
        heard.recv().unwrap();
        drop(kept);
        let (ours, _theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let (told, heard) = std::sync::mpsc::channel::<()>();
        drop(watch(ours, move || told.send(()).unwrap()).unwrap());
        // The sender goes with the thread.
        heard.recv().unwrap_err();
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
