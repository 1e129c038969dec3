#include "report/html/comparison_page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "report/diff/diff_values.h"
#include "report/html/comparison_columns.h"
#include "report/html/page_block.h"
#include "report/html/page_string.h"
#include "report/html/page_text.h"
#include "report/views/view_rows.h"

static const char *const norms[] = {
	[DIFF_BY_TOTAL] = "total",   [DIFF_BY_SAMPLES] = "samples", [DIFF_BY_TIME] = "time",
	[DIFF_BY_METRIC] = "metric", [DIFF_BY_NUMBER] = "number",
};

/* JSON has no NaN. */
static void write_number(FILE *out, const char *before, double number)
{
	if (isnan(number))
		fprintf(out, "%snull", before);
	else
		fprintf(out, "%s%.17g", before, number);
}

static size_t count_significant(const struct diff *diff, size_t metric, enum diff_measure measure)
{
	size_t n = 0;

	for (size_t i = 0; i < diff->rows.n_rows; i++)
		n += diff_change_is_significant(&diff->changes[metric].rows[measure][i]);
	return n;
}

static int write_metric(FILE *out, const struct comparison_page *page, size_t metric)
{
	const struct diff *diff = page->paths;
	const struct diff_changes *changes = &diff->changes[metric];
	const struct diff_change *total = &changes->total;
	int err = page_string_write(out, metric ? ",\n{\"event\":" : "{\"event\":",
				    diff->options.metrics[metric].event);

	if (!err)
		err = page_string_write(out, ",\"cost\":", diff->options.metrics[metric].unit);
	if (!err)
		err = page_string_write(out, ",\"unit\":", diff_unit(diff, metric));
	fprintf(out, ",\"moved\":[%zu,%zu]", count_significant(page->functions, metric, DIFF_SELF),
		count_significant(diff, metric, DIFF_TOTAL));
	write_number(out, ",\"total\":{\"before\":", total->result.values[DIFF_BEFORE]);
	write_number(out, ",\"after\":", total->result.values[DIFF_AFTER]);
	write_number(out, ",\"error\":", total->result.error);
	write_number(out, ",\"q\":", total->q);
	fprintf(out, ",\"significant\":%s}}", diff_change_is_significant(total) ? "true" : "false");
	return err;
}

static int write_metrics(FILE *out, const struct comparison_page *page)
{
	int err = 0;

	fputs(",\n\"metrics\":[", out);
	for (size_t i = 0; i < page->paths->rows.n_metrics && !err; i++)
		err = write_metric(out, page, i);
	putc(']', out);
	return err;
}

/* Samples, weights and their squares by metric; phases and losses. */
static int write_run(FILE *out, const struct comparison_page *page, size_t run)
{
	const struct diff *diff = page->paths;
	const struct diff_source *source = &diff->sources[run];
	int err = page_string_write(out, run ? ",\n{\"file\":" : "{\"file\":", source->path);

	fprintf(out, ",\"side\":\"%s\",\"duration\":%" PRIu64 ",\"costs\":[",
		source->side == DIFF_BEFORE ? "before" : "after", source->duration_ns);
	for (size_t i = 0; i < diff->rows.n_metrics; i++) {
		const struct diff_cost *cost = &diff->rows.metrics[i].runs[run].cost;

		fprintf(out, "%s[%" PRIu64 ",%" PRIu64, i ? "," : "", cost->samples, cost->weight);
		write_number(out, ",", cost->squares);
		putc(']', out);
	}
	putc(']', out);
	if (!diff_has_shares(diff))
		write_number(out, ",\"amount\":", source->amount);
	if (page->rows && run < page->rows->n_marks && page->rows->marks[run])
		fputs(page->rows->marks[run], out);
	putc('}', out);
	return err;
}

static int write_runs(FILE *out, const struct comparison_page *page)
{
	int err = 0;

	fputs(",\n\"runs\":[", out);
	for (size_t i = 0; i < page->paths->rows.n_runs && !err; i++)
		err = write_run(out, page, i);
	putc(']', out);
	return err;
}

static int write_facts(FILE *out, const struct comparison_page *page)
{
	const struct diff *diff = page->paths;
	int err = 0;

	fprintf(out,
		"{\"version\":\"%s\",\"normalize\":\"%s\",\"shares\":%s,\"rate\":%g,"
		"\"samples\":%d,\"unevenBits\":%d,\"mergesCopies\":%s",
		DENDRO_VERSION, norms[diff->options.norm], diff_has_shares(diff) ? "true" : "false",
		DIFF_FALSE_RATE, DIFF_MIN_SAMPLES, COMPARISON_UNEVEN_BITS,
		page->merges_copies ? "true" : "false");
	if (diff->options.per)
		err = page_string_write(out, ",\"per\":", diff->options.per);
	fputs(",\n\"kinds\":[", out);
	for (int kind = ROW_ROOT; kind <= ROW_MARKER; kind++)
		fprintf(out, "%s\"%s\"", kind ? "," : "", view_row_kind_name((enum row_kind)kind));
	putc(']', out);
	if (!err)
		err = write_metrics(out, page);
	if (!err)
		err = write_runs(out, page);
	fputs("}\n", out);
	return err;
}

