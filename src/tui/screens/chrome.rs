//! The bars: where am I, what can I press, how is everybody.
//!
//! Hints come from the live keymap and are dropped whole from the right; `:` and `?` always stay.
//! A hint for something that cannot be done now is not shown.

use ratatui::layout::Rect;

use super::merge_row::progress;
use crate::engine::view::Lease;
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::keymap::{Key, Scope};
use crate::tui::label;
use crate::tui::state::work::SizeClass;
use crate::tui::state::{Mode, ScreenId, State};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Draws the top bar: project, screens, money, clock.
pub(super) fn top_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
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

/// Draws the hints of the current screen or overlay.
pub(super) fn hint_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    if let Some(banner) = &state.banner {
        canvas.say(area.x + 1, area.y, area.width - 2, banner, Token::LevelWarn);
        return;
    }
    if !state.overlays.is_empty() {
        // The keys of the screen behind do not work now, so none of them is shown.
        let text = "keys go to what lies on top; Esc leaves it";
        canvas.say(area.x + 1, area.y, area.width - 2, text, Token::Hint);
        return;
    }
    let hints = match &state.mode {
        Mode::Typing { .. } => typing_hints(state),
        Mode::Normal => normal_hints(state),
    };
    let tail: Vec<_> = match state.mode {
        Mode::Normal => tail(state),
        Mode::Typing { .. } => Vec::new(),
    };
    let tail_width: u16 = tail.iter().map(|h| h.width()).sum();
    let end = area.right().saturating_sub(1 + tail_width);
    let most = match SizeClass::of(state.size.0, state.size.1) {
        // A review is nothing but its keys: as many as fit.
        SizeClass::Small if state.scope() != Scope::Review => 4,
        SizeClass::Small | SizeClass::Medium | SizeClass::Large => usize::MAX,
    };
    let mut x = area.x + 1;
    for hint in hints.iter().take(most) {
        if x + hint.width() > end + 2 {
            break;
        }
        x = hint.draw(canvas, x, area.y);
    }
    for hint in &tail {
        x = hint.draw(canvas, x, area.y);
    }
}

struct Hint {
    key: String,
    word: String,
    action: Option<Action>,
}

impl Hint {
    fn width(&self) -> u16 {
        (label::width(&self.key) + label::width(&self.word)) as u16 + 3
    }

    fn draw(&self, canvas: &mut Canvas<'_>, x: u16, y: u16) -> u16 {
        let start = x;
        let x = canvas.say(x, y, 12, &self.key, Token::Key);
        let x = canvas.say(x + 1, y, 30, &self.word, Token::Hint);
        if let Some(action) = self.action {
            canvas.hit(Rect::new(start, y, x - start, 1), Target::Run(action));
        }
        x + 2
    }
}

fn normal_hints(state: &State) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for (keys, binding) in state.keymap.hints(state.scope()) {
        let shown = hints.iter().any(|h| h.action == Some(binding.action));
        if shown || update::applies(state, binding.action).is_err() {
            continue;
        }
        hints.push(Hint {
            key: Key::show(&keys),
            word: binding.desc.clone(),
            action: Some(binding.action),
        });
    }
    hints
}

fn tail(state: &State) -> Vec<Hint> {
    let scope = state.scope();
    [(Action::Palette, "palette"), (Action::Help, "help")]
        .into_iter()
        .filter_map(|(action, word)| {
            Some(Hint {
                key: state.keymap.key_for(scope, action)?,
                word: word.to_owned(),
                action: Some(action),
            })
        })
        .collect()
}

fn typing_hints(state: &State) -> Vec<Hint> {
    let leader = state.keymap.leader().to_string();
    let mut hints = vec![
        Hint {
            key: state.keymap.leader_label(),
            word: "leave".to_owned(),
            action: None,
        },
        Hint {
            key: format!("{leader} {leader}"),
            word: format!("sends {leader}"),
            action: None,
        },
    ];
    let own = state.keymap.list_typing();
    hints.extend(
        own.into_iter()
            .filter(|(_, b)| b.hint.is_some())
            .map(|(keys, b)| Hint {
                key: Key::show(&keys),
                word: b.desc.clone(),
                action: None,
            }),
    );
    hints.push(Hint {
        key: "Shift-drag".to_owned(),
        word: "select with your terminal".to_owned(),
        action: None,
    });
    hints
}

/// Says in a few characters how the fleet is: `◆1 >5 ~2 !1`.
pub(super) fn counts_text(state: &State) -> String {
    let parts: Vec<String> = count_parts(state)
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    parts.join(" ")
}

fn count_parts(state: &State) -> Vec<(String, Token)> {
    let (g, counts) = (state.look.glyphs, state.fleet.counts());
    [
        (counts.needs_you, g.needs_you, Token::StateNeedsYou),
        (counts.working, g.working, Token::StateWorking),
        (counts.waiting, g.booting, Token::StateIdle),
        (counts.trouble, g.stalled, Token::StateStalled),
    ]
    .into_iter()
    .filter(|(n, _, _)| *n > 0)
    .map(|(n, glyph, token)| (format!("{glyph}{n}"), token))
    .collect()
}

