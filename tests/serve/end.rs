//! Starting where somebody else listens, and ending.

use crate::client::{Frame, Socket, connect, post};
use crate::server::Server;
use crate::support::{LONG, TestProject, wait_until};
use serde_json::json;
use std::io::Write;
use std::net::TcpListener;
use std::process::Command;

fn signal(server: &Server, name: &str) {
    let pid = server.child.id().to_string();
    let status = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(status.success());
}

fn exit_code(server: &mut Server) -> Option<i32> {
    let child = &mut server.child;
    wait_until(
        "the server ends",
        LONG,
        || child.try_wait().unwrap(),
        String::new,
    )
    .code()
}

#[test]
fn signals_end_it_in_good_order() {
    for name in ["-TERM", "-INT"] {
        let mut server = Server::start();
        let mut socket = Socket::open(server.port, "/ws?mail=true", &[])
            .ok()
            .unwrap();
        // An idle connection and one in the middle of a request do not hold the end up.
        let _idle = connect(server.port);
        let mut half = connect(server.port);
        half.write_all(b"POST /api/mail HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            .unwrap();
        signal(&server, name);
        let closed = socket.next();
        assert!(matches!(&closed, Frame::Close(1001, _)), "{closed:?}");
        drop(socket);
        assert_eq!(exit_code(&mut server), Some(0), "{name}");
    }
}

#[test]
fn a_question_that_waits_is_answered_at_the_end() {
    let mut server = Server::start();
    let port = server.port;
    // A coordinator that runs and does not answer.
    let lease = grove::platform::lease::try_take(&server.project.overstory("coordinator.lease"));
    assert!(matches!(lease, Ok(grove::platform::lease::Taken::Mine(_))));
    let asked = std::thread::spawn(move || {
        let question = json!({"subject": "q", "body": "b", "timeoutSec": 600});
        post(port, "/api/coordinator/ask", &question)
    });
    wait_until(
        "the question is stored",
        LONG,
        || {
            let all = server
                .project
                .sql("mail.db", "SELECT 1 FROM messages WHERE subject = 'q'");
            (!all.is_empty()).then_some(())
        },
        || server.project.report(),
    );
    signal(&server, "-TERM");
    asked.join().unwrap().refusal(503);
    assert_eq!(exit_code(&mut server), Some(0));
}

#[test]
fn what_cannot_be_listened_on_is_named_with_the_next_step() {
    let project = TestProject::initialised();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, words) in [
        (
            ["--port", port.as_str()],
            "is in use\n  end what listens there",
        ),
        (["--port", "66000"], "Invalid --port: 66000"),
        (["--port", "x"], "Invalid --port: x"),
        (
            ["--host", "192.0.2.1"],
            "192.0.2.1 is no address of this machine",
        ),
        (["--host", "no such host"], "no such host is no address"),
    ] {
        let done = project.grove(&[&["serve"][..], &args].concat());
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert!(done.stderr.starts_with("✗ "), "{done:#?}");
        assert!(done.stderr.contains(words), "{done:#?}");
    }
    let done = project.grove(&["serve", "--port", &port, "--json"]);
    assert_eq!(done.json()["command"], "serve");
    assert_eq!(done.json()["success"], false);
    let folder = TestProject::bare_folder();
    let done = folder.grove(&["serve", "--port", "0"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("grove init"), "{done:#?}");
}
