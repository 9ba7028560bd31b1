//! What `grove serve` would meet: its usual port, and no page to show.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::{Check, Patient};

/// The port of `grove serve` when none is given.
const PORT: u16 = 7321;

/// Loopback answers at once, or something is wrong with what listens there.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) fn check(_patient: &Patient) -> Vec<Check> {
    vec![
        Check::pass(
            "serve ui/dist",
            "grove serve has no page; it answers programs under /api and /ws",
        ),
        port(PORT),
    ]
}

fn port(port: u16) -> Check {
    let name = "serve port";
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
        return Check::pass(name, format!("port {port} is free for grove serve"));
    };
    if is_grove(stream) {
        return Check::pass(name, format!("grove serve answers on {address}"));
    }
    Check::warn(
        name,
        format!("something else listens on {address}, the usual place of grove serve"),
    )
    .details(vec![
        "Start it elsewhere: grove serve --port 7322".to_owned(),
    ])
}

fn is_grove(mut stream: TcpStream) -> bool {
    let ask = || {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        // Whatever it is, it may have much to say.
        stream.take(4096).read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    };
    // Also when it demands a token, the envelope says who it is.
    ask().is_ok_and(|answer| answer.contains("\"command\":\"serve\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckStatus;
    use std::net::TcpListener;

    #[test]
    fn a_stranger_on_the_port_is_told_from_grove_and_from_nobody() {
        for (answer, status) in [
            ("HTTP/1.1 200 OK\r\n\r\nhello", CheckStatus::Warn),
            (
                "HTTP/1.1 401 Unauthorized\r\n\r\n{\"success\":false,\"command\":\"serve\",\"error\":\"x\"}",
                CheckStatus::Pass,
            ),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let number = listener.local_addr().unwrap().port();
            let peer = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 512];
                let n = stream.read(&mut request).unwrap();
                assert!(request[..n].starts_with(b"GET /healthz "));
                stream.write_all(answer.as_bytes()).unwrap();
            });
            assert_eq!(port(number).status, status);
            peer.join().unwrap();
            let free = port(number);
            assert_eq!(free.status, CheckStatus::Pass);
            assert!(free.message.contains("is free"), "{free:?}");
        }
    }
}
