//! The two lists of cases: the vendored one, and our own by category.

use crate::place::Place;
use serde_json::Value;

/// Every case whose answer is wrong, as text.
fn wrong(list: &str) -> (usize, Vec<String>) {
    wrong_in(&Place::new(), list)
}

/// The same in a worktree that was made ready.
pub(crate) fn wrong_in(place: &Place, list: &str) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in list.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| {
            case[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name} in {line}"))
        };
        let tool = case["tool"].as_str().unwrap_or("Bash");
        let input = match case.get("command") {
            Some(command) => serde_json::json!({"command": command}),
            None => case["input"].clone(),
        };
        let (decision, reason) = place.ask(text("capability"), tool, &input);
        count += 1;
        if decision != text("expect") {
            wrong.push(format!(
                "{decision} instead of {} for {} {input} ({reason})",
                text("expect"),
                text("capability")
            ));
        }
        if decision == "block" && (reason.is_empty() || reason.contains('\n') || reason.len() > 300)
        {
            wrong.push(format!("the reason is not one short sentence: {reason:?}"));
        }
        if decision == "block" && !reason.contains("; ") {
            wrong.push(format!(
                "the reason names no way to do it right: {reason:?}"
            ));
        }
    }
    (count, wrong)
}

/// Asks about every case of a list, of which there must be at least so many.
fn answered(list: &str, least: usize) {
    let (count, wrong) = wrong(list);
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= least, "only {count} cases");
}

#[test]
fn every_vendored_case_is_answered_as_expected() {
    answered(include_str!("cases.jsonl"), 246);
}

#[test]
fn every_case_of_words_of_container_programs_is_answered_as_expected() {
    answered(include_str!("containers.jsonl"), 50);
}

#[test]
fn every_case_of_variables_that_a_program_does_not_get_is_answered_as_expected() {
    answered(include_str!("child_variables.jsonl"), 65);
}

#[test]
fn every_case_of_wrappers_with_options_that_nobody_knows_is_answered_as_expected() {
    answered(include_str!("wrapper_options.jsonl"), 30);
}

#[test]
fn every_case_of_publishers_that_nobody_knows_is_answered_as_expected() {
    answered(include_str!("unknown_publishers.jsonl"), 55);
}

#[test]
fn every_case_of_disks_and_of_images_of_disks_is_answered_as_expected() {
    answered(include_str!("disks.jsonl"), 65);
}

#[test]
fn every_case_of_outputs_in_options_of_readers_is_answered_as_expected() {
    answered(include_str!("outputs_again.jsonl"), 50);
}

#[test]
fn every_case_of_what_is_downloaded_and_unpacked_and_then_run_is_answered_as_expected() {
    answered(include_str!("downloads_run.jsonl"), 50);
}

#[test]
fn every_case_of_numbers_and_sums_in_names_is_answered_as_expected() {
    answered(include_str!("numbers_in_names.jsonl"), 65);
}

#[test]
fn every_case_of_code_that_is_written_and_then_brought_in_is_answered_as_expected() {
    answered(include_str!("written_imports.jsonl"), 30);
}

#[test]
fn every_case_of_lists_in_code_and_of_scripts_in_arguments_and_input_is_answered_as_expected() {
    answered(include_str!("lists_and_scripts.jsonl"), 55);
}

#[test]
fn every_case_of_addresses_and_storage_elsewhere_is_answered_as_expected() {
    answered(include_str!("addresses_that_publish.jsonl"), 75);
}

#[test]
fn every_case_of_files_that_tools_find_by_their_names_is_answered_as_expected() {
    answered(include_str!("found_by_names.jsonl"), 70);
}

#[test]
fn every_case_of_interpreters_and_build_tools_is_answered_as_expected() {
    answered(include_str!("languages.jsonl"), 800);
}

#[test]
fn every_case_of_our_own_is_answered_as_expected() {
    answered(include_str!("more.jsonl"), 400);
}

#[test]
fn every_case_of_what_is_reached_by_a_detour_is_answered_as_expected() {
    answered(include_str!("indirect.jsonl"), 200);
}

