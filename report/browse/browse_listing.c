#include "report/browse/browse_listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "report/annotate/annotate_output.h"

void browse_listing_deinit(struct browse_listing *listing)
{
	free(listing->text);
	free(listing->lines);
	*listing = (struct browse_listing){ 0 };
}

static int write_listing(struct browse_listing *listing, struct annotation *annotation,
			 const struct annotate_options *options)
{
	size_t size = 0;
	FILE *out = open_memstream(&listing->text, &size);

	if (!out)
		return -ENOMEM;
	int err = annotate_write_text(out, annotation, options);
	return fclose(out) && !err ? -ENOMEM : err;
}

static int split(struct browse_listing *listing)
{
	char *rest = listing->text;

	for (char *line; (line = strsep(&rest, "\n")) && rest;) {
		if (array_reserve(listing->lines, listing->n_lines, listing->n_allocated, 1))
			return -ENOMEM;
		listing->lines[listing->n_lines++] = line;
	}
	return 0;
}

static int list(struct browse_listing *listing, struct browse *browse, const char *function,
		unsigned width)
{
	const struct annotate_options options = { .min_percent = browse->options.min_percent,
						  .width = width,
						  .executed = browse->options.executed };
	struct symbolizer *symbolizer = browse_line_symbolizer(browse);
	struct annotation *annotation;

	if (!symbolizer)
		return -ENOMEM;
	int err = annotation_create(browse->profile, symbolizer, function, browse->metric,
				    &annotation);
	if (err)
		return err;
	err = write_listing(listing, annotation, &options);
	annotation_destroy(annotation);
	return err ? err : split(listing);
}

static bool can_be_listed(struct browse *browse, const struct view_row *row)
{
	const bool is_function =
		row && browse->page != PAGE_MODULES &&
		(row->kind == ROW_USER || row->kind == ROW_INLINE || row->kind == ROW_KERNEL);

	if (!is_function)
		browse->message = "The row is not a function.";
	else if (browse->profile->names)
		browse->message = "A profile has no code: its recording has.";
	return is_function && !browse->profile->names;
}

int browse_listing_make(struct browse_listing *listing, struct browse *browse, unsigned width)
{
	const struct view_row *row = browse_rows_current(browse_rows(browse));

	*listing = (struct browse_listing){ 0 };
	browse->message = "";
	if (!can_be_listed(browse, row))
		return 0;
	int err = list(listing, browse, row->name, width);
	if (err)
		browse_listing_deinit(listing);
	else if (!listing->n_lines)
		browse->message = "Nothing is known of the function's code.";
	return err;
}

void browse_listing_scroll(struct browse_listing *listing, int64_t by, uint32_t page_size)
{
	const int64_t last = (int64_t)listing->n_lines - page_size;
	int64_t top = (int64_t)listing->top + by;

	if (top > last)
		top = last;
	listing->top = top > 0 ? (uint32_t)top : 0;
}
