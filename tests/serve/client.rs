//! The least of HTTP and WebSocket that a test needs, written out: what is sent is exactly what
//! the test says, also where it is wrong.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing here takes longer unless it hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }

    /// The envelope's data, after a look at the envelope.
    pub(crate) fn data(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, 200, "{self:?}");
        assert_eq!(json["success"], true, "{self:?}");
        assert_eq!(json["command"], "serve", "{self:?}");
        json["data"].clone()
    }

    /// The error line of a refusal with this status.
    pub(crate) fn refusal(&self, status: u16) -> String {
        let json = self.json();
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(json["success"], false, "{self:?}");
        assert_eq!(json["command"], "serve", "{self:?}");
        let error = json["error"].as_str().unwrap().to_owned();
        assert!(!error.is_empty() && !error.contains('\n'), "{self:?}");
        error
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.set_write_timeout(Some(LIMIT)).unwrap();
    stream
}

/// Sends bytes as they are and reads until the server closes.
pub(crate) fn raw(port: u16, bytes: &[u8]) -> String {
    let mut stream = connect(port);
    // The server may refuse before it has read everything.
    stream.write_all(bytes).ok();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).ok();
    String::from_utf8_lossy(&text).into_owned()
}

/// One request with headers of the test's own.
pub(crate) fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    let answer = raw(port, text.as_bytes());
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer to {method} {path}: {answer:?}"));
    Reply {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

pub(crate) fn get(port: u16, path: &str) -> Reply {
    request(port, "GET", path, &[], "")
}

pub(crate) fn post(port: u16, path: &str, body: &Value) -> Reply {
    let headers = [("Content-Type", "application/json")];
    request(port, "POST", path, &headers, &body.to_string())
}

/// An open WebSocket.
pub(crate) struct Socket {
    pub(crate) stream: TcpStream,
}

/// A frame from the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    Json(Value),
    Ping,
    Close(u16, String),
    /// A close frame that gives no code.
    BareClose,
    /// The connection is gone without a word.
    Gone,
}

impl Socket {
    /// Opens a WebSocket, or gives the status with which it was refused.
    pub(crate) fn open(port: u16, path: &str, headers: &[(&str, &str)]) -> Result<Self, String> {
        let mut stream = connect(port);
        let mut text = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        if !head.starts_with("HTTP/1.1 101 ") {
            return Err(head.split(' ').nth(1).unwrap().to_owned());
        }
        // The answer to the key of RFC 6455.
        assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        Ok(Self { stream })
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Frame {
        let mut head = [0; 2];
        if self.stream.read_exact(&mut head).is_err() {
            return Frame::Gone;
        }
        assert_eq!(head[0] & 0xf0, 0x80, "whole frames only");
        assert_eq!(head[1] & 0x80, 0, "servers do not mask");
        let length = match head[1] {
            126 => usize::from(u16::from_be_bytes(self.bytes())),
            127 => usize::try_from(u64::from_be_bytes(self.bytes())).unwrap(),
            n => usize::from(n),
        };
        let mut payload = vec![0; length];
        if self.stream.read_exact(&mut payload).is_err() {
            return Frame::Gone;
        }
        match head[0] & 0x0f {
            1 => Frame::Json(serde_json::from_slice(&payload).unwrap()),
            8 if payload.is_empty() => Frame::BareClose,
            8 => Frame::Close(
                u16::from_be_bytes([payload[0], payload[1]]),
                String::from_utf8(payload[2..].to_vec()).unwrap(),
            ),
            9 => Frame::Ping,
            other => panic!("a frame of kind {other}"),
        }
    }

    /// The next frame that carries news.
    pub(crate) fn json(&mut self) -> Value {
        loop {
            match self.next() {
                Frame::Json(value) => return value,
                Frame::Ping => {}
                other @ (Frame::Close(..) | Frame::BareClose | Frame::Gone) => {
                    panic!("no news but {other:?}")
                }
            }
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Sends a text frame.
    pub(crate) fn send(&mut self, text: &[u8]) {
        self.write(0x81, text);
    }

    /// Sends a close frame with a code, or without one.
    pub(crate) fn close(&mut self, code: Option<u16>) {
        let payload = code.map(|code| code.to_be_bytes().to_vec());
        self.write(0x88, &payload.unwrap_or_default());
    }

    /// Sends a frame, masked with zeroes.
    fn write(&mut self, kind: u8, text: &[u8]) {
        let mut frame = vec![kind];
        match text.len() {
            n if n < 126 => frame.push(0x80 | n as u8),
            n => {
                frame.push(0x80 | 0x7e);
                frame.extend_from_slice(&u16::try_from(n).unwrap().to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(text);
        self.stream.write_all(&frame).unwrap();
    }
}
