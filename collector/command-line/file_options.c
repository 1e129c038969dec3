#include "collector/command-line/file_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"

#define DEBUGINFOD_DEFAULT_S 60
#define DEBUGINFOD_MAX_S     86400

const struct command_option input_option[] = {
	{ .name = "input",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'i',
	  .argument = "FILE",
	  .help = "the recording (default: " DEFAULT_RECORDING ", else " PERF_RECORDING
		  "; -: standard input)",
	  .take = option_take_text },
	{ 0 },
};

const struct command_option symfs_option[] = {
	{ .name = "symfs",
	  .argument = "DIR",
	  .help = "look for programs, libraries and debug files below DIR, as a sysroot, and "
		  "nowhere "
		  "else",
	  .take = option_take_text,
	  .offset = offsetof(struct file_options, symfs) },
	{ 0 },
};

static int take_source_path(const struct option_use *use, void *field)
{
	struct file_options *options = field;
	const char *equals = strchr(use->value, '=');

	if (!equals || equals == use->value)
		return option_wrong_value(use, "FROM=TO");
	if (options->n_moved == MOVED_SOURCES_MAX)
		return message_wrong_use(use->command, "%s may be given %d times at most.",
					 use->spelling, MOVED_SOURCES_MAX);
	options->moved[options->n_moved++] = use->value;
	return 0;
}

const struct command_option source_path_option[] = {
	{ .name = "source-path",
	  .argument = "FROM=TO",
	  .help = "look below TO for source files whose path begins with FROM (may be given "
		  "sixteen "
		  "times)",
	  .take = take_source_path },
	{ 0 },
};

/* A part of a second is rounded up to a whole one. */
static int take_debuginfod(const struct option_use *use, void *field)
{
	struct file_options *options = field;
	uint64_t ns = DEBUGINFOD_DEFAULT_S * NSEC_PER_SEC;

	if (use->value &&
	    numbers_parse_time(use->value, NSEC_PER_SEC, DEBUGINFOD_MAX_S * NSEC_PER_SEC, &ns))
		return option_wrong_value(use, "a time in seconds up to %d", DEBUGINFOD_MAX_S);
	options->debuginfod = options->asks_debuginfod = true;
	options->debuginfod_s = (unsigned)((ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
	return 0;
}

const struct command_option debuginfod_option[] = {
	{ .name = "debuginfod",
	  .argument = "SEC",
	  .is_value_optional = true,
	  .help = "fetch missing files by build ID from the servers in DEBUGINFOD_URLS, for SEC "
		  "seconds at most (default: 60)",
	  .take = take_debuginfod },
	{ 0 },
};

const struct command_option sandbox_option[] = {
	{ .name = "no-sandbox",
	  .help = "the process that reads program files keeps the rights of this one, instead of "
		  "none",
	  .take = option_take_flag,
	  .offset = offsetof(struct file_options, keeps_rights) },
	{ 0 },
};

#define DB_FIELD(name) offsetof(struct db_options, name)

const struct command_option db_options[] = {
	{ .name = "from-db",
	  .argument = "URL",
	  .help = "read what dendro push has sent to this database, instead of files: "
		  "clickhouse+https://[USER@]HOST[:PORT][/DATABASE], or with http; what was "
		  "recorded in the last hour, or as --from and --to say",
	  .take = option_take_text,
	  .offset = DB_FIELD(url) },
	{ .name = "token-file",
	  .argument = "FILE",
	  .help = "send the database the token in the first line of this file: the password of "
		  "the URL's user, or a bearer token",
	  .take = option_take_text,
	  .offset = DB_FIELD(token_file) },
	{ .name = "ca-file",
	  .argument = "FILE",
	  .help = "trust the certificates of this file, in PEM, instead of the system's",
	  .take = option_take_text,
	  .offset = DB_FIELD(ca_file) },
	{ 0 },
};

bool file_options_have_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")];
}

const char file_options_default[] = DEFAULT_RECORDING;

static const char *find_recording(const char *command)
{
	if (access(file_options_default, F_OK) == 0 || access(PERF_RECORDING, F_OK) != 0)
		return file_options_default;
	message_note(command,
		     "reading " PERF_RECORDING ", because there is no " DEFAULT_RECORDING " here.");
	return PERF_RECORDING;
}

int file_options_take_operand(const char *command, const struct parsed_line *parsed,
			      size_t n_before, const char **path)
{
	if (parsed->n_operands > n_before + 1)
		return message_wrong_use(command,
					 "there is a second file, '%s': name one recording.",
					 parsed->operands[n_before + 1]);
	if (parsed->n_operands > n_before)
		*path = parsed->operands[n_before];
	if (*path == file_options_default)
		*path = find_recording(command);
	return 0;
}

void file_options_init(struct file_options *options)
{
	const char *consent = getenv("DENDRO_DEBUGINFOD");

	*options = (struct file_options){ .debuginfod_s = DEBUGINFOD_DEFAULT_S };
	options->debuginfod = consent && strcmp(consent, "1") == 0 && file_options_have_servers();
}

static int complain_of_root(const char *command, const char *root, int err)
{
	if (err == -ENOSYS)
		message_error(
			command,
			"--symfs %s: this kernel (before 5.6) cannot keep symbolic links inside "
			"of a folder.",
			root);
	else
		message_error(command, "--symfs %s: %s.", root, strerror(-err));
	return err;
}

static int set_up(const struct file_options *options, const char *command,
		  struct file_search *files)
{
	int err = options->symfs ? file_search_set_root(files, options->symfs) : 0;

	if (err)
		return complain_of_root(command, options->symfs, err);
	/* With a sysroot only its files are used, unless other sources are requested. */
	if (options->symfs && !options->debuginfod)
		return 0;
	return file_search_use_own_cache(files);
}

/* Each file in a recording, and each file packed into an archive, has a descriptor. */
void file_options_allow_many(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int file_options_open(const struct file_options *options, const char *command,
		      struct file_search **files_ret)
{
	struct file_search *files = file_search_create();

	file_options_allow_many();
	/* Libraries that know that variable would use it without the user's consent. */
	if (!options->debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	int err = files ? set_up(options, command, files) : -ENOMEM;
	if (!err && options->server_fd) {
		const int fd = fcntl(options->server_fd, F_DUPFD_CLOEXEC, 0);

		err = fd < 0 ? -errno : 0;
		if (!err)
			file_search_set_server(files, fd);
	}

	if (err) {
		file_search_destroy(files);
		return err;
	}
	*files_ret = files;
	return 0;
}
