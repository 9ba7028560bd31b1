//! Compatibility: recorded answers of the other orchestrator, compared with ours.
//!
//! Each scenario is a state folder and a list of cases. Every case starts from a fresh copy, runs
//! one command and compares exit code, output and, where asked for, rows of a database.

#[cfg(test)]
mod compare;
#[cfg(test)]
mod deviations;
#[cfg(test)]
mod rebase;
#[cfg(test)]
mod scenario;

#[cfg(test)]
mod recorded {
    use super::scenario::run;

    #[test]
    fn a_project_right_after_init() {
        run("fresh");
    }

    #[test]
    fn a_run_in_flight() {
        run("midrun");
    }

    #[test]
    fn two_finished_runs() {
        run("finished");
    }

    #[test]
    fn databases_without_rows() {
        run("edge-empty");
    }

    #[test]
    fn hardly_any_files() {
        run("edge-missing");
    }

    #[test]
    fn hostile_and_extreme_data() {
        run("edge-data");
    }

    #[test]
    fn old_schemas_and_keys() {
        run("edge-legacy");
    }

    #[test]
    fn the_session_file_before_databases() {
        run("edge-json");
    }
}
