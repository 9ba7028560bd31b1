//! More connections than there are places.

use crate::client::{connect, get};
use crate::server::Server;
use crate::support::{SHORT, wait_until};

#[test]
fn idle_connections_do_not_keep_others_waiting_without_an_answer() {
    let server = Server::start();
    let idle: Vec<_> = (0..300).map(|_| connect(server.port)).collect();
    let refused = get(server.port, "/healthz").refusal(503);
    assert!(refused.contains("too many connections"), "{refused}");
    drop(idle);
    wait_until(
        "there are places again",
        SHORT,
        || (get(server.port, "/healthz").status == 200).then_some(()),
        String::new,
    );
}