/// Draws the status bar: mode, focused agent, notes on the left; counts on the right.
pub(super) fn status_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let left = status_left(state, canvas, area);
    let mut end = area.right().saturating_sub(1);
    let leader = format!("leader {}", state.keymap.leader_label());
    let run = state.project.run.as_ref().map(|run| {
        let age = canvas.age(run.started_ms);
        // Ids made from a time say nothing that the age does not.
        let id = if run.id.len() <= 12 {
            run.id.as_str()
        } else {
            "run"
        };
        format!("{id} {age}")
    });
    let merge = match state.merge.open() {
        (0, _) => None,
        (n, _) => Some((format!("merge {n}"), Some(ScreenId::Merge))),
    };
    let mail = match state.mail.unread() {
        (0, _) => None,
        (n, _) => Some((format!("mail {n}"), Some(ScreenId::Mail))),
    };
    // Written from the right; what has no room is dropped, the least important first.
    let counts = count_parts(state);
    let counts_width: u16 = counts.iter().map(|(t, _)| label::width(t) as u16 + 1).sum();
    let mut parts = vec![(leader, None)];
    parts.extend(merge);
    parts.extend(mail);
    parts.extend(run.map(|text| (text, None)));
    let mut room = end
        .saturating_sub(left + 2)
        .saturating_sub(counts_width + 1);
    parts.retain(|(text, _)| {
        let width = label::width(text) as u16 + 2;
        let fits = width <= room;
        room = room.saturating_sub(if fits { width } else { 0 });
        fits
    });
    for (text, screen) in parts {
        let style = canvas.style(Token::Muted);
        let x = canvas.put_right(end, area.y, area.width, &text, style);
        if let Some(screen) = screen {
            canvas.hit(Rect::new(x, area.y, end - x, 1), Target::Screen(screen));
        }
        end = x.saturating_sub(2);
    }
    if end.saturating_sub(left) > counts_width {
        let mut x = end.saturating_sub(counts_width).max(left + 1);
        let start = x;
        for (text, token) in counts {
            x = canvas.say(x, area.y, 8, &text, token) + 1;
        }
        canvas.hit(
            Rect::new(start, area.y, x - start, 1),
            Target::Run(Action::NextNeedsYou),
        );
    }
}

fn status_left(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let mut x = area.x + 1;
    match &state.mode {
        Mode::Typing { agent } => {
            let text = format!("TYPING {} {agent}", canvas.g().arrow);
            return canvas.say(x, area.y, area.width / 2, &text, Token::BorderTyping);
        }
        Mode::Normal if state.merge.in_front().is_some() && state.pending.is_empty() => {
            return in_front(state, canvas, area);
        }
        Mode::Normal => x = canvas.say(x, area.y, 8, "NORMAL", Token::Accent) + 2,
    }
    if !state.pending.is_empty() {
        let text = format!("{} {}", Key::show(&state.pending), canvas.g().ellipsis);
        return canvas.say(x, area.y, 20, &text, Token::Key);
    }
    if let Some(note) = state.notices.note() {
        return canvas.say(
            x,
            area.y,
            area.width.saturating_sub(x + 1),
            note,
            Token::LevelOk,
        );
    }
    if let Some(agent) = state.focused().filter(|_| !state.is_first_run()) {
        let (glyph, word, token) = state.look.attention(agent.attention);
        let age = canvas.age(agent.evidence.since_ms);
        x = canvas.say(x, area.y, 32, &agent.name, Token::Text) + 1;
        x = canvas.say(x, area.y, 24, &format!("{glyph} {word}"), token) + 1;
        x = canvas.say(x, area.y, 8, &age, Token::Muted);
    }
    x
}

/// Shows the merge that was asked for here: how far it is, and the key that puts it out of sight.
fn in_front(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let x = area.x + 1;
    let Some((front, gates)) = state.merge.in_front() else {
        return x;
    };
    let what = format!("{}{}", front.what, canvas.g().ellipsis);
    let mut x = canvas.say(x, area.y, 40, &what, Token::StateWorking) + 1;
    if let Some(gates) = gates {
        let at = progress(gates);
        x = canvas.say(x, area.y, 26, &at, Token::Text) + 1;
    }
    let since = gates.map_or(front.began_ms, |g| g.began_ms);
    let passed = canvas.elapsed(since);
    x = canvas.say(x, area.y, 8, &passed, Token::Muted) + 1;
    match state.keymap.key_for(state.scope(), Action::Back) {
        Some(key) => canvas.say(x, area.y, 16, &format!("{key} hides"), Token::Hint),
        None => x,
    }
}

/// Explains how a pending sequence can go on, once it has been pending for a moment.
pub(super) fn which_key(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let since = state.now_ms - state.pending_since_ms;
    if state.pending.is_empty() || since < state.settings.which_key_ms {
        return;
    }
    let rows = state.keymap.continuations(state.scope(), &state.pending);
    let height = (rows.len() as u16 + 2).min(body.height);
    let width = 28.min(body.width);
    let area = Rect::new(body.right() - width, body.bottom() - height, width, height);
    let ground = canvas.style(Token::Bg);
    canvas.clear(area, ground);
    let inner = Frame::titled(&Key::show(&state.pending))
        .kind(FrameKind::Keyboard)
        .draw(canvas, area);
    for (y, (key, binding)) in (inner.y..inner.bottom()).zip(rows) {
        let x = canvas.say(inner.x + 1, y, 8, &key.to_string(), Token::Key);
        canvas.say(x + 1, y, inner.width, &binding.desc, Token::Text);
    }
}
