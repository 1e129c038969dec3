#include "report/feedback/sampled_code.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/feedback/block_estimates.h"
#include "report/feedback/code_lines.h"
#include "report/names/active_functions.h"

#define NONE CODE_LINES_NONE

/* A frame of user code; those of one function follow one another. */
struct code_frame {
	uint64_t start, vaddr; /* of the function, and of the frame's instruction */
	uint32_t module;
	uint32_t frame; /* its number in the tree */
};

/* A function of the program, or the part that the compiler has put elsewhere. */
struct code_function {
	uint32_t name;    /* in the counts */
	uint64_t entered; /* estimated; 0: not known */
	uint64_t called;  /* the weight of its own samples, which its calls share */
};

/* Calls of a function by an instruction. */
struct code_call {
	uint32_t caller; /* the frame's number */
	uint32_t callee; /* the function's */
	uint64_t weight; /* of the function's own samples then */
};

/* What is known of a frame of the tree, by its number. */
struct frame_use {
	uint64_t self;
	bool calls;        /* functions of the program */
	uint32_t function; /* its index, NONE: it is not counted */
	uint32_t line;     /* of an instruction that calls; NONE: not known */
};

struct builder {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	struct code_lines lines;
	struct sampled_weights *weights;
	struct frame_use *uses;
	struct code_frame *frames; /* by module, function and address */
	uint32_t n_frames;
	struct code_function *functions;
	uint32_t n_functions, functions_allocated;
	struct code_call *calls;
	uint32_t n_calls, calls_allocated;
	struct pair_map by_call;
};

/* The function whose blocks are counted. */
struct code {
	struct code_frame *frames;
	uint32_t n_frames;
	uint32_t function; /* index */
	struct code_source source;
	struct flow_graph graph;
};

/* -- blocks ----------------------------------------------------------------------------------- */

static int find_line(struct builder *builder, const struct code *code, uint32_t instruction,
		     struct found_line *line_ret)
{
	const uint64_t offset = code->graph.instructions[instruction].offset;

	return code_lines_find(&builder->lines, &code->source, code->source.start + offset,
			       line_ret);
}

/* Adds the counts of instructions to their lines. 0 or -ENOMEM. */
static int count_lines(struct builder *builder, const struct code *code,
		       const struct block_estimates *estimates)
{
	struct sampled_weights *sums = builder->weights;
	struct found_line found;
	int err = 0;

	for (uint32_t i = 0; !err && i < code->graph.n_instructions; i++) {
		if (!estimates->counts[i])
			continue;
		err = find_line(builder, code, i, &found);
		if (err)
			break;
		if (found.line == NONE) {
			*(found.is_unnamed ? &sums->unnamed : &sums->without_debug) +=
				estimates->weights[i];
			continue;
		}
		sums->placed += estimates->weights[i];
		code_lines_raise(&builder->lines, &found, code->function, estimates->counts[i]);
	}
	return err;
}

/* Gives the samples of the frames to instructions. */
static void weigh_instructions(struct builder *builder, const struct code *code,
			       struct block_estimates *estimates)
{
	for (uint32_t i = 0; i < code->n_frames; i++) {
		const struct code_frame *frame = &code->frames[i];
		const uint64_t weight = builder->uses[frame->frame].self;

		if (!block_estimates_add(estimates, frame->vaddr - code->source.start, weight))
			builder->weights->without_debug += weight;
	}
}

/* Finds the lines of the instructions that call. 0 or -ENOMEM. */
static int find_calls(struct builder *builder, const struct code *code)
{
	struct found_line found;
	int err = 0;

	for (uint32_t i = 0; !err && i < code->n_frames; i++) {
		struct frame_use *use = &builder->uses[code->frames[i].frame];
		const uint32_t at = block_estimates_instruction_at(
			&code->graph, code->frames[i].vaddr - code->source.start);

		use->function = code->function;
		if (!use->calls || at == NONE || code->graph.instructions[at].flow != CODE_CALLS)
			continue;
		err = find_line(builder, code, at, &found);
		use->line = err ? NONE : found.line;
	}
	return err;
}

/* -- functions -------------------------------------------------------------------------------- */

