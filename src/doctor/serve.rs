//! The local web server: its pages are part of the program, and its port can be asked.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::{Check, Patient};

const DEFAULT_PORT: u16 = 7321;
/// Loopback answers at once, or not at all.
const LIMIT: Duration = Duration::from_millis(500);

pub(super) fn check(_patient: &Patient) -> Vec<Check> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT));
    let message = if TcpStream::connect_timeout(&address, LIMIT).is_ok() {
        format!("Something answers on {address}")
    } else {
        format!("Nothing runs on {address}; it is only needed for a browser")
    };
    vec![
        Check::pass("serve ui/dist", "The pages are part of the program"),
        Check::pass("serve port", message),
    ]
}
