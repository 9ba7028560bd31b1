//! Who may speak to the server. On loopback every program of the user may, but no page in the
//! user's browser: a page reaches us by a name of its own (DNS rebinding, seen in `Host`) or
//! from an origin of its own (seen in `Origin`). From elsewhere a token is demanded.
//!
//! Agents only read here: their mail must come under their own name, and that is known where their
//! host takes it. What changes something is refused to every process that an agent has started.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::Failure;
use super::query::Query;
use super::server::Shared;
use super::token::Token;
use crate::process::origin::{Origin, origin};
use crate::process::{peer, tree};

/// The rules of one server.
#[derive(Debug)]
pub(super) struct Gate {
    /// The name the server was told to listen on.
    pub(super) host: String,
    /// Whether only this machine can connect.
    pub(super) loopback: bool,
    /// A development server of the user's whose page may speak to us.
    pub(super) dev_port: Option<u16>,
    /// Demanded of every request, if there is one.
    pub(super) token: Option<Token>,
}

/// Lets a request through or answers it.
pub(super) async fn check(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let gate = &shared.gate;
    if let Err(failure) = gate.admit(request.method(), request.uri(), request.headers()) {
        return failure.into_response();
    }
    if !is_reading(request.method()) {
        let connection = request.extensions().get::<Connection>().copied();
        let shown = gate.token.is_some();
        let allowed = tokio::task::spawn_blocking(move || may_write(connection, shown)).await;
        match allowed {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return failure.into_response(),
            Err(e) => return Failure::internal(e.to_string()).into_response(),
        }
    }
    next.run(request).await
}

/// The two ends of the connection that a request came over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connection {
    pub(super) server: SocketAddr,
    pub(super) client: SocketAddr,
}

fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Whether who is at the other end may change something. `shown` tells that a token was shown.
fn may_write(connection: Option<Connection>, shown: bool) -> Result<(), Failure> {
    let holders = connection.map_or_else(Vec::new, |c| peer::holders(c.server, c.client));
    let refuse = |why: &str| Err(Failure::new(StatusCode::FORBIDDEN, why));
    let of_agent = |pid: &i32| {
        // A host is among the parents of everything an agent has started.
        !matches!(origin(*pid, tree::is_host), Some(Origin::Outside))
    };
    if holders.iter().any(of_agent) {
        return refuse(
            "agents only read here; write mail with 'grove mail send', which knows who you are",
        );
    }
    if holders.is_empty() && !shown {
        return refuse(
            "it cannot be told which program asks; start 'grove serve --token' and send 'Authorization: Bearer <token>'",
        );
    }
    Ok(())
}

impl Gate {
    fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let host = self.known_host(uri, headers)?;
        let reading = is_reading(method);
        let socket = uri.path() == "/ws";
        if !reading || socket {
            self.own_origin(host, headers)?;
        }
        self.shown_token(uri, headers, socket)
    }

    /// The `Host` header, if it is a name by which this server is meant.
    fn known_host<'a>(&self, uri: &Uri, headers: &'a HeaderMap) -> Result<&'a str, Failure> {
        let mut given = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else {
            return Err(Failure::bad("the request needs exactly one Host header"));
        };
        let host = host
            .to_str()
            .map_err(|_| Failure::bad("the Host header is not readable"))?;
        let names = [Some(host), uri.authority().map(|a| a.as_str())];
        for name in names.into_iter().flatten().map(without_port) {
            // Who knows the token is no page that guessed a name.
            if self.loopback && !self.is_own_name(name) {
                return Err(Failure::new(
                    StatusCode::FORBIDDEN,
                    format!("this server does not answer for '{name}'; use 127.0.0.1 or localhost"),
                ));
            }
        }
        Ok(host)
    }

    fn is_own_name(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("localhost")
            || name.eq_ignore_ascii_case(&self.host)
            || name
                .trim_matches(['[', ']'])
                .parse()
                .is_ok_and(|ip: IpAddr| ip.is_loopback())
    }

    /// Browsers name the page a request comes from; programs do not.
    fn own_origin(&self, host: &str, headers: &HeaderMap) -> Result<(), Failure> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let foreign = origins.any(|origin| {
            let page = origin.to_str().ok().and_then(|text| {
                text.strip_prefix("http://")
                    .or_else(|| text.strip_prefix("https://"))
            });
            !page.is_some_and(|page| page.eq_ignore_ascii_case(host) || self.is_dev_page(page))
        });
        if foreign {
            return Err(Failure::new(
                StatusCode::FORBIDDEN,
                "pages of another origin may not do this",
            ));
        }
        Ok(())
    }

    fn is_dev_page(&self, page: &str) -> bool {
        let name = without_port(page);
        let port = page
            .get(name.len()..)
            .and_then(|rest| rest.strip_prefix(':'))
            .and_then(|port| port.parse().ok());
        self.dev_port.is_some() && port == self.dev_port && self.is_own_name(name)
    }

    fn shown_token(&self, uri: &Uri, headers: &HeaderMap, socket: bool) -> Result<(), Failure> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let bearer = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim().to_owned());
        // A browser cannot set headers of a WebSocket.
        let shown = bearer.or_else(|| {
            socket
                .then(|| Query::parse(uri.query()).text("token"))
                .flatten()
        });
        match shown {
            Some(shown) if token.matches(&shown) => Ok(()),
            Some(_) => Err(Failure::new(
                StatusCode::UNAUTHORIZED,
                "the token is not the one of this server; see .overstory/serve-token",
            )),
            None => Err(Failure::new(
                StatusCode::UNAUTHORIZED,
                "a token is needed: send 'Authorization: Bearer <token>', or ?token= for /ws",
            )),
        }
    }
}

