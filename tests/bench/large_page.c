/* large_page NODES FILE [FORMAT]: writes the page of a made-up profile with that many nodes, or the
 * profile in a format of dendro export, or as dendro build does (cct). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/store/profile_file.h"
#include "collector/exchange/path_formats.h"
#include "report/html/page.h"
#include "report/names/names_store.h"
#include "tests/bench/large_profile.h"

static int write_page(FILE *out, const struct profile *profile, struct symbolizer *symbolizer)
{
	const struct view_options view = { .kind = VIEW_TREE };
	const struct export_options options = { .source = "large.data" };
	const struct page page = {
		.profile = profile, .symbolizer = symbolizer, .view = &view, .options = &options
	};

	return page_write(out, &page);
}

static int write_profile(FILE *out, struct profile *profile, struct symbolizer *symbolizer)
{
	int err = names_store(profile, symbolizer, NULL, &profile->names);

	return err ? err : profile_file_write(out, profile);
}

int main(int argc, char **argv)
{
	const bool is_profile = argc == 4 && strcmp(argv[3], "cct") == 0;
	const struct path_format *format = argc == 4 ? path_formats_find(argv[3]) : NULL;

	if (argc < 3 || argc > 4 || (argc == 4 && !format && !is_profile))
		return 2;
	struct profile *profile = large_profile_create((uint32_t)strtoul(argv[1], NULL, 10), 0);
	FILE *out = fopen(argv[2], "w");
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = !is_profile,
									 .lines = is_profile });
	if (!out || !symbolizer)
		return 1;
	int err;
	if (is_profile)
		err = write_profile(out, profile, symbolizer);
	else if (format)
		err = format->write(out, profile, symbolizer, &(struct path_options){ 0 });
	else
		err = write_page(out, profile, symbolizer);

	fclose(out);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return err ? 1 : 0;
}
