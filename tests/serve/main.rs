//! `grove serve` over real connections: routes, paging, who may speak, sockets, and the end.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod client;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod end;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod paging;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod server;
#[cfg(test)]
mod sockets;
