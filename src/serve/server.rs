//! The server itself: listening, the life of a connection, the end.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::crowd::{Crowd, Seat, WorkBody};
use super::feed::{Feed, FeedLine};
use super::full::Full;
use super::gate::{Connection, Gate};
use super::hub::{Hub, MAX_CLIENTS};
use super::shelf::{Opened, Shelf};
use super::stall::Stall;
use super::token::{self, TokenSource};
use crate::db::DbError;
use crate::platform::{FsError, ProjectPaths, signals};

/// Connections at the same time; a further one takes the place of an idle one, or is refused.
const MAX_CONNECTIONS: usize = 256;
/// Handlers that wait for a database or a process at the same time.
const MAX_BLOCKING: usize = 16;
/// The time for the head of a request, and for which an idle connection is kept.
const HEAD: Duration = Duration::from_secs(5);
/// The largest head of a request.
const MAX_HEAD: usize = 32 * 1024;
/// A peer that reads nothing for so long is cut off.
const STALLED: Duration = Duration::from_secs(30);
/// The time for requests to be finished at the end.
const FINISH: Duration = Duration::from_secs(5);

/// What to serve and where.
#[derive(Debug, Clone)]
pub struct Options {
    pub paths: ProjectPaths,
    pub host: String,
    /// 0 means any free port.
    pub port: u16,
    /// Port of a development server whose page may speak to this one.
    pub dev_port: Option<u16>,
    /// Demand the token on loopback, too.
    pub demand_token: bool,
}

/// A server that listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub port: u16,
    pub hostname: String,
    pub url: String,
    pub dev_url: Option<String>,
    /// Where the token is, if one is demanded.
    pub token: Option<TokenSource>,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("port {port} on {host} is in use")]
    InUse { host: String, port: u16 },
    #[error("port {port} may not be used: {source}")]
    Forbidden { port: u16, source: io::Error },
    #[error("{host} is no address of this machine: {why}")]
    Address { host: String, why: String },
    #[error("{0}")]
    Token(String),
    #[error("the server cannot run: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    File(#[from] FsError),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What all handlers share.
pub(super) struct Shared {
    pub(super) paths: ProjectPaths,
    pub(super) gate: Gate,
    pub(super) shelf: Arc<Shelf>,
    pub(super) hub: Arc<Hub>,
    pub(super) feed: FeedLine,
    pub(super) started: Instant,
    /// Becomes true when the server ends.
    pub(super) ending: watch::Receiver<bool>,
}

/// Serves until this process is asked to end. `on_started` is called once connections are
/// accepted, `on_ending` when the end begins.
pub fn run(
    options: Options,
    on_started: impl FnOnce(&Started),
    on_ending: impl FnOnce(),
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_BLOCKING)
        .build()?;
    let result = runtime.block_on(serve(options, on_started, on_ending));
    // A handler that still waits for a database must not hold the end up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

async fn serve(
    options: Options,
    on_started: impl FnOnce(&Started),
    on_ending: impl FnOnce(),
) -> Result<(), ServeError> {
    let address = resolve(&options.host, options.port)?;
    let loopback = address.ip().is_loopback();
    let (token, source) = match token::from_environment()? {
        Some(token) => (Some(token), Some(TokenSource::Environment)),
        None if options.demand_token || !loopback => {
            let (token, source) = token::from_file(&options.paths)?;
            (Some(token), Some(source))
        }
        None => (None, None),
    };
    let opened = Opened::open(&options.paths)?;
    let listener = listen(&options.host, address).await?;
    let port = listener.local_addr()?.port();

    let hub = Hub::new();
    let (news_sender, mut news) = mpsc::channel(1);
    let feed = Feed::start(&options.paths, Arc::clone(&hub), news_sender)?;
    let publisher = Arc::clone(&hub);
    let publishing = tokio::spawn(async move {
        while let Some(items) = news.recv().await {
            publisher.publish(items).await;
        }
    });

    let (ending_sender, ending) = watch::channel(false);
    let shared = Arc::new(Shared {
        gate: Gate {
            host: options.host.clone(),
            loopback,
            dev_port: options.dev_port,
            token,
        },
        shelf: Shelf::new(options.paths.clone(), opened),
        hub: Arc::clone(&hub),
        feed: feed.line(),
        started: Instant::now(),
        ending: ending.clone(),
        paths: options.paths,
    });
    let router = super::routes::router(shared);

    let mut end = tokio::spawn(signals::end());
    // The handlers of signals are set before anybody is told that we run.
    tokio::task::yield_now().await;
    on_started(&Started {
        port,
        url: url(&options.host, port),
        dev_url: options.dev_port.map(|port| url("127.0.0.1", port)),
        hostname: options.host,
        token: source,
    });

    let crowd = Crowd::new(MAX_CONNECTIONS);
    let full = Full::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = &mut end => break,
            accepted = accept(&listener) => accepted,
        };
        let Some(stream) = accepted else {
            continue;
        };
        match crowd.enter() {
            Some(seat) => {
                tokio::spawn(attend(stream, seat, router.clone(), ending.clone()));
            }
            None => full.refuse(stream),
        }
    }

    on_ending();
    drop(listener);
    // Who waits for a change learns it now.
    ending_sender.send_replace(true);
    hub.dismiss_all();
    drop(feed);
    let finished = async {
        crowd.empty().await;
        // All places are free when the last client has left.
        hub.places.acquire_many(MAX_CLIENTS as u32).await.is_ok()
    };
    if timeout(FINISH, finished).await.is_err() {
        tracing::warn!("some connections were cut off");
    }
    publishing.abort();
    Ok(())
}

