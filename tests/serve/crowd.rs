//! More connections than there are places.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::client::{connect, get};
use crate::server::Server;
use crate::support::{LONG, SHORT, wait_until};

/// As many as are served at the same time.
const PLACES: usize = 256;

/// Asks over a connection that stays, and reads the answer to its end.
fn ask(stream: &mut TcpStream, port: u16) -> String {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    while !answer.ends_with("}}") {
        let mut bytes = [0; 4096];
        let length = stream.read(&mut bytes).unwrap();
        assert_ne!(length, 0, "{answer:?}");
        answer.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
    }
    answer
}

#[test]
fn idle_connections_make_room_for_who_comes() {
    let server = Server::start();
    // It asks again and again, so it is never the one that is idle longest.
    let mut kept = connect(server.port);
    let mut idle = Vec::new();
    for _ in 0..2 * PLACES {
        idle.push(connect(server.port));
        assert!(ask(&mut kept, server.port).starts_with("HTTP/1.1 200 "));
    }
    assert_eq!(get(server.port, "/healthz").status, 200);
    let mut first = &idle[0];
    assert_eq!(first.read(&mut [0]).unwrap(), 0, "it had to leave");
}

#[test]
fn where_every_place_is_at_work_who_comes_is_told_so_at_once() {
    let server = Server::start();
    let unfinished = || {
        let mut stream = connect(server.port);
        let head = format!(
            "POST /api/mail HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 9\r\n\r\n{{",
            server.port
        );
        // It may be refused before it has said everything.
        stream.write_all(head.as_bytes()).ok();
        stream
    };
    let mut working: Vec<_> = (0..PLACES).map(|_| unfinished()).collect();
    let refused = wait_until(
        "all places are at work",
        LONG,
        || {
            working.push(unfinished());
            Some(get(server.port, "/healthz")).filter(|answer| answer.status != 200)
        },
        String::new,
    );
    let refused = refused.refusal(503);
    assert!(refused.contains("too many connections"), "{refused}");
    drop(working);
    wait_until(
        "there are places again",
        SHORT,
        || (get(server.port, "/healthz").status == 200).then_some(()),
        String::new,
    );
}
