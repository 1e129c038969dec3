/* large_page NODES FILE: writes the page of a made-up profile with that many nodes. */
#include <stdio.h>
#include <stdlib.h>

#include "report/html/page.h"
#include "tests/bench/large_profile.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	struct profile *profile = large_profile_create((uint32_t)strtoul(argv[1], NULL, 10));
	const struct view_options view = { .kind = VIEW_TREE };
	const struct export_options options = { .source = "large.data" };
	FILE *out = fopen(argv[2], "w");
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = true });
	const struct page page = {
		.profile = profile, .symbolizer = symbolizer, .view = &view, .options = &options
	};
	int err = page_write(out, &page);

	fclose(out);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return err ? 1 : 0;
}
