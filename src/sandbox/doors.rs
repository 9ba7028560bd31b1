//! Variables that lead to somebody who acts as the user.

/// Where agents of keys and the user's session listen: no kernel before Linux 7.1 refuses to connect to them, so at
/// least nobody is led there.
pub const DOORS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL",
    "DBUS_SESSION_BUS_ADDRESS",
];
