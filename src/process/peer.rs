//! Which processes hold the other end of a connection on this machine.

use std::net::SocketAddr;

/// The processes at `client`'s end of a TCP connection to `server`; empty when it cannot be told.
#[cfg(target_os = "linux")]
pub fn holders(server: SocketAddr, client: SocketAddr) -> Vec<i32> {
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .find_map(|table| {
            let text = std::fs::read_to_string(table).ok()?;
            inode_of(&text, &spelled(client), &spelled(server))
        });
    // The kernel has already let go of a socket without a number.
    let Some(inode) = inode.filter(|inode| *inode != 0) else {
        return Vec::new();
    };
    let wanted = format!("socket:[{inode}]");
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
                return false;
            };
            files.flatten().any(|file| {
                std::fs::read_link(file.path())
                    .is_ok_and(|target| target.as_os_str() == wanted.as_str())
            })
        })
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub fn holders(_server: SocketAddr, _client: SocketAddr) -> Vec<i32> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn inode_of(table: &str, local: &str, remote: &str) -> Option<u64> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let here = fields.next()?;
        let there = fields.next()?;
        (here == local && there == remote).then(|| fields.nth(6)?.parse().ok())?
    })
}

/// An address as the kernel's tables spell it.
#[cfg(target_os = "linux")]
fn spelled(address: SocketAddr) -> String {
    let words = |bytes: &[u8]| -> String {
        let words = bytes.chunks_exact(4).filter_map(|c| c.first_chunk::<4>());
        words
            .map(|word| format!("{:08X}", u32::from_ne_bytes(*word)))
            .collect()
    };
    let host = match address {
        SocketAddr::V4(v4) => words(&v4.ip().octets()),
        SocketAddr::V6(v6) => words(&v6.ip().octets()),
    };
    format!("{host}:{:04X}", address.port())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn our_own_connection_is_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                continue;
            };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, peer) = listener.accept().unwrap();
            let found = holders(server.local_addr().unwrap(), peer);
            assert!(found.contains(&(std::process::id() as i32)), "{found:?}");
            drop(client);
        }
    }

    #[test]
    fn a_connection_that_nobody_has_is_nobodys() {
        let nobody: SocketAddr = "127.0.0.1:1".parse().unwrap();
        assert_eq!(holders(nobody, nobody), Vec::<i32>::new());
    }
}
