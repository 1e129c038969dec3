/* dendro annotate: a recording and a function -> its lines and instructions, with their cost. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/near_names.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/files/fetched_profile.h"
#include "report/annotate/annotate_output.h"
#include "report/names/function_query.h"

#define USAGE_STATUS 129
#define MAX_MOVED    16

static const char usage[] =
	"usage: dendro annotate [OPTIONS] FUNCTION [FILE]\n\n"
	"Shows the cost of a function's source lines and instructions, from a recording\n"
	"(default: dendro.data).\n\n"
	"FUNCTION is a name as in dendro report (ns::foo), with parameters (ns::foo(int)),\n"
	"mangled, or without namespaces and template arguments (foo).\n\n"
	"By default: source lines with cost, the lines around them, and below each line\n"
	"the code that was inlined there and its costly instructions.\n\n"
	"  -i, --input FILE       the recording\n"
	"      --asm              instructions by address, source lines between them\n"
	"      --source           only the source, from the first line to the last\n"
	"      --no-source        do not look at source files\n"
	"      --source-path FROM=TO\n"
	"                         source files of folder FROM are in TO (may be repeated)\n"
	"      --total            count what was called, too: a call has its callee's cost\n"
	"      --min PCT          text: leave out what is below this share of the function\n"
	"                         (default: 0.5); 0 shows everything\n"
	"      --sort EVENT       the event by which functions are in order\n"
	"      --intel            Intel's syntax instead of AT&T's, on x86\n"
	"  -c, --comm NAME,...    only these commands\n"
	"  -p, --pid PID,...      only these processes\n"
	"  -t, --tid TID,...      only these threads\n"
	"  -C, --cpu CPU,...      only these CPUs: 0,4-7\n"
	"  -e, --event NAME,...   only these events\n"
	"  -f, --format FORMAT    text (default), json\n"
	"      --color WHEN       auto (default: on a terminal, unless NO_COLOR is set),\n"
	"                         always, never\n" SYMFS_USAGE DEBUGINFOD_USAGE
	"      --raw-names        names as in the file, mangled\n"
	"      --full-names       names with parameters; lines are not cut to the width\n"
	"      --vmlinux FILE     the kernel's code and debug information\n"
	"      --no-pager         do not page on a terminal\n"
	"  -h, --help             this text\n";

enum {
	OPTION_ASM = REPORT_OPTION_END,
	OPTION_SOURCE,
	OPTION_NO_SOURCE,
	OPTION_SOURCE_PATH,
	OPTION_TOTAL,
	OPTION_SORT_EVENT,
	OPTION_INTEL,
};

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "asm", no_argument, NULL, OPTION_ASM },
	{ "source", no_argument, NULL, OPTION_SOURCE },
	{ "no-source", no_argument, NULL, OPTION_NO_SOURCE },
	{ "source-path", required_argument, NULL, OPTION_SOURCE_PATH },
	{ "total", no_argument, NULL, OPTION_TOTAL },
	{ "min", required_argument, NULL, REPORT_OPTION_MIN },
	{ "sort", required_argument, NULL, OPTION_SORT_EVENT },
	{ "intel", no_argument, NULL, OPTION_INTEL },
	{ "comm", required_argument, NULL, 'c' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "event", required_argument, NULL, 'e' },
	{ "format", required_argument, NULL, 'f' },
	{ "color", required_argument, NULL, REPORT_OPTION_COLOR },
	{ "symfs", required_argument, NULL, REPORT_OPTION_SYMFS },
	{ "debuginfod", optional_argument, NULL, REPORT_OPTION_DEBUGINFOD },
	{ "raw-names", no_argument, NULL, REPORT_OPTION_RAW_NAMES },
	{ "full-names", no_argument, NULL, REPORT_OPTION_FULL_NAMES },
	{ "vmlinux", required_argument, NULL, REPORT_OPTION_VMLINUX },
	{ "no-pager", no_argument, NULL, REPORT_OPTION_NO_PAGER },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct annotate_command {
	struct report_options report;
	struct annotate_options annotate;
	const char *function;
	const char *moved[MAX_MOVED];
	bool is_json;
};

static int add_moved(struct annotate_command *command, const char *argument)
{
	const char *equals = strchr(argument, '=');

	if (!equals || equals == argument)
		return report_complain("--source-path: '%s' is not FROM=TO", argument);
	if (command->annotate.n_moved == MAX_MOVED)
		return report_complain("no more than %d source paths, please", MAX_MOVED);
	command->moved[command->annotate.n_moved++] = argument;
	return 0;
}

static int parse_format(struct annotate_command *command, const char *name)
{
	command->is_json = strcmp(name, "json") == 0;
	if (!command->is_json && strcmp(name, "text") != 0)
		return report_complain("--format takes text, json; not '%s'", name);
	return 0;
}

static int parse_option(struct annotate_command *command, int option, char *argument)
{
	switch (option) {
	case OPTION_ASM:
		command->annotate.part = ANNOTATE_ASSEMBLY;
		return 0;
	case OPTION_SOURCE:
		command->annotate.part = ANNOTATE_SOURCE;
		return 0;
	case OPTION_NO_SOURCE:
		command->annotate.no_source = true;
		return 0;
	case OPTION_SOURCE_PATH:
		return add_moved(command, argument);
	case OPTION_TOTAL:
		command->annotate.inclusive = true;
		return 0;
	case OPTION_SORT_EVENT:
		command->report.sort_event = argument;
		return 0;
	case OPTION_INTEL:
		command->annotate.intel_syntax = true;
		return 0;
	case 'f':
		return parse_format(command, argument);
	default:
		return report_options_parse(&command->report, option, argument);
	}
}

static int parse_arguments(struct annotate_command *command, int argc, char **argv)
{
	if (optind == argc)
		return report_complain("which function? (dendro report --view functions lists "
				       "them)");
	command->function = argv[optind++];
	if (optind < argc)
		command->report.path = argv[optind++];
	if (optind < argc)
		return report_complain("one function and one recording at a time, please");
	return 0;
}

/* 0, 1 after the help, or -EINVAL after a message. */
static int parse(struct annotate_command *command, int argc, char **argv)
{
	int option, err;

	while ((option = getopt_long(argc, argv, "i:c:p:t:C:e:f:h", long_options, NULL)) != -1) {
		if (option == 'h' || option == '?') {
			fputs(usage, option == 'h' ? stdout : stderr);
			return option == 'h' ? 1 : -EINVAL;
		}
		err = parse_option(command, option, optarg);
		if (err)
			return err;
	}
	err = parse_arguments(command, argc, argv);
	report_options_finish(&command->report);
	command->report.symbolizer.lines = true;
	if (command->report.symbolizer.names == NAMES_WHOLE && !command->report.export.full_names)
		command->report.symbolizer.names = NAMES_WITHOUT_PARAMETERS;
	command->annotate.min_percent = command->report.export.min_percent;
	command->annotate.moved = command->moved;
	return err;
}