static void leave_out(struct builder *builder, const struct code *code, uint64_t *sum)
{
	for (uint32_t i = 0; i < code->n_frames; i++)
		*sum += builder->uses[code->frames[i].frame].self;
}

static int add_function(struct builder *builder, struct code *code, uint32_t name)
{
	if (array_reserve(builder->functions, builder->n_functions, builder->functions_allocated,
			  1))
		return -ENOMEM;
	code->function = builder->n_functions;
	builder->functions[builder->n_functions++] = (struct code_function){ .name = name };
	return 0;
}

static int count_instructions(struct builder *builder, struct code *code)
{
	struct code_function *function = &builder->functions[code->function];
	struct block_estimates estimates;
	int err = block_estimates_init(&estimates, &code->graph);

	if (!err) {
		weigh_instructions(builder, code, &estimates);
		block_estimates_make(&estimates);
		function->entered = estimates.entered;
		err = count_lines(builder, code, &estimates);
	}
	if (!err)
		err = find_calls(builder, code);
	if (!err)
		err = code_lines_enter(&builder->lines, &code->source, function->name,
				       function->entered);
	block_estimates_deinit(&estimates);
	return err;
}

/* Counts the function of frames that follow one another. 0 or -ENOMEM. */
static int count_function(struct builder *builder, struct code_frame *frames, uint32_t n)
{
	const struct frame *any = &builder->profile->cct->frames.frames[frames[0].frame];
	struct code code = { .frames = frames, .n_frames = n, .source.start = frames[0].start };
	struct active_functions active;
	struct frame_code bytes;
	uint32_t name;
	int err = symbolizer_find_functions(builder->symbolizer, any, &active);

	if (!err)
		err = symbolizer_code(builder->symbolizer, any, &bytes);
	if (err)
		return err;
	code.source.debug = active.location.debug;
	code.source.symbol = active.location.symbol;
	err = bytes.n_bytes && code.source.debug
		      ? flow_graph_init(&code.graph, bytes.machine, bytes.bytes, bytes.n_bytes,
					code.source.start)
		      : -ENOTSUP;
	if (err == -ENOTSUP) {
		leave_out(builder, &code, &builder->weights->without_debug);
		return 0;
	}
	if (!err)
		err = code_lines_name(&builder->lines, &code.source, &name);
	if (!err && name == NONE)
		leave_out(builder, &code, &builder->weights->unnamed);
	else if (!err)
		err = add_function(builder, &code, name);
	if (!err && name != NONE)
		err = count_instructions(builder, &code);
	flow_graph_deinit(&code.graph);
	return err;
}

static int compare_frames(const void *a, const void *b)
{
	const struct code_frame *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static int count_functions(struct builder *builder)
{
	uint32_t end;
	int err = 0;

	if (builder->n_frames)
		qsort(builder->frames, builder->n_frames, sizeof(*builder->frames), compare_frames);
	for (uint32_t i = 0; !err && i < builder->n_frames; i = end) {
		const struct code_frame *first = &builder->frames[i];

		for (end = i + 1; end < builder->n_frames; end++)
			if (builder->frames[end].module != first->module ||
			    builder->frames[end].start != first->start)
				break;
		err = count_function(builder, &builder->frames[i], end - i);
	}
	return err;
}

/* -- the tree --------------------------------------------------------------------------------- */

static bool is_user(const struct frame *frame)
{
	return frame->kind == FRAME_USER;
}

/* Sums up the own weights of frames, and marks those that call. */
static void use_frames(struct builder *builder, uint32_t metric)
{
	const struct cct *cct = builder->profile->cct;

	for (uint32_t i = 0; i < cct->frames.n_frames; i++)
		builder->uses[i].function = builder->uses[i].line = NONE;
	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		const uint32_t parent = cct->nodes[i].parent;
		const uint64_t weight = cct_cost(cct, i, metric)->weight;

		builder->weights->all += weight;
		if (!is_user(cct_frame(cct, i))) {
			builder->weights->elsewhere += weight;
			continue;
		}
		builder->uses[cct->nodes[i].frame].self += weight;
		if (parent != CCT_NONE)
			builder->uses[cct->nodes[parent].frame].calls = true;
	}
}

