//! `serve` (L5): ov's HTTP and WebSocket interface over the same stores.
//!
//! One thread runs the network ([`server`]); handlers read the stores on threads of their own
//! ([`shelf`]), and one more thread watches the stores and hands what is new to the WebSocket
//! clients ([`feed`], [`hub`], [`socket`]). Who may speak at all is decided in one place
//! ([`gate`]). There is no page: every path that is no route is answered with 404.

mod answer;
mod body;
mod crowd;
mod feed;
mod full;
mod gate;
mod hub;
mod position;
mod query;
mod routes;
mod server;
mod shelf;
mod socket;
mod stall;
mod token;

pub use server::{Options, ServeError, Started, run};
pub use token::TokenSource;
