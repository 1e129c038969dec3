#include "report/export/json_statistics.h"

#include <inttypes.h>

#include "cct/text/json_string.h"
#include "report/views/tree_statistics.h"

static void write_tree(FILE *out, const struct tree_statistics *tree, enum tree_kind kind)
{
	fprintf(out,
		"{\"of\":\"%s\",\"size\":%" PRIu64 ",\"nodes\":%" PRIu64 ",\"node_size\":%" PRIu64,
		tree_kind_name(kind), tree->size, tree->n_nodes, tree_node_size(tree));
	fprintf(out,
		",\"interior_nodes\":%" PRIu64 ",\"out_degree\":%.9g,\"average_height\":%.9g"
		",\"height\":%" PRIu64,
		tree->n_interior, tree_out_degree(tree), tree_average_height(tree),
		tree->max_height);
	if (tree->replication) {
		fprintf(out, ",\"replication\":%" PRIu64 ",\"name\":", tree->replication);
		json_write_string(out, tree->replicated);
		fputs(",\"module\":", out);
		json_write_string(out, tree->module);
	}
	putc('}', out);
}

void json_write_statistics(FILE *out, const struct view *view)
{
	fputs("\"trees\":[", out);
	for (int kind = 0; kind < N_TREES; kind++) {
		fputs(kind ? ",\n" : "\n", out);
		write_tree(out, &view->trees[kind], (enum tree_kind)kind);
	}
	fputs("\n]", out);
}
