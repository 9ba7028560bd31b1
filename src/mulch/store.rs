//! The files of `.mulch/`, locked and replaced the way `ml` does it, so that both can be used on the
//! same files at the same time.

use std::path::{Path, PathBuf};

use super::domain::{add_to_settings, check_name};
use super::error::MulchError;
use super::outcome::NewOutcome;
use super::record::{NewRecord, Record};
use super::search::{self, Filter};
use super::settings::{INITIAL, Settings};
use super::shelf::{Action, Shelf};
use crate::config;
use crate::logging::storable;
use crate::platform::lock_file::{LockFile, LockRules};
use crate::platform::{FsError, ProjectPaths, clock, fs, landed, leftovers};

/// Where the files are, below the project's root.
pub const FOLDER: &str = ".mulch";
const CONFIG: &str = "mulch.config.yaml";
const EXPERTISE: &str = "expertise";

const RULES: LockRules = LockRules::OF_SEEDS_AND_MULCH;

/// The expertise of one project.
#[derive(Debug, Clone)]
pub struct Mulch {
    dir: PathBuf,
    /// Whether links out of the project are not followed, whoever acts.
    for_agents: bool,
}

/// What became of a new record.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Whether it is new.
    pub action: Action,
    /// As it is stored.
    pub record: Record,
}

