//! The order of the sides changes nothing but order: turned, they come to the same lines, each as often, or somebody is
//! asked both times. Set `GROVE_TRIPLES` for more cases.

use std::cell::Cell;

use proptest::prelude::*;

use super::cases::case;
use super::moved::moved;
use super::outcome::settled;
use super::repeated::repeated;
use super::runner::runner;

#[test]
fn turned_sides_come_to_the_same_lines_or_somebody_is_asked_both_times() {
    let whole = Cell::new(0_u32);
    let mut settling = runner(12_000, 1);
    let cases = settling.config().cases;
    let run = |[base, ours, theirs]: [Vec<u8>; 3]| {
        let one_way = settled([&base, &ours, &theirs]);
        let other_way = settled([&base, &theirs, &ours]);
        prop_assert_eq!(one_way.contested == 0, other_way.contested == 0);
        if one_way.contested == 0 {
            prop_assert_eq!(&one_way.result, &other_way.result);
            whole.set(whole.get() + 1);
        }
        Ok(())
    };
    let special = prop_oneof![
        1 => moved(),
        2 => repeated(),
        1 => case().prop_map(|case| case.versions()),
    ];
    settling.run(&special, run).unwrap();
    // Or the property says little.
    assert!(whole.get() > cases / 2, "{whole:?} of {cases} are settled");
}
