/*
 * Any bytes as the answers of a database of profiles, each after its size in 4 bytes: what is
 * accepted can be shown, merged and stored, and no cost is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "cct/merge/profile_merge.h"
#include "cct/object/dwarf_reader.h"
#include "cct/store/profile_file.h"
#include "collector/database/db_profile.h"
#include "report/export/export.h"
#include "report/views/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 0, or an error: then nothing of it counts. */
static int read_answers(const uint8_t *data, size_t size, struct db_answers *answers)
{
	struct dwarf_reader file = dwarf_reader(data, size);
	int err = 0;

	for (int table = 0; table < N_DB_TABLES && !err; table++) {
		const uint64_t part_size = dwarf_read_unsigned(&file, 4);
		const uint8_t *part = dwarf_read_block(&file, part_size);

		if (!part || !part_size)
			continue;
		struct row_binary rows = { .in = fmemopen((void *)part, part_size, "r") };
		if (!rows.in)
			abort();
		err = db_readers[table](answers, &rows);
		fclose(rows.in);
		row_binary_deinit(&rows);
	}
	return err;
}

static void check_stored(const struct profile *profile)
{
	char *bytes, *error = NULL;
	size_t size;
	unsigned n_skipped;
	struct profile *copy;
	FILE *out = open_memstream(&bytes, &size);

	if (!out || profile_file_write(out, profile) || fclose(out))
		abort();
	FILE *in = fmemopen(bytes, size, "r");
	if (!in || profile_file_read_with_rows(in, &copy, &n_skipped, &error)) {
		fprintf(stderr, "%s\n", error ? error : "not read");
		abort();
	}
	fclose(in);
	profile_destroy(copy);
	free(bytes);
}

static void check_sum(const struct profile *profile)
{
	struct profile_merge *merge = profile_merge_create(false, MERGED_ROWS_MAX);
	struct profile *sum;

	if (!merge || profile_merge_add(merge, profile) || profile_merge_finish(merge, &sum) ||
	    profile_check_conservation(sum) >= 0)
		abort();
	check_stored(sum);
	profile_destroy(sum);
	profile_merge_destroy(merge);
}

static void show(const struct profile *profile, enum view_kind kind)
{
	const struct symbolizer_options options = { .lines = kind == VIEW_LINES };
	const struct view_options view_options = { .kind = kind };
	struct symbolizer *symbolizer = symbolizer_create(profile, &options);
	struct view *view;
	FILE *out = fopen("/dev/null", "we");

	if (!symbolizer || !out || view_create(profile, symbolizer, &view_options, &view))
		abort();
	export_format_find("text")->write(out, view, symbolizer,
					  &(struct export_options){ .source = "-", .width = 80 });
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct db_answers answers = { 0 };
	struct profile *profile;
	struct db_lacks lacks;

	if (!read_answers(data, size, &answers)) {
		if (db_profile_make(&answers, &profile, &lacks) ||
		    profile_check_conservation(profile) >= 0)
			abort();
		check_sum(profile);
		show(profile, VIEW_TREE);
		show(profile, VIEW_LINES);
		if (sample_rows_square(profile->rows, profile->cct))
			abort();
		show(profile, VIEW_FUNCTIONS);
		profile_destroy(profile);
	}
	db_answers_deinit(&answers);
	return 0;
}