/* Lists the frames of code in files. 0 or -ENOMEM. */
static int list_frames(struct builder *builder)
{
	const struct frame_ids *all = &builder->profile->cct->frames;
	int err = 0;

	builder->frames = calloc(all->n_frames + 1ul, sizeof(*builder->frames));
	if (!builder->frames)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < all->n_frames; i++) {
		const struct frame *frame = &all->frames[i];
		const struct module *module =
			module_table_get(&builder->profile->modules, frame->module);
		struct frame_code code;

		if (!is_user(frame) || (!builder->uses[i].self && !builder->uses[i].calls))
			continue;
		if (!module || module->key.kind != MODULE_ELF) {
			builder->weights->elsewhere += builder->uses[i].self;
			continue;
		}
		err = symbolizer_code(builder->symbolizer, frame, &code);
		if (!err)
			builder->frames[builder->n_frames++] =
				(struct code_frame){ code.start, code.vaddr, frame->module, i };
	}
	return err;
}

static int add_call(struct builder *builder, uint32_t caller, uint32_t callee, uint64_t weight)
{
	uint32_t call = pair_map_find(&builder->by_call, caller, callee);
	int err = 0;

	if (call == PAIR_MAP_NONE) {
		if (array_reserve(builder->calls, builder->n_calls, builder->calls_allocated, 1))
			return -ENOMEM;
		call = builder->n_calls++;
		builder->calls[call] = (struct code_call){ .caller = caller, .callee = callee };
		err = pair_map_add(&builder->by_call, caller, callee, call);
	}
	builder->calls[call].weight += weight;
	return err;
}

/* Adds up the calls in the tree. 0 or -ENOMEM. */
static int list_calls(struct builder *builder, uint32_t metric)
{
	const struct cct *cct = builder->profile->cct;
	_cleanup_free_ uint64_t *total = calloc(cct->n_nodes + 1ul, sizeof(*total));
	int err = total ? 0 : -ENOMEM;

	for (uint32_t i = cct->n_nodes; !err && i-- > 1;) {
		const struct cct_node *node = &cct->nodes[i];
		const struct frame_use *callee = &builder->uses[node->frame];
		const uint32_t caller = cct->nodes[node->parent].frame;

		const uint64_t own = cct_cost(cct, i, metric)->weight;

		total[i] += own;
		total[node->parent] += total[i];
		if (!total[i] || callee->function == NONE)
			continue;
		builder->functions[callee->function].called += own;
		if (builder->uses[caller].line != NONE)
			err = add_call(builder, caller, callee->function, own);
	}
	return err;
}

static int count_calls(struct builder *builder)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < builder->n_calls; i++) {
		const struct code_call *call = &builder->calls[i];
		const struct code_function *callee = &builder->functions[call->callee];
		const unsigned __int128 product = (unsigned __int128)callee->entered * call->weight;
		const uint64_t count = callee->called ? (uint64_t)(product / callee->called) : 0;

		err = line_counts_call(builder->lines.counts, builder->uses[call->caller].line,
				       callee->name, count ? count : 1);
	}
	return err;
}

int sampled_code_count(const struct profile *profile, struct symbolizer *symbolizer,
		       uint32_t metric, const struct code_naming *naming,
		       struct line_counts *counts, struct sampled_weights *weights_ret)
{
	struct builder builder = { .profile = profile,
				   .symbolizer = symbolizer,
				   .weights = weights_ret };
	int err = code_lines_init(&builder.lines, counts, naming);

	*weights_ret = (struct sampled_weights){ 0 };
	builder.uses = calloc(profile->cct->frames.n_frames + 1ul, sizeof(*builder.uses));
	if (!builder.uses)
		err = -ENOMEM;
	if (!err) {
		use_frames(&builder, metric);
		err = list_frames(&builder);
	}
	if (!err)
		err = count_functions(&builder);
	if (!err)
		err = list_calls(&builder, metric);
	if (!err)
		err = count_calls(&builder);
	code_lines_deinit(&builder.lines);
	free(builder.uses);
	free(builder.frames);
	free(builder.functions);
	free(builder.calls);
	pair_map_deinit(&builder.by_call);
	return err;
}
