//! Random answers to random contests, made of few words so that what goes here is what comes there. Whatever an answer
//! does to a place is said, or it is refused.
//!
//! The cases are the same in every run. Set `GROVE_TRIPLES` for that many others.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::written::judged;
use crate::merge::form::disturbed;
use crate::merge::triples::runner;

/// What stands between two landmarks, in each version.
#[derive(Debug, Clone)]
struct Slot {
    base: Vec<String>,
    ours: Vec<String>,
    theirs: Vec<String>,
}

#[derive(Debug, Clone)]
enum Change {
    Remove(usize),
    Insert(usize, String),
    Move(usize, usize),
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("check"),
        Just("log"),
        Just("save"),
        Just("x"),
        Just("}")
    ]
    .prop_map(str::to_owned)
}

fn slot() -> impl Strategy<Value = Slot> {
    let words = || proptest::collection::btree_set(word(), 0..3);
    let side = move || (words(), words());
    (words(), side(), side(), 0..4_u8).prop_map(|(base, ours, theirs, who)| {
        let valued = |lines: &BTreeSet<String>, by: &str| {
            let value = std::iter::once(format!("value {by}"));
            lines.iter().cloned().chain(value).collect::<Vec<_>>()
        };
        let old = valued(&base, "old");
        // A line that went and came again in one place was moved: how that is read is not the question here.
        let changed = |(removed, added): (BTreeSet<String>, BTreeSet<String>), by: &str| {
            let mut lines: Vec<String> = added.difference(&base).cloned().collect();
            lines.extend(base.difference(&removed).cloned());
            lines.push(format!("value {by}"));
            lines
        };
        Slot {
            ours: if who == 1 {
                old.clone()
            } else {
                changed(ours, "ours")
            },
            theirs: if who == 0 {
                old.clone()
            } else {
                changed(theirs, "theirs")
            },
            base: old,
        }
    })
}

fn change() -> impl Strategy<Value = Change> {
    let at = || any::<usize>();
    prop_oneof![
        at().prop_map(Change::Remove),
        (at(), word()).prop_map(|(at, word)| Change::Insert(at, word)),
        (at(), at()).prop_map(|(from, to)| Change::Move(from, to)),
    ]
}

fn landmark(at: usize) -> String {
    format!("landmark {at}")
}

fn text<'s>(slots: &'s [Slot], of: impl Fn(&'s Slot) -> Vec<String>) -> String {
    let mut lines = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        lines.push(landmark(at));
        lines.extend(of(slot));
    }
    lines.push(landmark(slots.len()));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What a careful person would have written.
fn both(slot: &Slot) -> Vec<String> {
    if slot.ours == slot.base {
        return slot.theirs.clone();
    }
    let mut lines = slot.ours.clone();
    if slot.theirs != slot.base {
        lines.extend(slot.theirs.iter().cloned());
    }
    lines
}

