#include "collector/files/file_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/files/debuginfod.h"

#define DEBUGINFOD_DEFAULT_S 60
#define DEBUGINFOD_MAX_S     86400

void file_options_init(struct file_options *options)
{
	const char *consent = getenv("DENDRO_DEBUGINFOD");

	*options = (struct file_options){ .debuginfod_s = DEBUGINFOD_DEFAULT_S };
	options->debuginfod = consent && strcmp(consent, "1") == 0 && debuginfod_has_servers();
}

bool file_options_take_debuginfod(struct file_options *options, const char *value)
{
	char *end = NULL;
	unsigned long seconds = value ? strtoul(value, &end, 10) : DEBUGINFOD_DEFAULT_S;

	if (value && (*value < '0' || *value > '9' || *end || seconds > DEBUGINFOD_MAX_S))
		return false;
	options->debuginfod = true;
	options->debuginfod_s = (unsigned)seconds;
	return true;
}

static int complain(const char *command, const char *what, int err)
{
	const char *why = err == -ENOSYS ? "this kernel (before 5.6) can't keep links inside of it"
					 : strerror(-err);

	fprintf(stderr, "dendro %s: --symfs %s: %s\n", command, what, why);
	return err;
}

/* Where debuginfod's clients keep what they fetched, by its manual. NULL: nowhere. */
static char *find_cache(void)
{
	const char *path = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *caches = getenv("XDG_CACHE_HOME");
	char *folder;

	if (path && *path)
		return strdup(path);
	if (home && asprintf(&folder, "%s/.debuginfod_client_cache", home) >= 0) {
		if (access(folder, F_OK) == 0)
			return folder;
		free(folder);
	}
	if (caches && *caches)
		return asprintf(&folder, "%s/debuginfod_client", caches) < 0 ? NULL : folder;
	return home && asprintf(&folder, "%s/.cache/debuginfod_client", home) >= 0 ? folder : NULL;
}

static int set_up(const struct file_options *options, const char *command,
		  struct file_search *files)
{
	int err = options->symfs ? file_search_set_root(files, options->symfs) : 0;

	if (err)
		return complain(command, options->symfs, err);
	/* A sysroot is all there is, unless more was asked for. */
	if (options->symfs && !options->debuginfod)
		return 0;
	_cleanup_free_ char *cache = find_cache();
	return cache ? file_search_set_cache(files, cache) : 0;
}

/* What a recording carries has a descriptor each, and what is packed into an archive. */
static void allow_many_files(void)
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

	allow_many_files();
	/* Libraries that know that variable would use it unasked. */
	if (!options->debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	int err = files ? set_up(options, command, files) : -ENOMEM;

	if (err) {
		file_search_destroy(files);
		return err;
	}
	*files_ret = files;
	return 0;
}
