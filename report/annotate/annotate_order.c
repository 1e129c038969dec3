#include "report/annotate/annotate_order.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/compare.h"
#include "report/names/source_paths.h"

/*
 * Negative: @a costs more. Compares self and then total cost of the metric sorted by, then those of
 * the other metrics.
 */
static int compare_slots(const struct annotation *annotation, uint32_t a, uint32_t b)
{
	const uint64_t *x = annotation_self(annotation, a), *y = annotation_self(annotation, b);
	uint32_t n = annotation->n_metrics, first = annotation->sort_metric;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t metric = (first + i) % n;

		if (x[metric] != y[metric])
			return x[metric] > y[metric] ? -1 : 1;
		if (x[n + metric] != y[n + metric])
			return x[n + metric] > y[n + metric] ? -1 : 1;
	}
	return 0;
}

/* Path numbers depend on the order of discovery, so the report sorts by the paths' text. */
static int compare_paths(const struct annotation *annotation, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (a == ANNOTATE_NONE || b == ANNOTATE_NONE)
		return a == ANNOTATE_NONE ? 1 : -1;
	return strcmp(source_paths_get(annotation->paths, a),
		      source_paths_get(annotation->paths, b));
}

static int compare_lines(const void *a, const void *b, void *annotation)
{
	const struct annotated_line *x = a, *y = b;
	int order = compare_numbers(x->function, y->function);

	if (!order)
		order = compare_paths(annotation, x->path, y->path);
	return order ? order : compare_numbers(x->line, y->line);
}

static int compare_parts(const void *a, const void *b, void *annotation)
{
	const struct annotated_part *x = a, *y = b;
	int order = compare_numbers(x->function, y->function);

	if (!order)
		order = compare_numbers(x->line_slot, y->line_slot);
	if (!order)
		order = compare_slots(annotation, x->slot, y->slot);
	return order ? order : compare_numbers(x->slot, y->slot);
}

static int compare_addresses(const void *a, const void *b, void *annotation)
{
	const struct annotated_address *x = a, *y = b;
	int order = compare_numbers(x->function, y->function);

	(void)annotation;
	return order ? order : compare_numbers(x->vaddr, y->vaddr);
}

static int compare_functions(const void *a, const void *b, void *annotation)
{
	const struct annotated_function *x = a, *y = b;
	int order = compare_slots(annotation, x->slot, y->slot);

	return order ? order : compare_numbers(x->id, y->id);
}

static void share_out(struct annotation *annotation)
{
	struct annotated_function *functions = annotation->functions;

	for (uint32_t i = annotation->n_lines; i-- > 0;) {
		functions[annotation->lines[i].function].first_line = i;
		functions[annotation->lines[i].function].n_lines++;
	}
	for (uint32_t i = annotation->n_parts; i-- > 0;) {
		functions[annotation->parts[i].function].first_part = i;
		functions[annotation->parts[i].function].n_parts++;
	}
	for (uint32_t i = annotation->n_addresses; i-- > 0;) {
		functions[annotation->addresses[i].function].first_address = i;
		functions[annotation->addresses[i].function].n_addresses++;
	}
}

static void sort(void *array, uint32_t n, size_t size,
		 int (*compare)(const void *, const void *, void *), struct annotation *annotation)
{
	if (n)
		qsort_r(array, n, size, compare, annotation);
}

void annotation_arrange(struct annotation *annotation)
{
	sort(annotation->lines, annotation->n_lines, sizeof(*annotation->lines), compare_lines,
	     annotation);
	sort(annotation->parts, annotation->n_parts, sizeof(*annotation->parts), compare_parts,
	     annotation);
	sort(annotation->addresses, annotation->n_addresses, sizeof(*annotation->addresses),
	     compare_addresses, annotation);
	share_out(annotation);
	sort(annotation->functions, annotation->n_functions, sizeof(*annotation->functions),
	     compare_functions, annotation);
}
