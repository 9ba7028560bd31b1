//! Who may speak: pages of other origins and other names may not, and from elsewhere a token is
//! needed.

use crate::client::{Socket, get, raw, request};
use crate::server::Server;
use crate::support::TestProject;

#[test]
fn a_name_that_is_not_this_machine_is_refused() {
    let server = Server::start();
    for host in ["evil.example", "127.0.0.1.evil.example", "192.0.2.1"] {
        let headers = [("Host", host)];
        request(server.port, "GET", "/api/mail", &headers, "").refusal(403);
    }
    for host in ["localhost", "localhost:80", "[::1]"] {
        let headers = [("Host", host)];
        request(server.port, "GET", "/api/mail", &headers, "").data();
    }
}

#[test]
fn pages_of_other_origins_can_neither_write_nor_listen() {
    let server = Server::start();
    let own = format!("http://127.0.0.1:{}", server.port);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let headers = [("Origin", origin)];
        request(server.port, "POST", "/api/coordinator/stop", &headers, "{}").refusal(403);
        request(server.port, "DELETE", "/api/mail/x", &headers, "").refusal(403);
        request(server.port, "OPTIONS", "/api/mail", &headers, "").refusal(403);
        assert_eq!(
            Socket::open(server.port, "/ws?mail=true", &headers)
                .err()
                .unwrap(),
            "403"
        );
    }
    let headers = [("Origin", own.as_str())];
    request(server.port, "POST", "/api/coordinator/stop", &headers, "{}").data();
    assert!(Socket::open(server.port, "/ws?mail=true", &headers).is_ok());
    let reply = request(
        server.port,
        "GET",
        "/api/mail",
        &[("Origin", "http://evil.example")],
        "",
    );
    let head = reply.head.to_lowercase();
    assert!(!head.contains("access-control"), "{head}");
    assert!(head.contains("cache-control: no-store"), "{head}");
}

#[test]
fn the_page_of_a_development_server_is_let_in_when_asked_for() {
    let server = Server::with(TestProject::initialised(), &["--dev", "--dev-port", "4100"]);
    assert_eq!(server.started["devUrl"], "http://127.0.0.1:4100");
    for origin in ["http://127.0.0.1:4100", "http://localhost:4100"] {
        let headers = [("Origin", origin)];
        request(server.port, "POST", "/api/coordinator/stop", &headers, "{}").data();
    }
    let headers = [("Origin", "http://evil.example:4100")];
    request(server.port, "POST", "/api/coordinator/stop", &headers, "{}").refusal(403);
}

#[test]
fn a_demanded_token_is_made_once_kept_private_and_checked() {
    let project = TestProject::initialised();
    let server = Server::with(project, &["--host", "0.0.0.0"]);
    let token = server.started["token"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 64);
    let file = server.project.overstory("serve-token");
    assert_eq!(server.started["tokenFile"], file.to_str().unwrap());
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let with = |value: &str| {
        let headers = [("Authorization", value), ("Host", "any.name.example")];
        request(server.port, "GET", "/api/mail", &headers, "")
    };
    let reply = get(server.port, "/api/mail");
    reply.refusal(401);
    assert!(
        reply
            .head
            .to_lowercase()
            .contains("www-authenticate: bearer"),
        "{reply:?}"
    );
    with("Bearer wrong").refusal(401);
    with(&format!("Bearer {}", &token[..63])).refusal(401);
    with(&format!("Basic {token}")).refusal(401);
    with(&format!("Bearer {token}")).data();
    get(server.port, "/healthz").refusal(401);
    // In the address only where a browser can do no better.
    get(server.port, &format!("/api/mail?token={token}")).refusal(401);
    assert_eq!(
        Socket::open(server.port, "/ws?mail=true", &[])
            .err()
            .unwrap(),
        "401"
    );
    assert!(Socket::open(server.port, &format!("/ws?mail=true&token={token}"), &[]).is_ok());

    let port = server.port;
    assert!(
        !raw(
            port,
            b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .contains(&token)
    );
}

#[test]
fn a_kept_token_is_not_shown_again_and_one_of_the_users_own_is_taken() {
    let mut project = TestProject::initialised();
    project.set_env("GROVE_SERVE_TOKEN", "a-token-of-my-own-choice");
    let server = Server::with(project, &[]);
    assert!(server.started.get("token").is_none(), "{}", server.started);
    get(server.port, "/api/mail").refusal(401);
    let headers = [("Authorization", "bearer a-token-of-my-own-choice")];
    request(server.port, "GET", "/api/mail", &headers, "").data();
    assert!(!server.project.overstory("serve-token").exists());

    let project = TestProject::initialised();
    let token = "0123456789abcdef0123456789abcdef";
    let path = project.overstory("serve-token");
    std::fs::write(&path, token).unwrap();
    let refused = project.grove(&["serve", "--port", "0", "--token"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("chmod 600"), "{refused:?}");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, private).unwrap();
    let server = Server::with(project, &["--token"]);
    assert!(server.started.get("token").is_none(), "{}", server.started);
    let headers = [("Authorization", format!("Bearer {token}"))];
    let headers = headers.each_ref().map(|(n, v)| (*n, v.as_str()));
    request(server.port, "GET", "/api/mail", &headers, "").data();
}

#[test]
fn bytes_that_are_no_request_do_no_harm() {
    let server = Server::start();
    let port = server.port;
    let mut inputs: Vec<Vec<u8>> = vec![
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /api/mail HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET /api/mail HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET http://evil/api/mail HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec(),
        b"POST /api/mail HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n".to_vec(),
        b"POST /api/mail HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n".to_vec(),
        b"POST /api/mail HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\nConnection: close\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(20),
    ];
    inputs.push(
        [
            b"GET /".to_vec(),
            vec![b'a'; 100_000],
            b" HTTP/1.1\r\n\r\n".to_vec(),
        ]
        .concat(),
    );
    let many = "X: y\r\n".repeat(5_000);
    inputs.push(format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").into_bytes());
    for input in inputs {
        let answer = raw(port, &input);
        let ok = answer.is_empty()
            || answer.starts_with("HTTP/1.1 4")
            || answer.starts_with("HTTP/1.1 505");
        assert!(ok, "{:?}: {answer}", String::from_utf8_lossy(&input));
        assert_eq!(get(port, "/healthz").status, 200);
    }
}
