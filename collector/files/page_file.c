#include "collector/files/page_file.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/files/result_file.h"
#include "collector/files/shown_naming.h"
#include "report/html/page.h"

static int write_page(const struct report_options *options, const struct page *page)
{
	FILE *out = result_file_open(&options->files, options->command, options->html,
				     options->paths, options->n_paths);
	struct shown_naming naming;

	if (!out)
		return 1;
	__fsetlocking(out, FSETLOCKING_BYCALLER); /* no other thread writes */
	shown_naming_start(&naming, options->command, page->symbolizer, "writing the page");
	int err = page_write(out, page);
	shown_naming_stop(&naming);
	/* It is not an error if the reader closes the pipe early. */
	if (err == -EPIPE)
		err = 0;
	return result_file_close(out, options->command, options->html, err);
}

int page_file_write(const struct report_options *options, const struct profile *profile,
		    struct symbolizer *symbolizer)
{
	struct page page = {
		.profile = profile,
		.symbolizer = symbolizer,
		.view = &options->view,
		.options = &options->export,
		.moved_sources = options->files.moved,
		.n_moved_sources = options->files.n_moved,
	};
	struct symbolizer_options with_lines = options->symbolizer;

	with_lines.lines = true;
	if (options->has_code)
		page.line_symbolizer = symbolizer_create(profile, &with_lines);
	int err = options->has_code && !page.line_symbolizer
			  ? message_error_of_memory(options->command)
			  : write_page(options, &page);
	symbolizer_destroy(page.line_symbolizer);
	return err;
}

int page_file_check_code(const struct report_options *options)
{
	if (!options->has_code)
		return 0;
	if (!options->html)
		return message_wrong_use(options->command,
					 "--source belongs to --html; dendro annotate shows the "
					 "lines of a function as text.");
	if (options->n_paths > 1)
		return message_wrong_use(options->command,
					 "--source needs the code of one recording, not a sum.");
	if (profile_file_is_at(options->path))
		return message_error(
			options->command,
			"--source needs the recording that the profile %s was made of.",
			options->path);
	return 0;
}

/* A folder of this user's, which is made if it is missing, and which others can't read. */
static bool is_private_folder(const char *path)
{
	struct stat status;

	if (mkdir(path, 0700) && errno != EEXIST)
		return false;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IRWXG | S_IRWXO));
}

/* The folder for pages in the user's cache. Heap; NULL: there is none. */
static char *find_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const bool has_cache = cache && *cache == '/';

	if (!has_cache && (!home || *home != '/'))
		return NULL;
	_cleanup_free_ char *parent = has_cache ? strdup(cache) : sentence("%s/.cache", home);
	char *folder = parent ? sentence("%s/dendro", parent) : NULL;
	if (!folder)
		return NULL;
	mkdir(parent, 0700);
	if (is_private_folder(folder))
		return folder;
	free(folder);
	return NULL;
}

char *page_file_private_path(const char *source)
{
	const char *slash = strrchr(source, '/');
	const char *name = slash ? slash + 1 : source;
	_cleanup_free_ char *folder = find_cache();

	if (!folder) {
		char made[] = "/tmp/dendro-XXXXXX";

		if (!mkdtemp(made))
			return NULL;
		folder = strdup(made);
	}
	if (strcmp(name, "-") == 0 || !*name)
		name = "standard-input";
	return folder ? sentence("%s/%.200s.html", folder, name) : NULL;
}
