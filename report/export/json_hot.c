#include "report/export/json_hot.h"

#include <inttypes.h>

#include "cct/text/json_string.h"
#include "report/views/view_hot.h"

static void write_costs(FILE *out, const struct heat_costs *costs)
{
	fprintf(out, "\"self\":[%" PRIu64 ",%" PRIu64 "]", costs->metric, costs->per);
}

static void write_classes(FILE *out, const char *name, const struct heat_class *classes)
{
	fprintf(out, ",\n \"%s\":{", name);
	for (int heat = N_HEATS - 1; heat >= 0; heat--) {
		fprintf(out, "\"%s\":{\"number\":%" PRIu64 ",", heat_name((enum heat)heat),
			classes[heat].n);
		write_costs(out, &classes[heat].sum);
		fputs(heat ? "}," : "}}", out);
	}
}

static void write_context(FILE *out, const struct hot_view *hot, const struct hot_context *context)
{
	uint32_t node = context->node;

	fprintf(out, "{\"class\":\"%s\",", heat_name(context->heat));
	write_costs(out, &context->costs);
	fputs(",\"path\":[", out);
	for (;;) {
		json_write_string(out, hot->nodes[node].name);
		node = hot->nodes[node].parent;
		if (!node)
			break;
		putc(',', out);
	}
	fputs("]}", out);
}

void json_write_hot(FILE *out, const struct view *view)
{
	const struct hot_view *hot = view->hot;

	fprintf(out, ",\n\"hot\":{\"metric\":%" PRIu32 ",\"per\":%" PRIu32 ",\"threshold\":%.9g",
		view->options.sort_metric, view->options.per_metric,
		view->options.threshold_percent);
	write_classes(out, "functions", hot->functions);
	write_classes(out, "contexts", hot->contexts);
	fputs("},\n\"contexts\":[", out);
	for (uint32_t i = 0; i < hot->n_hottest; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_context(out, hot, &hot->hottest[i]);
	}
	fputs("\n]", out);
}
