//! Tests of the keymap: what is bound, what wins, what is refused.

use super::*;
use crate::tui::action::{ACTIONS, Action};

fn defaults() -> Keymap {
    Keymap::load(None, &LeaderEnv::default()).unwrap()
}

fn keys(text: &str) -> Vec<Key> {
    Key::parse_sequence(text).unwrap()
}

#[test]
fn every_default_binding_carries_its_own_description() {
    let root: toml::Table = include_str!("keys.toml").parse().unwrap();
    let mut tables: Vec<&toml::Table> = ["normal", "typing"]
        .iter()
        .map(|n| root[*n].as_table().unwrap())
        .collect();
    tables.extend(
        root["screen"]
            .as_table()
            .unwrap()
            .values()
            .map(|v| v.as_table().unwrap()),
    );
    for table in tables {
        for (key, value) in table {
            let desc = value
                .get("desc")
                .and_then(toml::Value::as_str)
                .unwrap_or("");
            assert!(!desc.is_empty(), "{key} has no description");
        }
    }
}

#[test]
fn every_action_is_described_once_and_has_a_unique_id() {
    let mut ids: Vec<_> = ACTIONS.iter().map(|i| i.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ACTIONS.len());
    for info in &ACTIONS {
        assert!(
            !info.title.is_empty() && !info.help.is_empty(),
            "{}",
            info.id
        );
        assert_eq!(Action::from_id(info.id), Some(info.action));
        assert_eq!(info.action.info().id, info.id);
    }
}

#[test]
fn the_screen_wins_over_the_general_binding() {
    let map = defaults();
    let run = |scope, text: &str| match map.lookup(scope, &keys(text)) {
        Lookup::Run(binding) => Some(binding.action),
        Lookup::Pending | Lookup::Unbound => None,
    };
    assert_eq!(run(Scope::Work, "enter"), Some(Action::TypeInto));
    assert_eq!(run(Scope::Merge, "enter"), Some(Action::Open));
    assert_eq!(run(Scope::Merge, "g t"), Some(Action::ThemePicker));
    assert_eq!(map.lookup(Scope::Mail, &keys("g")), Lookup::Pending);
    assert_eq!(map.lookup(Scope::Mail, &keys("g z")), Lookup::Unbound);
}

#[test]
fn no_screen_has_more_than_fourteen_verbs_on_keys() {
    let map = defaults();
    for (scope, name) in Scope::ALL {
        let mut verbs: Vec<_> = map.hints(scope).iter().map(|(_, b)| b.action).collect();
        verbs.dedup();
        assert!(verbs.len() <= 14, "{name} has {}", verbs.len());
    }
}

#[test]
fn nothing_is_bound_to_alt_or_ctrl_digit() {
    let map = defaults();
    for (scope, _) in Scope::ALL {
        for (path, _) in map.list(scope) {
            for key in path {
                let shown = key.to_string();
                assert!(!shown.starts_with("Alt-"), "{shown}");
                assert!(!(shown.starts_with('^') && shown.ends_with(|c: char| c.is_ascii_digit())));
            }
        }
    }
}

#[test]
fn a_user_file_rebinds_unbinds_and_adds_sequences() {
    let user = "[normal]\n\"ctrl-k\" = \"palette.open\"\n\"q\" = \"none\"\n\"g x\" = \"quit\"\n";
    let map = Keymap::load(Some(user), &LeaderEnv::default()).unwrap();
    assert!(matches!(
        map.lookup(Scope::Mail, &keys("ctrl-k")),
        Lookup::Run(_)
    ));
    assert_eq!(map.lookup(Scope::Mail, &keys("q")), Lookup::Unbound);
    assert_eq!(
        map.key_for(Scope::Mail, Action::Quit).as_deref(),
        Some("^C")
    );
}

#[test]
fn a_misspelt_action_is_answered_with_the_nearest() {
    let user = "[screen.merge]\n\"M\" = \"merge.nwo\"\n";
    let error = Keymap::load(Some(user), &LeaderEnv::default()).unwrap_err();
    assert!(
        error.to_string().contains("did you mean 'merge.now'?"),
        "{error}"
    );
}

#[test]
fn leader_skips_what_is_swallowed() {
    let leader = |env: LeaderEnv| choose(&[], &env).to_string();
    assert_eq!(leader(LeaderEnv::default()), "^Q");
    assert_eq!(
        leader(LeaderEnv {
            zellij: true,
            ..LeaderEnv::default()
        }),
        "Ctrl-Space"
    );
    assert_eq!(
        leader(LeaderEnv {
            wsl: true,
            cjk: true,
            ..LeaderEnv::default()
        }),
        "F12"
    );
}

#[test]
fn keys_are_read_as_they_are_shown() {
    for (text, shown) in [
        ("ctrl-q", "^Q"),
        ("shift-tab", "Shift-Tab"),
        ("f12", "F12"),
        ("space", "Space"),
        ("G", "G"),
        ("-", "-"),
        ("ctrl-right", "Ctrl-Right"),
    ] {
        assert_eq!(Key::parse(text).unwrap().to_string(), shown);
    }
    assert_eq!(Key::parse("nope"), None);
}
