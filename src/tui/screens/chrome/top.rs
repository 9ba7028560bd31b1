//! The top bar: project, screens, money, clock.

use ratatui::layout::Rect;

use crate::engine::view::Lease;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::state::{ScreenId, State};
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// Draws the top bar: project, screens, money, clock.
pub(in crate::tui::screens) fn top_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let clock = canvas.clock();
    let mut end = area.right().saturating_sub(1);
    let style = canvas.style(Token::Muted);
    end = canvas.put_right(end, area.y, 5, &clock, style);
    let money = money(state);
    if !money.is_empty() {
        let style = canvas.style(Token::Text);
        end = canvas.put_right(end.saturating_sub(2), area.y, 20, &money, style);
    }
    let viewer = match state.project.coordinator {
        Lease::Held { pid } => format!("viewer {} pid {pid} coordinates", canvas.g().dot),
        Lease::Mine | Lease::None => String::new(),
    };
    let problem = state.project.store_problem.as_deref().unwrap_or("");
    for (text, token) in [
        (viewer.as_str(), Token::LevelInfo),
        (problem, Token::LevelWarn),
    ] {
        if !text.is_empty() && area.width >= 110 {
            let style = canvas.style(token);
            end = canvas.put_right(end.saturating_sub(2), area.y, 40, text, style);
        }
    }
    let mut x = canvas.say(area.x + 1, area.y, 8, "grove", Token::Accent);
    if !state.project.name.is_empty() {
        let dot = format!(" {} ", canvas.g().dot);
        x = canvas.say(x, area.y, 5, &dot, Token::Muted);
        let place = match state.project.branch.as_str() {
            "" => state.project.name.clone(),
            branch => format!("{}@{branch}", state.project.name),
        };
        x = canvas.say(x, area.y, (area.width / 4).max(12), &place, Token::Title);
    }
    if state.is_first_run() {
        return;
    }
    screens(state, canvas, x + 2, area.y, end.saturating_sub(1));
}

/// How much of the screens' names is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Full,
    /// With less between them.
    Tight,
    /// Where room is short.
    Short,
    /// Where there is next to none: digits, and the name of the screen one is on.
    Current,
}

fn screens(state: &State, canvas: &mut Canvas<'_>, mut x: u16, y: u16, end: u16) {
    let chips = |names| -> Vec<(ScreenId, String)> {
        let all = ScreenId::ALL.into_iter().enumerate();
        all.map(|(index, screen)| (screen, chip(state, index, screen, names)))
            .collect()
    };
    let fits = |names: &Names| {
        let width: usize = chips(*names).iter().map(|(_, t)| label::width(t)).sum();
        usize::from(x) + width <= usize::from(end)
    };
    let names = [Names::Full, Names::Tight, Names::Short]
        .into_iter()
        .find(fits);
    for (screen, text) in chips(names.unwrap_or(Names::Current)) {
        let width = label::width(&text) as u16;
        if x + width > end {
            return;
        }
        let token = if screen == state.screen {
            Token::Accent
        } else {
            Token::Muted
        };
        canvas.say(x, y, width, &text, token);
        canvas.hit(Rect::new(x, y, width, 1), Target::Screen(screen));
        x += width;
    }
}

fn chip(state: &State, index: usize, screen: ScreenId, names: Names) -> String {
    let current = screen == state.screen;
    let badge = match (names, badge(state, screen)) {
        (Names::Current, badge) if !current => {
            let mark = if badge.ends_with('!') { "!" } else { "" };
            mark.to_owned()
        }
        (Names::Full | Names::Tight | Names::Short | Names::Current, badge) => badge,
    };
    let name = match names {
        Names::Full | Names::Tight => screen.title(),
        Names::Short => screen.short_title(),
        Names::Current if current => screen.title(),
        Names::Current => "",
    };
    let mut text = (index + 1).to_string();
    if !name.is_empty() {
        text = format!("{text} {name}");
    }
    if !badge.is_empty() {
        let gap = if name.is_empty() { "" } else { " " };
        text = format!("{text}{gap}{badge}");
    }
    match (current, names) {
        (true, Names::Tight) => format!("[{text}] "),
        (false, Names::Tight) => format!("{text} "),
        (true, Names::Full | Names::Short | Names::Current) => format!("[{text}]"),
        (false, Names::Full | Names::Short | Names::Current) => format!(" {text} "),
    }
}

fn badge(state: &State, screen: ScreenId) -> String {
    match screen {
        ScreenId::Work | ScreenId::Health => String::new(),
        ScreenId::Mail => match state.mail.unread() {
            (0, _) => String::new(),
            (n, 0) => n.to_string(),
            (n, _) => format!("{n}!"),
        },
        ScreenId::Merge => match state.merge.open() {
            (0, _) => String::new(),
            (n, 0) => n.to_string(),
            (n, _) => format!("{n}!"),
        },
    }
}

fn money(state: &State) -> String {
    match (state.project.cost_micro_usd, state.project.budget_micro_usd) {
        (None, _) => String::new(),
        (cost, None) => label::money(cost),
        (cost, Some(limit)) => format!("{}/{}", label::money(cost), limit / 1_000_000),
    }
}
