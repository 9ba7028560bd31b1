//! The syntax tree of a shell text as an outline for people: what the parser understood, one line a command.
//!
//! Shows the tree only; what the words come to is shown by the walk.

use super::shell::ast::{
    Assign, AssignValue, Command, Compound, Connector, Item, List, Param, Piece, Pipeline,
    Redirect, RedirectOp, Simple, Word,
};

/// Longer outlines are cut: they are for reading.
const MOST_LINES: usize = 60;

/// The outline of a parsed text.
pub(super) fn outline(list: &List) -> Vec<String> {
    let mut lines = Vec::new();
    add_list(list, 0, &mut lines);
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("… {more} more lines"));
    }
    lines
}

fn push(lines: &mut Vec<String>, depth: usize, text: &str) {
    lines.push(format!("{:indent$}{}", "", text.trim(), indent = depth * 2));
}

fn add_list(list: &List, depth: usize, lines: &mut Vec<String>) {
    for item in &list.items {
        add_item(item, depth, lines);
    }
}

fn add_item(item: &Item, depth: usize, lines: &mut Vec<String>) {
    let last = item.rest.len();
    let pipelines = std::iter::once((None, &item.first)).chain(
        item.rest
            .iter()
            .map(|(how, pipeline)| (Some(*how), pipeline)),
    );
    for (at, (how, pipeline)) in pipelines.enumerate() {
        let before = match how {
            Some(Connector::And) => "&& ",
            Some(Connector::Or) => "|| ",
            None => "",
        };
        let after = if item.background && at == last {
            " &"
        } else {
            ""
        };
        add_pipeline(pipeline, before, after, depth, lines);
    }
}

fn add_pipeline(
    pipeline: &Pipeline,
    before: &str,
    after: &str,
    depth: usize,
    lines: &mut Vec<String>,
) {
    let count = pipeline.stages.len();
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let before = match (at, pipeline.negated) {
            (0, true) => format!("{before}! "),
            (0, false) => before.to_owned(),
            _ => "| ".to_owned(),
        };
        let after = if at + 1 == count { after } else { "" };
        add_command(stage, &before, after, depth, lines);
    }
}

fn add_command(
    command: &Command,
    before: &str,
    after: &str,
    depth: usize,
    lines: &mut Vec<String>,
) {
    match command {
        Command::Simple(simple) => {
            push(
                lines,
                depth,
                &format!("{before}{}{after}", of_simple(simple)),
            );
            add_substitutions(simple, depth + 1, lines);
        }
        Command::Function { name, body } => {
            push(lines, depth, &format!("{before}function {name}{after}"));
            add_command(body, "", "", depth + 1, lines);
        }
        Command::Compound(compound, redirects) => {
            let redirects = of_redirects(redirects);
            let head = |word: &str| format!("{before}{word}{redirects}{after}");
            add_compound(compound, &head, depth, lines);
        }
    }
}

fn add_compound(
    compound: &Compound,
    head: &dyn Fn(&str) -> String,
    depth: usize,
    lines: &mut Vec<String>,
) {
    match compound {
        Compound::Subshell(list) => {
            push(lines, depth, &head("subshell"));
            add_list(list, depth + 1, lines);
        }
        Compound::Group(list) => {
            push(lines, depth, &head("group"));
            add_list(list, depth + 1, lines);
        }
        Compound::If { arms, otherwise } => {
            push(lines, depth, &head("if"));
            for (condition, body) in arms {
                add_list(condition, depth + 1, lines);
                push(lines, depth, "then");
                add_list(body, depth + 1, lines);
            }
            if let Some(body) = otherwise {
                push(lines, depth, "else");
                add_list(body, depth + 1, lines);
            }
        }
        Compound::While { condition, body } => {
            push(lines, depth, &head("while"));
            add_list(condition, depth + 1, lines);
            push(lines, depth, "do");
            add_list(body, depth + 1, lines);
        }
        Compound::For { name, words, body } => {
            let over = words
                .as_deref()
                .map_or_else(|| " the arguments".to_owned(), of_words);
            push(lines, depth, &head(&format!("for {name} in{over}")));
            add_list(body, depth + 1, lines);
        }
        Compound::Case { subject, arms } => {
            push(lines, depth, &head(&format!("case {}", of_word(subject))));
            for arm in arms {
                push(
                    lines,
                    depth + 1,
                    &format!("when{}", of_words(&arm.patterns)),
                );
                add_list(&arm.body, depth + 2, lines);
            }
        }
        Compound::Test(words) => push(lines, depth, &head(&format!("[[{} ]]", of_words(words)))),
        Compound::Arithmetic(word) => push(lines, depth, &head(&format!("(({}))", of_word(word)))),
        Compound::ArithmeticFor(word, body) => {
            push(lines, depth, &head(&format!("for (({}))", of_word(word))));
            add_list(body, depth + 1, lines);
        }
        Compound::Coprocess(_, inner) => {
            push(lines, depth, &head("coproc"));
            add_command(inner, "", "", depth + 1, lines);
        }
    }
}

