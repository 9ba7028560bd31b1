//! Connections to hosts: the screens that a front end shows.

use super::event::{EngineEvent, PaneEvent};
use crate::db::GroveStore;
use crate::db::grove::HostRow;
use crate::host::client;
use crate::host::protocol::{self, Frame, Kind, Size};
use crate::host::shown::Shown;
use crate::host::terminal::split_snapshot;
use crate::platform::ProjectPaths;
use std::collections::HashMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// One attached agent.
struct Pane {
    session_id: String,
    size: (u16, u16),
    /// Frames for the host; `None` when there is no host.
    writer: Option<mpsc::Sender<Frame>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Pane {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// All attached agents.
pub(super) struct Panes {
    open: HashMap<String, Pane>,
    events: mpsc::Sender<EngineEvent>,
    paths: Option<ProjectPaths>,
}

impl Panes {
    pub(super) fn new(events: mpsc::Sender<EngineEvent>) -> Self {
        Self {
            open: HashMap::new(),
            events,
            paths: None,
        }
    }

    async fn tell(&self, agent: &str, event: PaneEvent) {
        let event = EngineEvent::Pane {
            agent: agent.to_owned(),
            event,
        };
        self.events.send(event).await.unwrap_or_default();
    }

    /// Shows an agent: live, or its last screen.
    pub(super) async fn attach(&mut self, paths: &ProjectPaths, agent: &str, cols: u16, rows: u16) {
        self.paths = Some(paths.clone());
        self.open.remove(agent);
        match client::running(paths, agent) {
            Ok(host) => self.connect(&host, (cols, rows)).await,
            Err(_) => self.last_screen(paths, agent, (cols, rows)).await,
        }
    }

    async fn connect(&mut self, host: &HostRow, size: (u16, u16)) {
        let agent = host.agent.clone();
        let stream = match open(host, size) {
            Ok(stream) => stream,
            Err(e) => {
                self.tell(&agent, PaneEvent::Unavailable { reason: e })
                    .await;
                return;
            }
        };
        let (reader, mut out) = stream.into_split();
        let (writer, mut frames) = mpsc::channel::<Frame>(256);
        let write = tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                if out.write_all(&frame.encode()).await.is_err() {
                    return;
                }
            }
        });
        let events = self.events.clone();
        let name = agent.clone();
        let read = tokio::spawn(async move { follow(reader, &name, &events).await });
        let pane = Pane {
            session_id: host.session_id.clone(),
            size,
            writer: Some(writer),
            tasks: vec![read, write],
        };
        self.open.insert(agent, pane);
    }

    async fn last_screen(&mut self, paths: &ProjectPaths, agent: &str, size: (u16, u16)) {
        let host = GroveStore::look(&paths.grove_db())
            .and_then(|g| g.host(agent))
            .ok()
            .flatten();
        let Some(host) = host else {
            let reason = "no terminal: it is only just starting, or was not started by grove";
            let event = PaneEvent::Unavailable {
                reason: reason.to_owned(),
            };
            self.tell(agent, event).await;
            // Its first host is a new life like any other, see `follow`.
            let pane = Pane {
                session_id: String::new(),
                size,
                writer: None,
                tasks: Vec::new(),
            };
            self.open.insert(agent.to_owned(), pane);
            return;
        };
        let stored = std::fs::read(paths.host_dir(agent).join("screen.bin")).ok();
        if let Some((cols, rows, bytes)) = stored.as_deref().and_then(split_snapshot) {
            let bytes = bytes.to_vec();
            self.tell(agent, PaneEvent::Snapshot { cols, rows, bytes })
                .await;
        }
        let event = match &host.exit {
            Some(exit) => PaneEvent::Exited {
                code: exit.code,
                signal: exit.signal.as_deref().and_then(|s| s.parse().ok()),
                cause: Some(exit.cause.clone()),
            },
            None => PaneEvent::Exited {
                code: None,
                signal: None,
                cause: Some("its host process was killed".to_owned()),
            },
        };
        self.tell(agent, event).await;
        let pane = Pane {
            session_id: host.session_id,
            size,
            writer: None,
            tasks: Vec::new(),
        };
        self.open.insert(agent.to_owned(), pane);
    }

    pub(super) fn detach(&mut self, agent: &str) {
        self.open.remove(agent);
    }

    /// Attaches again to agents that have begun a new life under the same name.
    pub(super) async fn follow(&mut self, hosts: &[HostRow]) {
        let Some(paths) = self.paths.clone() else {
            return;
        };
        let reborn: Vec<(String, (u16, u16))> = hosts
            .iter()
            .filter_map(|h| {
                let pane = self.open.get(&h.agent)?;
                (pane.session_id != h.session_id).then(|| (h.agent.clone(), pane.size))
            })
            .collect();
        for (agent, (cols, rows)) in reborn {
            self.attach(&paths, &agent, cols, rows).await;
        }
    }

    async fn send(&mut self, paths: &ProjectPaths, agent: &str, frame: Frame) {
        if let Some(writer) = self.open.get(agent).and_then(|p| p.writer.as_ref()) {
            // A closed channel means that the agent has ended; its pane says so.
            writer.send(frame).await.unwrap_or_default();
            return;
        }
        let sent = client::running(paths, agent)
            .map_err(|e| e.to_string())
            .and_then(|host| {
                let mut stream = std::os::unix::net::UnixStream::connect(&host.socket)
                    .map_err(|e| e.to_string())?;
                protocol::write(&mut stream, &frame).map_err(|e| e.to_string())
            });
        if let Err(reason) = sent {
            self.tell(agent, PaneEvent::Unavailable { reason }).await;
        }
    }

    pub(super) async fn input(&mut self, paths: &ProjectPaths, agent: &str, bytes: Vec<u8>) {
        self.send(paths, agent, Frame::new(Kind::Input, bytes))
            .await;
    }

    pub(super) async fn paste(&mut self, paths: &ProjectPaths, agent: &str, text: String) {
        self.send(paths, agent, Frame::new(Kind::Paste, text)).await;
    }

    pub(super) async fn resize(&mut self, agent: &str, cols: u16, rows: u16) {
        let Some(pane) = self.open.get_mut(agent) else {
            return;
        };
        pane.size = (cols, rows);
        if let Some(writer) = &pane.writer {
            let frame = Frame::json(Kind::Resize, &Size { cols, rows });
            writer.send(frame).await.unwrap_or_default();
        }
    }
}

