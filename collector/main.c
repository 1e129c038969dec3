/* dendro: the table of subcommands. */
#include <stdio.h>
#include <string.h>

#include "collector/commands/commands.h"
#include "collector/files/sigbus.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", cmd_list, "list what can be recorded here" },
	{ "record", cmd_record, "record a command, processes or the whole machine" },
	{ "report", cmd_report, "show where the cost of a recording went, by call path" },
	{ "annotate", cmd_annotate, "show the cost of a function's lines and instructions" },
	{ "archive", cmd_archive,
	  "pack a recording with all that reports need, to read it anywhere" },
	{ "script", cmd_script, "list the samples of a recording, as perf script does" },
	{ "debug-unwind", cmd_debug_unwind,
	  "show how a recording's stacks were unwound, step by step" },
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
	fprintf(out, "usage: dendro COMMAND [OPTIONS]\n\n"
		     "A system-wide call-path profiler: complete kernel-plus-user paths of\n"
		     "optimized, stripped programs.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\nStart with:\n"
		     "  dendro record COMMAND     record one command into dendro.data\n"
		     "  dendro record -a -d 10    record the whole machine for ten seconds\n"
		     "  dendro report             read it\n\n"
		     "dendro COMMAND --help and the man pages (dendro-record(1), ...) say more.\n");
}

/* What was read of a file that shrank meanwhile is no result to rely on. */
static int run(int (*command)(int, char **), int argc, char **argv)
{
	sigbus_install();
	int status = command(argc, argv);
	if (!sigbus_n_pages())
		return status;
	fprintf(stderr,
		"dendro: a program or library was truncated while it was read: names and callers "
		"from it are missing. Run the command again.\n");
	return status ? status : 1;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "--help";

	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		printf("dendro %s\n", DENDRO_VERSION);
		return 0;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		print_usage(argc > 1 ? stdout : stderr);
		return argc > 1 ? 0 : 129;
	}
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return run(commands[i].run, argc - 1, argv + 1);
	}
	fprintf(stderr, "dendro: '%s' is not a dendro command. See 'dendro --help'.\n", name);
	return 129;
}
