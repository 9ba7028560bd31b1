//! Waiting for other programs no longer than a moment in time, whatever they do or leave undone.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// What is left until a moment; an error when it has passed. Never zero, which would mean for ever.
pub fn left(until: Option<Instant>) -> io::Result<Option<Duration>> {
    let Some(until) = until else { return Ok(None) };
    let left = until.saturating_duration_since(Instant::now());
    if left < Duration::from_millis(1) {
        return Err(late());
    }
    Ok(Some(left))
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no answer in time")
}

/// Connects to a socket; one whose queue is full is waited for only so long.
pub fn connect_until(path: &Path, until: Option<Instant>) -> io::Result<UnixStream> {
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    if let Some(left) = left(until)? {
        // The kernel takes the time for sending as the time for connecting.
        set_socket_timeout(&socket, Timeout::Send, Some(left))?;
    }
    let address = SocketAddrUnix::new(path)?;
    connect(&socket, &address).map_err(|e| match e {
        rustix::io::Errno::AGAIN => late(),
        other => other.into(),
    })?;
    Ok(UnixStream::from(socket))
}

/// Reads to the end, at most `most` bytes; a writer that neither writes nor closes is given up.
pub fn read_until(
    mut input: impl Read + AsFd,
    most: usize,
    until: Option<Instant>,
) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        if let Some(left) = left(until)? {
            let limit = Timespec {
                tv_sec: left.as_secs() as i64,
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            let fd = input.as_fd();
            match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&limit)) {
                Ok(0) => return Err(late()),
                Err(rustix::io::Errno::INTR) => continue,
                Ok(_) | Err(_) => {}
            }
        }
        match input.read(&mut buffer) {
            Ok(0) => return Ok(all),
            Ok(n) => all.extend_from_slice(buffer.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if all.len() > most {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it is larger than {} MiB", most / 1024 / 1024),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixListener;

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(50))
    }

    #[test]
    fn a_listener_that_accepts_nobody_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let mut kept = Vec::new();
        let refused = loop {
            match connect_until(&path, soon()) {
                Ok(stream) => kept.push(stream),
                Err(e) => break e,
            }
            assert!(kept.len() < 100_000, "the queue has no end");
        };
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        drop(listener);
    }

    #[test]
    fn a_writer_that_goes_silent_is_given_up() {
        let (reader, mut writer) = UnixStream::pair().unwrap();
        writer.write_all(b"half").unwrap();
        let error = read_until(&reader, 100, soon()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        writer.write_all(b"and more").unwrap();
        let error = read_until(&reader, 3, None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        drop(writer);
        assert_eq!(read_until(&reader, 100, None).unwrap(), b"");
    }
}
