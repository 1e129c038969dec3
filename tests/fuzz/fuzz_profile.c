/*
 * Any bytes as the parts of a stored profile: what is accepted can be shown, merged, and written
 * again, and what is read from that is the same. The parts follow one another, each after its size,
 * in 4 bytes; those after the names may be missing, at the end or with size 0: rows and epochs, or
 * rows of several runs with what belongs to these; after them activations, losses, joined
 * processes, and rows of several runs as the last version has them. If the
 * highest bit of the first part's size is set, all are those of version 3, else, if that of the
 * names' size is, these are those of version 2.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/merge/profile_merge.h"
#include "cct/model/profile_filter.h"
#include "cct/paths/profile_group.h"
#include "cct/store/profile_file.h"
#include "cct/store/profile_parts.h"
#include "report/export/export.h"
#include "report/views/view.h"

#define N_PARTS    14
#define N_REQUIRED 4
#define NAMES      3 /* the part */
#define IS_LATER   0x80000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int (*part_reader)(struct dwarf_reader *body, struct profile *profile);

static const part_reader readers_of_first[N_PARTS] = {
	info_part_read_before_3,
	modules_part_read,
	tree_part_read_before_3,
	names_part_read_first,
	rows_part_read_before_3,
	epochs_part_read_before_3,
	runs_part_read_before_3,
	run_phases_part_read,
	run_epochs_part_read,
	starts_part_read,
	activations_part_read_before_3,
	losses_part_read,
	joined_part_read,
	runs_part_read,
};
static const part_reader readers_of_last[N_PARTS] = {
	info_part_read,       modules_part_read, tree_part_read,        names_part_read,
	rows_part_read,       epochs_part_read,  runs_part_read_4,      run_phases_part_read,
	run_epochs_part_read, starts_part_read,  activations_part_read, losses_part_read,
	joined_part_read,     runs_part_read,
};

/* Beside the first and the last version, names may have the format of the last one, and rows that
 * of version 3. */
static part_reader find_reader(const part_reader *readers, int i, bool is_later)
{
	const bool is_last = readers == readers_of_last;

	if (i == NAMES && is_later)
		return names_part_read;
	if (is_last && is_later && readers[i] == rows_part_read)
		return rows_part_read_3;
	if (is_last && is_later && readers[i] == runs_part_read_4)
		return runs_part_read_3;
	return readers[i];
}

static int read_parts(const uint8_t *data, size_t size, struct profile *profile)
{
	struct dwarf_reader file = dwarf_reader(data, size);
	const part_reader *readers = readers_of_first;

	for (int i = 0; i < N_PARTS; i++) {
		if (i >= N_REQUIRED && !dwarf_left(&file))
			break;
		uint64_t part_size = dwarf_read_unsigned(&file, 4);
		const bool is_later = part_size & IS_LATER;
		part_size -= is_later ? IS_LATER : 0;
		const uint8_t *part = dwarf_read_block(&file, part_size);

		if (!part)
			return -EINVAL;
		if (i >= N_REQUIRED && !part_size)
			continue;
		if (i == 0 && is_later)
			readers = readers_of_last;
		struct dwarf_reader body = dwarf_reader(part, (size_t)part_size);
		int err = find_reader(readers, i, is_later)(&body, profile);
		if (err)
			return err;
	}
	return profile_check_conservation(profile) < 0 ? 0 : -EINVAL;
}

static char *write_profile(const struct profile *profile, size_t *size_ret)
{
	char *bytes;
	FILE *file = open_memstream(&bytes, size_ret);

	if (!file || profile_file_write(file, profile))
		abort();
	fclose(file);
	return bytes;
}

static void check_again(const struct profile *profile)
{
	size_t size, size_again;
	char *bytes = write_profile(profile, &size), *again, *error;
	struct profile *copy;
	unsigned n_skipped;
	FILE *file = fmemopen(bytes, size, "r");

	if (!file || profile_file_read_with_rows(file, &copy, &n_skipped, &error))
		abort();
	fclose(file);
	again = write_profile(copy, &size_again);
	if (size != size_again || memcmp(bytes, again, size) != 0)
		abort();
	profile_destroy(copy);
	free(bytes);
	free(again);
}

/* Adds the profile to itself: what is accepted can be merged, and nothing is lost. Alone it has
 * paths that were seen once, which can be folded, and more that is left out as it ages. */
static void check_sum(const struct profile *profile, bool by_name, bool ages)
{
	struct profile_merge *merge = profile_merge_create(by_name, MERGED_ROWS_MAX);
	struct profile *sum;

	if (merge && ages) {
		profile_merge_join_processes(merge);
		profile_merge_by_minute(merge);
		profile_merge_join_addresses(merge);
		profile_merge_fold_once(merge);
	}
	if (!merge || profile_merge_add(merge, profile) ||
	    (!ages && profile_merge_add(merge, profile)) || profile_merge_finish(merge, &sum) ||
	    profile_check_conservation(sum) >= 0)
		abort();
	check_again(sum);
	profile_destroy(sum);
	profile_merge_destroy(merge);
}

static void show(const struct profile *profile, const char *format, enum view_kind kind)
{
	const struct symbolizer_options options = { .lines = kind == VIEW_LINES };
	const struct view_options view_options = { .kind = kind };
	struct symbolizer *symbolizer = symbolizer_create(profile, &options);
	struct view *view;
	FILE *out = fopen("/dev/null", "we");

	if (!symbolizer || !out || view_create(profile, symbolizer, &view_options, &view))
		abort();
	export_format_find(format)->write(out, view, symbolizer,
					  &(struct export_options){ .source = "-", .width = 80 });
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	fclose(out);
}

static void keep_half(struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	bool *is_kept = calloc(rows ? rows->n_rows + 1u : 1, sizeof(*is_kept));

	if (!is_kept)
		abort();
	for (uint32_t i = 0; rows && i < rows->n_rows; i += 2)
		is_kept[i] = true;
	if (rows && profile_keep_rows(profile, is_kept))
		abort();
	free(is_kept);
}

static void show_epochs(struct profile *profile)
{
	if (!profile->rows)
		return;
	if (profile_group(profile, GROUPED_BY_EPOCH))
		abort();
	show(profile, "json", VIEW_EPOCHS);
	show(profile, "text", VIEW_EPOCHS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = profile_create();

	if (profile && read_parts(data, size, profile) == 0) {
		check_again(profile);
		check_sum(profile, false, false);
		check_sum(profile, true, false);
		check_sum(profile, false, true);
		show(profile, "json", VIEW_TREE);
		show(profile, "text", VIEW_LINES);
		show(profile, "csv", VIEW_CALLERS);
		keep_half(profile);
		show(profile, "json", VIEW_TREE);
		show_epochs(profile);
	}
	profile_destroy(profile);
	return 0;
}
