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
    let close = tokio::select! {
        why = goodbye => Some(why.map_or(farewell(Goodbye::ServerEnds), farewell)),
        close = pump(&mut socket, &mut frames) => close,
    };
    drop(seat);
    if let Some(close) = close {
        leave(&mut socket, close).await;
    }
    drop(place);
}

/// Passes frames on until the client has left (`None`) or has to leave.
async fn pump(
    socket: &mut WebSocket,
    frames: &mut mpsc::Receiver<Utf8Bytes>,
) -> Option<CloseFrame> {
    let mut heard = Instant::now();
    let mut ping = tokio::time::interval_at(heard + PING, PING);
    loop {
        tokio::select! {
            frame = frames.recv() => socket.send(Message::Text(frame?)).await.ok()?,
            incoming = socket.recv() => match received(incoming) {
                ControlFlow::Continue(()) => heard = Instant::now(),
                ControlFlow::Break(close) => return close,
            },
            _ = ping.tick() => {
                if heard.elapsed() > SILENCE {
                    return None;
                }
                socket.send(Message::Ping(Vec::new().into())).await.ok()?;
            }
        }
    }
}

fn received(incoming: Option<Result<Message, axum::Error>>) -> ControlFlow<Option<CloseFrame>> {
    match incoming {
        None | Some(Ok(Message::Close(_))) => ControlFlow::Break(None),
        Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => {
            ControlFlow::Continue(())
        }
        // Too large a message, or bytes that are no WebSocket.
        Some(Err(_)) => ControlFlow::Break(Some(CloseFrame {
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
        Goodbye::ServerEnds => CloseFrame {
            code: close_code::AWAY,
            reason: "the server is ending".into(),
        },
    }
}

/// Tells the client why, and waits a moment for it to hang up, so that it can read the reason.
async fn leave(socket: &mut WebSocket, close: CloseFrame) {
    let told = timeout(LEAVE, async {
        if socket.send(Message::Close(Some(close))).await.is_ok() {
            while let Some(Ok(_)) = socket.recv().await {}
        }
    });
    // One that neither reads nor answers is cut off.
    drop(told.await);
}
