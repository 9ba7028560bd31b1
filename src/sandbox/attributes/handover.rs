//! From the process that becomes an agent's CLI to its host: the listener of the filter, over a socket.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use grove_seccomp::{Connections, Listener};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::supervise::Supervised;
use crate::platform::{liveness, random};

/// A child that has not come by then has not started.
const PATIENCE: Timespec = Timespec {
    tv_sec: 60,
    tv_nsec: 0,
};

/// What a child says that has no filter: the system would not let it.
const WITHOUT: u8 = b'-';
const WITH: u8 = b'+';

/// Waits in a thread for the child that is started next with this name, and then answers for it and all it
/// starts. Without such filters here there is nothing to wait for.
pub(crate) fn take_from_child(write: &[PathBuf]) -> io::Result<Option<String>> {
    if !grove_seccomp::is_supported() {
        return Ok(None);
    }
    let name = format!("grove-attributes-{}", random::alphanumeric(20));
    let socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    let supervised = Supervised::new(write)?;
    std::thread::Builder::new()
        .name("attributes".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || match receive(&socket) {
            Ok(Some(listener)) => {
                drop(socket);
                supervised.answer_all(&listener);
            }
            Ok(None) => tracing::warn!(
                "modes and times of files outside of the sandbox are not refused: \
                 the system let no filter be installed"
            ),
            Err(error) => tracing::warn!(%error, "no filter came from the agent's process"),
        })?;
    Ok(Some(name))
}

fn receive(socket: &UnixListener) -> io::Result<Option<Listener>> {
    loop {
        let mut ends = [PollFd::new(socket, PollFlags::IN)];
        match poll(&mut ends, Some(&PATIENCE)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let (mut stream, _) = socket.accept()?;
        let peer = socket_peercred(&stream)?.pid;
        let parent = liveness::parent(peer.as_raw_nonzero().get());
        if parent != Some(std::process::id() as i32) {
            continue;
        }
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let (word, listener) = read(&stream)?;
        stream.write_all(&[word])?;
        return Ok(listener);
    }
}

fn read(stream: &UnixStream) -> io::Result<(u8, Option<Listener>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut word = [0];
    let mut parts = [IoSliceMut::new(&mut word)];
    let got = recvmsg(stream, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    if got.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut found = None;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            found = descriptors.last();
        }
    }
    let [word] = word;
    Ok((word, found.map(|fd: OwnedFd| Listener::from(fd))))
}

/// A connection to the host, made before the sandbox closes this way.
#[derive(Debug)]
pub(crate) struct Line(UnixStream);

impl Line {
    /// Connects to who waits by that name.
    pub(crate) fn connect(name: &str) -> io::Result<Self> {
        let address = SocketAddr::from_abstract_name(name)?;
        UnixStream::connect_addr(&address).map(Self)
    }
}

/// Installs the filter on this thread, and hands its listener over; returns once somebody answers. Where the system
/// refuses the filter, that is told instead.
pub(crate) fn give_away(line: Line, connections: Connections) -> io::Result<()> {
    let listener = match Listener::install(connections) {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::debug!(%error, "no filter that asks");
            super::refuse_unasked(connections);
            None
        }
    };
    let Line(mut stream) = line;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let word = if listener.is_some() { WITH } else { WITHOUT };
    let descriptors: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for the listener"));
    }
    sendmsg(
        &stream,
        &[IoSlice::new(&[word])],
        &mut ancillary,
        SendFlags::empty(),
    )?;
    let mut answer = [0];
    stream.read_exact(&mut answer)
}
