/* large_page NODES FILE [FORMAT]: writes the page of a made-up profile with that many nodes, or the
 * profile in a format of dendro export. */
#include <stdio.h>
#include <stdlib.h>

#include "collector/exchange/path_formats.h"
#include "report/html/page.h"
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

int main(int argc, char **argv)
{
	const struct path_format *format = argc == 4 ? path_formats_find(argv[3]) : NULL;

	if (argc < 3 || argc > 4 || (argc == 4 && !format))
		return 2;
	struct profile *profile = large_profile_create((uint32_t)strtoul(argv[1], NULL, 10), 0);
	FILE *out = fopen(argv[2], "w");
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = true });
	if (!out || !symbolizer)
		return 1;
	int err = format ? format->write(out, profile, symbolizer, &(struct path_options){ 0 })
			 : write_page(out, profile, symbolizer);

	fclose(out);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return err ? 1 : 0;
}
