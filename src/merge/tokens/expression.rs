//! Two changes of one expression: each side has read the whole of it, so half of the one and half of the other is what
//! neither meant. `i <= n` and `i < n + 1` are one mend, and both of them are another fault. Pure.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::merge::edits::Edit;
use crate::merge::operators::{Kind, begins_condition, is_code, operators, outer};

use super::elements::{CONDITION, Choice, choice, elements};
use super::words::is_significant;

/// How a line begins that is a comment: its signs are no operators.
const COMMENTS: [&str; 6] = ["#", "/", "*", "-", "%", "|"];

/// How a statement begins that says what has to be: its arguments are operands.
const CLAIMS: [&str; 4] = ["assert", "expect", "ASSERT", "EXPECT"];

/// One of the sides: its text and what it did to that of the base.
type Side<'s> = (&'s [&'s str], &'s [Edit]);

/// A part of a line that one operator, or several, make one value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot {
    expression: usize,
    /// In a choice: the condition, and what comes of it either way.
    branch: usize,
}

/// What one edit did to one expression.
struct Touched {
    spot: Spot,
    is_operator: bool,
}

/// Tells whether both sides changed one comparison, product or choice, each in its own way, or one side an operator and
/// the other one an operand.
pub(super) fn change_one_expression(base: &[&str], ours: Side<'_>, theirs: Side<'_>) -> bool {
    let own = |(side, edits): Side<'_>, (other, others): Side<'_>| -> Vec<Edit> {
        let new = |side: &[&str], edit: &Edit| side.get(edit.new.clone()).map(<[_]>::concat);
        let known: HashMap<&Range<usize>, &Edit> = others.iter().map(|it| (&it.base, it)).collect();
        let is_shared = |edit: &Edit| {
            let same = known.get(&edit.base);
            same.is_some_and(|it| new(other, it) == new(side, edit))
        };
        let says = |edit: &&Edit| {
            let new = side.get(edit.new.clone()).unwrap_or_default();
            let old = base.get(edit.base.clone()).unwrap_or_default();
            new.iter().chain(old).any(|token| is_significant(token))
        };
        let own = edits.iter().filter(says);
        own.filter(|edit| !is_shared(edit)).cloned().collect()
    };
    let [mine, other] = [own(ours, theirs), own(theirs, ours)];
    if mine.is_empty() || other.is_empty() {
        return false;
    }
    if disables(base, (ours.0, &mine)) || disables(base, (theirs.0, &other)) {
        return true;
    }
    let mut said = base.iter().filter(|token| is_significant(token)).copied();
    let first = said.next().unwrap_or_default();
    if COMMENTS.contains(&first) {
        return false;
    }
    let is_own = |token: &str| ["self", "await", ".", "t"].contains(&token);
    let begin = std::iter::once(first)
        .chain(said)
        .find(|token| !is_own(token));
    if begin.is_some_and(|begin| CLAIMS.iter().any(|word| begin.starts_with(word)))
        && are_of_two_operands(base, &mine, &other)
    {
        return true;
    }
    let line = Line::new(base);
    let [mine, other] = [(ours.0, mine), (theirs.0, other)].map(|(side, edits)| {
        let operators = operators(side, is_code(side));
        let touched = edits
            .iter()
            .flat_map(|edit| line.touched((side, &operators), edit));
        touched.collect::<Vec<_>>()
    });
    let mut by_expression: HashMap<usize, Vec<&Touched>> = HashMap::new();
    for it in &other {
        by_expression
            .entry(it.spot.expression)
            .or_default()
            .push(it);
    }
    mine.iter().any(|one| {
        let others = by_expression.get(&one.spot.expression);
        others.is_some_and(|others| others.iter().any(|two| line.is_one(one, two)))
    })
}

/// Tells whether the sides changed two operands of an assertion: what is found, and what is expected.
fn are_of_two_operands(base: &[&str], mine: &[Edit], other: &[Edit]) -> bool {
    let mut operands = Vec::new();
    let (mut here, mut depth) = (0, 0_usize);
    for token in base {
        let is_end = depth == 1 && [",", ")", "]", "}"].contains(token);
        operands.push(here);
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _other => {}
        }
        if is_end || depth == 1 && *token == "(" {
            here += 1;
        }
    }
    operands.push(here);
    let of = |edit: &Edit| operands.get(edit.base.start);
    let mut all = mine.iter().chain(other).map(of);
    let first = all.next();
    all.any(|operand| Some(operand) != first)
}

