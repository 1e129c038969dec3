#include "collector/push/clickhouse/stack_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

/* The lowest four bits of table_frame.bits. */
enum table_kind { AS_MARKER, AS_USER, AS_KERNEL, AS_LOCK, AS_WAKER, AS_VALUE };

#define MARKS_SHIFT 4
#define PART_SHIFT  16
#define OFFSET_BITS 40 /* of the offset of a path's last frame in its number */

/* -- numbers of content --------------------------------------------------------------------- */

/* So that each bit of the content changes each bit of the number (MurmurHash3's last step). */
static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 33) * 0xff51afd7ed558ccdu;
	number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53u;
	return number ^ number >> 33;
}

static uint64_t high_half(struct content_id id)
{
	return mix((uint64_t)(id.hash >> 64) + mix((uint64_t)id.hash));
}

static uint64_t low_half(struct content_id id)
{
	return mix((uint64_t)id.hash ^ mix((uint64_t)(id.hash >> 64)));
}

/* 0 is no module. */
static uint64_t number_of(struct content_id id)
{
	const uint64_t number = high_half(id);

	return number ? number : 1;
}

/* -- modules -------------------------------------------------------------------------------- */

const char *stack_ids_kind(enum module_kind kind)
{
	switch (kind) {
	case MODULE_ELF:
		return "elf";
	case MODULE_VDSO:
		return "vdso";
	case MODULE_ANON:
		return "memory";
	case MODULE_JIT:
		return "jit";
	case MODULE_KERNEL:
		return "kernel";
	case MODULE_NONE:
		break;
	}
	return "";
}

void stack_ids_build_id(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE])
{
	struct build_id plain = *build_id;

	while (plain.size && !plain.bytes[plain.size - 1])
		plain.size--;
	text[0] = '\0';
	if (plain.size)
		build_id_format(&plain, text);
}

static bool is_made_while_running(const struct module *module)
{
	return module->key.kind == MODULE_ANON || module->key.kind == MODULE_JIT;
}

uint64_t stack_ids_of_build_id(enum module_kind kind, const struct build_id *build_id)
{
	char digits[BUILD_ID_TEXT_SIZE];

	stack_ids_build_id(build_id, digits);
	return number_of(
		content_id_add(content_id_add(content_id_start(), stack_ids_kind(kind)), digits));
}

static uint64_t number_module(const struct stack_ids *ids, const struct module *module)
{
	const struct module_key *key = &module->key;
	struct content_id id = content_id_add(content_id_start(), stack_ids_kind(key->kind));

	if (key->build_id.size)
		return stack_ids_of_build_id(key->kind, &key->build_id);
	id = content_id_add(id, key->path);
	if (is_made_while_running(module))
		return number_of(id);
	id = content_id_add(id, ids->profile->info.os_release);
	id = content_id_add(id, ids->host);
	id = content_id_add_number(id, (uint64_t)key->dev_major << 32 | key->dev_minor);
	id = content_id_add_number(id, key->inode);
	return number_of(content_id_add_number(id, key->inode_generation));
}

uint64_t stack_ids_text(const char *text)
{
	return number_of(content_id_add(content_id_add(content_id_start(), "text"), text));
}

/* -- frames --------------------------------------------------------------------------------- */

static const char *text_at(const struct string_ids *texts, uint64_t number)
{
	return number < texts->n_strings ? texts->strings[number] : "";
}

const char *stack_ids_text_of(const struct stack_ids *ids, const struct frame *frame)
{
	if (frame->kind == FRAME_WAKER)
		return text_at(&ids->profile->wakers, frame->offset);
	if (frame->kind == FRAME_VALUE)
		return text_at(&ids->profile->values, frame->offset);
	return NULL;
}

static struct content_id add_call(struct content_id id, const struct stored_names *names,
				  const struct stored_call *call)
{
	id = content_id_add(id, stored_names_text(names, call->name));
	id = content_id_add(id, stored_names_text(names, call->file));
	return content_id_add_number(id, call->line);
}

