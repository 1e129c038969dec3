/* The subcommands of dendro. */
#ifndef COLLECTOR_COMMANDS_COMMANDS_H
#define COLLECTOR_COMMANDS_COMMANDS_H

#include "collector/command-line/options.h"

struct subcommand {
	const struct command_line *line;
	const char *summary;
	/* Called like main(), with the command's name as argv[0], and the settings of files. */
	int (*run)(int argc, char **argv, struct configuration *configuration);
};

/* In the order of the help; ends with a row of zeros. */
extern const struct subcommand commands[];

/* Runs the command that argv[1] names, or prints help. Returns the exit status. */
int commands_run(int argc, char **argv);
/*
 * Reads the settings of files, as configuration_load() does, and checks that there are such
 * commands and options. 0, or an exit status; what is wrong is in the configuration. Notes which
 * file is left out. configuration_deinit() in any case.
 */
int commands_read_settings(struct configuration *configuration, const char *option_path);

extern const struct command_line agent_line, annotate_line, archive_line, branches_line,
	browse_line, build_line, debug_unwind_line, diff_line, doctor_line, export_line, fleet_line,
	list_line, merge_line, push_line, record_line, report_line, script_line, top_line,
	values_line, version_line, view_line;

int cmd_agent(int argc, char **argv, struct configuration *configuration);
int cmd_annotate(int argc, char **argv, struct configuration *configuration);
int cmd_archive(int argc, char **argv, struct configuration *configuration);
int cmd_branches(int argc, char **argv, struct configuration *configuration);
int cmd_browse(int argc, char **argv, struct configuration *configuration);
int cmd_build(int argc, char **argv, struct configuration *configuration);
int cmd_debug_unwind(int argc, char **argv, struct configuration *configuration);
int cmd_diff(int argc, char **argv, struct configuration *configuration);
int cmd_doctor(int argc, char **argv, struct configuration *configuration);
int cmd_export(int argc, char **argv, struct configuration *configuration);
int cmd_fleet(int argc, char **argv, struct configuration *configuration);
int cmd_list(int argc, char **argv, struct configuration *configuration);
int cmd_merge(int argc, char **argv, struct configuration *configuration);
int cmd_push(int argc, char **argv, struct configuration *configuration);
int cmd_record(int argc, char **argv, struct configuration *configuration);
int cmd_report(int argc, char **argv, struct configuration *configuration);
int cmd_script(int argc, char **argv, struct configuration *configuration);
int cmd_top(int argc, char **argv, struct configuration *configuration);
int cmd_values(int argc, char **argv, struct configuration *configuration);
int cmd_version(int argc, char **argv, struct configuration *configuration);
int cmd_view(int argc, char **argv, struct configuration *configuration);

#endif