/// Tells whether a side made a comment of the line.
fn disables(base: &[&str], (side, edits): Side<'_>) -> bool {
    let begin = base.iter().position(|token| is_significant(token));
    edits.iter().any(|edit| {
        let new = side.get(edit.new.clone()).unwrap_or_default();
        let new = new.concat();
        edit.base.is_empty()
            && Some(edit.base.start) <= begin
            && ["#", "//", "--", "/*", "<!--"].contains(&new.trim())
    })
}

/// A line of the base.
struct Line<'s> {
    tokens: &'s [&'s str],
    /// For each token the operator that begins with it.
    operators: Vec<Option<Kind>>,
    /// For each token, and for the end.
    spots: Vec<Spot>,
    /// The expressions that hold together as a whole.
    whole: HashSet<usize>,
    /// Its signs are operators.
    is_statement: bool,
}

impl<'s> Line<'s> {
    fn new(tokens: &'s [&'s str]) -> Self {
        let is_code = is_code(tokens);
        let operators = operators(tokens, is_code);
        let elements = elements(tokens);
        let count = elements.iter().max().map_or(0, |last| last + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (at, element) in elements.iter().enumerate() {
            if let Some(members) = members.get_mut(*element) {
                members.push(at);
            }
        }
        let choices = members.iter().map(|of_it| {
            let found = choice(tokens, &operators, of_it);
            found.filter(|_| is_code)
        });
        let choices: Vec<Option<Choice>> = choices.collect();
        let mut signs = tokens.iter();
        let mut line = Self {
            tokens,
            operators: Vec::new(),
            spots: Vec::new(),
            whole: HashSet::new(),
            is_statement: begins_condition(tokens)
                || signs.any(|token| ["(", "=", ";"].contains(token)),
        };
        // Where each element has come to.
        let mut now: Vec<Spot> = (0..count)
            .map(|expression| Spot {
                expression,
                branch: usize::from(choices.get(expression) == Some(&Some(Choice::Words))),
            })
            .collect();
        let mut next = count;
        for (at, element) in elements.iter().enumerate() {
            let Some(here) = now.get_mut(*element) else {
                continue;
            };
            let choice = choices.get(*element).copied().flatten();
            let token = tokens.get(at).copied().unwrap_or_default();
            let kind = operators.get(at).copied().flatten();
            line.spots.push(*here);
            let turn = choice.and_then(|choice| choice.turn(token, kind, here.branch));
            if let Some(branch) = turn {
                here.branch = branch;
                line.whole.insert(here.expression);
            } else if kind.is_some_and(joins) && choice.is_none() || token == ":" {
                here.expression = next;
                next += 1;
            } else if kind.is_some_and(|kind| is_strict(kind) && (is_code || kind == Kind::Compare))
                && holds_together(tokens, at, kind)
            {
                line.whole.insert(here.expression);
            }
        }
        line.operators = operators;
        line
    }

    /// The expressions that an edit changed. What is an entry by itself changes none.
    fn touched(&self, (side, operators): (&[&str], &[Option<Kind>]), edit: &Edit) -> Vec<Touched> {
        let new = side.get(edit.new.clone()).unwrap_or_default();
        let mut said = new.iter().filter(|token| is_significant(token)).copied();
        let (first, last) = (said.next(), said.next_back());
        if edit.base.is_empty() && [first, last].into_iter().flatten().any(parts) {
            return Vec::new();
        }
        let has_operator = |tokens: &[&str], operators: &[Option<Kind>], part: &Range<usize>| {
            let mut kinds = outer(tokens, operators, part.clone()).into_iter();
            kinds.any(|kind| kind != Kind::Bracket && !joins(kind))
        };
        let is_operator = self.is_statement
            && (has_operator(self.tokens, &self.operators, &edit.base)
                || has_operator(side, operators, &edit.new));
        let at = if edit.base.is_empty() {
            edit.base.start..edit.base.start + 1
        } else {
            edit.base.clone()
        };
        let mut spots: Vec<Spot> = Vec::new();
        for at in at {
            let is_said = edit.base.is_empty()
                || self
                    .tokens
                    .get(at)
                    .is_some_and(|token| is_significant(token) && !parts(token));
            if let Some(spot) = self
                .spots
                .get(at)
                .filter(|spot| is_said && spots.last() != Some(spot))
            {
                spots.push(*spot);
            }
        }
        let touched = spots.into_iter().map(|spot| Touched { spot, is_operator });
        touched.collect()
    }

    /// Tells whether what two sides changed of one expression makes it one that neither has read.
    fn is_one(&self, one: &Touched, two: &Touched) -> bool {
        let is_whole = self.whole.contains(&one.spot.expression);
        let is_apart = one.spot.branch != two.spot.branch
            && one.spot.branch != CONDITION
            && two.spot.branch != CONDITION;
        is_whole && !is_apart || one.is_operator || two.is_operator
    }
}

