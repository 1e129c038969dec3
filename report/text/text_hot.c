#include "report/text/text_hot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/demangle/short_name.h"
#include "report/text/text_format.h"
#include "report/text/text_names.h"
#include "report/views/view_hot.h"

#define CLASS_WIDTH    8
#define MODULE_WIDTH   20
#define COUNT_WIDTH    11
#define COST_WIDTH     13
#define DENSITY_WIDTH  8
#define MIN_STEP_WIDTH 12
#define FLAT_PERCENT   50.0 /* less in all hot functions: a flat program */
#define FLAT_THRESHOLD 0.1
#define CALLED_BY      " < "

static const char *metric_name(const struct text *text, uint32_t metric)
{
	return text->view->profile->metrics[metric].name;
}

static void write_right(const struct text *text, const char *name, unsigned width)
{
	unsigned columns = printable_width(name, text->output.utf8);

	fprintf(text->output.file, "%*s", columns < width ? (int)(width - columns) : 0, "");
	printable_write(text->output.file, name, width, text->output.utf8);
}

static void write_cost_headings(const struct text *text)
{
	write_right(text, metric_name(text, text->view->options.sort_metric), COST_WIDTH);
	putc(' ', text->output.file);
	write_right(text, metric_name(text, text->view->options.per_metric), COST_WIDTH);
	fprintf(text->output.file, "%*s", DENSITY_WIDTH, "density");
}

static void write_share(const struct text *text, uint64_t part, uint64_t whole)
{
	if (part)
		fprintf(text->output.file, "%*.2f%%", COST_WIDTH - 1, text_percent(part, whole));
	else
		fprintf(text->output.file, "%*s", COST_WIDTH, "-");
}

static void write_costs(const struct text *text, const struct heat_costs *costs)
{
	const struct heat_costs *whole = &text->view->hot->whole;
	char density[32] = "-";

	if (costs->metric && costs->per)
		text_format_ratio(density, sizeof(density), heat_density(costs, whole));
	else if (costs->metric)
		snprintf(density, sizeof(density), "inf");
	write_share(text, costs->metric, whole->metric);
	putc(' ', text->output.file);
	write_share(text, costs->per, whole->per);
	fprintf(text->output.file, "%*s", DENSITY_WIDTH, density);
}

static void write_classes(const struct text *text, const char *heading,
			  const struct heat_class *classes)
{
	text_style_begin(&text->output, STYLE_HEADING);
	fprintf(text->output.file, "%-*s%*s ", CLASS_WIDTH, "class", COUNT_WIDTH, heading);
	write_cost_headings(text);
	text_style_end(&text->output, STYLE_HEADING);
	putc('\n', text->output.file);
	for (int heat = N_HEATS - 1; heat >= 0; heat--) {
		fprintf(text->output.file, "%-*s%*" PRIu64 " ", CLASS_WIDTH,
			heat_name((enum heat)heat), COUNT_WIDTH, classes[heat].n);
		write_costs(text, &classes[heat].sum);
		putc('\n', text->output.file);
	}
	putc('\n', text->output.file);
}

/* What is left for names. */
static unsigned name_room(const struct text *text)
{
	unsigned left = 2 * COST_WIDTH + 1 + DENSITY_WIDTH + 2 + CLASS_WIDTH;

	return text->output.width > left + MIN_STEP_WIDTH ? text->output.width - left
							  : MIN_STEP_WIDTH;
}

static void write_rows_heading(const struct text *text, const char *heading)
{
	text_style_begin(&text->output, STYLE_HEADING);
	write_cost_headings(text);
	fprintf(text->output.file, "  %-*s", CLASS_WIDTH, "class");
	printable_write(text->output.file, heading, name_room(text), text->output.utf8);
	text_style_end(&text->output, STYLE_HEADING);
	putc('\n', text->output.file);
}

/* Returns the columns written. */
static unsigned write_name(const struct text *text, const char *name, unsigned room)
{
	_cleanup_free_ char *fitted = short_name_fit(name, room, text->output.utf8);

	return printable_write(text->output.file, fitted ? fitted : name, room, text->output.utf8);
}

