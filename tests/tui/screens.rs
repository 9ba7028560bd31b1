//! Every screen at the three sizes.

use insta::assert_snapshot;

use crate::fixtures::afternoon;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

fn at_all_sizes(name: &str, keys: &str) {
    for (cols, rows) in SIZES {
        let picture = afternoon().size(cols, rows).keys(keys).snapshot();
        assert_snapshot!(format!("{name}_{cols}x{rows}"), picture);
    }
}

#[test]
fn work() {
    at_all_sizes("work", "");
}
