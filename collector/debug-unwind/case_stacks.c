#include "collector/debug-unwind/case_stacks.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/hex.h"
#include "collector/debug-unwind/rule_text.h"

#define LINE_SIZE 32 /* bytes on one line */
/* Printable bytes in a word that make it text. */
#define TEXT_BYTES 5
/* Beyond the outermost frame lie arguments and environment. */
#define KEPT_BEYOND_ROOT 64
/* What a signal's frame saves lies above the last stack pointer on its stack. */
#define SIGNAL_FRAME_MAX 1024

/* Bytes of a stack, of which the frames may use some. */
struct span {
	uint64_t start;
	uint8_t *bytes;
	size_t size;
	const struct stack_memory *memory; /* whose contexts the walk went through; NULL: none */
};

static bool is_address(const struct span *span, const struct address_space *space, uint64_t value)
{
	return value - span->start < span->size || address_space_find(space, value);
}

/* What a signal saved on one stack is how the walk knows the context of another; the case tells
 * these registers anyway. */
static bool is_register(const struct span *span, const struct used_stacks *used, uint64_t value)
{
	for (size_t i = 0; span->memory && i < used->n_contexts; i++) {
		const struct regs *regs = &span->memory->contexts[i].regs;

		for (unsigned reg = 0; reg < REGS_MAX; reg++) {
			if (regs_have(regs, reg) && regs->values[reg] == value)
				return true;
		}
	}
	return false;
}

static bool is_text(const uint8_t *word)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++)
		n += isprint(word[i]) != 0;
	return n >= TEXT_BYTES;
}

/* The size up to the highest frame there; all of it if it has no frame, or if more would follow. */
static size_t used_size(const struct span *span, const struct used_stacks *used)
{
	size_t top = used->n_frames;
	uint64_t highest = 0;

	for (size_t i = 0; i < used->n_frames; i++) {
		uint64_t at = used->sps[i] - span->start;

		if (at > span->size || at < highest)
			continue;
		top = i;
		highest = at;
	}
	if (top == used->n_frames || !used->is_at_root)
		return span->size;
	return highest + (top == used->n_frames - 1 ? KEPT_BEYOND_ROOT : SIGNAL_FRAME_MAX);
}

/* Blanks paths, arguments and environment: a case must not reveal them. */
static void blank_text(const struct span *span, const struct address_space *space,
		       const struct used_stacks *used)
{
	size_t n_used = used_size(span, used);

	for (size_t at = 0; at + 8 <= span->size; at += 8) {
		uint64_t value;

		memcpy(&value, span->bytes + at, sizeof(value));
		if (at >= n_used || (is_text(span->bytes + at) && !is_address(span, space, value) &&
				     !is_register(span, used, value)))
			memset(span->bytes + at, 0, 8);
	}
}

/* All pieces in one, up to where the frames use it. */
static int copy_rest(struct case_stacks *stacks, const struct stack_memory *from,
		     const struct address_space *space, const struct used_stacks *used)
{
	uint64_t start = from->pieces[0].start, end = from->pieces[from->n_pieces - 1].end;
	struct stack_block *block = stack_block_create(end - start, NULL);
	if (!block)
		return -ENOMEM;

	for (size_t i = 0; i < from->n_pieces; i++)
		memcpy(block->bytes + (from->pieces[i].start - start), from->pieces[i].bytes,
		       from->pieces[i].end - from->pieces[i].start);
	blank_text(&(struct span){ start, block->bytes, block->size, from }, space, used);
	return stack_memory_set_rest(stacks->memory, start, block, end, end);
}

static int copy_context(struct case_stacks *stacks, const struct stack_memory *memory,
			const struct stack_context *from, const struct address_space *space,
			const struct used_stacks *used)
{
	struct stack_context context = *from;

	context.block = stack_block_create(from->block->size, NULL);
	if (!context.block)
		return -ENOMEM;
	memcpy(context.block->bytes, from->block->bytes, from->block->size);
	blank_text(&(struct span){ from->regs.values[from->arch->sp], context.block->bytes,
				   context.block->size, memory },
		   space, used);
	stack_memory_add_context(stacks->memory, &context);
	return 0;
}

static int copy_second(struct case_stacks *stacks, const struct stack_memory *memory,
		       const struct second_stack *from, const struct address_space *space,
		       const struct used_stacks *used)
{
	struct second_stack second = *from;

	second.block = stack_block_create(from->block->size, NULL);
	if (!second.block)
		return -ENOMEM;
	memcpy(second.block->bytes, from->block->bytes, from->block->size);
	blank_text(&(struct span){ from->start, second.block->bytes, second.block->size, memory },
		   space, used);
	stack_memory_add_second(stacks->memory, &second, 0);
	return 0;
}