static void write_row_start(const struct text *text, const struct heat_costs *costs, enum heat heat)
{
	write_costs(text, costs);
	fprintf(text->output.file, "  %-*s", CLASS_WIDTH, heat_name(heat));
}

/* The columns of names, beside which there is room for modules; 0: there is none. */
static unsigned names_beside_modules(const struct text *text)
{
	unsigned room = name_room(text), widest = 0, module = 0;

	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		unsigned width =
			printable_width(text_names_get(text->names, row), text->output.utf8);

		unsigned module_width = printable_width(row->module, text->output.utf8);

		if (row->heat == HEAT_COLD)
			continue;
		widest = width > widest ? width : widest;
		module = module_width > module ? module_width : module;
	}
	module = module < MODULE_WIDTH ? module : MODULE_WIDTH;
	if (room < module + 2 + MIN_STEP_WIDTH)
		return 0;
	return widest < room - module - 2 ? widest : room - module - 2;
}

static void write_function(const struct text *text, const struct view_row *row, unsigned name_width)
{
	const struct view_options *options = &text->view->options;
	struct heat_costs costs = { row->self[options->sort_metric],
				    row->self[options->per_metric] };

	write_row_start(text, &costs, row->heat);
	unsigned written = write_name(text, text_names_get(text->names, row),
				      name_width ? name_width : name_room(text));
	if (name_width && *row->module) {
		fprintf(text->output.file, "%*s  ", (int)(name_width - written), "");
		text_style_begin(&text->output, STYLE_DIM);
		printable_write(text->output.file, row->module, MODULE_WIDTH, text->output.utf8);
		text_style_end(&text->output, STYLE_DIM);
	}
	putc('\n', text->output.file);
}

/* "memcpy < copy_row < main", as many as fit. */
static void write_context(const struct text *text, const struct hot_context *context)
{
	const struct hot_node *nodes = text->view->hot->nodes, *node = &nodes[context->node];
	unsigned room = name_room(text), mark = (unsigned)strlen(CALLED_BY);

	write_row_start(text, &context->costs, context->heat);
	unsigned written = write_name(text, node->name, node->parent ? room / 2 : room);
	for (; node->parent; written += mark) {
		node = &nodes[node->parent];
		if (written + 2 * mark + MIN_STEP_WIDTH > room) {
			fputs(written + mark <= room ? " <" : "", text->output.file);
			break;
		}
		fputs(CALLED_BY, text->output.file);
		written += write_name(text, node->name, room - written - 2 * mark);
	}
	putc('\n', text->output.file);
}

static void write_advice(const struct text *text)
{
	const struct hot_view *hot = text->view->hot;
	uint64_t cold = hot->functions[HEAT_COLD].sum.metric;
	double hot_percent = 100 - text_percent(cold, hot->whole.metric);

	text_style_begin(&text->output, STYLE_DIM);
	if (hot_percent < FLAT_PERCENT && text->view->options.threshold_percent > FLAT_THRESHOLD)
		fprintf(text->output.file,
			"\nThe program is flat: hot functions have %.0f %%. --threshold %g\n"
			"lists more of them.\n",
			hot_percent, FLAT_THRESHOLD);
	fputs("\nWhole paths: --view paths --root NAME [--direction up].\n", text->output.file);
	text_style_end(&text->output, STYLE_DIM);
}

static void write_functions(const struct text *text)
{
	unsigned name_width = names_beside_modules(text);

	write_rows_heading(text, "function");
	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		if (row->heat != HEAT_COLD)
			write_function(text, row, name_width);
	}
	putc('\n', text->output.file);
}

void text_hot_write(const struct text *text)
{
	const struct hot_view *hot = text->view->hot;
	const char *name = metric_name(text, text->view->options.sort_metric);

	fprintf(text->output.file, "hot: at least %g %% of ",
		text->view->options.threshold_percent);
	write_name(text, name, text->output.width / 2);
	fputs("\ndense: at a density above 1, which is that of the whole\n\n", text->output.file);
	write_classes(text, "functions", hot->functions);
	write_classes(text, "contexts", hot->contexts);
	write_functions(text);
	write_rows_heading(text, "context: function < its callers");
	for (uint32_t i = 0; i < hot->n_hottest; i++)
		write_context(text, &hot->hottest[i]);
	write_advice(text);
}