/// Serves one connection until its peer or the server ends, or its place is needed.
async fn attend(stream: TcpStream, seat: Seat, router: Router, mut ending: watch::Receiver<bool>) {
    // Small frames should not wait for each other.
    if let Err(e) = stream.set_nodelay(true) {
        tracing::debug!("a connection was lost at once: {e}");
        return;
    }
    let ends = stream.local_addr().and_then(|server| {
        let client = stream.peer_addr()?;
        Ok(Connection { server, client })
    });
    let router = match ends {
        Ok(ends) => router.layer(Extension(ends)),
        Err(e) => {
            tracing::debug!("a connection was lost at once: {e}");
            return;
        }
    };
    let seat = Arc::new(seat);
    let own_seat = Arc::clone(&seat);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request| {
        let work = own_seat.work();
        let answer = router.call(request);
        async move { Ok::<_, Infallible>(answer.await?.map(|body| WorkBody::new(body, work))) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(Stall::new(stream, STALLED)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // The value only ever changes once; an error means that the server is gone altogether.
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = seat.wanted() => {
            connection.as_mut().graceful_shutdown();
            // One step more for what has come just now.
            let step = poll_fn(|cx| Poll::Ready(connection.as_mut().poll(cx))).await;
            match step {
                Poll::Ready(ended) => ended,
                Poll::Pending if seat.is_working() => connection.await,
                Poll::Pending => return,
            }
        }
        _ = ending.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(e) = ended {
        tracing::debug!("a connection ended: {e}");
    }
}

/// The next connection; `None` when accepting failed this time.
async fn accept(listener: &TcpListener) -> Option<TcpStream> {
    match listener.accept().await {
        Ok((stream, _)) => Some(stream),
        Err(e) => {
            tracing::warn!("a connection could not be accepted: {e}");
            // Out of files, mostly: nothing tells when there are some again.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

fn resolve(host: &str, port: u16) -> Result<SocketAddr, ServeError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, port));
    }
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    let found = (host, port)
        .to_socket_addrs()
        .map_err(|e| e.to_string())
        .and_then(|mut all| all.next().ok_or_else(|| "no such name".to_owned()));
    found.map_err(|why| ServeError::Address {
        host: host.to_owned(),
        why,
    })
}

async fn listen(host: &str, address: SocketAddr) -> Result<TcpListener, ServeError> {
    let port = address.port();
    let host = host.to_owned();
    TcpListener::bind(address).await.map_err(|e| {
        let kind = e.kind();
        if kind == io::ErrorKind::AddrInUse {
            ServeError::InUse { host, port }
        } else if kind == io::ErrorKind::PermissionDenied {
            ServeError::Forbidden { port, source: e }
        } else if kind == io::ErrorKind::AddrNotAvailable {
            let why = e.to_string();
            ServeError::Address { host, why }
        } else {
            ServeError::Io(e)
        }
    })
}

fn url(host: &str, port: u16) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("http://[{host}]:{port}")
    } else {
        format!("http://{host}:{port}")
    }
}
