//! Every route with its answers and refusals.

use crate::client::{get, post, request};
use crate::server::{Server, event};
use crate::support::{LONG, wait_until};
use grove::types::AgentState;
use serde_json::{Value, json};

#[test]
fn it_says_where_it_is_and_that_it_is_well() {
    let server = Server::start();
    let started = &server.started;
    assert_eq!(started["success"], true);
    assert_eq!(started["command"], "serve");
    assert_eq!(started["status"], "started");
    assert_eq!(started["hostname"], "127.0.0.1");
    assert_eq!(started["url"], format!("http://127.0.0.1:{}", server.port));
    assert_eq!(started.as_object().unwrap().len(), 6, "{started}");
    let health = get(server.port, "/healthz").data();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert!(health["uptimeMs"].is_u64());
}

#[test]
fn runs_and_agents_are_the_rows_of_the_stores() {
    let server = Server::start();
    server
        .sessions()
        .insert_run("run-a", "2026-03-01T00:00:00.000Z")
        .unwrap();
    server
        .sessions()
        .insert_run("run-b", "2026-04-01T00:00:00.000Z")
        .unwrap();
    server.agent("one", Some("run-a"), AgentState::Working);
    server.agent("two", None, AgentState::Working);
    let runs = get(server.port, "/api/runs");
    assert_eq!(runs.data()[0]["id"], "run-b");
    assert_eq!(runs.data()[1]["agentCount"], 1);
    assert!(runs.json().get("nextCursor").is_none());
    let run = get(server.port, "/api/runs/run-a").data();
    assert_eq!(run["status"], "active");
    assert_eq!(run["agents"][0]["agentName"], "one");
    get(server.port, "/api/runs/none").refusal(404);
    let agents = get(server.port, "/api/agents").data();
    assert_eq!(agents.as_array().unwrap().len(), 2);
    let agents = get(server.port, "/api/agents?run=run-a").data();
    assert_eq!(agents.as_array().unwrap().len(), 1);
    assert_eq!(agents[0]["branchName"], "overstory/one/t");
    let one = get(server.port, "/api/agents/%6fne").data();
    assert_eq!(one, agents[0]);
    assert!(
        get(server.port, "/api/agents/no%20one")
            .refusal(404)
            .contains("no one")
    );
    get(server.port, "/api/agents/%ff").refusal(400);
}

#[test]
fn events_are_filtered_by_agent_run_and_time() {
    let server = Server::start();
    server
        .events()
        .insert_all(&[
            event("one", Some("r")),
            event("two", Some("r")),
            event("two", None),
        ])
        .unwrap();
    let count = |query: &str| {
        let data = get(server.port, &format!("/api/events{query}")).data();
        data.as_array().unwrap().len()
    };
    assert_eq!(count(""), 3);
    assert_eq!(count("?agent=two"), 2);
    assert_eq!(count("?run=r"), 2);
    assert_eq!(count("?run=r&agent=two"), 1);
    assert_eq!(count("?since=2000-01-01"), 3);
    assert_eq!(count("?since=2999-01-01T00:00:00Z"), 0);
    get(server.port, "/api/events?since=yesterday").refusal(400);
}

#[test]
fn mail_is_listed_shown_sent_answered_read_and_deleted() {
    let server = Server::start();
    server.agent("bob", None, AgentState::Working);
    let message = json!({"to": "bob", "subject": "s", "body": "b", "priority": "urgent"});
    let sent = post(server.port, "/api/mail", &message).data();
    let id = sent["messageId"].as_str().unwrap();
    let listed = get(server.port, "/api/mail?to=bob&unread=true").data();
    assert_eq!(listed[0]["id"], id);
    assert_eq!(listed[0]["from"], "operator");
    assert_eq!(listed[0]["read"], false);
    // As with the command: an event, and a nudge because it is urgent.
    assert_eq!(
        get(server.port, "/api/events").data()[0]["eventType"],
        "mail_sent"
    );
    assert!(
        server
            .project
            .overstory("pending-nudges/bob.json")
            .is_file()
    );

    let reply = json!({"body": "yes", "from": "bob"});
    let answered = post(server.port, &format!("/api/mail/{id}/reply"), &reply).data();
    let shown = get(server.port, &format!("/api/mail/{id}")).data();
    assert_eq!(shown["message"]["id"], id);
    assert_eq!(shown["thread"][0]["id"], id);
    assert_eq!(shown["thread"][1]["id"], answered["messageId"]);
    assert_eq!(shown["thread"][1]["subject"], "Re: s");

    let read = post(server.port, &format!("/api/mail/{id}/read"), &json!({})).data();
    assert_eq!(read, json!({"id": id, "read": true}));
    let unread = get(server.port, "/api/mail?to=bob&unread=true").data();
    assert_eq!(unread, json!([]));
    let path = format!("/api/mail/{id}");
    let deleted = request(server.port, "DELETE", &path, &[], "").data();
    assert_eq!(deleted, json!({"id": id, "deleted": true}));
    for (method, path) in [
        ("DELETE", path.clone()),
        ("GET", path.clone()),
        ("POST", format!("{path}/read")),
    ] {
        request(server.port, method, &path, &[], "").refusal(404);
    }
    post(server.port, &format!("{path}/reply"), &reply).refusal(404);
}

