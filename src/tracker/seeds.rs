//! Tasks in the seeds format: `.seeds/issues.jsonl`, locked and replaced the way `sd` does it, so that
//! both can be used on the same files at the same time.

use std::path::{Path, PathBuf};

use super::attributes::add_merge_union;
use super::board::Board;
use super::change::{NewTask, Selection, TaskChange};
use super::error::TrackerError;
use super::issue::Issue;
use super::plans::Plans;
use super::ready;
use crate::config::read_foreign_yaml;
use crate::platform::lock_file::{LockFile, LockRules};
use crate::platform::{FsError, clock, fs, landed, leftovers};

/// Where the files are, below the project's root.
pub const FOLDER: &str = ".seeds";
const ISSUES: &str = "issues.jsonl";
const PLANS: &str = "plans.jsonl";
const TEMPLATES: &str = "templates.jsonl";
const CONFIG: &str = "config.yaml";

const RULES: LockRules = LockRules::OF_SEEDS_AND_MULCH;

/// The tasks of one project.
#[derive(Debug, Clone)]
pub struct Seeds {
    dir: PathBuf,
}

/// The files of a new store for the project of this name, by path below its root.
pub fn initial_files(project: &str) -> Vec<(String, String)> {
    let quoted = serde_json::Value::from(project);
    let config = format!("project: {quoted}\nversion: \"1\"\nmax_plan_depth: 3\n");
    let files = [
        (CONFIG, config.as_str()),
        (ISSUES, ""),
        (TEMPLATES, ""),
        (PLANS, ""),
        (".gitignore", "*.lock\n*.jsonl.tmp.*\n"),
    ];
    files
        .map(|(name, text)| (format!("{FOLDER}/{name}"), text.to_owned()))
        .into()
}

/// Creates the store where there is none; whether it was made. What exists is left alone.
pub fn create(root: &Path) -> Result<bool, TrackerError> {
    let made = Seeds::open(root).is_none();
    landed::may_follow(root, &root.join(FOLDER))?;
    fs::create_dir_all(&root.join(FOLDER))?;
    let name = root
        .file_name()
        .map_or_else(|| "seeds".into(), |name| name.to_string_lossy());
    for (path, text) in initial_files(&name) {
        fs::create_new(&root.join(path), &text)?;
    }
    add_merge_union(root, &Seeds::MERGED_BY_LINE)?;
    Ok(made)
}

impl Seeds {
    /// What git has to know about the files.
    pub const MERGED_BY_LINE: [&str; 3] = [
        ".seeds/issues.jsonl",
        ".seeds/templates.jsonl",
        ".seeds/plans.jsonl",
    ];

    /// The store of the project at `root`, if it has one.
    pub fn open(root: &Path) -> Option<Self> {
        let dir = root.join(FOLDER);
        [ISSUES, CONFIG]
            .iter()
            .any(|file| dir.join(file).is_file())
            .then_some(Self { dir })
    }

    /// One of the files, unless links that agents can have made lead elsewhere.
    fn file(&self, name: &str) -> Result<PathBuf, FsError> {
        let path = self.dir.join(name);
        let root = self.dir.parent().unwrap_or(&self.dir);
        landed::may_follow(root, &path)?;
        Ok(path)
    }

    fn read(&self) -> Result<Board, TrackerError> {
        let content = fs::read_bytes_optional(&self.file(ISSUES)?)?;
        Ok(Board::parse(content.unwrap_or_default()))
    }

    /// Every task, in the order of the file.
    pub fn all(&self) -> Result<Vec<Issue>, TrackerError> {
        Ok(self.read()?.issues())
    }

    /// One task.
    pub fn get(&self, id: &str) -> Result<Issue, TrackerError> {
        self.read()?.get(id)
    }

    /// The chosen tasks, the most urgent first.
    pub fn list(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        selection.check()?;
        let mut issues = self.all()?;
        issues.retain(|issue| selection.takes(issue));
        Ok(selection.cut(ready::sorted(issues)))
    }

    /// Tasks that can be started now, the most urgent first.
    pub fn ready(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        selection.check()?;
        let plans = Plans::load(&self.file(PLANS)?)?;
        let mut issues = ready::ready(&self.all()?, &plans);
        issues.retain(|issue| selection.takes(issue));
        Ok(selection.cut(issues))
    }

    /// Adds a task.
    pub fn add(&self, task: &NewTask) -> Result<Issue, TrackerError> {
        let project = self.project()?;
        self.change(|board, now| board.add(&project, task, now))
    }

    /// Changes a task.
    pub fn update(&self, id: &str, change: &TaskChange) -> Result<Issue, TrackerError> {
        if change.status.is_none() {
            return self.change(|board, now| board.update(id, change, now));
        }
        self.move_on(&[id.to_owned()], |board, now| board.update(id, change, now))
    }

    /// Closes tasks: all of them or none.
    pub fn close(&self, ids: &[String], reason: Option<&str>) -> Result<Vec<Issue>, TrackerError> {
        self.move_on(ids, |board, now| {
            ids.iter().map(|id| board.close(id, reason, now)).collect()
        })
    }

    /// Lets a task wait for another.
    pub fn depend(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        self.change(|board, now| board.depend(id, on, now))
    }

    /// Lets a task wait for another no longer.
    pub fn release(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        self.change(|board, now| board.release(id, on, now))
    }