/// Signs and words that stand between what is complete by itself.
fn parts(token: &str) -> bool {
    [",", ";", "&", "|", "and", "or", "AND", "OR"].contains(&token)
}

/// Operators that join what is complete by itself.
fn joins(kind: Kind) -> bool {
    match kind {
        Kind::And | Kind::Or | Kind::Coalesce | Kind::Bits => true,
        Kind::Not
        | Kind::Choice
        | Kind::Compare
        | Kind::Sum
        | Kind::Product
        | Kind::Shift
        | Kind::Bracket => false,
    }
}

/// Operators of which one operand says nothing without the other.
fn is_strict(kind: Kind) -> bool {
    matches!(kind, Kind::Compare | Kind::Product | Kind::Shift)
}

/// A sign alone may send what a command says to a file.
fn holds_together(tokens: &[&str], at: usize, kind: Option<Kind>) -> bool {
    let is_sign = |by: usize| matches!(tokens.get(at + by), Some(&("<" | ">" | "=" | "!")));
    let before = tokens.get(..at).unwrap_or_default();
    kind != Some(Kind::Compare)
        || is_sign(1)
        || begins_condition(tokens)
        || before.contains(&"(")
        || before.contains(&"=")
}

#[cfg(test)]
mod tests {
    use crate::merge::tokens::tested::woven;

    fn three(case: &str) -> [&str; 3] {
        let mut parts = case.split(" ~ ");
        [(); 3].map(|()| parts.next().unwrap())
    }

    #[test]
    fn two_mends_of_one_expression_are_not_woven() {
        for case in [
            "for (let i = 0; i < n; i++) { ~ for (let i = 0; i <= n; i++) { ~ for (let i = 0; i < n + 1; i++) {",
            "  if (x < limit) { ~   if (x <= limit) { ~   if (x < limit + 1) {",
            "return a ? b : c; ~ return a ? c : b; ~ return !a ? b : c;",
            "return a.x ? b.y : c.z; ~ return a.x ? c.z : b.y; ~ return !a.x ? b.y : c.z;",
            "x = b if a else c ~ x = c if a else b ~ x = b if not a else c",
            "let x = if a { b } else { c }; ~ let x = if a { c } else { b }; ~ let x = if !a { b } else { c };",
            "assert.ok(user.active); ~ assert.ok(!user.active); ~ assert.equal(user.active, true);",
            "const TIMEOUT = 30 * 1000; ~ const TIMEOUT = 60 * 1000; ~ const TIMEOUT = 30 * 60 * 1000;",
            "Up to 1,000 users are allowed. ~ Up to 2,000 users are allowed. ~ Up to 1,500 users are allowed.",
            "max_users: 1_000 ~ max_users: 2_000 ~ max_users: 1_500",
            "expect(f(a)).toBe(1); ~ expect(f(a)).not.toBe(1); ~ expect(f(a)).toBe(2);",
            "    assert x == 1 ~     assert x == 2 ~     assert y == 1",
            "    assert x == 1 ~     assert x != 1 ~     assert x == 2",
            "    assert_eq!(f(1), 2); ~     assert_eq!(f(2), 2); ~     assert_eq!(f(1), 3);",
            "    self.assertEqual(f(1), 2) ~     self.assertEqual(f(2), 2) ~     self.assertEqual(f(1), 3)",
            "if (a == b) ~ if (a === b) ~ if (a != b)",
            "x = int(a) ~ x = int(a) + 1 ~ x = float(a)",
            "x = f(1) ~ # x = f(1) ~ x = f(1, 2)",
            "  call(one, two); ~   // call(one, two); ~   call(one, three);",
            "while (i < items.length && ok) { ~ while (i <= items.length && ok) { ~ while (i < items.length - 1 && ok) {",
            "if len(items) > 10 and ok: ~ if len(items) >= 10 and ok: ~ if len(items) > 11 and ok:",
            "sleep(5) ~ sleep(5000) ~ sleep_ms(5)",
            "x = foo.bar(a) ~ x = !foo.bar(a) ~ x = foo.baz(a)",
            "    timeout: base * 2, ~     timeout: base * 3, ~     timeout: base * 2 + 1,",
            "area = width * height ~ area = w * height ~ area = width * h",
            "const ok = a.b ? x : y; ~ const ok = !a.b ? x : y; ~ const ok = a.b ? x : z;",
        ] {
            let [base, ours, theirs] = three(case);
            assert_eq!(woven(base, ours, theirs), None, "{base}");
        }
    }

