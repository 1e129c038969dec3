/* Opens a recording or a stored profile for a program that uses libdendro. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/store/profile_file.h"
#include "collector/library/library_profile.h"
#include "collector/library/profile_tables.h"
#include "collector/session/dendro.h"
#include "report/fold/fold_profile.h"

/* The program that passes options may have been compiled with another header. 0, or -EINVAL or
 * -E2BIG: this version does not know them. */
static int take_options(const struct dendro_read_options *given,
			struct dendro_read_options *options)
{
	const char *bytes = (const char *)given;

	*options = (struct dendro_read_options)DENDRO_READ_OPTIONS_INIT;
	if (!given)
		return 0;
	if (given->size < sizeof(given->size))
		return -EINVAL;
	for (size_t i = sizeof(*options); i < given->size; i++) {
		if (bytes[i])
			return -E2BIG;
	}
	memcpy(options, given, given->size < sizeof(*options) ? given->size : sizeof(*options));
	if (options->grouping > DENDRO_BY_THREAD || options->kernel > DENDRO_KERNEL_NONE)
		return -EINVAL;
	return 0;
}

static int read_stored(struct dendro_profile *profile, const char *path,
		       const struct dendro_read_options *options, char **error)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	_cleanup_free_ char *note = NULL;
	unsigned n_skipped;

	if (!file)
		return -errno;
	int err = options->no_samples
			  ? profile_file_read(file, &profile->profile, &n_skipped, error)
			  : profile_file_read_with_rows(file, &profile->profile, &n_skipped, error);
	if (file != stdin)
		fclose(file);
	if (err || !n_skipped)
		return err;
	note = sentence("A later version of dendro has written this: %u of its sections are left "
			"out.",
			n_skipped);
	return note ? library_profile_note(profile, note) : -ENOMEM;
}

static int open_files(struct dendro_profile *profile, const char *symfs, char **error)
{
	profile->files = file_search_create();
	if (!profile->files)
		return -ENOMEM;
	if (!symfs)
		return file_search_use_own_cache(profile->files);
	int err = file_search_set_root(profile->files, symfs);
	if (err && err != -ENOMEM)
		*error = sentence("%s: %s", symfs, strerror(-err));
	return err;
}

static int read_recording(struct dendro_profile *profile, const char *path,
			  const struct dendro_read_options *options, char **error)
{
	const struct dendro_source source = { .path = path };
	_cleanup_free_ char *damage = NULL;
	int err = open_files(profile, options->symfs, error);

	if (err)
		return err;
	const struct dendro_options build = {
		.by_thread = true,
		.keeps_rows = !options->no_samples,
		.n_threads = options->n_threads,
		.files = profile->files,
	};
	err = dendro_build_from(&source, &build, &profile->profile, &damage);
	if (err)
		*error = steal_ptr(damage);
	return err || !damage ? err : library_profile_note(profile, damage);
}

static int note_lacks(struct dendro_profile *profile)
{
	const struct profile_info *info = &profile->profile->info;
	int err = info->truncated ? library_profile_note(profile, info->truncated) : 0;

	if (!err && info->not_decoded)
		err = library_profile_note(profile, info->not_decoded);
	return err;
}

static int fold(struct dendro_profile *profile, const struct dendro_read_options *options)
{
	const struct symbolizer_options names = {
		.names = options->raw_names ? NAMES_RAW : NAMES_WHOLE,
		.no_inlines = options->no_inlines,
		.lines = options->by_line,
	};
	const struct view_options view = {
		.kind = options->by_line ? VIEW_LINES : VIEW_TREE,
		.grouping = (enum view_grouping)options->grouping,
		.kernel = (enum view_kernel)options->kernel,
	};

	static_assert((int)DENDRO_BY_THREAD == GROUP_THREAD &&
			      (int)DENDRO_BY_PROCESS == GROUP_PROCESS &&
			      (int)DENDRO_KERNEL_ONLY == KERNEL_ONLY &&
			      (int)DENDRO_KERNEL_NONE == KERNEL_NONE,
		      "options are passed on as they are");
	profile->symbolizer = symbolizer_create(profile->profile, &names);
	if (!profile->symbolizer)
		return -ENOMEM;
	return fold_profile_mapped(profile->profile, profile->symbolizer, &view, &profile->fold,
				   &profile->folded);
}

static int open_profile(struct dendro_profile *profile, const char *path,
			const struct dendro_read_options *options, char **error)
{
	int err = profile_file_is_at(path) ? read_stored(profile, path, options, error)
					   : read_recording(profile, path, options, error);

	assert(err || profile->profile);
	if (!err)
		err = note_lacks(profile);
	if (!err)
		err = fold(profile, options);
	return err ? err : profile_tables_fill(profile);
}

/* "PATH: why" */
static int fail(const char *path, int err, char *why, char **error)
{
	if (error)
		*error = sentence_of_file(path, why ? why : strerror(-err));
	free(why);
	return err;
}

int dendro_profile_open(const char *path, const struct dendro_read_options *options,
			struct dendro_profile **profile_ret, char **error)
{
	struct dendro_read_options taken;
	char *why = NULL;
	int err = take_options(options, &taken);

	if (error)
		*error = NULL;
	if (err)
		return fail(path, err,
			    sentence("this version of libdendro, %s, does not know "
				     "these options",
				     DENDRO_VERSION),
			    error);
	struct dendro_profile *profile = calloc(1, sizeof(*profile));
	err = profile ? open_profile(profile, path, &taken, &why) : -ENOMEM;
	if (err) {
		dendro_profile_close(profile);
		return fail(path, err, why, error);
	}
	free(why);
	*profile_ret = profile;
	return 0;
}
