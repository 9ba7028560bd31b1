//! Scratch.
fn main() {
    for l in std::io::stdin().lines() {
        println!("{}", grove_guard::check::check_line(&l.unwrap()));
    }
}