    #[test]
    fn changes_of_two_arguments_conditions_or_words_still_are() {
        for case in [
            "assert!(bell().keys(a, b).run().has(c)); ~ assert!(bell().keys(a, b).run().has(d)); ~ assert!(bell().keys(x, b).run().has(c));",
            " a open  x drop  t more  / filter  ? help ~ a open  x drop/cancel  t more  / filter  ? help ~ a open  x drop  t more  ? help",
            r#"const ok = a.b ? "x" : "y"; ~ const ok = a.b ? "x1" : "y"; ~ const ok = a.b ? "x" : "y1";"#,
            "    let shared = build(launch, &paths, &socket, input)?; ~     let shared = build(launch, runtime, &paths, &socket, input)?; ~     let shared = build(launch, &paths, &socket, input, guarded)?;",
            "    return foo.load(path, mode) ~     return bar.load(path, mode) ~     return foo.load(path, mode, strict)",
            "pub fn load(path: &Path) -> Result<Vec<u8>> { ~ pub(crate) fn load(path: &Path) -> Result<Vec<u8>> { ~ pub fn load(path: &Path) -> io::Result<Vec<u8>> {",
            "async function load(path: string): Promise<void> { ~ export async function load(path: string): Promise<void> { ~ async function load(path: string, mode = 1): Promise<void> {",
            r#"    log.info("start", a=1, b=2) ~     logger.info("start", a=1, b=2) ~     log.info("start", a=1, b=3)"#,
            "if x > 0 and y: ~ if x >= 0 and y: ~ if x > 0 and z:",
            "if (user.age > 18 && user.ok) { ~ if (user.age >= 18 && user.ok) { ~ if (user.age > 18 && user.isOk) {",
            "if (user.age > 18) { ~ if (user.age > 18 && ok) { ~ if (user.age >= 18) {",
            "- Adds `a = 1` - a setting of mine. ~ - Adds `a = 1` - a setting of ours. ~ - Brings `a = 1` - a setting of mine.",
            "The old and slow way to do it here. ~ The new and slow way to do it here. ~ The old and slow way to do it there.",
            "| a | b | c | ~ | a1 | b | c | ~ | a | b | c1 |",
            r#"x = "Hello " + name + "!" ~ x = "Hi " + name + "!" ~ x = "Hello " + name + ".""#,
            r#"<div class="a" id="b"> ~ <div class="a1" id="b"> ~ <div class="a" id="b1">"#,
            "RUN curl -o a.txt b > log.txt ~ RUN curl -s -o a.txt b > log.txt ~ RUN curl -o a.txt b > out.txt",
            "let x: Vec<u8> = read(path, 3)?; ~ let x: Vec<u8> = read(path, 4)?; ~ let y: Vec<u8> = read(path, 3)?;",
            "const timeout = 30 * 1000; ~ const TIMEOUT = 30 * 1000; ~ const timeout = 60 * 1000;",
            "key: a * 2, ~ other: a * 2, ~ key: a * 3,",
            r#"  "scripts": "tsc && vite", ~   "scripts": "tsc -p . && vite", ~   "scripts": "tsc && vite build","#,
            "Foo::A(x) if x > 1 => go(x, 2), ~ Foo::B(x) if x > 1 => go(x, 2), ~ Foo::A(x) if x > 1 => go(x, 3),",
            "type A = B | C | D ~ type A = B1 | C | D ~ type A = B | C | D1",
            "return f(a) + g(b) ~ return f(a, c) + g(b) ~ return f(a) + g(b, c)",
            "let a = [1, 2, 3]; ~ let a = [0, 1, 2, 3]; ~ let a = [1, 2, 3, 4];",
            "for item in items.values(): ~ for thing in items.values(): ~ for item in items.all():",
            "x.map(a => a.b + 1) ~ y.map(a => a.b + 1) ~ x.map(a => a.b + 2)",
            "width: 10, height: 20 ~ width: 11, height: 20 ~ width: 10, height: 21",
            "price 1,000 and 2,000 ~ price 1,100 and 2,000 ~ price 1,000 and 2,200",
        ] {
            let [base, ours, theirs] = three(case);
            assert!(woven(base, ours, theirs).is_some(), "{base}");
        }
    }
}
