//! `/ws`: one client that is shown what is new.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{RawQuery, State};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, timeout};

use super::answer::{Answer, Failure};
use super::hub::{Goodbye, MAX_CLIENTS, Subscription, Wants};
use super::query::Query;
use super::server::Shared;

/// Clients have nothing to say; what they send is dropped, and much of it ends the connection.
const MAX_MESSAGE: usize = 4096;
/// A client is asked for a sign of life this often…
const PING: Duration = Duration::from_secs(30);
/// …and given up after this long without one.
const SILENCE: Duration = Duration::from_secs(90);
/// The time for a client to take its leave.
const LEAVE: Duration = Duration::from_secs(2);

/// Opens the stream of a run, of an agent, or of all mail.
pub(super) async fn open(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answer {
    let query = Query::parse(query.as_deref());
    let wants = Wants {
        run: query.text("run"),
        agent: query.text("agent"),
        mail: query.flag("mail")? == Some(true),
    };
    if wants.is_nothing() {
        return Err(Failure::bad(
            "say what to watch: /ws?run=<id>, /ws?agent=<name> or /ws?mail=true",
        ));
    }
    let upgrade =
        upgrade.map_err(|_| Failure::bad("/ws is a WebSocket; open it with a ws:// address"))?;
    if *shared.ending.borrow() {
        return Err(Failure::unavailable("the server is ending"));
    }
    let place = Arc::clone(&shared.hub.places)
        .try_acquire_owned()
        .map_err(|_| {
            Failure::unavailable(format!(
                "{MAX_CLIENTS} WebSocket clients are connected already; try again later"
            ))
        })?;
    shared.feed.settled().await;
    // Before the answer: what is stored once the client knows it is connected must reach it.
    let subscription = shared.hub.subscribe(wants);
    Ok(upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| attend(socket, subscription, place)))
}

async fn attend(mut socket: WebSocket, subscription: Subscription, place: OwnedSemaphorePermit) {
    let Subscription {
        mut frames,
        goodbye,
        seat,
    } = subscription;
    let end = tokio::select! {
        why = goodbye => End::Dismissed(why.map_or(farewell(Goodbye::ServerEnds), farewell)),
        end = pump(&mut socket, &mut frames) => end,
    };
    drop(seat);
    leave(&mut socket, end).await;
    drop(place);
}

/// How a connection ends.
enum End {
    /// It is broken: nobody can be told anything.
    Gone,
    /// The client has said that it leaves.
    Left,
    /// The client has to leave.
    Dismissed(CloseFrame),
}

/// Passes frames on until the client leaves or has to.
async fn pump(socket: &mut WebSocket, frames: &mut mpsc::Receiver<Utf8Bytes>) -> End {
    match pass_on(socket, frames).await {
        Ok(end) => end,
        Err(_) => End::Gone,
    }
}

async fn pass_on(
    socket: &mut WebSocket,
    frames: &mut mpsc::Receiver<Utf8Bytes>,
) -> Result<End, axum::Error> {
    let mut heard = Instant::now();
    let mut ping = tokio::time::interval_at(heard + PING, PING);
    loop {
        tokio::select! {
            // The hub lets go of a client it dismisses, which is told why.
            Some(frame) = frames.recv() => socket.send(Message::Text(frame)).await?,
            incoming = socket.recv() => match received(incoming) {
                ControlFlow::Continue(()) => heard = Instant::now(),
                ControlFlow::Break(end) => return Ok(end),
            },
            _ = ping.tick() => {
                if heard.elapsed() > SILENCE {
                    return Ok(End::Dismissed(farewell(Goodbye::Silent)));
                }
                socket.send(Message::Ping(Vec::new().into())).await?;
            }
        }
    }
}

fn received(incoming: Option<Result<Message, axum::Error>>) -> ControlFlow<End> {
    match incoming {
        None => ControlFlow::Break(End::Gone),
        Some(Ok(Message::Close(_))) => ControlFlow::Break(End::Left),
        Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => {
            ControlFlow::Continue(())
        }
        // Too large a message, or bytes that are no WebSocket.
        Some(Err(_)) => ControlFlow::Break(End::Dismissed(CloseFrame {
            code: close_code::POLICY,
            reason: "this connection only sends; write through the API".into(),
        })),
    }
}

fn farewell(why: Goodbye) -> CloseFrame {
    match why {
        Goodbye::TooSlow => CloseFrame {
            code: close_code::AGAIN,
            reason: "you read too slowly; connect again and read what you missed from /api".into(),
        },
        Goodbye::Silent => CloseFrame {
            code: close_code::AWAY,
            reason: "no sign of life for a while; connect again".into(),
        },
        Goodbye::ServerEnds => CloseFrame {
            code: close_code::AWAY,
            reason: "the server is ending".into(),
        },
    }
}

/// Takes leave as the protocol wants it: each side sends its close frame. A client that has sent its own
/// gets the same code back, with the next look at what comes; one that has to leave is told why, and
/// given a moment to answer.
async fn leave(socket: &mut WebSocket, end: End) {
    let told = timeout(LEAVE, async {
        let told = match end {
            End::Gone => return,
            End::Left => Ok(()),
            End::Dismissed(close) => socket.send(Message::Close(Some(close))).await,
        };
        if told.is_ok() {
            while let Some(Ok(_)) = socket.recv().await {}
        }
    });
    // One that neither reads nor answers is cut off.
    drop(told.await);
}
