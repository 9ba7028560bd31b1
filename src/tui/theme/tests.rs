//! Tests of the themes: complete, readable, and right in every colour depth.

use ratatui::style::{Color, Modifier};

use super::bundled::text_of;
use super::colour::contrast;
use super::*;

fn fg(theme: &Theme, token: Token) -> Color {
    theme.style(token).fg.unwrap_or(Color::Reset)
}

#[test]
fn every_bundled_theme_parses_without_a_warning_and_bears_its_own_name() {
    for (name, text) in BUNDLED {
        let (theme, warnings) = Theme::parse(text, Depth::TrueColor).unwrap();
        assert_eq!(theme.name, name);
        assert_eq!(warnings, [], "{name}");
    }
}

#[test]
fn tokens_are_listed_in_declaration_order() {
    for (i, (token, name)) in Token::ALL.iter().enumerate() {
        assert_eq!(*token as usize, i, "{name}");
        assert_eq!(Token::from_name(name), Some(*token));
    }
}

#[test]
fn the_base_defines_every_token() {
    let text = text_of("base").unwrap();
    let base: toml::Table = text.parse().unwrap();
    let tokens = base["tokens"].as_table().unwrap();
    let (_, warnings) = Theme::parse(text, Depth::Ansi16).unwrap();
    assert_eq!(warnings, []);
    for (_, name) in Token::ALL {
        let whole = tokens.get(name);
        let nested = name
            .split_once('.')
            .and_then(|(group, last)| tokens.get(group)?.get(last));
        assert!(whole.or(nested).is_some(), "{name} is missing");
    }
}

#[test]
fn text_can_be_read_in_every_theme() {
    for (name, _) in BUNDLED {
        let theme = bundled(name, Depth::TrueColor).unwrap();
        let ground = theme.style(Token::Bg).bg.unwrap_or(if theme.dark {
            Color::Rgb(0x12, 0x16, 0x0f)
        } else {
            Color::Rgb(255, 255, 255)
        });
        let ratio = |token| contrast(fg(&theme, token), ground);
        let at_least = |token, least: f64| {
            if let Some(found) = ratio(token) {
                assert!(
                    found >= least,
                    "{name}: {token:?} has {found:.1}:1, needs {least}"
                );
            }
        };
        if matches!(name, "ansi" | "mono") {
            continue; // the terminal's own colours: nobody knows their values
        }
        at_least(Token::Text, 7.0);
        at_least(Token::Muted, 4.5);
        for (token, label) in Token::ALL {
            if label.starts_with("state.") || label.starts_with("level.") {
                at_least(token, 4.5);
            }
        }
        if name == "high-contrast" {
            at_least(Token::Border, 3.0);
            at_least(Token::Muted, 7.0);
        }
    }
}

#[test]
fn no_colour_is_left_without_colour_and_selection_is_still_seen() {
    for (name, _) in BUNDLED {
        let theme = bundled(name, Depth::None).unwrap();
        for (token, label) in Token::ALL {
            let style = theme.style(token);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {label}");
        }
        let selection = theme.style(Token::Selection).add_modifier;
        assert!(selection.contains(Modifier::REVERSED), "{name}");
    }
}

#[test]
fn sixteen_colours_use_only_sixteen() {
    for (name, _) in BUNDLED {
        let theme = bundled(name, Depth::Ansi16).unwrap();
        for (token, label) in Token::ALL {
            let style = theme.style(token);
            for colour in [style.fg, style.bg].into_iter().flatten() {
                assert!(
                    !matches!(colour, Color::Rgb(..) | Color::Indexed(_)),
                    "{name} {label} {colour:?}"
                );
            }
        }
    }
}

#[test]
fn unknown_tokens_and_colours_are_reported_with_their_line() {
    let text =
        "name = \"x\"\n[tokens]\nstate.wroking = { fg = \"red\" }\ntext = { fg = \"rde\" }\n";
    let (_, warnings) = Theme::parse(text, Depth::TrueColor).unwrap();
    let lines: Vec<_> = warnings.iter().map(|w| (w.line, w.text.as_str())).collect();
    assert!(
        lines.contains(&(3, "unknown token 'state.wroking'")),
        "{lines:?}"
    );
    assert!(
        lines.contains(&(4, "text: unknown colour 'rde'")),
        "{lines:?}"
    );
}

#[test]
fn a_missing_ancestor_is_an_error_that_names_it() {
    let error = Theme::parse("inherits = \"moss\"", Depth::TrueColor).unwrap_err();
    assert!(error.to_string().contains("'moss'"));
}

#[test]
fn depth_follows_what_the_environment_says() {
    assert_eq!(
        Depth::detect(Some("1"), Some("truecolor"), None),
        Depth::None
    );
    assert_eq!(
        Depth::detect(Some(""), Some("truecolor"), None),
        Depth::TrueColor
    );
    assert_eq!(
        Depth::detect(None, None, Some("xterm-256color")),
        Depth::Indexed256
    );
    assert_eq!(Depth::detect(None, None, Some("linux")), Depth::Ansi16);
}

#[test]
fn limiting_maps_to_the_nearest_colour() {
    assert_eq!(
        Depth::Ansi16.limit(Color::Rgb(250, 80, 70)),
        Color::LightRed
    );
    assert_eq!(
        Depth::Indexed256.limit(Color::Rgb(255, 0, 0)),
        Color::Indexed(196)
    );
    assert_eq!(Depth::Indexed256.limit(Color::Red), Color::Red);
    assert_eq!(Depth::None.limit(Color::Red), Color::Reset);
}
