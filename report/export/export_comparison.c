#include "report/export/export_comparison.h"

#include <inttypes.h>

#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"

static void write_place(FILE *out, const struct compared_place *place)
{
	printable_put(out, place->pattern);
	if (place->n_functions > 1)
		fprintf(out, " (%" PRIu32 " functions)", place->n_functions);
}

int export_comparison_text(FILE *out, const struct metric *metric,
			   const struct place_comparison *comparison)
{
	const struct compared_place *more = &comparison->places[0], *less = &comparison->places[1];

	if (more->samples < less->samples) {
		more = &comparison->places[1];
		less = &comparison->places[0];
	}
	write_place(out, more);
	fprintf(out, " has %" PRIu64 " samples of ", more->samples);
	printable_put(out, metric->name);
	fputs(", ", out);
	write_place(out, less);
	fprintf(out,
		" has %" PRIu64 ": %s, as %" PRIu64 " is %s than 2 sqrt(%" PRIu64 " + %" PRIu64
		") = %.1f.\n",
		less->samples,
		comparison->differ ? "they differ" : "chance may explain the difference",
		more->samples - less->samples, comparison->differ ? "more" : "not more",
		more->samples, less->samples, comparison->limit);
	return stream_finish(out);
}

static void write_json_place(FILE *out, const struct compared_place *place)
{
	fputs("{\"function\":", out);
	json_write_string(out, place->pattern);
	fprintf(out, ",\"functions\":%" PRIu32 ",\"samples\":%" PRIu64 ",\"cost\":%" PRIu64 "}",
		place->n_functions, place->samples, place->weight);
}

int export_comparison_json(FILE *out, const struct metric *metric,
			   const struct place_comparison *comparison)
{
	fputs("{\"event\":", out);
	json_write_string(out, metric->name);
	fputs(",\"places\":[", out);
	write_json_place(out, &comparison->places[0]);
	fputs(",\n", out);
	write_json_place(out, &comparison->places[1]);
	fprintf(out, "],\n\"limit\":%.6g,\"differ\":%s}\n", comparison->limit,
		comparison->differ ? "true" : "false");
	return stream_finish(out);
}