/// `name` of `name:port`; an IPv6 address keeps its brackets.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => {
            // A bare IPv6 address has colons of its own.
            if name.contains(':') && !name.ends_with(']') {
                authority
            } else {
                name
            }
        }
        Some(_) | None => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    fn gate() -> Gate {
        Gate {
            host: "127.0.0.1".to_owned(),
            loopback: true,
            dev_port: None,
            token: None,
        }
    }

    fn ask(gate: &Gate, method: Method, path: &str, headers: &[(&str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        gate.admit(&method, &path.parse().unwrap(), &map).is_ok()
    }

    #[test]
    fn names_of_this_machine_are_known_and_others_are_not() {
        let gate = gate();
        for host in [
            "127.0.0.1:7321",
            "localhost",
            "LOCALHOST:1",
            "[::1]:7321",
            "127.9.9.9",
        ] {
            assert!(
                ask(&gate, Method::GET, "/healthz", &[("host", host)]),
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example:7321",
            "localhost.evil",
            "",
            "192.168.0.1",
            "[::2]",
        ] {
            assert!(
                !ask(&gate, Method::GET, "/healthz", &[("host", host)]),
                "{host}"
            );
        }
        assert!(!ask(&gate, Method::GET, "/healthz", &[]));
        assert!(!ask(
            &gate,
            Method::GET,
            "/",
            &[("host", "localhost"), ("host", "evil")]
        ));
        assert!(!ask(
            &gate,
            Method::GET,
            "http://evil/healthz",
            &[("host", "localhost")]
        ));
    }

    #[test]
    fn pages_may_only_do_what_their_own_server_serves() {
        let mut gate = gate();
        let host = ("host", "localhost:7321");
        let own = ("origin", "http://localhost:7321");
        assert!(ask(&gate, Method::POST, "/api/mail", &[host]));
        assert!(ask(&gate, Method::POST, "/api/mail", &[host, own]));
        assert!(ask(&gate, Method::GET, "/ws", &[host, own]));
        for foreign in [
            "http://evil.example",
            "null",
            "http://localhost:7322",
            "file://",
            "http://localhost:7321@evil",
        ] {
            let headers = [host, ("origin", foreign)];
            assert!(
                !ask(&gate, Method::POST, "/api/mail", &headers),
                "{foreign}"
            );
            assert!(
                !ask(&gate, Method::OPTIONS, "/api/mail", &headers),
                "{foreign}"
            );
            assert!(
                !ask(&gate, Method::GET, "/ws?mail=true", &headers),
                "{foreign}"
            );
        }
        assert!(!ask(
            &gate,
            Method::POST,
            "/api/mail",
            &[host, own, ("origin", "http://evil")]
        ));
        let dev = [host, ("origin", "http://127.0.0.1:3000")];
        assert!(!ask(&gate, Method::POST, "/api/mail", &dev));
        gate.dev_port = Some(3000);
        assert!(ask(&gate, Method::POST, "/api/mail", &dev));
        assert!(!ask(
            &gate,
            Method::POST,
            "/api/mail",
            &[host, ("origin", "http://evil:3000")]
        ));
    }

    proptest! {
        #[test]
        fn no_header_breaks_the_gate(host in "[ -~]{0,60}", origin in "[ -~]{0,60}") {
            ask(&gate(), Method::POST, "/ws", &[("host", &host), ("origin", &origin)]);
        }
    }
}
