#include "report/text/text_statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/demangle/short_name.h"
#include "report/text/text_format.h"
#include "report/views/tree_statistics.h"

#define LABEL_WIDTH  32
#define COLUMN_WIDTH 14

static void write_label(const struct text *text, const char *label)
{
	fprintf(text->output.file, "%-*s", LABEL_WIDTH, label);
}

static void write_amounts(const struct text *text, const char *label, const char *unit,
			  const uint64_t amounts[N_TREES])
{
	write_label(text, label);
	for (int kind = 0; kind < N_TREES; kind++) {
		char buffer[32];

		text_format_value(buffer, sizeof(buffer), amounts[kind], unit);
		fprintf(text->output.file, "%*s", COLUMN_WIDTH, buffer);
	}
	putc('\n', text->output.file);
}

static void write_averages(const struct text *text, const char *label, double first, double second)
{
	write_label(text, label);
	fprintf(text->output.file, "%*.2f%*.2f\n", COLUMN_WIDTH, first, COLUMN_WIDTH, second);
}

/* The function that has most nodes, and its part of all nodes. */
static void write_replication(const struct text *text, const struct tree_statistics *tree)
{
	unsigned room = text->output.width > 8 ? text->output.width - 8 : text->output.width;

	write_label(text, "maximum replication");
	fprintf(text->output.file, "%*" PRIu64 "%*s\n", COLUMN_WIDTH, tree->replication,
		COLUMN_WIDTH, "-");
	if (!tree->replication)
		return;
	_cleanup_free_ char *fitted = short_name_fit(tree->replicated, room, text->output.utf8);
	fprintf(text->output.file, "\n%.2f %% of the nodes by function are of\n        ",
		text_percent(tree->replication, tree->n_nodes));
	printable_write(text->output.file, fitted ? fitted : tree->replicated, room,
			text->output.utf8);
	putc('\n', text->output.file);
}

void text_statistics_write(const struct text *text)
{
	const struct tree_statistics *f = &text->view->trees[TREE_BY_FUNCTION];
	const struct tree_statistics *s = &text->view->trees[TREE_BY_CALL_SITE];

	text_style_begin(&text->output, STYLE_HEADING);
	write_label(text, "calling context tree");
	fprintf(text->output.file, "%*s%*s\n", COLUMN_WIDTH, "by function", COLUMN_WIDTH,
		"by call site");
	text_style_end(&text->output, STYLE_HEADING);
	write_amounts(text, "size", "bytes", (uint64_t[]){ f->size, s->size });
	write_amounts(text, "nodes", "events", (uint64_t[]){ f->n_nodes, s->n_nodes });
	write_amounts(text, "average size of a node", "bytes",
		      (uint64_t[]){ tree_node_size(f), tree_node_size(s) });
	write_averages(text, "out-degree of interior nodes", tree_out_degree(f),
		       tree_out_degree(s));
	write_averages(text, "average height of leaves", tree_average_height(f),
		       tree_average_height(s));
	write_amounts(text, "maximum height", "events",
		      (uint64_t[]){ f->max_height, s->max_height });
	write_replication(text, f);
}