/* Of code that a program made. */
static uint64_t offset_by_name(const struct stack_ids *ids, const struct frame *frame)
{
	const struct stored_names *names = ids->profile->names;
	const struct stored_code *code = stored_names_find(names, frame->module, frame->offset);

	if (!code || (code->symbol == STORED_NO_TEXT && !code->n_calls))
		return frame->offset;
	struct content_id id =
		content_id_add(content_id_start(), stored_names_text(names, code->symbol));
	for (uint32_t i = 0; i < code->n_calls; i++)
		id = add_call(id, names, &names->calls[code->first_call + i]);
	return low_half(id);
}

static enum table_kind kind_of(const struct frame *frame)
{
	switch ((enum frame_kind)frame->kind) {
	case FRAME_USER:
		return AS_USER;
	case FRAME_KERNEL:
		return AS_KERNEL;
	case FRAME_LOCK:
		return AS_LOCK;
	case FRAME_WAKER:
		return AS_WAKER;
	case FRAME_VALUE:
		return AS_VALUE;
	default:
		return AS_MARKER;
	}
}

struct table_frame stack_ids_frame(const struct stack_ids *ids, const struct frame *frame,
				   uint8_t marks)
{
	const struct module *module = module_table_get(&ids->profile->modules, frame->module);
	const char *text = stack_ids_text_of(ids, frame);
	struct table_frame made = {
		.module = text     ? stack_ids_text(text)
			  : module ? ids->modules[frame->module]
				   : 0,
		.offset = text ? 0 : frame->offset,
		.bits = kind_of(frame) | (uint32_t)marks << MARKS_SHIFT |
			(uint32_t)frame->part << PART_SHIFT,
	};

	if (module && is_made_while_running(module))
		made.offset = offset_by_name(ids, frame);
	return made;
}

/* -- paths ---------------------------------------------------------------------------------- */

static struct content_id add_frame(const struct stack_ids *ids, struct content_id path,
				   const struct frame *frame, uint8_t marks)
{
	const struct table_frame made = stack_ids_frame(ids, frame, marks);

	path = content_id_add_number(path, made.module);
	path = content_id_add_number(path, made.offset);
	return content_id_add_number(path, made.bits);
}

/* Parents have lower numbers than their children. */
static void find_paths(struct stack_ids *ids)
{
	const struct cct *cct = ids->profile->cct;

	ids->paths[CCT_ROOT] = content_id_start();
	for (uint32_t node = CCT_ROOT + 1; node < cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(cct, node);
		const struct content_id callers = ids->paths[cct->nodes[node].parent];

		ids->paths[node] =
			frame_is_above_code(frame) ? callers : add_frame(ids, callers, frame, 0);
	}
}

int stack_ids_init(struct stack_ids *ids, const struct profile *profile, const char *host)
{
	const uint32_t n_modules = profile->modules.n_modules;

	*ids = (struct stack_ids){
		.profile = profile,
		.host = host,
		.modules = calloc(n_modules + 1ul, sizeof(*ids->modules)),
		.paths = calloc(profile->cct->n_nodes, sizeof(*ids->paths)),
	};
	if (!ids->modules || !ids->paths)
		return -ENOMEM;
	for (uint32_t i = 1; i < n_modules; i++)
		ids->modules[i] = number_module(ids, profile->modules.modules[i]);
	find_paths(ids);
	return 0;
}

void stack_ids_deinit(struct stack_ids *ids)
{
	free(ids->modules);
	free(ids->paths);
	pair_map_deinit(&ids->by_node);
	pair_map_deinit(&ids->by_id);
	free(ids->stacks);
	free(ids->frames);
	free(ids->frame_marks);
}

