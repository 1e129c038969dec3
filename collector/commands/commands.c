#include "collector/commands/commands.h"

#include <errno.h>
#include <string.h>

#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"
#include "collector/completion/completion.h"
#include "collector/configuration/option_settings.h"

const struct subcommand commands[] = {
	{ &list_line, "list what can be recorded on this machine", cmd_list },
	{ &doctor_line, "show what limits recordings here, and what changes it", cmd_doctor },
	{ &record_line, "record a command, processes or the whole machine", cmd_record },
	{ &top_line, "show where the cost goes, while it is recorded", cmd_top },
	{ &agent_line, "record the whole machine all the time, in windows", cmd_agent },
	{ &report_line, "show where the cost of a recording went, by call path", cmd_report },
	{ &browse_line, "walk through a recording on the terminal, by keys", cmd_browse },
	{ &view_line, "show a recording in the browser, as one page", cmd_view },
	{ &diff_line, "show what changed between recordings, and what of it is chance", cmd_diff },
	{ &annotate_line, "show the cost of a function's lines and instructions", cmd_annotate },
	{ &values_line, "show what the variables of a function were", cmd_values },
	{ &branches_line, "show the paths inside functions, from records of branches",
	  cmd_branches },
	{ &archive_line, "pack a recording with all that reports need, to read it anywhere",
	  cmd_archive },
	{ &build_line, "build a profile, which is small and needs no other file", cmd_build },
	{ &merge_line, "add profiles of runs, machines or days up", cmd_merge },
	{ &export_line, "write the call paths in a format of other programs", cmd_export },
	{ &push_line, "send profiles to a server for many machines", cmd_push },
	{ &fleet_line, "show where the cost of many machines goes, and what moved", cmd_fleet },
	{ &script_line, "list the samples of a recording, as perf script does", cmd_script },
	{ &debug_unwind_line, "show how the stacks of a recording were unwound", cmd_debug_unwind },
	{ &version_line, "show the version, and what it was built with", cmd_version },
	{ 0 },
};

/* Commands of perf, and what to do instead. */
static const struct {
	const char *name, *advice;
} commands_of_perf[] = {
	{ "stat", "the header of 'dendro report' has what each event counted; 'perf stat' counts "
		  "without samples" },
	{ "trace", "'dendro record -e syscalls' and 'dendro report' show which paths call the "
		   "kernel, 'dendro script' each call" },
	{ "lock", "'dendro record -e off-cpu' has the waits for locks, by call path" },
	{ "sched", "'dendro record -e off-cpu' has the time off the CPU, by call path" },
	{ "mem", "'perf mem record' records accesses to memory, and 'dendro script -F "
		 "+addr,+weight' lists them" },
	{ "c2c", "'perf c2c record' records accesses to memory, and 'dendro script -F "
		 "+addr,+weight' lists them" },
	{ "probe", "'dendro record -e call:LIB:FUNCTION' needs no probe to be added, and "
		   "uprobe:LIB:FUNCTION/value=EXPRESSION/ fetches values" },
	{ "evlist", "'perf evlist -i dendro.data' reads recordings of dendro" },
	{ "buildid-list", "'perf buildid-list -i dendro.data' reads recordings of dendro" },
	{ "inject", "'perf inject -i dendro.data' reads recordings of dendro" },
	{ "config", "options of each command stand in ~/.config/dendro.conf: man dendro.conf" },
	{ "data", "'perf data convert --to-json FILE -i dendro.data' reads recordings of dendro" },
};

static void print_help(FILE *out)
{
	fputs("usage: dendro [--config FILE] COMMAND [OPTIONS]\n\n"
	      "A system-wide call-path profiler: complete kernel-plus-user paths of\n"
	      "optimized, stripped programs.\n\n",
	      out);
	for (const struct subcommand *command = commands; command->line; command++)
		fprintf(out, "  %-12s  %s\n", command->line->command, command->summary);
	fputs("  completion    complete commands and options in bash, zsh or fish\n"
	      "  help          show this text, or describe a command: dendro help COMMAND\n\n"
	      "Start with:\n"
	      "  dendro record COMMAND     record one command into dendro.data\n"
	      "  dendro record -a -d 10    record the whole machine for ten seconds\n"
	      "  dendro report             read it; 'dendro view' in the browser\n"
	      "  dendro doctor             see what this machine permits\n\n"
	      "Options that are always wanted stand in a file: man dendro.conf. The manual pages\n"
	      "describe each command: man dendro-record, ...\n",
	      out);
}

static const struct subcommand *find(const char *name)
{
	for (const struct subcommand *command = commands; command->line; command++) {
		if (strcmp(command->line->command, name) == 0)
			return command;
	}
	return NULL;
}

static const char *find_advice(const char *name)
{
	for (size_t i = 0; i < sizeof(commands_of_perf) / sizeof(commands_of_perf[0]); i++) {
		if (strcmp(commands_of_perf[i].name, name) == 0)
			return commands_of_perf[i].advice;
	}
	return NULL;
}