static int write_facts_block(FILE *out, const struct comparison_page *page)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	int err = write_facts(stream, page);
	if (fclose(stream) && !err)
		err = -ENOMEM;
	return err ? err : page_block_write(out, text, size);
}

static int write_rows_block(FILE *out, const struct comparison_page *page, uint64_t parts)
{
	struct byte_buffer bytes = { 0 };
	int err = comparison_columns_write(page->paths, parts, &bytes);

	if (!err)
		err = page_block_write(out, bytes.bytes, bytes.size);
	byte_buffer_deinit(&bytes);
	return err;
}

#define SIZE_LIMIT       2000000 /* bytes of a page with rows; or, if this is more: */
#define SIZE_OF_PATH     9       /* bytes of it for each call path */
#define BEST_COMPRESSION 8       /* of rows, at most */

static size_t size_limit(const struct comparison_page *page)
{
	const size_t of_paths = SIZE_OF_PATH * page->paths->n_shown;

	return of_paths > SIZE_LIMIT ? of_paths : SIZE_LIMIT;
}

static bool has_rows(const struct comparison_page *page)
{
	const struct comparison_rows *rows = page->rows;

	return rows && rows->sides[DIFF_BEFORE].n + rows->sides[DIFF_AFTER].n;
}

/* A block of rows as text, to free(). *@n_ret: rows of paths, not of what is too small. *@text_ret:
 * NULL if it is much too large for the room. 0 or -ENOMEM. */
static int make_times(const struct comparison_page *page,
		      const struct comparison_coarseness *coarseness, size_t room, char **text_ret,
		      size_t *size_ret, uint32_t *n_ret)
{
	struct byte_buffer bytes = { 0 };
	FILE *stream = NULL;
	int err = comparison_rows_write(page->rows, page->paths, coarseness, &bytes, n_ret);

	*text_ret = NULL;
	if (!err && bytes.size / BEST_COMPRESSION <= room) {
		stream = open_memstream(text_ret, size_ret);
		err = stream ? page_block_write(stream, bytes.bytes, bytes.size) : -ENOMEM;
	}
	if (stream && fclose(stream) && !err)
		err = -ENOMEM;
	byte_buffer_deinit(&bytes);
	return err;
}

/* Writes rows as fine as they have room: with fewer slices first, then with the paths of ever more
 * samples alone. Nothing if none have room. 0 or -ENOMEM. */
static int write_times(FILE *out, const struct comparison_page *page, size_t room)
{
	struct comparison_coarseness coarseness = { 0 };
	uint32_t n = has_rows(page);

	while (n) {
		_cleanup_free_ char *text = NULL;
		size_t size = 0;
		int err = make_times(page, &coarseness, room, &text, &size, &n);

		if (err)
			return err;
		if (n && text && size <= room) {
			fwrite(text, 1, size, out);
			return 0;
		}
		coarseness.least = coarseness.shift ? coarseness.least * 2 : 1;
		coarseness.shift = 1;
	}
	return 0;
}

/* All but the rows, whose room depends on it. */
static int write_rest(FILE *out, const struct comparison_page *page, const char **at)
{
	page_text_write(out, at, comparison_text_end, PAGE_MARK_FACTS);
	int err = write_facts_block(out, page);
	page_text_write(out, at, comparison_text_end, PAGE_MARK_TOP);
	if (!err)
		err = write_rows_block(out, page, PAGE_TOP_PARTS);
	page_text_write(out, at, comparison_text_end, PAGE_MARK_TREE);
	if (!err)
		err = write_rows_block(out, page, 0);
	page_text_write(out, at, comparison_text_end, PAGE_MARK_TIMES);
	return err;
}

int comparison_page_write(FILE *out, const struct comparison_page *page)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	const char *at = comparison_text;
	const size_t limit = size_limit(page);
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	int err = write_rest(stream, page, &at);
	if (fclose(stream) && !err)
		err = -ENOMEM;
	if (err)
		return err;
	fwrite(text, 1, size, out);
	size += (size_t)(comparison_text_end - at);
	err = write_times(out, page, size < limit ? limit - size : 0);
	page_text_write(out, &at, comparison_text_end, PAGE_MARK_CODE);
	if (!err && page->code && page->code->n)
		err = page_block_write(out, page->code->text, page->code->size);
	page_text_write(out, &at, comparison_text_end, NULL);
	return err ? err : stream_finish(out);
}
