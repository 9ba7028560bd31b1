//! Which tasks are in a group, and which group a name means.

use super::{GroupError, GroupStatus, Groups, TaskGroup};
use crate::platform::{clock, random};

impl Groups {
    /// Adds a new group and returns it.
    pub fn create(&mut self, name: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = TaskGroup {
            id: format!("group-{}", random::hex(8)),
            name: name.to_owned(),
            member_issue_ids: issues.to_vec(),
            status: GroupStatus::Active,
            created_at: clock::now().iso(),
            completed_at: None,
        };
        self.all.push(group.clone());
        Ok(group)
    }

    /// Adds tasks; a completed group is followed again.
    pub fn add(&mut self, group: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = self.find_mut(group)?;
        if let Some(issue) = issues
            .iter()
            .find(|issue| group.member_issue_ids.contains(issue))
        {
            return Err(GroupError::AlreadyMember {
                issue: issue.clone(),
                group: group.id.clone(),
            });
        }
        group.member_issue_ids.extend_from_slice(issues);
        group.status = GroupStatus::Active;
        group.completed_at = None;
        Ok(group.clone())
    }

    /// Removes tasks; at least one must stay.
    pub fn remove(&mut self, group: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = self.find_mut(group)?;
        if let Some(issue) = issues
            .iter()
            .find(|issue| !group.member_issue_ids.contains(issue))
        {
            return Err(GroupError::NotMember {
                issue: issue.clone(),
                group: group.id.clone(),
            });
        }
        if issues.len() >= group.member_issue_ids.len() {
            return Err(GroupError::WouldBeEmpty);
        }
        group
            .member_issue_ids
            .retain(|member| !issues.contains(member));
        Ok(group.clone())
    }

    /// Finds a group by id, else by its name; among several of a name the only active one.
    pub fn find(&self, wanted: &str) -> Result<&TaskGroup, GroupError> {
        let index = self.index_of(wanted)?;
        self.all.get(index).ok_or_else(|| GroupError::NotFound {
            group: wanted.to_owned(),
        })
    }

    fn find_mut(&mut self, wanted: &str) -> Result<&mut TaskGroup, GroupError> {
        let index = self.index_of(wanted)?;
        self.all.get_mut(index).ok_or_else(|| GroupError::NotFound {
            group: wanted.to_owned(),
        })
    }

    fn index_of(&self, wanted: &str) -> Result<usize, GroupError> {
        if let Some(index) = self.all.iter().position(|group| group.id == wanted) {
            return Ok(index);
        }
        let named: Vec<(usize, &TaskGroup)> = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, group)| group.name == wanted)
            .collect();
        let active: Vec<usize> = named
            .iter()
            .filter(|(_, group)| group.status == GroupStatus::Active)
            .map(|(index, _)| *index)
            .collect();
        match (named.as_slice(), active.as_slice()) {
            ([], _) => Err(GroupError::NotFound {
                group: wanted.to_owned(),
            }),
            ([(index, _)], _) | (_, [index]) => Ok(*index),
            _ => Err(GroupError::Ambiguous {
                name: wanted.to_owned(),
                ids: named
                    .into_iter()
                    .map(|(_, group)| group.id.clone())
                    .collect(),
            }),
        }
    }

    /// Marks a group as completed; `true` when it was not before.
    pub fn complete(&mut self, id: &str) -> bool {
        let open = self
            .all
            .iter_mut()
            .find(|group| group.id == id && group.status == GroupStatus::Active);
        let Some(group) = open else { return false };
        group.status = GroupStatus::Completed;
        group.completed_at = Some(clock::now().iso());
        true
    }
}

fn refuse_odd_ids(issues: &[String]) -> Result<(), GroupError> {
    if issues.iter().any(|issue| issue.trim().is_empty()) {
        return Err(GroupError::EmptyIssue);
    }
    let twice = issues
        .iter()
        .enumerate()
        .any(|(index, issue)| issues.iter().skip(index + 1).any(|other| other == issue));
    if twice {
        Err(GroupError::Duplicates)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::groups::Progress;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_resolve_to_the_only_active_group() {
        let mut groups = Groups::default();
        let first = groups.create("g", &ids(&["a"])).unwrap();
        let second = groups.create("g", &ids(&["b"])).unwrap();
        assert!(matches!(
            groups.find("g"),
            Err(GroupError::Ambiguous { .. })
        ));
        assert!(groups.complete(&first.id));
        assert_eq!(groups.find("g").unwrap().id, second.id);
        assert!(matches!(groups.find("x"), Err(GroupError::NotFound { .. })));
    }

    #[test]
    fn members_are_added_once_and_one_always_stays() {
        let mut groups = Groups::default();
        let group = groups.create("g", &ids(&["a"])).unwrap();
        assert!(matches!(
            groups.add("g", &ids(&["a"])),
            Err(GroupError::AlreadyMember { .. })
        ));
        assert!(matches!(
            groups.remove("g", &ids(&["a"])),
            Err(GroupError::WouldBeEmpty)
        ));
        assert!(matches!(
            groups.remove("g", &ids(&["z"])),
            Err(GroupError::NotMember { .. })
        ));
        groups.complete(&group.id);
        assert_eq!(
            groups.add("g", &ids(&["b"])).unwrap().status,
            GroupStatus::Active
        );
        assert_eq!(
            groups.remove("g", &ids(&["a"])).unwrap().member_issue_ids,
            ["b"]
        );
        assert!(matches!(
            groups.create("h", &ids(&["x", "x"])),
            Err(GroupError::Duplicates)
        ));
    }

    #[test]
    fn unknown_tasks_count_as_open() {
        let mut groups = Groups::default();
        let group = groups.create("g", &ids(&["a", "b"])).unwrap();
        let progress = Progress::count(&group, &|id| (id == "a").then(|| "closed".to_owned()));
        assert_eq!((progress.completed, progress.open), (1, 1));
        assert!(!progress.is_done());
    }
}
