//! Paging through lists while others write.

use crate::client::get;
use crate::server::{Server, event};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads a list to its end by cursors; gives how often each id was seen.
fn walk(port: u16, path: &str, limit: usize) -> BTreeMap<String, usize> {
    let mut seen = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let page = get(port, &format!("{path}?limit={limit}{cursor}"));
        for row in page.data().as_array().unwrap() {
            let id = row["id"].to_string();
            *seen.entry(id).or_default() += 1;
        }
        assert!(page.data().as_array().unwrap().len() <= limit);
        match page.json()["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
}

#[test]
fn every_row_is_seen_once_while_others_are_written() {
    let server = Server::start();
    let before: Vec<_> = (0..60)
        .map(|n| server.message("a", "b", &n.to_string()))
        .collect();
    server
        .events()
        .insert_all(&vec![event("a", None); 60])
        .unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (mail, events) = (server.mail(), server.events());
            let new = grove::types::mail::NewMail::new(
                "a",
                "b",
                grove::types::mail::MailType::Status,
                "new",
                "x",
            );
            let mut written = 0;
            while !done.load(Ordering::Relaxed) && written < 400 {
                mail.insert(&new).unwrap();
                events.insert(&event("a", None)).unwrap();
                written += 1;
            }
        });
        for limit in [1, 7, 50] {
            let seen = walk(server.port, "/api/mail", limit);
            assert!(seen.values().all(|n| *n == 1), "{seen:?}");
            for id in &before {
                assert!(
                    seen.contains_key(&format!("\"{id}\"")),
                    "{id} with limit {limit}"
                );
            }
            let seen = walk(server.port, "/api/events", limit.max(20));
            assert!(seen.values().all(|n| *n == 1), "{seen:?}");
            let first: Vec<_> = (1..=60)
                .filter(|n| !seen.contains_key(&n.to_string()))
                .collect();
            assert!(first.is_empty(), "{first:?} with limit {limit}");
        }
        done.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    });
    // Nobody writes any more: every single row.
    let all = walk(server.port, "/api/events", 33);
    let rows = server.events().last_id().unwrap();
    assert_eq!(all.len() as i64, rows);
}

#[test]
fn runs_and_agents_are_paged_too() {
    let server = Server::start();
    for n in 0..7 {
        // Two of each pair have the same time.
        let at = format!("2026-03-0{}T00:00:00.000Z", n / 2 + 1);
        server
            .sessions()
            .insert_run(&format!("run-{n}"), &at)
            .unwrap();
        server.agent(
            &format!("agent-{n}"),
            None,
            grove::types::AgentState::Working,
        );
    }
    for path in ["/api/runs", "/api/agents"] {
        for limit in [1, 2, 3, 7] {
            let seen = walk(server.port, path, limit);
            assert_eq!(seen.len(), 7, "{path} {limit}");
            assert!(seen.values().all(|n| *n == 1), "{path} {limit}");
        }
    }
}

#[test]
fn a_limit_or_cursor_that_makes_no_sense_is_refused() {
    let server = Server::start();
    for query in [
        "limit=0",
        "limit=501",
        "limit=x",
        "limit=",
        "cursor=x",
        "cursor=",
        "cursor=e30",
        "cursor=%00",
    ] {
        for path in ["/api/runs", "/api/agents", "/api/events", "/api/mail"] {
            let error = get(server.port, &format!("{path}?{query}")).refusal(400);
            assert!(error.starts_with("Invalid "), "{error}");
        }
    }
    get(server.port, "/api/mail?unread=maybe").refusal(400);
    get(server.port, "/api/mail?limit=500").data();
}
