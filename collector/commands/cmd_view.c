/* dendro view: shows a recording or a profile in the browser, or records a command and shows it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/page_file.h"
#include "collector/files/shown_naming.h"
#include "collector/fleet/from_database.h"
#include "report/terminal/character_set.h"

static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};

#define FIELD(name) offsetof(struct report_options, name)

static const struct command_option options_of_view[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .name = "by",
	  .argument = "GROUP",
	  .help = "group the tree by comm (default), process or thread",
	  .take = option_take_choice,
	  .choices = groupings,
	  .offset = FIELD(view.grouping) },
	{ .name = "kernel",
	  .argument = "PART",
	  .help = "merged: kernel functions below the user functions that entered the kernel "
		  "(default); only: kernel functions alone; none: the user function gets their "
		  "cost",
	  .take = option_take_choice,
	  .choices = kernel_choices,
	  .offset = FIELD(view.kernel) },
	{ .name = "errors",
	  .help = "show the standard errors of all shares, from the samples' weights",
	  .take = option_take_flag,
	  .offset = FIELD(view.errors) },
	{ .name = "source",
	  .help = "the page has source lines and instructions of the hottest functions",
	  .take = option_take_flag,
	  .offset = FIELD(has_code) },
	{ .shared = source_path_option, .offset = FIELD(files) },
	{ .shared = db_options, .offset = FIELD(files.db) },
	{ .shared = db_time_options },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(filter) },
	{ .shared = split_option, .offset = FIELD(filter) },
	{ .shared = selection_options, .offset = FIELD(selection) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = debuginfod_option, .offset = FIELD(files) },
	{ .name = "no-inline",
	  .help = "do not show inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(symbolizer.no_inlines) },
	{ .shared = raw_names_option, .offset = FIELD(symbolizer.names) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this debug information of the recorded kernel, instead of searching for it",
	  .take = option_take_text,
	  .offset = FIELD(symbolizer.vmlinux) },
	{ 0 },
};

const struct command_line view_line = {
	.command = "view",
	.synopsis = "[OPTIONS] [FILE]\n"
		    "[OPTIONS] -- [RECORD-OPTIONS] COMMAND [ARGS]",
	.description = "Shows a recording or a profile in the browser; with a COMMAND, records it "
		       "first into\n"
		       "dendro.data. The page is that of dendro report --html.",
	.options = options_of_view,
};

/* Whether a browser could show something to this user. */
static bool has_browser(void)
{
	static const char *const names[] = { "DISPLAY", "WAYLAND_DISPLAY", "BROWSER" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return true;
	}
	return false;
}

/* Opens the page by xdg-open. Whether that succeeded. */
static bool open_in_browser(const char *path)
{
	int status;
	pid_t child = fork();

	if (!child) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		execlp("xdg-open", "xdg-open", path, NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static void show_page(const char *path)
{
	if (has_browser() && open_in_browser(path))
		message_note("view", "the browser shows %s", path);
	else
		printf("%s\n", path);
}

static int write_page(struct report_options *options, struct profile *profile)
{
	struct symbolizer *symbolizer = symbolizer_create(profile, &options->symbolizer);
	struct selected_paths selected;

	if (!symbolizer)
		return message_error_of_memory("view");
	options->export.source = options->path;
	int err = shown_naming_select("view", &options->selection, profile, symbolizer, &selected);
	if (!err) {
		if (selected.selection)
			options->export.selected = &selected;
		err = page_file_write(options, profile, symbolizer);
		options->export.selected = NULL;
		selected_paths_deinit(&selected);
	}
	symbolizer_destroy(symbolizer);
	return err;
}

static int view_profile(struct report_options *options, struct profile *profile)
{
	int err = report_options_check_filters(options, profile);

	if (!err)
		err = report_options_drop_events(options, profile);
	if (!err)
		err = report_options_choose_sort(options, profile);
	if (!err)
		err = report_options_check_vmlinux(options, profile);
	if (err)
		return err;
	report_options_explain_emptiness(options, profile);
	return write_page(options, profile);
}

/* 0, or another value after a message. */
static int make_page(struct report_options *options)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&options->files, "view", &options->build.files);

	if (err)
		return err;
	err = fetched_profile_build(options->path, &options->build, &options->files, "view",
				    &profile, &error);
	if (err)
		message_error_of_file("view", options->path, error ? error : strerror(-err));
	else
		err = view_profile(options, profile);
	if (!err && error)
		message_note("view", "%s: %s", options->path, error);
	profile_destroy(profile);
	file_search_destroy(options->build.files);
	return err;
}

static int view(struct report_options *options)
{
	_cleanup_free_ char *path =
		page_file_private_path(options->files.db.url ? "database" : options->path);

	if (!path)
		return message_error("view", "there is no folder for the page: %s.",
				     strerror(errno));
	options->html = path;
	options->paths = &options->path;
	options->n_paths = 1;
	int err = page_file_check_code(options);
	if (!err)
		err = make_page(options);
	if (!err)
		show_page(path);
	return err;
}

/* Which file a path leads to, to find out whether it is another one later. */
static struct stat look_at(const char *path)
{
	struct stat status = { 0 };

	if (stat(path, &status))
		status = (struct stat){ 0 };
	return status;
}

/* Records what follows "--", in a process of its own. 0: there is a recording; else the status of
 * dendro record. */
static int record(int argc, char **argv, struct configuration *configuration)
{
	static char name[] = "record";
	const struct stat before = look_at(DEFAULT_RECORDING);
	int status = 0;

	argv[0] = name;
	fflush(NULL);
	pid_t child = fork();
	if (!child)
		exit(cmd_record(argc, argv, configuration));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return message_error("view", "cannot start dendro record: %s.", strerror(errno));
	const struct stat after = look_at(DEFAULT_RECORDING);
	bool is_new = after.st_ino && (after.st_ino != before.st_ino ||
				       after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
				       after.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
	if (is_new)
		return 0;
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}

/* The place of "--" in the command line; @argc: there is none. */
static int find_command(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i;
	}
	return argc;
}

/* Takes the operands. With a command, it is recorded. 0, or an exit status after a message. */
static int take_operands(struct report_options *options, const struct parsed_line *parsed, int argc,
			 char **argv, struct configuration *configuration)
{
	if (options->files.db.url && argc < 2)
		return from_database_take(options, parsed);
	int status = filter_options_take_where("view", &options->filter);
	if (status)
		return status;
	if (argc < 2)
		return file_options_take_operand("view", parsed, 0, &options->path);
	if (parsed->n_operands || options->path != file_options_default)
		return message_wrong_use("view", "a command is recorded into " DEFAULT_RECORDING
						 ": name no file.");
	options->path = DEFAULT_RECORDING;
	return record(argc, argv, configuration);
}

int cmd_view(int argc, char **argv, struct configuration *configuration)
{
	struct report_options options;
	const int n_own = find_command(argc, argv);

	report_options_init(&options, "view");
	argv[n_own] = NULL; /* the end of our own words */
	struct parsed_line parsed = options_parse(&view_line, configuration, n_own, argv, &options);
	int status = parsed.status;
	if (!parsed.is_done)
		status =
			take_operands(&options, &parsed, argc - n_own, argv + n_own, configuration);
	if (!parsed.is_done && !status) {
		report_options_finish(&options);
		/* With threads, rows of samples can stay. */
		options.build.by_thread = options.build.keeps_rows = true;
		options.build.keeps_code = options.has_code;
		options.build.keeps_squares = options.view.errors;
		character_set_take();
		status = view(&options) ? 1 : 0;
	}
	report_options_deinit(&options);
	return status;
}