/// The commands inside `$(…)` and `<(…)` of a simple command.
fn add_substitutions(simple: &Simple, depth: usize, lines: &mut Vec<String>) {
    let values = simple
        .assigns
        .iter()
        .flat_map(|assign| match &assign.value {
            AssignValue::Scalar(word) => std::slice::from_ref(word),
            AssignValue::Array(words) => words.as_slice(),
        });
    let targets = simple.redirects.iter().map(|redirect| &redirect.target);
    for word in values.chain(&simple.words).chain(targets) {
        for piece in &word.pieces {
            match piece {
                Piece::Command { list, .. } => {
                    push(lines, depth, "substituted");
                    add_list(list, depth + 1, lines);
                }
                Piece::Process { list } => {
                    push(lines, depth, "substituted as a file");
                    add_list(list, depth + 1, lines);
                }
                Piece::Text { .. }
                | Piece::Tilde(_)
                | Piece::Param { .. }
                | Piece::Arithmetic(_) => {}
            }
        }
    }
}

fn of_simple(simple: &Simple) -> String {
    let mut out = String::new();
    for assign in &simple.assigns {
        out.push_str(&of_assign(assign));
        out.push(' ');
    }
    let words: Vec<String> = simple.words.iter().map(of_word).collect();
    out.push_str(&words.join(" "));
    out.push_str(&of_redirects(&simple.redirects));
    out
}

fn of_assign(assign: &Assign) -> String {
    let how = if assign.append { "+=" } else { "=" };
    let index = assign
        .index
        .as_ref()
        .map_or_else(String::new, |index| format!("[{}]", of_word(index)));
    match &assign.value {
        AssignValue::Scalar(word) => format!("{}{index}{how}{}", assign.name, of_word(word)),
        AssignValue::Array(words) => {
            format!("{}{index}{how}({} )", assign.name, of_words(words))
        }
    }
}

fn of_redirects(redirects: &[Redirect]) -> String {
    let mut out = String::new();
    for redirect in redirects {
        let sign = match (redirect.op, redirect.append) {
            (RedirectOp::Read, _) => "<",
            (RedirectOp::Write, true) => ">>",
            (RedirectOp::Write, false) => ">",
            (RedirectOp::DupOut, _) => ">&",
            (RedirectOp::DupIn, _) => "<&",
            (RedirectOp::HereDoc, _) => "<<",
            (RedirectOp::HereString, _) => "<<<",
        };
        out.push(' ');
        out.push_str(&redirect.descriptor);
        out.push_str(sign);
        // The text of a here-document stands below the command.
        let target = match redirect.op {
            RedirectOp::HereDoc => "…".to_owned(),
            RedirectOp::Read
            | RedirectOp::Write
            | RedirectOp::DupOut
            | RedirectOp::DupIn
            | RedirectOp::HereString => of_word(&redirect.target),
        };
        out.push_str(&target);
    }
    out
}

fn of_words(words: &[Word]) -> String {
    words
        .iter()
        .map(|word| format!(" {}", of_word(word)))
        .collect()
}

fn of_word(word: &Word) -> String {
    let mut out = String::new();
    for piece in &word.pieces {
        match piece {
            // The parser leaves nothing between a quote and an expansion.
            Piece::Text { text, quoted: true } if text.is_empty() && word.pieces.len() > 1 => {}
            Piece::Text { text, quoted } => out.push_str(&of_text(text, *quoted)),
            Piece::Tilde(name) => {
                out.push('~');
                out.push_str(name);
            }
            Piece::Param { param, quoted } => out.push_str(&quoted_as(*quoted, &of_param(param))),
            Piece::Command { quoted, .. } => out.push_str(&quoted_as(*quoted, "$(…)")),
            Piece::Process { .. } => out.push_str("<(…)"),
            Piece::Arithmetic(inner) => {
                out.push_str("$((");
                out.push_str(&of_word(inner));
                out.push_str("))");
            }
        }
    }
    out
}

fn of_text(text: &str, quoted: bool) -> String {
    let text = super::shell::text::show(text);
    let plain = !quoted
        || !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || "-_./=:@%+,".contains(c));
    if plain {
        text
    } else {
        super::shell::walk::quote(&text.replace('\n', "⏎"))
    }
}

fn quoted_as(quoted: bool, text: &str) -> String {
    if quoted {
        format!("\"{text}\"")
    } else {
        text.to_owned()
    }
}

/// `$name`, `${name[0]}`, `${#name}`; what an operator does is only hinted at.
fn of_param(param: &Param) -> String {
    let index = param
        .index
        .as_ref()
        .map_or_else(String::new, |index| format!("[{}]", of_word(index)));
    let before = match (param.length, param.indirect) {
        (true, _) => "#",
        (false, true) => "!",
        (false, false) => "",
    };
    let after = if param.op.is_some() { "…" } else { "" };
    if index.is_empty() && before.is_empty() && after.is_empty() {
        format!("${}", param.name)
    } else {
        format!("${{{before}{}{index}{after}}}", param.name)
    }
}