static int copy_memory(struct case_stacks *stacks, const struct stack_memory *from,
		       const struct address_space *space, const struct used_stacks *used)
{
	int err = 0;

	stacks->memory = stack_memory_create();
	stacks->stack.memory = stacks->memory;
	if (!stacks->memory)
		return -ENOMEM;
	if (used->has_rest && from->n_pieces)
		err = copy_rest(stacks, from, space, used);
	for (size_t i = 0; i < from->n_guards && used->has_rest && !err; i++)
		stacks->memory->guards[stacks->memory->n_guards++] = from->guards[i];
	for (size_t i = 0; i < used->n_contexts && !err; i++)
		err = copy_context(stacks, from, &from->contexts[i], space, used);
	for (size_t i = 0; i < from->n_seconds && used->has_seconds && !err; i++)
		err = copy_second(stacks, from, &from->seconds[i], space, used);
	return err;
}

static bool has_code(const struct case_stacks *stacks, uint64_t addr)
{
	for (size_t i = 0; i < stacks->n_codes; i++)
		if (addr - stacks->views[i].start < CODE_VIEW_PAGE_SIZE)
			return true;
	return false;
}

/* The code around one frame, if no file has it. */
static void add_code(struct case_stacks *stacks, const struct code_view *from)
{
	struct code_view *view = &stacks->views[stacks->n_codes];
	struct case_code *code = &stacks->codes[stacks->n_codes++];

	*view = *from;
	code_view_fill(from, code->known);
	for (size_t i = 0; i < from->n_pages; i++)
		view->before[i] = view->after[i] = code->kept + i * CODE_VIEW_PAGE_SIZE;
}

static int take_code(struct case_stacks *stacks, const struct code_source *from,
		     const struct used_stacks *used)
{
	struct code_view view;

	stacks->views = calloc(used->n_frames, sizeof(*stacks->views));
	stacks->codes = calloc(used->n_frames, sizeof(*stacks->codes));
	if (!stacks->views || !stacks->codes)
		return -ENOMEM;
	for (size_t i = 0; i < used->n_frames; i++) {
		from->find(from, used->addrs[i], &view);
		if (view.n_pages && !has_code(stacks, used->addrs[i]))
			add_code(stacks, &view);
	}
	code_view_list_init(&stacks->list, stacks->views, stacks->n_codes);
	stacks->stack.code = stacks->n_codes ? &stacks->list.source : NULL;
	case_stacks_keep_code(stacks, UINT32_MAX);
	return 0;
}

static int take_addrs(struct case_stacks *stacks, const struct used_stacks *used)
{
	stacks->addrs = calloc(used->n_frames + 1, sizeof(*stacks->addrs));
	if (!stacks->addrs)
		return -ENOMEM;
	for (size_t i = 0; i < used->n_frames; i++)
		stacks->addrs[stacks->n_addrs++] = used->addrs[i];
	return 0;
}

int case_stacks_init(struct case_stacks *stacks, const struct user_stack *from,
		     const struct address_space *space, const struct used_stacks *used)
{
	*stacks = (struct case_stacks){ .stack = *from };
	stacks->stack.code = NULL;
	stacks->stack.memory = NULL;
	stacks->bytes = malloc(from->size);
	if (!stacks->bytes)
		return -ENOMEM;
	memcpy(stacks->bytes, from->bytes, from->size);
	stacks->stack.bytes = stacks->bytes;
	blank_text(&(struct span){ from->regs.values[from->arch->sp], stacks->bytes, from->size,
				   from->memory },
		   space, used);
	int err = take_addrs(stacks, used);
	if (!err && from->code && used->n_frames)
		err = take_code(stacks, from->code, used);
	if (err)
		return err;
	return from->memory && (used->has_rest || used->n_contexts || used->has_seconds)
		       ? copy_memory(stacks, from->memory, space, used)
		       : 0;
}

void case_stacks_deinit(struct case_stacks *stacks)
{
	stack_memory_unref(stacks->memory);
	free(stacks->bytes);
	free(stacks->addrs);
	free(stacks->views);
	free(stacks->codes);
}

/* To both sides of the instruction at @at. */
static void keep_around(struct case_code *code, size_t size, uint64_t at, uint64_t window)
{
	uint64_t from = at > window ? at - window : 0;
	uint64_t to = size - at > window ? at + window : size;

	memcpy(code->kept + from, code->known + from, to - from);
}

void case_stacks_keep_code(struct case_stacks *stacks, uint64_t window)
{
	for (size_t i = 0; i < stacks->n_codes; i++) {
		size_t size = stacks->views[i].n_pages * CODE_VIEW_PAGE_SIZE;

		memset(stacks->codes[i].kept, CODE_VIEW_NO_INSTRUCTION, size);
		for (size_t j = 0; j < stacks->n_addrs; j++) {
			uint64_t at = stacks->addrs[j] - stacks->views[i].start;

			if (at < CODE_VIEW_PAGE_SIZE)
				keep_around(&stacks->codes[i], size, at, window);
		}
	}
}

