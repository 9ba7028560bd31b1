//! The home folders of the user: the one that `HOME` names, and the one that the system's list of users does. Programs
//! go by one or the other.

use std::path::{Path, PathBuf};

use crate::platform::paths::user_id;

/// Where systems list their users.
const USERS: &str = "/etc/passwd";

/// `home`, and the listed one when that is another folder.
pub(super) fn homes(home: &Path) -> Vec<PathBuf> {
    let mut all = vec![home.to_owned()];
    let users = std::fs::read_to_string(USERS).unwrap_or_default();
    let real = |path: &Path| path.canonicalize().ok();
    let listed = listed(&users, user_id()).filter(|other| other.is_dir());
    all.extend(listed.filter(|other| real(other) != real(home)));
    all
}

/// The home of a user in the list. The root of the file system is nobody's.
fn listed(users: &str, user: u32) -> Option<PathBuf> {
    let of_user = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let is_user = fields.next()?.parse() == Ok(user);
        let home = fields.nth(2).filter(|_| is_user)?;
        Some(PathBuf::from(home)).filter(|home| home.is_absolute() && home.parent().is_some())
    };
    users.lines().find_map(of_user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_that_the_system_lists_is_found_by_the_number_of_the_user() {
        let users = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada,,:/home/ada:/bin/sh\nsvc:x:9:9::/:/x\n";
        assert_eq!(listed(users, 1000), Some(PathBuf::from("/home/ada")));
        assert_eq!(listed(users, 9), None);
        assert_eq!(listed(users, 5), None);
    }
}