#[test]
fn every_case_of_commands_in_options_and_of_missing_fields_is_answered_as_expected() {
    answered(include_str!("carried.jsonl"), 400);
}

#[test]
fn every_case_of_small_languages_outputs_and_tool_servers_is_answered_as_expected() {
    let (count, wrong) = wrong(include_str!("scripts.jsonl"));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 480, "only {count} cases");
}

#[test]
fn every_case_of_paths_and_names_of_tools_is_answered_as_expected() {
    answered(include_str!("paths_of_tools.jsonl"), 100);
}

#[test]
fn every_case_of_installs_for_everybody_is_answered_as_expected() {
    answered(include_str!("installers.jsonl"), 120);
}

#[test]
fn what_code_computes_is_no_target_unless_it_can_be_shown_to_be_inside() {
    answered(include_str!("computed_targets.jsonl"), 320);
}

#[test]
fn a_command_or_code_that_a_tool_is_given_is_judged_as_itself() {
    answered(include_str!("commands_given_to_tools.jsonl"), 210);
}

#[test]
fn files_are_sent_to_this_machine_and_to_no_other() {
    answered(include_str!("sent_elsewhere.jsonl"), 110);
}

#[test]
fn every_case_of_folders_that_code_walks_and_makes_is_answered_as_expected() {
    answered(include_str!("code_helpers.jsonl"), 40);
}

#[test]
fn every_case_of_tools_that_deploy_is_answered_as_expected() {
    answered(include_str!("deployers.jsonl"), 30);
}

#[test]
fn every_case_of_helpers_that_run_what_they_are_given_is_answered_as_expected() {
    answered(include_str!("runner_helpers.jsonl"), 70);
}

#[test]
fn every_case_of_ending_what_was_started_is_answered_as_expected() {
    answered(include_str!("own_processes.jsonl"), 50);
}

#[test]
fn every_case_of_names_that_pass_through_filters_is_answered_as_expected() {
    answered(include_str!("filters.jsonl"), 30);
}

#[test]
fn every_case_of_members_locks_and_looks_is_answered_as_expected() {
    answered(include_str!("members.jsonl"), 80);
}

#[test]
fn every_case_of_settings_that_a_pattern_reaches_is_answered_as_expected() {
    answered(include_str!("settings_by_pattern.jsonl"), 40);
}

#[test]
fn every_case_of_tool_servers_that_change_other_things_than_files_is_answered_as_expected() {
    answered(include_str!("tool_servers.jsonl"), 30);
}

#[test]
fn every_case_of_harmless_commands_that_are_harder_to_see_through_is_answered_as_expected() {
    answered(include_str!("harder_harmless.jsonl"), 10);
}

#[test]
fn every_case_of_commands_that_come_out_either_way_is_answered_as_expected() {
    answered(include_str!("both_outcomes.jsonl"), 90);
}

#[test]
fn every_case_of_task_files_that_the_same_command_changes_is_answered_as_expected() {
    answered(include_str!("task_files.jsonl"), 50);
}

#[test]
fn every_case_of_files_that_are_changed_and_run_by_one_command_is_answered_as_expected() {
    answered(include_str!("changed_files.jsonl"), 130);
}

#[test]
fn every_case_of_dry_runs_gates_that_rewrite_and_compilers_that_run_is_answered_as_expected() {
    answered(include_str!("dry_runs.jsonl"), 45);
}

#[test]
fn every_case_of_text_that_other_shells_than_bash_read_otherwise_is_answered_as_expected() {
    answered(include_str!("other_shells.jsonl"), 65);
}

#[test]
fn every_case_of_temporary_folders_that_nobody_names_is_answered_as_for_a_live_agent() {
    answered(include_str!("temporary.jsonl"), 35);
}

#[test]
fn every_case_of_other_runners_and_of_files_that_they_read_is_answered_as_expected() {
    answered(include_str!("other_runners.jsonl"), 35);
}

#[test]
fn every_case_of_the_last_blind_round_is_answered_as_expected() {
    answered(include_str!("blind_round.jsonl"), 420);
}

#[test]
fn every_case_of_tasks_whose_names_say_that_they_publish_is_answered_as_expected() {
    answered(include_str!("tasks.jsonl"), 130);
}

