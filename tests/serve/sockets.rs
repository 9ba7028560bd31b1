//! WebSocket clients: what they are shown, and what becomes of those that do not keep up.

use crate::client::{Frame, Socket, get};
use crate::server::{Server, event};
use crate::support::{LONG, wait_until};
use grove::types::event::NewEvent;
use serde_json::Value;
use std::collections::BTreeSet;

fn open(server: &Server, path: &str) -> Socket {
    Socket::open(server.port, path, &[]).unwrap_or_else(|status| panic!("{path}: {status}"))
}

#[test]
fn clients_see_the_news_they_asked_for_in_order() {
    let server = Server::start();
    server.message("x", "y", "before");
    let mut mail = open(&server, "/ws?mail=true");
    let mut agent = open(&server, "/ws?agent=one");
    let mut run = open(&server, "/ws?run=r");
    server.message("one", "two", "first");
    server
        .events()
        .insert_all(&[
            event("two", Some("r")),
            event("one", Some("r")),
            event("one", None),
        ])
        .unwrap();
    server.message("two", "three", "second");

    let frame = mail.json();
    assert_eq!(frame["type"], "mail");
    assert!(frame["ts"].as_str().unwrap().ends_with('Z'));
    assert_eq!(frame["payload"]["message"]["subject"], "first");
    assert_eq!(frame["payload"]["message"]["read"], false);
    assert_eq!(mail.json()["payload"]["message"]["subject"], "second");

    let frames = [run.json(), run.json()];
    let agents = frames.each_ref().map(|f| f["payload"]["agentName"].clone());
    assert_eq!(agents, ["two", "one"]);
    assert_eq!(frames[0]["type"], "event");
    assert_eq!(frames[0]["payload"]["runId"], "r");

    let kinds: Vec<Value> = (0..3).map(|_| agent.json()["type"].clone()).collect();
    let mut sorted: Vec<_> = kinds.iter().map(|k| k.as_str().unwrap()).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, ["event", "event", "mail"]);
}

#[test]
fn a_socket_must_say_what_it_wants_and_only_listens() {
    let server = Server::start();
    for path in ["/ws", "/ws?mail=false", "/ws?mail=maybe", "/ws?other=1"] {
        assert_eq!(
            Socket::open(server.port, path, &[]).err().unwrap(),
            "400",
            "{path}"
        );
    }
    get(server.port, "/ws?mail=true").refusal(400);
    let mut socket = open(&server, "/ws?mail=true");
    socket.send(b"a few words are dropped");
    server.message("a", "b", "still here");
    assert_eq!(socket.json()["payload"]["message"]["subject"], "still here");
    socket.send("x".repeat(60_000).as_bytes());
    let closed = socket.next();
    assert!(
        matches!(&closed, Frame::Close(1008, reason) if reason.contains("API")),
        "{closed:?}"
    );
}

#[test]
fn a_client_that_takes_its_leave_gets_its_code_back() {
    let server = Server::start();
    for code in [Some(1000), Some(1001), Some(3000), None] {
        let mut socket = open(&server, "/ws?mail=true");
        socket.close(code);
        let closed = socket.next();
        match code {
            Some(code) => assert_eq!(closed, Frame::Close(code, String::new())),
            None => assert_eq!(closed, Frame::BareClose),
        }
        assert_eq!(socket.next(), Frame::Gone, "{code:?}");
    }
}

/// A store that is put back from a copy brings nothing new.
#[cfg(unix)]
#[test]
fn a_copy_that_takes_the_place_of_a_store_is_not_sent_again() {
    let server = Server::start();
    let mut mail = open(&server, "/ws?mail=true");
    let mut agent = open(&server, "/ws?agent=one");
    server.message("x", "y", "before");
    server.events().insert(&event("one", None)).unwrap();
    assert_eq!(mail.json()["payload"]["message"]["subject"], "before");
    assert_eq!(agent.json()["payload"]["id"], 1);
    for name in ["mail.db", "events.db"] {
        let store = server.project.overstory(name);
        let copy = server.project.beside().join(name);
        rusqlite::Connection::open(&store)
            .unwrap()
            .execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
            .unwrap();
        for end in ["-wal", "-shm"] {
            let beside = server.project.overstory(&format!("{name}{end}"));
            if beside.exists() {
                std::fs::remove_file(beside).unwrap();
            }
        }
        std::fs::rename(&copy, &store).unwrap();
    }
    server.message("x", "y", "after");
    server.events().insert(&event("one", None)).unwrap();
    assert_eq!(mail.json()["payload"]["message"]["subject"], "after");
    assert_eq!(agent.json()["payload"]["id"], 2);
}

/// Fifty clients, one of which never reads: the others get every single frame in order, the
/// one is dropped, and its place is free again.
#[test]
fn one_client_that_never_reads_costs_the_others_nothing() {
    const READERS: usize = 49;
    const ROWS: usize = 600;
    let server = Server::start();
    let sleeper = open(&server, "/ws?agent=one");
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let mut socket = open(&server, "/ws?agent=one");
            std::thread::spawn(move || {
                let mut last = 0;
                for _ in 0..ROWS {
                    let id = socket.json()["payload"]["id"].as_i64().unwrap();
                    assert_eq!(id, last + 1);
                    last = id;
                }
            })
        })
        .collect();
    // More than the sockets' buffers and the queue can hold.
    let large = NewEvent {
        data: Some("x".repeat(40_000)),
        ..event("one", None)
    };
    let store = server.events();
    for _ in 0..ROWS / 20 {
        store.insert_all(&vec![large.clone(); 20]).unwrap();
    }
    for reader in readers {
        reader.join().unwrap();
    }
    assert_eq!(get(server.port, "/healthz").status, 200);
    // What the sleeper finds when it wakes up: some frames, and an end that is not the last row.
    let mut sleeper = sleeper;
    let mut seen = BTreeSet::new();
    let end = loop {
        match sleeper.next() {
            Frame::Json(frame) => {
                seen.insert(frame["payload"]["id"].as_i64().unwrap());
            }
            Frame::Ping => {}
            end @ (Frame::Close(..) | Frame::BareClose | Frame::Gone) => break end,
        }
    };
    assert!(seen.len() < ROWS, "it was not dropped");
    if let Frame::Close(code, reason) = end {
        assert_eq!(code, 1013);
        assert!(reason.contains("slowly"), "{reason}");
    }
}

#[test]
fn there_is_room_for_many_clients_but_not_for_any_number() {
    let server = Server::start();
    let mut open_ones: Vec<_> = (0..128).map(|_| open(&server, "/ws?mail=true")).collect();
    assert_eq!(
        Socket::open(server.port, "/ws?mail=true", &[])
            .err()
            .unwrap(),
        "503"
    );
    server.message("a", "b", "to all");
    for socket in &mut open_ones {
        assert_eq!(socket.json()["payload"]["message"]["subject"], "to all");
    }
    drop(open_ones);
    wait_until(
        "their places are free again",
        LONG,
        || Socket::open(server.port, "/ws?mail=true", &[]).ok(),
        String::new,
    );
}
