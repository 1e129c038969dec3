/* dendro archive: a recording and all that reports of it read, in one file. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "collector/commands/commands.h"
#include "collector/files/archive.h"
#include "collector/files/fetched_profile.h"
#include "collector/replay/build_profile.h"
#include "report/names/symbolize.h"

#define USAGE_STATUS      129
#define INCOMPLETE_STATUS 2
#define MIB               (1024.0 * 1024.0)

struct options {
	const char *from, *to; /* @to NULL: @from with a suffix */
	const char *vmlinux;   /* NULL: looked for */
	struct file_options files;
	bool is_quiet;
};

static const char usage[] =
	"usage: dendro archive [OPTIONS] [FILE]\n\n"
	"Writes a recording (default: dendro.data) with all that reports of it read beside it:\n"
	"programs, libraries, debug files. dendro report says the same of it on any machine.\n\n"
	"  -i, --input FILE       the recording\n"
	"  -o, --output FILE      the archive (default: the recording's name, with .archive)\n"
	"      --vmlinux FILE     pack this debug information of the kernel\n"
	"  -q, --quiet            say only what could not be packed\n" SYMFS_USAGE DEBUGINFOD_USAGE
	"  -h, --help             this text\n";

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "dendro archive: %s: %s\n", what, why);
	return 1;
}

/* Opens all that a report with names, inlined functions and lines would open. 0 or -ENOMEM. */
static int name_all(const struct profile *profile, const char *vmlinux)
{
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .vmlinux = vmlinux });
	int err = symbolizer ? symbolizer_expand_all(symbolizer) : -ENOMEM;

	symbolizer_destroy(symbolizer);
	return err;
}

/* "state BUILDID MAJOR:MINOR:INODE PATH" -> the path. */
static const char *path_in_key(const char *key)
{
	for (int i = 0; key && i < 3; i++) {
		key = strchr(key, ' ');
		key = key ? key + 1 : NULL;
	}
	return key ? key : "";
}

/* Programs and libraries that could not be packed. Debug files are there or not, as for a report.
 */
static unsigned list_missing(struct file_search *files)
{
	const struct found_file *found;
	size_t n_found;
	unsigned n = 0;

	file_search_list_found(files, &found, &n_found);
	for (size_t i = 0; i < n_found; i++) {
		if (!found[i].text || strncmp(found[i].text, "ok ", 3) == 0)
			continue;
		fprintf(stderr, "dendro archive: not packed: %s: %s\n", path_in_key(found[i].key),
			strncmp(found[i].text, "changed ", 8) == 0 ? "changed since the recording"
			: strncmp(found[i].text, "bad ", 4) == 0   ? "not an ELF file"
								   : "missing or not readable");
		n++;
	}
	return n;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The exit status. */
static int write_archive(const struct options *options, const struct profile *profile,
			 struct file_search *files)
{
	_cleanup_free_ char *to = NULL;
	struct archive_result result;

	if (options->to ? !(to = strdup(options->to))
			: asprintf(&to, "%s.archive", options->from) < 0)
		return complain(options->from, strerror(ENOMEM));
	if (is_same_file(options->from, to))
		return complain(to, "is the recording itself");
	int err = archive_write(options->from, profile->info.truncated != NULL, to, files, &result);
	if (err)
		return complain(to, strerror(-err));
	if (!options->is_quiet)
		fprintf(stderr,
			"[ dendro: %u files, %.1f MiB, with the recording %.1f MiB in %s ]\n",
			result.n_files, (double)result.added_size / MIB, (double)result.size / MIB,
			to);
	return list_missing(files) ? INCOMPLETE_STATUS : 0;
}

/* Only then is it known what is not missing. An error comes again. */
static void fetch_missing(const struct options *options, const struct build_options *build)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (fetched_profile_build(options->from, build, &options->files, "archive", &profile,
				  &error) == 0)
		profile_destroy(profile);
}

static int archive(const struct options *options, struct file_search *files)
{
	const struct build_options build = { .files = files };
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (options->files.debuginfod)
		fetch_missing(options, &build);
	file_search_keep_found(files);
	int err = build_profile(options->from, &build, &profile, &error);
	const char *refusal = !err && options->vmlinux
				      ? symbolizer_refuses_vmlinux(profile, options->vmlinux)
				      : NULL;
	if (refusal) {
		profile_destroy(profile);
		return complain(options->vmlinux, refusal);
	}
	if (!err)
		err = name_all(profile, options->vmlinux);
	int status = 1;
	if (err || error)
		complain(options->from, error ? error : strerror(-err));
	if (!err)
		status = write_archive(options, profile, files);
	if (error && !status)
		status = INCOMPLETE_STATUS;
	profile_destroy(profile);
	return status;
}

static bool take_option(struct options *options, int option, const char *value)
{
	switch (option) {
	case 'i':
		options->from = value;
		return true;
	case 'o':
		options->to = value;
		return true;
	case 'q':
		options->is_quiet = true;
		return true;
	case 'v':
		options->vmlinux = value;
		return true;
	case 's':
		options->files.symfs = value;
		return true;
	case 'd':
		return file_options_take_debuginfod(&options->files, value);
	default:
		return false;
	}
}

int cmd_archive(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "vmlinux", required_argument, NULL, 'v' },
		{ "symfs", required_argument, NULL, 's' },
		{ "debuginfod", optional_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct options options = { .from = "dendro.data" };
	struct file_search *files;
	int option;

	file_options_init(&options.files);
	while ((option = getopt_long(argc, argv, "i:o:qh", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(usage, stdout) < 0;
		if (!take_option(&options, option, optarg))
			return fputs(usage, stderr) < 0 ? 1 : USAGE_STATUS;
	}
	if (optind < argc)
		options.from = argv[optind++];
	if (optind < argc)
		return complain(argv[optind], "one recording at a time, please"), USAGE_STATUS;
	if (strcmp(options.from, "-") == 0)
		return complain("-", "the recording is read twice; name a file");
	if (file_options_open(&options.files, "archive", &files))
		return 1;
	int status = archive(&options, files);
	file_search_destroy(files);
	return status;
}