/* Offers what the recording has, with namespaces and without. */
static void offer_names(const struct profile *profile, struct symbolizer *symbolizer,
			struct near_names *near)
{
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++) {
		const struct frame *frame = &profile->cct->nodes[i].frame;
		const struct frame_name *names;
		size_t n_names;

		if ((frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL) ||
		    symbolizer_expand(symbolizer, frame, &names, &n_names))
			continue;
		for (size_t j = 0; j < n_names; j++) {
			char base[NEAR_NAME_SIZE];
			size_t size;
			const char *start = function_base_name(names[j].name, &size);

			near_names_offer(near, names[j].name);
			snprintf(base, sizeof(base), "%.*s", (int)(size < 1024 ? size : 1024),
				 start);
			near_names_offer(near, base);
		}
	}
}

static int complain_of_name(const struct annotate_command *command, const struct profile *profile,
			    struct symbolizer *symbolizer)
{
	_cleanup_free_ char *question = NULL;
	struct near_names near;

	near_names_init(&near, command->function, strlen(command->function));
	offer_names(profile, symbolizer, &near);
	question = near_names_question(&near);
	return report_complain("%s: no sample is in or below a function '%s'%s",
			       command->report.path, command->function, question ? question : "");
}

static int show(struct annotate_command *command, struct annotation *annotation)
{
	bool is_terminal = isatty(STDOUT_FILENO);
	struct pager pager = { 0 };
	int err;

	command->annotate.width = command->report.export.full_names ? 0 : terminal_width();
	command->annotate.color = report_options_want_color(&command->report, is_terminal);
	if (!command->is_json && is_terminal && !command->report.no_pager)
		pager_start(&pager);
	__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread writes */
	err = command->is_json ? annotate_write_json(stdout, annotation, &command->annotate)
			       : annotate_write_text(stdout, annotation, &command->annotate);
	/* A reader who has seen enough is no error. */
	if (err == -EPIPE)
		err = 0;
	pager_finish(&pager);
	return err ? report_complain("cannot write the annotation: %s", strerror(-err)) : 0;
}

static int annotate_with(struct annotate_command *command, const struct profile *profile,
			 struct symbolizer *symbolizer)
{
	struct annotation *annotation;
	int err = annotation_create(profile, symbolizer, command->function,
				    command->report.view.sort_metric, &annotation);

	if (err)
		return report_complain("%s", strerror(-err));
	err = annotation->n_functions ? show(command, annotation)
				      : complain_of_name(command, profile, symbolizer);
	annotation_destroy(annotation);
	return err;
}

static int annotate(struct annotate_command *command, struct profile *profile)
{
	struct symbolizer *symbolizer;
	int err = report_options_check_events(&command->report, profile);

	if (err)
		return err;
	err = report_options_drop_events(&command->report, profile);
	if (!err)
		err = report_options_check_vmlinux(&command->report, profile);
	if (!err)
		err = report_options_choose_sort(&command->report, profile);
	if (err)
		return err;
	symbolizer = symbolizer_create(profile, &command->report.symbolizer);
	if (!symbolizer)
		return report_complain("out of memory");
	err = annotate_with(command, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

/* 0 or not, after a message. */
static int run(struct annotate_command *command)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&report->files, "annotate", &report->build.files);

	if (err)
		return err;
	err = fetched_profile_build(report->path, &report->build, &report->files, "annotate",
				    &profile, &error);
	if (err)
		report_complain_of_file(report->path, error ? error : strerror(-err));
	else
		err = annotate(command, profile);
	if (!err && error)
		err = report_complain_of_file(report->path, error);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_command command = { 0 };
	int err;

	report_options_set_defaults(&command.report);
	err = parse(&command, argc, argv);
	if (err) {
		report_options_deinit(&command.report);
		return err < 0 ? USAGE_STATUS : 0;
	}
	setlocale(LC_CTYPE, "");
	err = run(&command);
	report_options_deinit(&command.report);
	return err ? 1 : 0;
}