    /// The word that ids begin with.
    fn project(&self) -> Result<String, TrackerError> {
        let text = fs::read_optional(&self.file(CONFIG)?).ok().flatten();
        let named = text
            .and_then(|text| read_foreign_yaml(&text).ok())
            .and_then(|config| config.get("project")?.as_str().map(str::to_owned));
        Ok(named.unwrap_or_else(|| "seeds".to_owned()))
    }

    /// Reads, changes and replaces the file while nobody else does.
    fn change<T>(
        &self,
        f: impl FnOnce(&mut Board, &str) -> Result<T, TrackerError>,
    ) -> Result<T, TrackerError> {
        let path = self.file(ISSUES)?;
        let lock = LockFile::acquire(&path, &RULES)?;
        let mut board = self.read()?;
        let done = f(&mut board, &clock::now().iso())?;
        replace(&path, &lock, board.print())?;
        Ok(done)
    }

    /// A change of state, which plans follow. Locks plans first, as everybody does.
    fn move_on<T>(
        &self,
        ids: &[String],
        f: impl FnOnce(&mut Board, &str) -> Result<T, TrackerError>,
    ) -> Result<T, TrackerError> {
        let path = self.file(PLANS)?;
        let lock = LockFile::acquire(&path, &RULES)?;
        let (done, issues, now) = self.change(|board, now| {
            let done = f(board, now)?;
            Ok((done, board.issues(), now.to_owned()))
        })?;
        let mut plans = Plans::load(&path)?;
        if plans.follow(ids, &issues, &now) {
            replace(&path, &lock, plans.print())?;
        }
        Ok(done)
    }
}

fn replace(path: &Path, lock: &LockFile, content: Vec<u8>) -> Result<(), TrackerError> {
    if !lock.is_held() {
        return Err(TrackerError::LockLost {
            path: path.to_owned(),
        });
    }
    path.parent().into_iter().for_each(leftovers::sweep);
    Ok(fs::write_shared(path, content)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Seeds) {
        let dir = tempfile::tempdir().unwrap();
        assert!(Seeds::open(dir.path()).is_none());
        assert!(create(dir.path()).unwrap());
        assert!(!create(dir.path()).unwrap());
        let seeds = Seeds::open(dir.path()).unwrap();
        (dir, seeds)
    }

    fn task(title: &str) -> NewTask {
        NewTask {
            title: title.into(),
            ..NewTask::default()
        }
    }

    #[test]
    fn a_life_of_a_task() {
        let (dir, seeds) = store();
        let first = seeds.add(&task("first")).unwrap();
        let name = dir
            .path()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        assert!(
            first.id().starts_with(&format!("{name}-")),
            "{}",
            first.id()
        );
        let second = NewTask {
            depends_on: vec![first.id().into()],
            ..task("second")
        };
        let second = seeds.add(&second).unwrap();
        let ready = |seeds: &Seeds| -> Vec<String> {
            let ready = seeds.ready(&Selection::default()).unwrap();
            ready.iter().map(|i| i.title().to_owned()).collect()
        };
        assert_eq!(ready(&seeds), ["first"]);
        seeds
            .update(first.id(), &TaskChange::status("in_progress"))
            .unwrap();
        assert!(ready(&seeds).is_empty());
        seeds.close(&[first.id().to_owned()], Some("done")).unwrap();
        assert_eq!(ready(&seeds), ["second"]);
        assert!(matches!(
            seeds.close(&[second.id().to_owned(), "x".into()], None),
            Err(TrackerError::NotFound { .. })
        ));
        assert_eq!(seeds.get(second.id()).unwrap().status(), "open");
        let left: Vec<_> = std::fs::read_dir(dir.path().join(".seeds"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|n| n.contains("lock") || n.contains("grove"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn plans_follow_their_tasks() {
        let (dir, seeds) = store();
        let id = seeds.add(&task("step")).unwrap().id().to_owned();
        let plans = dir.path().join(".seeds/plans.jsonl");
        let text = |status: &str| {
            format!(
                "{{\"id\":\"pl-1\",\"seed\":\"x\",\"status\":\"{status}\",\"children\":[\"{id}\"]"
            )
        };
        std::fs::write(&plans, text("approved") + "}\n").unwrap();
        seeds
            .update(&id, &TaskChange::status("in_progress"))
            .unwrap();
        assert!(
            std::fs::read_to_string(&plans)
                .unwrap()
                .starts_with(&text("active"))
        );
        seeds.close(std::slice::from_ref(&id), None).unwrap();
        assert!(
            std::fs::read_to_string(&plans)
                .unwrap()
                .starts_with(&text("done"))
        );
    }

    #[test]
    fn threads_lose_nothing() {
        let (_dir, seeds) = store();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let seeds = &seeds;
                scope.spawn(move || {
                    for n in 0..20 {
                        let issue = seeds.add(&task(&format!("{thread}-{n}"))).unwrap();
                        seeds.close(&[issue.id().to_owned()], None).unwrap();
                    }
                });
            }
        });
        let all = seeds.all().unwrap();
        let titles: std::collections::HashSet<&str> = all.iter().map(Issue::title).collect();
        assert_eq!((all.len(), titles.len()), (160, 160));
        assert!(all.iter().all(|i| i.status() == "closed"));
    }
}
