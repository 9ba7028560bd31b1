//! Neighbours of what the other side changed that stand for themselves, and what shows it: an import by the names that it
//! brings in, an item of prose by its mark, a statement by its brackets, a sentence by its end. The same both ways; and
//! what looks alike, but does not show it, is held.

use crate::edges::{held_both_ways, lands_both_ways};

#[test]
fn an_import_beside_one_that_the_other_side_took_away() {
    let base = "use std::fs;\n\nuse super::extract::{Outcome, Section};\n\nfn f() {}\n";
    lands_both_ways(
        base,
        &base.replace("use super::extract::{Outcome, Section};\n", ""),
        &base.replace(
            "use super::extract",
            "use super::error::Wrong;\nuse super::extract",
        ),
        &base.replace("extract::{Outcome, Section}", "error::Wrong"),
    );
    let base = "mod a;\n\npub use view::{VIEW, view_in};\n#[cfg(test)]\npub(crate) use cli::calls;\nfn f() {}\n";
    let gone = "#[cfg(test)]\npub(crate) use cli::calls;\n";
    let new = "pub use refs::{Broken, broken};\n";
    lands_both_ways(
        base,
        &base.replace(gone, "").replace("view_in}", "own, view_in}"),
        &base.replace("#[cfg", &format!("{new}#[cfg")),
        &base.replace(gone, new).replace("view_in}", "own, view_in}"),
    );
    // What was brought in by the one is used by the other.
    let base = "use std::fs;\n\nuse super::extract;\n\nfn f() {}\n";
    held_both_ways(
        base,
        &base.replace("use super::extract;\n", ""),
        &base.replace(
            "super::extract;\n",
            "super::extract;\nuse extract::Outcome;\n",
        ),
    );
    // An attribute says something about the next one only.
    let base = "use a::b;\nuse c::d;\nuse e::f;\n";
    held_both_ways(
        base,
        &base.replace("use c::d;\n", ""),
        &base.replace("use c::d;", "#[cfg(test)]\nuse c::d;"),
    );
}

#[test]
fn a_line_beside_a_statement_that_the_other_side_broke_into_several() {
    let base = "impl A {\n    pub fn out(dir: &Path, root: &Path, at: Oid) -> Result<Self, E> {\n        go(dir)\n    }\n}\n";
    let broken = "    pub(crate) fn out(\n        dir: &Path,\n        root: &Path,\n        at: Oid,\n    ) -> Result<Self, E> {\n";
    let one = "    pub fn out(dir: &Path, root: &Path, at: Oid) -> Result<Self, E> {\n";
    let more = "        Self::tried(dir, root, at).map_err(|error| wrong(root, error))\n    }\n\n    \
                fn tried(dir: &Path, root: &Path, at: Oid) -> Result<Self, E> {\n";
    lands_both_ways(
        base,
        &base.replace(one, broken),
        &base.replace(one, &format!("{one}{more}")),
        &base.replace(one, &format!("{broken}{more}")),
    );
    // Two statements are not one that was broken.
    let base = "begin()\nrun(first, second, third)\nend()\n";
    let two = "if ready(first, second, third) {\nrun(first, second, third)\n}\n";
    held_both_ways(
        base,
        &base.replace("run(first, second, third)\n", two),
        &base.replace("end()", "log(it)\nend()"),
    );
}

#[test]
fn a_formatter_broke_one_of_several_statements_that_the_other_side_changed() {
    let base = "begin();\nlet end = line < last || rows > 2;\nlines.push(format!(\"{line} {}\", end && is_wrapped(row)));\nfinish();\n";
    let formatted = base.replace(
        "format!(\"{line} {}\", end && is_wrapped(row)));",
        "format!(\n    \"{line} {}\",\n    end && is_wrapped(row)\n));",
    );
    let changed = "begin();\nlet told = line < last || (rows > 2 && columns > 2);\nlet wrapped = told && is_wrapped(row);\n\
                   lines.push(format!(\"{line} {wrapped}\"));\nfinish();\n";
    lands_both_ways(base, &formatted, changed, changed);
    // Outside of brackets, where a line ends says something.
    let base = "begin()\nlet a = b\nrun(a, c)\nfinish()\n";
    held_both_ways(
        base,
        "begin()\nlet a = b run(\n    a, c)\nfinish()\n",
        "begin()\nlet x = y\nrun(x, z)\nfinish()\n",
    );
}

const NOTES: &str = "# Notes\n\n- Sockets in the file system: no rule\n  for them yet.\n- Gates run as you, outside of any box.\n\
                     - Caches are shared by all of the agents.\n\nEnd\n";

#[test]
fn items_of_prose_are_changed_each_by_itself() {
    let sockets = "- Sockets in the file system: no rule\n  for them yet.\n";
    let gates = "- Gates run as you, outside of any box.\n";
    let others = "- Sockets are not in the way of anybody\n  who knows where they are.\n- Days without a zone are UTC.\n";
    let removed = NOTES.replace(gates, "");
    let changed = removed.replace("all of the agents", "agents and gates");
    lands_both_ways(
        NOTES,
        &changed,
        &NOTES.replace(sockets, others),
        &changed.replace(sockets, others),
    );
    let base = "# Notes\n\n- one\n  of two lines\n- three\n";
    lands_both_ways(
        base,
        "# Notes\n\n- quite another\n  thing\n- three\n",
        "# Notes\n\n- one\n  of two lines\n- new\n  and long\n- 3\n",
        "# Notes\n\n- quite another\n  thing\n- new\n  and long\n- 3\n",
    );
}

#[test]
fn one_item_that_both_sides_changed_is_held() {
    let caches = "- Caches are shared by all of the agents.\n";
    let gates = "- Gates run as you, outside of any box.\n";
    held_both_ways(
        NOTES,
        &NOTES.replace(caches, "- Caches are for agents\n  and gates.\n"),
        &NOTES
            .replace(gates, "")
            .replace(caches, "- All caches are shared.\n"),
    );
    // Taken away by the one, changed by the other.
    held_both_ways(
        NOTES,
        &NOTES
            .replace(gates, "")
            .replace(caches, "- Some caches\n  are shared.\n"),
        &NOTES.replace(gates, "- Gates run\n  in the same box.\n"),
    );
    // The steps of a list of settings build on one another.
    let base = "steps:\n  - name: one\n    run: a\n  - name: two\n    run: b\n";
    held_both_ways(
        base,
        &base.replace(
            "  - name: one\n    run: a\n",
            "  - name: other\n    uses: x\n    with: y\n",
        ),
        &base.replace(
            "  - name: two\n    run: b\n",
            "  - name: more\n    if: z\n    needs: one\n",
        ),
    );
}

#[test]
fn what_goes_on_in_a_line_stands_before_what_follows_it() {
    let base = "//! Counts lines.\n//! What nobody has is made up.\n\nfn f() {}\n";
    lands_both_ways(
        base,
        &base.replace(
            "up.\n",
            "up.\n//! Every result: a line is there\n//! as often as it is due.\n",
        ),
        &base.replace(
            "up.\n",
            "up. What a side deleted and is there\n//! all the same is named.\n",
        ),
        &base.replace(
            "up.\n",
            "up. What a side deleted and is there\n//! all the same is named.\n\
             //! Every result: a line is there\n//! as often as it is due.\n",
        ),
    );
    let base = "begin\nopen the door\nend\n";
    lands_both_ways(
        base,
        &base.replace("door\n", "door\nand the window\n"),
        &base.replace("door\n", "door of the other\nhouse at last\n"),
        &base.replace(
            "door\n",
            "door of the other\nhouse at last\nand the window\n",
        ),
    );
}