static int complain_of_unknown(const char *name)
{
	static const char *const options[] = { "--config", "--help", "--version", NULL };
	const char *advice = find_advice(name), *what = *name == '-' ? "option" : "command";
	struct near_names near;

	if (advice) {
		message_error(NULL, "'%s' is a command of perf: %s.", name, advice);
		return EXIT_WRONG_USE;
	}

	near_names_init(&near, name, strlen(name));
	for (const struct subcommand *command = commands; *name != '-' && command->line; command++)
		near_names_offer(&near, command->line->command);
	for (const char *const *option = options; *name == '-' && *option; option++)
		near_names_offer(&near, *option);
	if (!near.n_kept)
		return message_wrong_use(NULL, "unknown %s '%s'.", what, name);
	return message_wrong_use(NULL, "unknown %s '%s'; did you mean '%s'?", what, name,
				 near.kept[0].name);
}

/* "dendro help", "dendro help COMMAND" */
static int help(const char *name)
{
	const struct subcommand *command = name ? find(name) : NULL;

	if (name && !command && strcmp(name, completion_line.command) != 0)
		return complain_of_unknown(name);
	if (command)
		options_print_help(stdout, command->line);
	else if (name)
		options_print_help(stdout, &completion_line);
	else
		print_help(stdout);
	return 0;
}

/* "dendro completion SHELL": it needs the table of all commands. */
static int complete(int argc, char **argv)
{
	struct completed_command completed[sizeof(commands) / sizeof(commands[0]) + 1] = { 0 };
	size_t n = 0;

	for (; commands[n].line; n++)
		completed[n] = (struct completed_command){ commands[n].line, commands[n].summary };
	completed[n] = (struct completed_command){ &completion_line,
						   "complete words in bash, zsh or fish" };
	return completion_run(completed, argc, argv);
}

static bool is_one_of(const char *name, const char *word, const char *option, const char *letter)
{
	return strcmp(name, word) == 0 || strcmp(name, option) == 0 || strcmp(name, letter) == 0;
}

int commands_read_settings(struct configuration *configuration, const char *option_path)
{
	const struct command_line *lines[sizeof(commands) / sizeof(commands[0])];
	int err = configuration_load(configuration, option_path);
	size_t n = 0;

	for (; commands[n].line; n++)
		lines[n] = commands[n].line;
	if (!err)
		err = option_settings_check(configuration, lines, n, &configuration->wrong);
	for (size_t i = 0; i < CONFIGURATION_N_SOURCES; i++)
		if (configuration->files[i].left_out)
			message_note(NULL, "%s is left out: %s.", configuration->files[i].path,
				     configuration->files[i].left_out);
	if (err == -ENOMEM)
		return message_error_of_memory(NULL);
	return err ? EXIT_WRONG_USE : 0;
}

static bool has_settings(const struct configuration *configuration, const char *command)
{
	for (size_t i = 0; i < CONFIGURATION_N_SOURCES; i++) {
		const struct configuration_file *file = &configuration->files[i];

		for (size_t k = 0; k < file->n_settings; k++)
			if (strcmp(file->settings[k].section, command) == 0 ||
			    strcmp(file->settings[k].section, CONFIGURATION_ALL) == 0)
				return true;
	}
	return false;
}

static int run(const struct subcommand *command, const char *config, int argc, char **argv)
{
	struct configuration configuration;
	int status = commands_read_settings(&configuration, config);

	/* The doctor says what is wrong with them, among other things. */
	if (status && configuration.wrong && command->run != cmd_doctor)
		message_error(NULL, "%s", configuration.wrong);
	else if (!status || configuration.wrong)
		status = command->run(argc, argv, &configuration);
	if (status == EXIT_WRONG_USE && !configuration.wrong &&
	    has_settings(&configuration, command->line->command))
		message_note(command->line->command,
			     "settings of files count, too; 'dendro doctor settings' shows them.");
	configuration_deinit(&configuration);
	return status;
}

/* "--config FILE" or "--config=FILE" before the command. Returns the number of its words; -1: there
 * is no file. */
static int take_config(int argc, char **argv, const char **config_ret)
{
	static const char option[] = "--config";
	const size_t size = sizeof(option) - 1;

	if (argc < 2 || strncmp(argv[1], option, size) != 0)
		return 0;
	if (argv[1][size] == '=') {
		*config_ret = argv[1] + size + 1;
		return 1;
	}
	*config_ret = argc > 2 ? argv[2] : NULL;
	return argv[1][size] ? 0 : argc > 2 ? 2 : -1;
}

int commands_run(int argc, char **argv)
{
	const char *config = NULL;
	const int n_words = take_config(argc, argv, &config);

	if (n_words < 0)
		return message_wrong_use(NULL, "--config requires a value: --config FILE.");
	argc -= n_words;
	argv += n_words;
	if (argc < 2) {
		print_help(stderr);
		return EXIT_WRONG_USE;
	}
	const char *name = argv[1];
	if (is_one_of(name, "version", "--version", "-V"))
		return cmd_version(argc - 1, argv + 1, NULL);
	if (is_one_of(name, "help", "--help", "-h"))
		return help(argc > 2 ? argv[2] : NULL);
	if (strcmp(name, completion_line.command) == 0)
		return complete(argc - 1, argv + 1);
	const struct subcommand *command = find(name);
	return command ? run(command, config, argc - 1, argv + 1) : complain_of_unknown(name);
}