#[test]
fn groups_are_resolved_and_mail_to_nobody_is_refused() {
    let server = Server::start();
    server.agent("one", None, AgentState::Working);
    server.agent("two", None, AgentState::Working);
    server.agent("done", None, AgentState::Completed);
    let mail = |to: &str| {
        let message = json!({"to": to, "subject": "s", "body": "b"});
        post(server.port, "/api/mail", &message)
    };
    let sent = mail("@builders").data();
    assert_eq!(sent["messageIds"].as_array().unwrap().len(), 2);
    assert!(mail("nobody").refusal(400).contains("nobody"));
    mail("@nobodies").refusal(400);
    mail("@scouts").refusal(400);
    assert!(mail("done").refusal(409).contains("completed"));
    assert_eq!(server.mail().unread("nobody").unwrap().len(), 0);
    assert_eq!(server.mail().unread("done").unwrap().len(), 0);
}

#[test]
fn wrong_bodies_get_one_line_and_change_nothing() {
    let server = Server::start();
    server.agent("bob", None, AgentState::Working);
    let whole = json!({"to": "bob", "subject": "s", "body": "b"});
    let mut wrong: Vec<String> = [
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"x\"",
        "{\"to\":\"bob\"}",
        "\u{0}",
    ]
    .map(str::to_owned)
    .into();
    wrong.push("[".repeat(50_000));
    for (field, value) in [
        ("to", json!(7)),
        ("subject", Value::Null),
        ("body", json!("")),
        ("type", json!("gossip")),
        ("priority", json!("asap")),
        ("from", json!({})),
        ("payload", json!("{not json")),
        ("payload", json!({"a": 1})),
    ] {
        let mut body = whole.clone();
        body[field] = value;
        wrong.push(body.to_string());
    }
    for body in wrong {
        request(server.port, "POST", "/api/mail", &[], &body).refusal(400);
    }
    let large = format!(
        "{{\"to\":\"bob\",\"body\":\"{}\"}}",
        "x".repeat(2 * 1024 * 1024)
    );
    let reply = request(server.port, "POST", "/api/mail", &[], &large);
    reply.refusal(413);
    assert!(server.mail().unread("bob").unwrap().is_empty());
}

#[test]
fn unknown_paths_and_methods_are_told_apart() {
    let server = Server::start();
    for path in [
        "/",
        "/api",
        "/api/nothing",
        "/api/runs/",
        "/index.html",
        "/../../etc/passwd",
        "/ws/x",
    ] {
        get(server.port, path).refusal(404);
    }
    for (method, path) in [
        ("POST", "/api/runs"),
        ("DELETE", "/api/agents"),
        ("PUT", "/api/mail"),
        ("GET", "/api/coordinator/start"),
        ("POST", "/healthz"),
        ("GET", "/api/mail/x/reply"),
        ("OPTIONS", "/api/mail"),
    ] {
        let reply = request(server.port, method, path, &[], "");
        reply.refusal(405);
        assert!(
            reply.head.to_lowercase().contains("\r\nallow: "),
            "{reply:?}"
        );
    }
    assert_eq!(
        request(server.port, "HEAD", "/api/runs", &[], "").status,
        200
    );
}

#[test]
fn a_coordinator_that_does_not_run_is_a_conflict() {
    let server = Server::start();
    let state = get(server.port, "/api/coordinator/state").data();
    assert_eq!(state["running"], false);
    assert_eq!(state["agentName"], "coordinator");
    assert_eq!(state["pid"], Value::Null);
    let message = json!({"subject": "s", "body": "b"});
    for verb in ["send", "ask"] {
        let path = format!("/api/coordinator/{verb}");
        let error = post(server.port, &path, &message).refusal(409);
        assert!(error.starts_with("Coordinator is not running"), "{error}");
        post(server.port, &path, &json!({"body": "b"})).refusal(400);
    }
    post(
        server.port,
        "/api/coordinator/ask",
        &json!({"subject": "s", "body": "b", "timeoutSec": 601}),
    )
    .refusal(400);
    let stopped = post(server.port, "/api/coordinator/stop", &json!({})).data();
    assert_eq!(stopped, json!({"stopped": false}));
    let complete = post(server.port, "/api/coordinator/check-complete", &json!({})).data();
    assert_eq!(complete["complete"], false);
    assert!(complete["triggers"]["allAgentsDone"]["enabled"].is_boolean());
    assert!(server.mail().unread("coordinator").unwrap().is_empty());
}