fn changed(answer: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    for change in changes {
        let len = lines.len().max(1);
        match change {
            Change::Remove(at) if !lines.is_empty() => drop(lines.remove(at % len)),
            Change::Remove(_) => {}
            Change::Insert(at, word) => lines.insert(at % (lines.len() + 1), word.clone()),
            Change::Move(from, to) if !lines.is_empty() => {
                let line = lines.remove(from % len);
                lines.insert(to % (lines.len() + 1), line);
            }
            Change::Move(_, _) => {}
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn count(lines: &[String], line: &str) -> usize {
    lines.iter().filter(|other| *other == line).count()
}

/// The lines of an answer between the landmarks; `None` when these are not as they were.
fn slots_of(answer: &str, slots: usize) -> Option<Vec<Vec<String>>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for line in answer.lines() {
        if line == landmark(found.len()) {
            found.push(Vec::new());
        } else if line.starts_with("landmark") {
            return None;
        } else {
            found.last_mut()?.push(line.to_owned());
        }
    }
    let end = found.pop()?;
    (found.len() == slots && end.is_empty()).then_some(found)
}

/// Some slots between landmarks that no line has passed, and what an answer has there.
struct Told<'s> {
    slots: &'s [Slot],
    answer: &'s [Vec<String>],
}

impl<'s> Told<'s> {
    /// Of a landmark and a line that passed each other nobody can say which was moved: what is before it and after
    /// it is one place.
    fn apart(slots: &'s [Slot], answer: &'s [Vec<String>]) -> Vec<Self> {
        let (mut all, mut start) = (Vec::new(), 0);
        for end in 1..=slots.len() {
            if end == slots.len() || !is_passed(slots, end) {
                all.push(Self {
                    slots: &slots[start..end],
                    answer: &answer[start..end],
                });
                start = end;
            }
        }
        all
    }

    /// Lines that are lost here, and lines that a side had removed from here and that are there.
    fn done(&self) -> (Vec<String>, Vec<String>) {
        let (mut lost, mut back) = (Vec::new(), Vec::new());
        let mut lines: BTreeSet<&String> = BTreeSet::new();
        for slot in self.slots {
            lines.extend(slot.base.iter().chain(&slot.ours).chain(&slot.theirs));
        }
        for line in lines {
            let sum = |of: fn(&Slot) -> &Vec<String>| -> usize {
                self.slots.iter().map(|slot| count(of(slot), line)).sum()
            };
            let [base, ours, theirs] = [sum(|s| &s.base), sum(|s| &s.ours), sum(|s| &s.theirs)];
            let result: usize = self.answer.iter().map(|lines| count(lines, line)).sum();
            let added = ours.max(theirs).saturating_sub(base);
            if self.is_moved(line) {
                continue;
            }
            // If something was moved here, what was there may be what was put in again.
            let there = if self.slots.len() > 1 { 0 } else { base };
            if added > 0 && ours.min(theirs) >= base && result < there + added {
                lost.push(line.clone());
            }
            if ours.max(theirs) <= base && ours.min(theirs) < base && result > ours.min(theirs) {
                back.push(line.clone());
            }
        }
        (lost, back)
    }

    /// One place, which one side at most has changed.
    fn is_uncontested(&self) -> bool {
        let is_so = |slot: &Slot| slot.ours == slot.base || slot.theirs == slot.base;
        matches!(self.slots, [slot] if is_so(slot))
    }

    /// A side took the line from one slot into another: how that is read is not the question here.
    fn is_moved(&self, line: &str) -> bool {
        let by = |side: fn(&Slot) -> &Vec<String>| {
            let has = |than: Ordering| {
                let slots = self.slots.iter();
                let mut orders = slots.map(|s| count(side(s), line).cmp(&count(&s.base, line)));
                orders.any(|order| order == than)
            };
            has(Ordering::Less) && has(Ordering::Greater)
        };
        by(|slot| &slot.ours) || by(|slot| &slot.theirs)
    }
}

fn is_passed(slots: &[Slot], landmark: usize) -> bool {
    let words = slots.iter().flat_map(|slot| &slot.base);
    // A brace is nobody's in particular.
    let words: BTreeSet<&String> = words.filter(|word| *word != "}").collect();
    let only = |line: &String, of: fn(&Slot) -> &Vec<String>| {
        let mut at = (0..slots.len()).filter(|at| of(&slots[*at]).contains(line));
        let first = at.next()?;
        at.next().is_none().then_some(first)
    };
    words.into_iter().any(|line| {
        let before = only(line, |slot| &slot.base);
        let after = [
            only(line, |slot| &slot.ours),
            only(line, |slot| &slot.theirs),
        ];
        let is_other = |at: &usize| before.is_some_and(|b| (b < landmark) != (*at < landmark));
        after.iter().flatten().any(is_other)
    })
}

#[test]
fn answers_that_net_out_never_pass_unsaid() {
    let strategy = (
        proptest::collection::vec(slot(), 1..5),
        proptest::collection::vec(change(), 0..5),
    );
    let (apart, all) = (Cell::new(0), Cell::new(0));
    let run = |(slots, changes): (Vec<Slot>, Vec<Change>)| {
        let versions = [
            text(&slots, |slot| slot.base.clone()),
            text(&slots, |slot| slot.ours.clone()),
            text(&slots, |slot| slot.theirs.clone()),
            changed(&text(&slots, both), &changes),
        ];
        let [base, ours, theirs, answer] = versions.each_ref().map(String::as_bytes);
        let Ok(said) = judged(Some(base), ours, theirs, answer) else {
            return Ok(());
        };
        if !said.lost.is_empty() {
            return Ok(());
        }
        let whole = |text: &str, line: &str| text.lines().filter(|other| *other == line).count();
        for landmark in (0..=slots.len()).map(landmark) {
            prop_assert!(whole(&versions[3], &landmark) > 0, "{landmark}");
        }
        // What nobody keeps in order has no places to be told apart by.
        let Some(found) = slots_of(&versions[3], slots.len()) else {
            return Ok(());
        };
        let told = Told::apart(&slots, &found);
        apart.set(apart.get() + told.len());
        all.set(all.get() + slots.len());
        let has = |list: &[&[u8]], line: &String| list.contains(&line.as_bytes());
        let mut all_back = Vec::new();
        for told in &told {
            let (lost, back) = told.done();
            all_back.extend(back);
            for line in lost {
                let [base, ours, theirs, result] =
                    versions.each_ref().map(|text| whole(text, &line));
                let is_moved = base == 0 && ours <= 1 && theirs <= 1 && result == 1;
                prop_assert!(is_moved, "lost {line}: {said:?}");
                let may_leave = !told.is_uncontested() || has(&said.moved, &line);
                prop_assert!(may_leave, "moved {line}: {said:?}");
            }
        }
        let said_back: Vec<&[u8]> = said.brought_back.iter().map(|(line, _)| *line).collect();
        for line in all_back {
            // In a place that is not the one it was taken from, it is new there.
            let is_said = has(&said_back, &line) || has(&said.invented, &line);
            prop_assert!(is_said, "back {line}: {said:?}");
        }
        Ok(())
    };
    runner(4_000, 1).run(&strategy, run).unwrap();
    // Or the property says little.
    assert!(apart.get() * 4 > all.get() * 3, "{apart:?} of {all:?}");
}

#[test]
fn most_of_what_a_careful_person_writes_is_taken() {
    let [taken, moved, all] = [(); 3].map(|()| Cell::new(0_u32));
    let run = |slots: Vec<Slot>| {
        let versions = [
            text(&slots, |slot| slot.base.clone()),
            text(&slots, |slot| slot.ours.clone()),
            text(&slots, |slot| slot.theirs.clone()),
            text(&slots, both),
        ];
        // Who keeps both versions of a place with a line that all have writes it twice: no agent may.
        let [base, ours, theirs, answer] = versions.each_ref().map(String::as_str);
        if disturbed(base, ours, theirs, answer).is_some() {
            return Ok(());
        }
        let [base, ours, theirs, answer] = versions.each_ref().map(String::as_bytes);
        let said = judged(Some(base), ours, theirs, answer);
        let kept = said.ok().filter(|said| said.lost.is_empty());
        let is_taken = kept.as_ref().is_some_and(|said| said.moved.is_empty());
        all.set(all.get() + 1);
        taken.set(taken.get() + u32::from(is_taken));
        moved.set(moved.get() + u32::from(kept.is_some() && !is_taken));
        Ok(())
    };
    let slots = proptest::collection::vec(slot(), 1..5);
    runner(2_000, 1).run(&slots, run).unwrap();
    assert!(taken.get() * 5 > all.get() * 4, "{taken:?} of {all:?}");
    assert!(moved.get() * 50 <= all.get(), "{moved:?} of {all:?}");
}