/// The files of a new store, by path below the project's root. Git keeps no empty folder, and is not
/// to take in the locks of `ml`, nor what a killed writer has left.
pub fn initial_files() -> [(String, &'static str); 3] {
    [
        (format!("{FOLDER}/.gitignore"), "*.lock\n*.jsonl.tmp.*\n"),
        (format!("{FOLDER}/{CONFIG}"), INITIAL),
        (format!("{FOLDER}/{EXPERTISE}/.gitkeep"), ""),
    ]
}

/// Creates the store where there is none; whether it was made. What exists is left alone. That its
/// files are joined line by line is up to the caller (`tracker::add_merge_union`).
pub fn create(root: &Path) -> Result<bool, MulchError> {
    let made = Mulch::open(root).is_none();
    landed::may_follow(root, &root.join(FOLDER).join(EXPERTISE))?;
    fs::create_dir_all(&root.join(FOLDER).join(EXPERTISE))?;
    for (path, text) in initial_files() {
        fs::create_new(&root.join(path), text)?;
    }
    Ok(made)
}

impl Mulch {
    /// What git has to know about the files.
    pub const MERGED_BY_LINE: &'static str = ".mulch/expertise/*.jsonl";

    /// The store of the project at `root`, if it has one.
    pub fn open(root: &Path) -> Option<Self> {
        let dir = root.join(FOLDER);
        dir.join(CONFIG).is_file().then_some(Self {
            dir,
            for_agents: false,
        })
    }

    /// The same store for what agents are told and what is learnt of them without a person: links that they can have made
    /// lead nowhere else.
    #[must_use]
    pub fn for_agents(self) -> Self {
        Self {
            for_agents: true,
            ..self
        }
    }

    /// The store of a project that keeps what it learns. A configuration that cannot be read has
    /// said nothing against it.
    pub fn wanted(paths: &ProjectPaths) -> Option<Self> {
        let enabled = || config::load(&paths.root).map_or(true, |l| l.config.mulch.enabled);
        let found = Self::open(&paths.root).filter(|_| enabled());
        found.map(Self::for_agents)
    }

    pub(super) fn settings(&self) -> Result<Settings, MulchError> {
        Settings::load(&self.config()?)
    }

    /// The names of the domains.
    pub fn domains(&self) -> Result<Vec<String>, MulchError> {
        Ok(self.settings()?.domains())
    }

    /// A path in the store, unless links that agents can have made lead elsewhere.
    fn at(&self, path: PathBuf) -> Result<PathBuf, FsError> {
        let root = self.dir.parent().unwrap_or(&self.dir);
        if self.for_agents {
            landed::stays_inside(root, &path)?;
        } else {
            landed::may_follow(root, &path)?;
        }
        Ok(path)
    }

    fn config(&self) -> Result<PathBuf, FsError> {
        self.at(self.dir.join(CONFIG))
    }

    pub(super) fn expertise_dir(&self) -> Result<PathBuf, FsError> {
        self.at(self.dir.join(EXPERTISE))
    }

    pub(super) fn file(&self, domain: &str) -> Result<PathBuf, FsError> {
        self.at(self.dir.join(EXPERTISE).join(format!("{domain}.jsonl")))
    }

    fn shelf(&self, domain: &str) -> Result<Shelf, MulchError> {
        check_name(domain)?;
        let content = fs::read_bytes_optional(&self.file(domain)?)?;
        Ok(Shelf::parse(content.unwrap_or_default()))
    }

    /// All records of a domain, in the order of the file.
    pub fn read(&self, domain: &str) -> Result<Vec<Record>, MulchError> {
        Ok(self.shelf(domain)?.records())
    }

    /// The records of the given domains (all when empty) that pass the filter.
    pub fn query(
        &self,
        domains: &[String],
        filter: &Filter,
    ) -> Result<Vec<(String, Vec<Record>)>, MulchError> {
        let settings = self.settings()?;
        for domain in domains {
            settings.require_domain(domain)?;
        }
        let chosen = if domains.is_empty() {
            settings.domains()
        } else {
            domains.to_vec()
        };
        let mut out = Vec::new();
        for domain in chosen {
            let mut records = self.read(&domain)?;
            records.retain(|record| filter.takes(record));
            out.push((domain, records));
        }
        Ok(out)
    }

    /// The records that have any of the words, the best of each domain first; domains without any are
    /// left out.
    pub fn search(
        &self,
        query: &str,
        domains: &[String],
        filter: &Filter,
    ) -> Result<Vec<(String, Vec<Record>)>, MulchError> {
        let boost = self.settings()?.boost();
        let mut found = self.query(domains, filter)?;
        for (_, records) in &mut found {
            *records = search::search(std::mem::take(records), query, boost);
        }
        found.retain(|(_, records)| !records.is_empty());
        Ok(found)
    }

    /// One record, by its id or the beginning of it.
    pub fn get(&self, domain: &str, id: &str) -> Result<Record, MulchError> {
        self.settings()?.require_domain(domain)?;
        self.shelf(domain)?.get(domain, id)
    }

    /// Records something, without the secrets in its texts; a domain that does not exist is made.
    pub fn record(
        &self,
        domain: &str,
        new: &NewRecord,
        force: bool,
    ) -> Result<Recorded, MulchError> {
        check_name(domain)?;
        let record = new.storable().build(&clock::now().iso())?;
        let settings = self.settings()?;
        check_rules(&settings, domain, &record)?;
        if !settings.domains().iter().any(|d| d == domain) {
            self.add_domain(domain)?;
        }
        self.change(domain, |shelf| {
            let (action, record) = shelf.put(record, force);
            Ok(Recorded { action, record })
        })
    }

    /// Adds what came of using a record.
    pub fn add_outcome(
        &self,
        domain: &str,
        id: &str,
        outcome: &NewOutcome,
    ) -> Result<Record, MulchError> {
        self.settings()?.require_domain(domain)?;
        let now = clock::now().iso();
        let outcome = outcome.storable();
        self.change(domain, |shelf| {
            shelf.add_outcome(domain, id, &outcome, &now)
        })
    }

    /// Makes a domain; one that exists is fine.
    pub fn add_domain(&self, domain: &str) -> Result<(), MulchError> {
        check_name(domain)?;
        let path = self.config()?;
        let lock = LockFile::acquire(&path, &RULES)?;
        let known = self.settings()?.domains();
        if !known.iter().any(|d| d == domain) {
            let shown = storable(domain);
            if shown != domain {
                return Err(MulchError::BadDomain {
                    domain: shown.into_owned(),
                });
            }
            let text = fs::read_optional(&path)?.unwrap_or_default();
            let Some(new) = add_to_settings(&text, domain) else {
                return Err(MulchError::Settings {
                    path,
                    reason: format!("add \"{domain}\" below \"domains:\" yourself, in its layout"),
                });
            };
            replace(&path, &lock, new)?;
        }
        fs::create_dir_all(&self.expertise_dir()?)?;
        fs::create_new(&self.file(domain)?, "")?;
        Ok(())
    }

    /// Reads, changes and replaces a domain's file while nobody else does.
    fn change<T>(
        &self,
        domain: &str,
        f: impl FnOnce(&mut Shelf) -> Result<T, MulchError>,
    ) -> Result<T, MulchError> {
        let path = self.file(domain)?;
        // Git keeps no empty folder, so a fresh clone may be without it.
        fs::create_dir_all(&self.expertise_dir()?)?;
        let lock = LockFile::acquire(&path, &RULES)?;
        let mut shelf = self.shelf(domain)?;
        let done = f(&mut shelf)?;
        replace(&path, &lock, shelf.print())?;
        Ok(done)
    }
}

fn check_rules(settings: &Settings, domain: &str, record: &Record) -> Result<(), MulchError> {
    let broken = |rule: String| MulchError::DomainRule {
        domain: domain.to_owned(),
        rule,
    };
    let allowed = settings.allowed_types(domain);
    if !allowed.is_empty() && !allowed.iter().any(|kind| kind == record.kind_name()) {
        return Err(broken(format!("takes only: {}", allowed.join(", "))));
    }
    let missing: Vec<String> = settings
        .required_fields(domain)
        .into_iter()
        .filter(|field| !record.fields().contains_key(field))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(broken(format!("asks for: {}", missing.join(", "))))
}

fn replace(path: &Path, lock: &LockFile, content: impl AsRef<[u8]>) -> Result<(), MulchError> {
    if !lock.is_held() {
        return Err(MulchError::LockLost {
            path: path.to_owned(),
        });
    }
    path.parent().into_iter().for_each(leftovers::sweep);
    Ok(fs::write_shared(path, content)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulch::OutcomeStatus;

    fn store() -> (tempfile::TempDir, Mulch) {
        let dir = tempfile::tempdir().unwrap();
        assert!(Mulch::open(dir.path()).is_none());
        assert!(create(dir.path()).unwrap());
        assert!(!create(dir.path()).unwrap());
        let mulch = Mulch::open(dir.path()).unwrap();
        (dir, mulch)
    }

    fn convention(content: &str) -> NewRecord {
        NewRecord::new("convention").text("content", content)
    }

    #[test]
    fn a_domain_comes_with_its_first_record() {
        let (dir, mulch) = store();
        let recorded = mulch.record("cli", &convention("c"), false).unwrap();
        assert_eq!(recorded.action, Action::Created);
        assert_eq!(mulch.domains().unwrap(), ["cli"]);
        let again = mulch.record("cli", &convention("c"), false).unwrap();
        assert_eq!(again.action, Action::Skipped);
        let found = mulch.search("c", &[], &Filter::default()).unwrap();
        assert_eq!(found.len(), 1);
        let outcome = NewOutcome::new(OutcomeStatus::Success);
        let id = recorded.record.id();
        assert_eq!(
            mulch
                .add_outcome("cli", id, &outcome)
                .unwrap()
                .outcomes()
                .len(),
            1
        );
        let config = std::fs::read_to_string(dir.path().join(".mulch/mulch.config.yaml")).unwrap();
        assert!(config.starts_with("# What"));
        assert!(mulch.record("../x", &convention("c"), false).is_err());
    }

    #[test]
    fn rules_of_a_domain_hold() {
        let (dir, mulch) = store();
        let config = dir.path().join(".mulch/mulch.config.yaml");
        std::fs::write(
            &config,
            "domains:\n  cli:\n    allowed_types: [pattern]\n  db:\n    required_fields: [tags]\n",
        )
        .unwrap();
        assert!(matches!(
            mulch.record("cli", &convention("c"), false),
            Err(MulchError::DomainRule { .. })
        ));
        assert!(mulch.record("db", &convention("c"), false).is_err());
        let mut tagged = convention("c");
        tagged.tags = vec!["t".into()];
        assert!(mulch.record("db", &tagged, false).is_ok());
    }

    #[test]
    fn threads_lose_nothing() {
        let (_dir, mulch) = store();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let mulch = &mulch;
                scope.spawn(move || {
                    for n in 0..20 {
                        let domain = format!("d{}", n % 3);
                        let new = convention(&format!("{thread}-{n}"));
                        let id = mulch.record(&domain, &new, false).unwrap().record;
                        let outcome = NewOutcome::new(OutcomeStatus::Success);
                        mulch.add_outcome(&domain, id.id(), &outcome).unwrap();
                    }
                });
            }
        });
        let all = mulch.query(&[], &Filter::default()).unwrap();
        let records: Vec<&Record> = all.iter().flat_map(|(_, r)| r).collect();
        assert_eq!(records.len(), 160);
        assert!(records.iter().all(|r| r.outcomes().len() == 1));
    }
}