#[test]
fn every_case_of_patterns_modules_and_rarer_languages_is_answered_as_expected() {
    answered(include_str!("patterns.jsonl"), 60);
}

#[test]
fn every_case_written_for_each_sentence_of_the_policy_is_answered_as_expected() {
    answered(include_str!("sentences.jsonl"), 470);
}

#[test]
fn every_case_of_processes_without_an_end_is_answered_as_expected() {
    answered(include_str!("endless.jsonl"), 380);
}

#[test]
fn every_case_of_functions_that_call_themselves_is_answered_as_expected() {
    answered(include_str!("recursive.jsonl"), 60);
}

#[test]
fn every_case_of_named_pipes_and_links_in_git_folders_is_answered_as_expected() {
    answered(include_str!("pipes.jsonl"), 55);
}

#[test]
fn links_made_behind_other_links_are_followed() {
    answered(include_str!("links_made.jsonl"), 110);
}

#[test]
fn every_case_of_names_of_functions_and_names_that_stay_is_answered_as_expected() {
    answered(include_str!("scoped_names.jsonl"), 60);
}

#[test]
fn a_program_that_the_shell_looks_up_is_judged_by_its_name() {
    answered(include_str!("looked_up.jsonl"), 20);
}

#[test]
fn programs_that_show_what_is_in_a_file_are_for_readers_as_far_as_they_only_do_that() {
    answered(include_str!("inspected.jsonl"), 60);
}

#[test]
fn every_case_of_what_one_command_leaves_for_its_later_parts_is_answered_as_expected() {
    answered(include_str!("one_command.jsonl"), 150);
}

#[test]
fn an_unknown_capability_is_named_with_those_there_are() {
    let place = Place::new();
    let (decision, reason) = place.bash("nope", "ls");
    assert_eq!(decision, "block");
    assert!(reason.contains("nope is no capability"), "{reason}");
    assert!(reason.contains("scout"), "{reason}");
}

