//! Reading a connection with a moment by which what is expected must have come, however slowly it trickles.

use crate::platform::patience::left;
use std::io::{self, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// One side of a connection, read in time.
pub(super) type Incoming<'a> = BufReader<InTime<'a>>;

/// A stream whose reads end at a moment, if one is set.
#[derive(Debug)]
pub(super) struct InTime<'a> {
    stream: &'a UnixStream,
    until: Option<Instant>,
}

impl<'a> InTime<'a> {
    /// Reads from a stream; everything must have come within this time, unless it is changed.
    pub(super) fn reader(stream: &'a UnixStream, limit: Duration) -> Incoming<'a> {
        BufReader::new(Self {
            stream,
            until: Some(Instant::now() + limit),
        })
    }

    /// Gives what comes from now on this time, or all the time there is.
    pub(super) fn within(&mut self, limit: Option<Duration>) -> io::Result<()> {
        self.until = limit.map(|limit| Instant::now() + limit);
        if self.until.is_none() {
            self.stream.set_read_timeout(None)?;
        }
        Ok(())
    }
}

impl Read for InTime<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(left) = left(self.until)? {
            self.stream.set_read_timeout(Some(left))?;
        }
        let mut stream = self.stream;
        stream.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn bytes_that_trickle_do_not_buy_time() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let (done, over) = std::sync::mpsc::channel::<()>();
        let trickle = std::thread::spawn(move || {
            while over.recv_timeout(Duration::from_millis(5)).is_err() {
                if there.write_all(b"x").is_err() {
                    return;
                }
            }
        });
        let mut incoming = InTime::reader(&here, Duration::from_millis(80));
        let mut all = Vec::new();
        let error = incoming.read_to_end(&mut all).unwrap_err();
        assert!(
            matches!(
                error.kind(),
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
            ),
            "{error}"
        );
        done.send(()).unwrap();
        trickle.join().unwrap();
    }
}