/* Writes lines of @bytes under the name @word, without lines in which all bytes are @blank. */
static void write_bytes(FILE *out, const char *word, const uint8_t *bytes, size_t size,
			uint8_t blank)
{
	uint8_t blanks[LINE_SIZE];

	memset(blanks, blank, sizeof(blanks));
	for (size_t at = 0; at < size; at += LINE_SIZE) {
		size_t n = size - at < LINE_SIZE ? size - at : LINE_SIZE;

		if (!memcmp(bytes + at, blanks, n))
			continue;
		fprintf(out, "%s %zx ", word, at);
		hex_write(out, bytes + at, n);
		fputc('\n', out);
	}
}

static void write_regs(FILE *out, const char *word, const struct arch *arch,
		       const struct regs *regs)
{
	for (unsigned reg = 0; reg < REGS_MAX; reg++)
		if (regs_have(regs, reg))
			fprintf(out, "%s %u %" PRIx64 " %s\n", word, reg, regs->values[reg],
				reg_text(arch, reg));
}

void case_stacks_write_regs(FILE *out, const struct case_stacks *stacks)
{
	fprintf(out, "pc %" PRIx64 "\n", stacks->stack.regs.pc);
	write_regs(out, "register", stacks->stack.arch, &stacks->stack.regs);
}

static const char *extent(bool is_full)
{
	return is_full ? "full" : "whole";
}

static void write_second(FILE *out, const struct second_stack *second)
{
	fprintf(out, "second %" PRIx64 " %zu %s %s\n", second->start, second->block->size,
		extent(second->is_full), second->is_saved ? "saved" : "interrupted");
	write_bytes(out, "second-bytes", second->block->bytes, second->block->size, 0);
}

static void write_memory(FILE *out, const struct stack_memory *memory)
{
	for (size_t i = 0; i < memory->n_guards; i++)
		fprintf(out, "guard %" PRIx64 " %" PRIx64 "\n", memory->guards[i].addr,
			memory->guards[i].value);
	for (size_t i = 0; i < memory->n_pieces; i++) {
		const struct stack_piece *piece = &memory->pieces[i];

		fprintf(out, "rest %" PRIx64 " %" PRIx64 "\n", piece->start, piece->end);
		write_bytes(out, "rest-bytes", piece->bytes, piece->end - piece->start, 0);
	}
	for (size_t i = 0; i < memory->n_contexts; i++) {
		const struct stack_context *context = &memory->contexts[i];

		fprintf(out, "context %" PRIx64 " %zu %s\n", context->regs.pc, context->block->size,
			extent(context->is_full));
		write_regs(out, "context-register", context->arch, &context->regs);
		write_bytes(out, "context-bytes", context->block->bytes, context->block->size, 0);
	}
	for (size_t i = 0; i < memory->n_seconds; i++)
		write_second(out, &memory->seconds[i]);
}

static const char *frame_name(enum runtime_frame frame)
{
	switch (frame) {
	case RUNTIME_FRAME_SIZED:
		return "sized";
	case RUNTIME_FRAME_INTERPRETED:
		return "interpreted";
	case RUNTIME_FRAME_STUB:
		return "stub";
	case RUNTIME_FRAME_METHOD:
		break;
	}
	return "method";
}

/* The descriptions of code that the walk went through, each once. */
static void write_descriptions(FILE *out, const struct case_stacks *stacks)
{
	const struct runtime_codes *codes = stacks->stack.runtime;

	for (size_t i = 0; i < stacks->n_addrs; i++) {
		const struct runtime_code *code = runtime_codes_find(codes, stacks->addrs[i]);
		size_t first = 0;

		while (code && runtime_codes_find(codes, stacks->addrs[first]) != code)
			first++;
		if (code && first == i)
			fprintf(out,
				"described %" PRIx64 " %" PRIx64 " %s %" PRIu32 " %" PRIx32 "\n",
				code->start, code->end, frame_name((enum runtime_frame)code->frame),
				code->frame_size, code->complete);
	}
}

void case_stacks_write_bytes(FILE *out, const struct case_stacks *stacks)
{
	const struct user_stack *stack = &stacks->stack;

	if (stack->mapping_end)
		fprintf(out, "stack %zu hole %" PRIx64 "\n", stack->size, stack->mapping_end);
	else
		fprintf(out, "stack %zu %s\n", stack->size, extent(stack->is_full));
	write_bytes(out, "bytes", stack->bytes, stack->size, 0);
	if (stacks->memory)
		write_memory(out, stacks->memory);
	for (size_t i = 0; i < stacks->n_codes; i++) {
		const struct code_view *view = &stacks->views[i];

		fprintf(out, "code %" PRIx64 " %zu\n", view->start, view->n_pages);
		write_bytes(out, "code-bytes", stacks->codes[i].kept,
			    view->n_pages * CODE_VIEW_PAGE_SIZE, CODE_VIEW_NO_INSTRUCTION);
	}
	write_descriptions(out, stacks);
}
