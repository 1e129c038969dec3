/* The subcommands of dendro. */
#ifndef COLLECTOR_COMMANDS_COMMANDS_H
#define COLLECTOR_COMMANDS_COMMANDS_H

#include "collector/command-line/options.h"

struct subcommand {
	const struct command_line *line;
	const char *summary;
	/* Called like main(), with the command's name as argv[0]. */
	int (*run)(int argc, char **argv);
};

/* In the order of the help; ends with a row of zeros. */
extern const struct subcommand commands[];

/* Runs the command that argv[1] names, or prints help. Returns the exit status. */
int commands_run(int argc, char **argv);

extern const struct command_line agent_line, annotate_line, archive_line, branches_line,
	browse_line, build_line, debug_unwind_line, diff_line, doctor_line, export_line, list_line,
	merge_line, push_line, record_line, report_line, script_line, top_line, values_line,
	version_line, view_line;

int cmd_agent(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_branches(int argc, char **argv);
int cmd_browse(int argc, char **argv);
int cmd_build(int argc, char **argv);
int cmd_debug_unwind(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_values(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