/// A coordinator that runs and says nothing: the lease is held, nobody reads the mail.
fn silent_coordinator(server: &Server) -> grove::platform::lease::Lease {
    let path = server.project.overstory("coordinator.lease");
    match grove::platform::lease::try_take(&path).unwrap() {
        grove::platform::lease::Taken::Mine(lease) => lease,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_is_answered_by_whoever_replies_in_its_thread() {
    let server = Server::start();
    let port = server.port;
    let _lease = silent_coordinator(&server);
    let asked = std::thread::spawn(move || {
        let question = json!({"subject": "which?", "body": "b", "timeoutSec": 100});
        post(port, "/api/coordinator/ask", &question).data()
    });
    let question = wait_until(
        "the question is in the store",
        LONG,
        || {
            let all = server
                .mail()
                .list(&grove::db::mail::MailFilter::default())
                .unwrap();
            all.into_iter().find(|m| m.subject == "which?")
        },
        || server.project.report(),
    );
    assert!(
        question
            .payload
            .as_deref()
            .unwrap()
            .contains("correlationId")
    );
    let answer = grove::mail::reply(&server.mail(), &question.id, "coordinator", "this").unwrap();
    let asked = asked.join().unwrap();
    assert_eq!(asked["messageId"], question.id);
    assert_eq!(asked["timedOut"], false);
    assert_eq!(
        asked["reply"],
        json!({"id": answer.id, "body": "this", "subject": "Re: which?"})
    );

    let late = json!({"subject": "and?", "body": "b", "timeoutSec": 1});
    let late = post(port, "/api/coordinator/ask", &late).data();
    assert_eq!(late["timedOut"], true);
    assert_eq!(late["reply"], Value::Null);
}

#[test]
fn the_coordinator_is_started_asked_and_stopped() {
    let server = Server::start();
    let port = server.port;
    let started = post(port, "/api/coordinator/start", &json!({})).data();
    assert_eq!(started["started"], true);
    assert_eq!(started["alreadyRunning"], false);
    let again = post(port, "/api/coordinator/start", &json!({})).data();
    assert_eq!(again["started"], false);
    assert_eq!(again["alreadyRunning"], true);
    assert_eq!(again["pid"], started["pid"]);
    let state = get(port, "/api/coordinator/state").data();
    assert_eq!(state["running"], true);
    assert_eq!(state["headless"], true);
    assert_eq!(state["runId"], started["runId"]);

    let message = json!({"subject": "s", "body": "b"});
    let sent = post(port, "/api/coordinator/send", &message).data();
    let stored = server
        .mail()
        .get(sent["messageId"].as_str().unwrap())
        .unwrap();
    let stored = stored.unwrap();
    assert_eq!(
        (stored.from.as_str(), stored.to.as_str()),
        ("operator", "coordinator")
    );

    let question = json!({"subject": "which?", "body": "b", "timeoutSec": 100});
    let asked = post(port, "/api/coordinator/ask", &question).data();
    assert_eq!(asked["timedOut"], false);
    assert_eq!(asked["reply"]["subject"], "Re: which?");

    assert_eq!(
        post(port, "/api/coordinator/stop", &json!({})).data(),
        json!({"stopped": true})
    );
    assert_eq!(get(port, "/api/coordinator/state").data()["running"], false);
}

#[test]
fn databases_that_are_replaced_are_read_anew() {
    let server = Server::start();
    server.message("a", "b", "old");
    assert_eq!(
        get(server.port, "/api/mail")
            .data()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    for name in ["mail.db", "mail.db-wal", "mail.db-shm"] {
        std::fs::remove_file(server.project.overstory(name)).ok();
    }
    assert_eq!(get(server.port, "/api/mail").data(), json!([]));
    server.message("a", "b", "new");
    assert_eq!(get(server.port, "/api/mail").data()[0]["subject"], "new");
}

#[test]
fn a_broken_database_is_named_and_the_others_go_on() {
    let server = Server::start();
    get(server.port, "/api/mail").data();
    for name in ["mail.db-wal", "mail.db-shm"] {
        std::fs::remove_file(server.project.overstory(name)).ok();
    }
    // In one step: where none is, the server would make a new one.
    let broken = server.project.beside().join("broken.db");
    std::fs::write(
        &broken,
        "these bytes are no database, whatever the name says",
    )
    .unwrap();
    std::fs::rename(&broken, server.project.overstory("mail.db")).unwrap();
    let error = get(server.port, "/api/mail").refusal(500);
    assert!(error.contains("mail.db"), "{error}");
    assert_eq!(get(server.port, "/healthz").status, 200);
}
