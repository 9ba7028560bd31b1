//! Variables that lead to somebody who acts as the user.

/// Where agents of keys, the user's session, its screen and its terminals listen: no kernel before Linux 7.1 refuses to
/// connect to them, so at least nobody is led there. Who reaches one of them can type for the user.
const DOORS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "SWAYSOCK",
    "I3SOCK",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "NIRI_SOCKET",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    "NVIM",
    "VSCODE_IPC_HOOK_CLI",
];

/// Those of them that are closed when a project lets some through.
pub fn closed_doors(open: &[String]) -> impl Iterator<Item = &'static str> {
    let is_open = |door: &str| open.iter().any(|name| name == door);
    DOORS.iter().copied().filter(move |door| !is_open(door))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_is_open_when_it_is_named() {
        let closed: Vec<_> = closed_doors(&["DISPLAY".to_owned()]).collect();
        assert!(closed.contains(&"SSH_AUTH_SOCK") && closed.contains(&"TMUX"));
        assert!(!closed.contains(&"DISPLAY"));
    }
}
