#include "report/feedback/sampled_code.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "report/branches/flow_graph.h"
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
	uint64_t *weights; /* by instruction */
};

struct block_count {
	uint64_t weight;
	uint64_t count; /* of executions, estimated */
};

/* -- blocks ----------------------------------------------------------------------------------- */

/* The instruction that contains an offset, or NONE. */
static uint32_t instruction_at(const struct flow_graph *graph, uint64_t offset)
{
	const size_t n =
		sorted_count(graph->n_instructions, i, graph->instructions[i].offset <= offset);

	if (!n)
		return NONE;
	const struct flow_instruction *last = &graph->instructions[n - 1];
	return offset - last->offset < last->size ? (uint32_t)n - 1 : NONE;
}

static int find_line(struct builder *builder, const struct code *code, uint32_t instruction,
		     struct found_line *line_ret)
{
	const uint64_t offset = code->graph.instructions[instruction].offset;

	return code_lines_find(&builder->lines, &code->source, code->source.start + offset,
			       line_ret);
}

/* Adds the count of a block to the lines of its instructions. 0 or -ENOMEM. */
static int count_block(struct builder *builder, const struct code *code, uint32_t first,
		       uint32_t end, uint64_t count)
{
	struct sampled_weights *sums = builder->weights;
	struct found_line found;
	int err = 0;

	for (uint32_t i = first; !err && i < end; i++) {
		err = find_line(builder, code, i, &found);
		if (err)
			break;
		if (found.line == NONE) {
			*(found.is_unnamed ? &sums->unnamed : &sums->without_debug) +=
				code->weights[i];
			continue;
		}
		sums->placed += code->weights[i];
		code_lines_raise(&builder->lines, &found, code->function, count);
	}
	return err;
}

/* How often each of @n instructions was executed. */
static uint64_t average(uint64_t weight, uint32_t n)
{
	const uint64_t count = weight / n + (weight % n >= n / 2 + n % 2);

	return weight && !count ? 1 : count;
}

/* The first block of a function is often too short for samples. What no loop contains is executed
 * at most as often as the function is entered, so a block of it with more samples tells, too. */
static uint64_t estimate_entries(const struct block_count *first, const struct block_count *once)
{
	return once->count > first->count && once->weight > first->weight ? once->count
									  : first->count;
}

/* Counts the blocks. *@entered_ret: how often the function was entered. 0 or -ENOMEM. */
static int count_blocks(struct builder *builder, const struct code *code, const bool *is_once,
			uint64_t *entered_ret)
{
	const struct flow_graph *graph = &code->graph;
	struct block_count entry = { 0 }, once = { 0 };
	uint32_t end;
	int err = 0;

	for (uint32_t first = 0; !err && first < graph->n_instructions; first = end) {
		struct block_count block = { .weight = code->weights[first] };

		for (end = first + 1;
		     end < graph->n_instructions && !graph->instructions[end].is_leader; end++)
			block.weight += code->weights[end];
		block.count = average(block.weight, end - first);
		if (block.count)
			err = count_block(builder, code, first, end, block.count);
		if (!first)
			entry = block;
		if (is_once[first] && block.weight > once.weight)
			once = block;
	}
	*entered_ret = estimate_entries(&entry, &once);
	return err;
}

/* Gives the samples of the frames to instructions. */
static void weigh_instructions(struct builder *builder, const struct code *code)
{
	for (uint32_t i = 0; i < code->n_frames; i++) {
		const struct code_frame *frame = &code->frames[i];
		const uint64_t weight = builder->uses[frame->frame].self;
		const uint32_t at = instruction_at(&code->graph, frame->vaddr - code->source.start);

		if (at == NONE)
			builder->weights->without_debug += weight;
		else
			code->weights[at] += weight;
	}
}

/* Finds the lines of the instructions that call. 0 or -ENOMEM. */
static int find_calls(struct builder *builder, const struct code *code)
{
	struct found_line found;
	int err = 0;

	for (uint32_t i = 0; !err && i < code->n_frames; i++) {
		struct frame_use *use = &builder->uses[code->frames[i].frame];
		const uint32_t at =
			instruction_at(&code->graph, code->frames[i].vaddr - code->source.start);

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
	code->weights = calloc(code->graph.n_instructions + 1ul, sizeof(*code->weights));
	if (!code->weights)
		return -ENOMEM;
	weigh_instructions(builder, code);
	bool *is_once = flow_graph_find_once(&code->graph);
	int err = is_once ? count_blocks(builder, code, is_once,
					 &builder->functions[code->function].entered)
			  : -ENOMEM;
	free(is_once);
	if (!err)
		err = find_calls(builder, code);
	if (!err)
		err = code_lines_enter(&builder->lines, &code->source,
				       builder->functions[code->function].name,
				       builder->functions[code->function].entered);
	free(code->weights);
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