/// Links that were there before, moved or copied and then written through.
#[test]
fn cases_a_link_that_is_moved_or_copied_still_leads_outside() {
    let place = Place::new();
    std::os::unix::fs::symlink(&place.root, place.worktree.join("outlink")).unwrap();
    std::fs::create_dir(place.worktree.join("d")).unwrap();
    std::os::unix::fs::symlink(&place.root, place.worktree.join("d/l")).unwrap();
    std::os::unix::fs::symlink("..", place.worktree.join("d/up")).unwrap();
    let mut wrong = Vec::new();
    for (expected, command) in [
        ("block", "mv outlink o2 && echo x > o2/P"),
        ("block", "mv outlink d && echo x > d/outlink/P"),
        ("block", "mv -t d outlink && touch d/outlink/P"),
        ("block", "mv d e && echo x > e/l/P"),
        ("block", "mv outlink o2; mv o2 o3; touch o3/P"),
        ("block", "cp -a outlink o2 && touch o2/P"),
        ("block", "cp -P outlink o2 && touch o2/P"),
        ("block", "cp -d outlink o2 && touch o2/P"),
        ("block", "cp -R outlink o2 && touch o2/P"),
        ("block", "cp -r d e && touch e/l/P"),
        ("block", "cp -r d/. e && touch e/l/P"),
        ("block", "rsync -a outlink o2 && touch o2/P"),
        ("block", "rsync -a outlink o2/ && touch o2/outlink/P"),
        ("block", "rsync -rl d/ e && touch e/l/P"),
        ("block", "mv d/up o && touch o/P"),
        ("block", "bash -c 'mv outlink o2' && touch o2/P"),
        ("allow", "mv outlink o2"),
        ("allow", "mv outlink o2 && rm o2"),
        ("allow", "cp -a outlink o2 && touch P"),
        ("allow", "mv d e && touch e/P"),
        ("allow", "mv a t && mv b a && mv t b && touch a b"),
        ("allow", "cp -r src h && touch h/P"),
    ] {
        let (decision, reason) = place.bash("builder", command);
        if decision != expected {
            wrong.push(format!("{decision}: {command} ({reason})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cases_a_path_longer_than_any_file_has_is_refused_as_such() {
    let place = Place::new();
    let long = "x".repeat(50_000);
    let many = "rm $a; touch $a; ".repeat(50);
    let (decision, reason) = place.bash("builder", &format!("a={long}; {many}"));
    assert_eq!(decision, "block");
    assert!(reason.contains("path too long"), "{reason}");
    let (decision, reason) = place.bash("builder", &format!("echo {long} > f"));
    assert_eq!(decision, "allow", "{reason}");
}

#[test]
fn a_program_never_meets_what_only_the_shell_that_starts_it_knows() {
    answered(include_str!("shadowed_names.jsonl"), 210);
}

#[test]
fn the_subcommand_is_found_behind_options_with_values() {
    answered(include_str!("global_options.jsonl"), 265);
}

#[test]
fn what_a_turn_of_a_loop_leaves_is_what_the_next_one_begins_with() {
    answered(include_str!("loops_again.jsonl"), 80);
}

#[test]
fn every_case_of_the_shell_language_is_answered_as_expected() {
    answered(include_str!("shell.jsonl"), 500);
}

#[test]
fn usual_commands_of_agents_are_allowed() {
    answered(include_str!("harmless.jsonl"), 700);
}

#[test]
fn forbidden_commands_in_usual_and_hidden_spellings_are_refused() {
    answered(include_str!("forbidden.jsonl"), 700);
}

#[test]
fn every_case_of_interpreters_by_their_own_name_and_of_questions_is_answered_as_expected() {
    answered(include_str!("itself.jsonl"), 200);
}

#[test]
fn every_case_of_options_and_variables_that_carry_a_command_is_answered_as_expected() {
    answered(include_str!("harder_misses.jsonl"), 150);
}

#[test]
fn every_case_of_scripts_that_find_themselves_is_answered_as_expected() {
    answered(include_str!("scripts_that_find_themselves.jsonl"), 35);
}

#[test]
fn every_case_of_programs_of_several_names_is_answered_as_expected() {
    answered(include_str!("programs_of_several_names.jsonl"), 55);
}

#[test]
fn every_case_of_modules_that_are_brought_in_and_not_called_is_answered_as_expected() {
    answered(include_str!("brought_in_and_not_called.jsonl"), 40);
}

#[test]
fn every_case_of_sources_that_are_compiled_is_answered_as_expected() {
    answered(include_str!("sources_that_are_compiled.jsonl"), 25);
}

#[test]
fn every_case_of_small_harmless_commands_and_their_like_is_answered_as_expected() {
    answered(include_str!("small_alarms.jsonl"), 50);
}

#[test]
fn every_case_of_settings_that_a_search_is_aimed_at_is_answered_as_expected() {
    answered(include_str!("settings_found_by_patterns.jsonl"), 35);
}

#[test]
fn every_case_of_files_that_are_written_and_run_by_tools_is_answered_as_expected() {
    answered(include_str!("written_and_run_by_tools.jsonl"), 45);
}

#[test]
fn every_case_of_outputs_and_short_names_of_commands_is_answered_as_expected() {
    answered(include_str!("outputs_and_short_names.jsonl"), 30);
}

#[test]
fn files_that_git_is_told_to_read_are_answered_as_expected() {
    answered(include_str!("files_git_reads.jsonl"), 100);
}

#[test]
fn folders_that_cd_looks_in_are_answered_as_expected() {
    answered(include_str!("searched_folders.jsonl"), 60);
}

#[test]
fn files_edited_in_place_are_answered_as_expected() {
    answered(include_str!("edited_in_place.jsonl"), 100);
}

#[test]
fn files_that_sources_bring_in_are_answered_as_expected() {
    answered(include_str!("brought_in_by_sources.jsonl"), 50);
}

#[test]
fn code_that_is_named_by_an_address_is_answered_as_expected() {
    answered(include_str!("code_at_addresses.jsonl"), 140);
}

#[test]
fn what_lets_work_out_is_answered_as_expected() {
    answered(include_str!("publishers.jsonl"), 180);
}

#[test]
fn tools_by_role_are_answered_as_expected() {
    answered(include_str!("tools_by_role.jsonl"), 1_590);
}

#[test]
fn pushes_and_what_acts_on_forges_are_answered_as_expected() {
    answered(include_str!("pushes_and_forges.jsonl"), 430);
}

#[test]
fn files_of_others_and_what_is_lost_are_answered_as_expected() {
    answered(include_str!("files_of_others.jsonl"), 910);
}

#[test]
fn what_roles_that_read_may_do_is_answered_as_expected() {
    answered(include_str!("roles_that_read.jsonl"), 1_510);
}

#[test]
fn git_commands_are_answered_as_expected() {
    answered(include_str!("git_commands.jsonl"), 290);
}

#[test]
fn builds_are_answered_as_expected() {
    answered(include_str!("builds.jsonl"), 370);
}

#[test]
fn spellings_of_the_shell_are_answered_as_expected() {
    answered(include_str!("shell_spellings.jsonl"), 750);
}

#[test]
fn processes_and_settings_are_answered_as_expected() {
    answered(include_str!("processes_and_settings.jsonl"), 480);
}

#[test]
fn secrets_and_the_network_are_answered_as_expected() {
    answered(include_str!("secrets_and_network.jsonl"), 160);
}

#[test]
fn calls_of_git_servers_are_answered_as_the_git_commands_they_stand_for() {
    answered(include_str!("git_servers.jsonl"), 420);
}

#[test]
fn calls_of_servers_that_run_commands_are_answered_as_expected() {
    answered(include_str!("run_servers.jsonl"), 290);
}

#[test]
fn calls_of_servers_of_browsers_and_build_programs_are_answered_as_expected() {
    answered(include_str!("page_servers.jsonl"), 105);
}

#[test]
fn calls_of_servers_that_change_files_are_answered_as_expected() {
    answered(include_str!("file_servers.jsonl"), 140);
}

#[test]
fn what_reaches_stores_of_secrets_is_answered_as_expected() {
    answered(include_str!("secret_servers.jsonl"), 75);
}

#[test]
fn passwords_that_services_are_handed_are_kept() {
    answered(include_str!("handed_secrets.jsonl"), 25);
}

#[test]
fn queries_are_told_from_statements_that_change_a_database() {
    answered(include_str!("queries.jsonl"), 155);
}

#[test]
fn editors_take_no_scripts_from_an_address() {
    answered(include_str!("editor_scripts_elsewhere.jsonl"), 23);
}

#[test]
fn own_branches_are_renamed_and_removed_but_for_the_one_that_lands() {
    answered(include_str!("own_branches.jsonl"), 37);
}

#[test]
fn files_are_not_uploaded_to_other_machines() {
    answered(include_str!("uploads.jsonl"), 28);
}

#[test]
fn nix_builds_and_runs_nothing_from_an_address() {
    answered(include_str!("nix.jsonl"), 83);
}

#[test]
fn databases_of_other_machines_are_not_changed() {
    answered(include_str!("databases_elsewhere.jsonl"), 107);
}

#[test]
fn machines_and_services_elsewhere_are_not_changed() {
    answered(include_str!("infrastructure.jsonl"), 209);
}

#[test]
fn cmdlets_are_judged_by_what_they_write_and_fetch() {
    answered(include_str!("cmdlets.jsonl"), 66);
}

#[test]
fn libraries_of_others_and_files_behind_silence_are_seen() {
    answered(include_str!("libraries_elsewhere.jsonl"), 46);
}

#[test]
fn every_case_of_backslashes_in_values_and_patterns_is_answered_as_expected() {
    answered(include_str!("backslashes.jsonl"), 85);
}

#[test]
fn every_case_of_assignments_before_builtins_is_answered_as_expected() {
    answered(include_str!("assignments_before_builtins.jsonl"), 45);
}

#[test]
fn every_case_of_clients_that_do_not_read_their_input_is_answered_as_expected() {
    answered(include_str!("input_of_clients.jsonl"), 19);
}

#[test]
fn every_case_of_nested_commands_and_environments_of_code_is_answered_as_expected() {
    answered(include_str!("nested_and_environments.jsonl"), 60);
}