fn open(host: &HostRow, size: (u16, u16)) -> Result<UnixStream, String> {
    let stream = client::attach(host, Some(size)).map_err(|e| e.to_string())?;
    stream.set_nonblocking(true).map_err(|e| e.to_string())?;
    UnixStream::from_std(stream).map_err(|e| e.to_string())
}

/// Passes on what a host sends until it ends. A front end that is slow holds this task, and
/// with it the connection; the host then brings the pane up to date with a snapshot.
async fn follow(mut reader: OwnedReadHalf, agent: &str, events: &mpsc::Sender<EngineEvent>) {
    let mut ended = false;
    while let Some(frame) = next(&mut reader).await {
        let event = frame.into_shown().map(|shown| match shown {
            Shown::Snapshot { cols, rows, bytes } => PaneEvent::Snapshot { cols, rows, bytes },
            Shown::Output(bytes) => PaneEvent::Output(bytes),
            Shown::Resized(Size { cols, rows }) => PaneEvent::Resized { cols, rows },
            Shown::Exited(e) => {
                ended = true;
                PaneEvent::Exited {
                    code: e.code,
                    signal: e.signal.and_then(|s| s.parse().ok()),
                    cause: Some(e.cause),
                }
            }
        });
        if let Some(event) = event {
            let event = EngineEvent::Pane {
                agent: agent.to_owned(),
                event,
            };
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
    if !ended {
        let cause = Some("its host process was killed".to_owned());
        let event = PaneEvent::Exited {
            code: None,
            signal: None,
            cause,
        };
        let event = EngineEvent::Pane {
            agent: agent.to_owned(),
            event,
        };
        events.send(event).await.unwrap_or_default();
    }
}

async fn next(reader: &mut OwnedReadHalf) -> Option<Frame> {
    loop {
        let mut head = [0; 5];
        reader.read_exact(&mut head).await.ok()?;
        let (length, kind) = protocol::header(head).ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).await.ok()?;
        if let Some(kind) = Kind::from_byte(kind) {
            return Some(Frame { kind, body });
        }
    }
}
