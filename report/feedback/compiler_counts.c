#include "report/feedback/compiler_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cct/base/sentence.h"
#include "report/feedback/branch_code.h"
#include "report/feedback/context_counts.h"
#include "report/feedback/sampled_code.h"

#define NOTHING "no %s is in code with lines in debug information. %s"

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void note_part(FILE *out, const struct sampled_weights *weights, uint64_t part,
		      const char *where)
{
	if (part)
		fprintf(out, ", %.1f %% %s", percent(part, weights->all), where);
}

/* NULL: nothing is missing, or no memory. */
static char *find_missing(const struct compiler *compiler, const struct sampled_weights *weights)
{
	char *text = NULL;
	size_t size;
	FILE *out = weights->placed < weights->all ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	fprintf(out, "%.1f %% of the cost is in the profile",
		percent(weights->placed, weights->all));
	note_part(out, weights, weights->elsewhere, "was in the kernel or in no program's file");
	note_part(out, weights, weights->without_debug,
		  "in code without lines in debug information");
	note_part(out, weights, weights->unnamed, "in functions whose names it cannot hold");
	fputs(".", out);
	if (weights->without_debug > weights->placed)
		fprintf(out, " %s", compiler->how_to_build);
	return fclose(out) ? NULL : text;
}

/* NULL: nothing to say, or no memory. */
static char *describe_branches(const struct branch_paths *branches, uint64_t n, uint64_t n_placed)
{
	return sentence("the counts are of %" PRIu64 " stacks of branches; %.1f %% of their "
			"instructions are in the profile.",
			branches->n_stacks, percent(n_placed, n));
}

/* Fills @counts and the finding. 0, -ENOMEM, or -ENODATA. */
static int count_branches(const struct compiler *compiler, const struct path_options *options,
			  struct line_counts *counts)
{
	uint64_t n, n_placed;
	int err = branch_code_count(options->branches, &compiler->naming, counts, &n, &n_placed);

	if (err)
		return err;
	*options->finding_ret = n_placed ? describe_branches(options->branches, n, n_placed)
					 : sentence(NOTHING, "branch", compiler->how_to_build);
	return n_placed ? 0 : -ENODATA;
}

/* Likewise. */
static int count_samples(const struct compiler *compiler, const struct profile *profile,
			 struct symbolizer *symbolizer, const struct path_options *options,
			 struct line_counts *counts)
{
	struct sampled_weights weights = { 0 };
	int err = (compiler->by_context ? context_counts_fill : sampled_code_count)(
		profile, symbolizer, options->metric, &compiler->naming, counts, &weights);

	if (err)
		return err;
	*options->finding_ret = weights.placed
					? find_missing(compiler, &weights)
					: sentence(NOTHING, "sample", compiler->how_to_build);
	return weights.placed ? 0 : -ENODATA;
}

int compiler_counts_fill(const struct compiler *compiler, const struct profile *profile,
			 struct symbolizer *symbolizer, const struct path_options *options,
			 struct line_counts *counts)
{
	const bool has_branches = options->branches && !compiler->by_context;
	int err = has_branches ? count_branches(compiler, options, counts)
			       : count_samples(compiler, profile, symbolizer, options, counts);

	return err ? err : line_counts_finish(counts, !has_branches);
}