size_t stack_ids_path(struct stack_ids *ids, const struct table_stack *stack)
{
	const struct cct *cct = ids->profile->cct;
	size_t n = 0;

	for (uint32_t node = stack->node; node != CCT_ROOT; node = cct->nodes[node].parent)
		n += !frame_is_above_code(cct_frame(cct, node));
	if (array_reserve(ids->frames, 0, ids->n_frames_allocated, n + 1) ||
	    array_reserve(ids->frame_marks, 0, ids->n_marks_allocated, n + 1))
		return SIZE_MAX;
	size_t at = n;
	for (uint32_t node = stack->node; node != CCT_ROOT; node = cct->nodes[node].parent) {
		if (frame_is_above_code(cct_frame(cct, node)))
			continue;
		ids->frames[--at] = *cct_frame(cct, node);
		ids->frame_marks[at] = cct->nodes[node].frame_marks & stack->marks;
	}
	return n;
}

/* Eight bytes of a frame: for code in files three of what it is in and five of the offset, so that
 * what is close together has numbers alike. */
static uint64_t number_frame(const struct table_frame *frame)
{
	const uint32_t kind = frame->bits % (1 << MARKS_SHIFT);
	struct content_id id = content_id_add_number(content_id_start(), frame->module);

	id = content_id_add_number(id, frame->bits);
	if ((kind == AS_USER || kind == AS_KERNEL) && frame->offset >> OFFSET_BITS == 0)
		return high_half(id) >> OFFSET_BITS << OFFSET_BITS | frame->offset;
	return high_half(content_id_add_number(id, frame->offset));
}

static void write_number(uint8_t *bytes, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (56 - 8 * i));
}

/* The callers of the last of ->frames. */
static struct content_id callers_of_marked(const struct stack_ids *ids, size_t n_frames)
{
	struct content_id callers = content_id_start();

	for (size_t i = 0; i + 1 < n_frames; i++)
		callers = add_frame(ids, callers, &ids->frames[i], ids->frame_marks[i]);
	return callers;
}

/* The number of a path: eight bytes of its callers, and eight of its last frame; of a path without
 * frames, zeros. 0 or -ENOMEM. */
static int identify(struct stack_ids *ids, struct table_stack *stack)
{
	const struct cct *cct = ids->profile->cct;
	const struct frame *last = cct_frame(cct, stack->node);
	uint8_t marks = 0;
	size_t n_frames = 0;

	if (stack->marks && (n_frames = stack_ids_path(ids, stack)) == SIZE_MAX)
		return -ENOMEM;
	if (frame_is_above_code(last))
		return 0;
	struct content_id callers = ids->paths[cct->nodes[stack->node].parent];
	if (stack->marks) {
		callers = callers_of_marked(ids, n_frames);
		marks = ids->frame_marks[n_frames - 1];
	}
	const struct table_frame made = stack_ids_frame(ids, last, marks);
	write_number(stack->id, high_half(callers));
	write_number(stack->id + 8, number_frame(&made));
	return 0;
}

static int enter(struct stack_ids *ids, const struct table_stack *stack, uint32_t *index_ret)
{
	uint64_t high, low;

	memcpy(&high, stack->id, sizeof(high));
	memcpy(&low, stack->id + sizeof(high), sizeof(low));
	*index_ret = pair_map_find(&ids->by_id, high, low);
	if (*index_ret != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(ids->stacks, ids->n_stacks, ids->n_allocated, 1) ||
	    pair_map_add(&ids->by_id, high, low, ids->n_stacks))
		return -ENOMEM;
	*index_ret = ids->n_stacks;
	ids->stacks[ids->n_stacks++] = *stack;
	return 0;
}

uint32_t stack_ids_get(struct stack_ids *ids, uint32_t node, uint8_t marks)
{
	const uint32_t known = pair_map_find(&ids->by_node, node, marks);
	struct table_stack stack = { .node = node, .marks = marks };
	uint32_t index;

	if (known != PAIR_MAP_NONE)
		return known;
	if (identify(ids, &stack) || enter(ids, &stack, &index) ||
	    pair_map_add(&ids->by_node, node, marks, index))
		return UINT32_MAX;
	return index;
}
