#include "collector/values/value_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/sample_path.h"
#include "report/dwarf/debug_location.h"
#include "report/values/value_types.h"
#include "report/values/value_variables.h"

/* Frames beyond that of the function that are walked: entry values may need the callers'. */
#define CALLERS   8
#define TYPE_SIZE 128

/* A frame of the present sample's walk. */
struct walked {
	struct regs regs;
	struct stack_copy stack;
	struct frame frame;
	uint64_t addr, cfa;
	bool has_cfa;
};

/* Whether a function is the one that was asked for, by the symbolizer's number. */
enum wanted { NOT_ASKED, IS_ANOTHER, IS_WANTED };

struct value_frames {
	const struct value_request *request;
	struct function_query *query;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct symbolizer *symbolizer;
	struct value_modules modules;
	uint8_t *wanted; /* by number */
	uint32_t n_wanted;
	/* Of the present sample: */
	const struct address_space *space;
	struct walked *walked; /* VALUE_FRAMES_MAX */
	size_t n_walked;
	struct stack_copy stack; /* as far as the frame of the function knows it */
	struct debug_process process;
	struct debug_frame frames[CALLERS + 1]; /* of the function, and of its callers */
	Dwarf_Die dies[CALLERS + 1];            /* their compiled functions */
	bool is_made[CALLERS + 1];
	size_t first; /* in @walked: of the function */
};

struct value_frames *value_frames_create(const struct value_request *request,
					 const struct profile *recording,
					 struct symbolizer *symbolizer)
{
	struct value_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->request = request;
	frames->symbolizer = symbolizer;
	frames->query = function_query_create(request->function);
	frames->elf_modules = elf_modules_create(&recording->modules);
	if (frames->elf_modules)
		frames->unwinder = unwinder_create(frames->elf_modules);
	frames->walked = calloc(VALUE_FRAMES_MAX, sizeof(*frames->walked));
	value_modules_init(&frames->modules, &recording->modules);
	if (frames->query && frames->unwinder && frames->walked)
		return frames;
	value_frames_destroy(frames);
	return NULL;
}

void value_frames_destroy(struct value_frames *frames)
{
	if (!frames)
		return;
	value_modules_deinit(&frames->modules);
	unwinder_destroy(frames->unwinder);
	elf_modules_destroy(frames->elf_modules);
	function_query_destroy(frames->query);
	free(frames->wanted);
	free(frames->walked);
	free(frames);
}

/* 1 or 0, or -ENOMEM. */
static int is_wanted(struct value_frames *frames, const struct frame_name *name)
{
	if (name->function >= frames->n_wanted) {
		const uint32_t n = name->function + 1024;
		uint8_t *larger = realloc(frames->wanted, n);

		if (!larger)
			return -ENOMEM;
		memset(larger + frames->n_wanted, NOT_ASKED, n - frames->n_wanted);
		frames->wanted = larger;
		frames->n_wanted = n;
	}
	uint8_t *wanted = &frames->wanted[name->function];
	if (*wanted == NOT_ASKED)
		*wanted = function_query_match(frames->query, name) == FUNCTION_DIFFERS ? IS_ANOTHER
											: IS_WANTED;
	return *wanted == IS_WANTED;
}

/* The address in its file of an address of the process, as a frame has it. */
static bool vaddr_of(struct value_frames *frames, uint32_t id, uint64_t offset,
		     struct value_module **module_ret, uint64_t *vaddr_ret)
{
	struct value_module *module = value_modules_get(&frames->modules, id);

	*module_ret = module;
	return module && elf_segments_to_vaddr(&module->segments, offset, vaddr_ret);
}

/* What lies beside a mapping of a file's code, or in it. */
static bool read_near(struct value_frames *frames, const struct mapping *mapping, uint64_t addr,
		      size_t size, uint8_t *bytes)
{
	struct value_module *module;
	uint64_t vaddr;

	return vaddr_of(frames, mapping->module, mapping->offset, &module, &vaddr) &&
	       value_module_read(module, addr - mapping->start + vaddr, size, bytes);
}

static bool read_file(struct value_frames *frames, uint64_t addr, size_t size, uint8_t *bytes)
{
	const struct address_space *space = frames->space;
	const size_t at = address_space_first(space, addr);

	/* Not all mappings are recorded: the nearest on both sides may be of the same file. */
	return (at < space->n_mappings &&
		read_near(frames, &space->mappings[at], addr, size, bytes)) ||
	       (at > 0 && read_near(frames, &space->mappings[at - 1], addr, size, bytes));
}

static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes)
{
	struct value_frames *frames = data;
	const uint8_t *on_stack = stack_find(&frames->stack, addr, size);

	if (on_stack)
		memcpy(bytes, on_stack, size);
	return on_stack || read_file(frames, addr, size, bytes);
}

/* Describes the frame number @i, counted from the function's. */
static void make_frame(struct value_frames *frames, size_t i)
{
	const struct walked *walked = &frames->walked[frames->first + i];
	struct debug_frame *frame = &frames->frames[i];
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	struct value_module *module;
	uint64_t vaddr;

	frames->is_made[i] = true;
	*frame = (struct debug_frame){ .process = &frames->process,
				       .registers = walked->regs.values,
				       .known = walked->regs.valid,
				       .cfa = walked->cfa,
				       .has_cfa = walked->has_cfa };
	if (!vaddr_of(frames, walked->frame.module, walked->frame.offset, &module, &vaddr))
		return;
	frame->vaddr = vaddr;
	frame->bias = walked->addr - vaddr;
	frame->next_vaddr = walked->regs.pc - frame->bias;
	frame->call_sites = module->call_sites;
	const size_t n = module->info ? debug_info_find_dies(module->info, vaddr, dies,
							     DEBUG_INFO_MAX_INLINED)
				      : 0;
	if (!n)
		return;
	frames->dies[i] = dies[n - 1];
	frame->function = &frames->dies[i];
}

static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame)
{
	struct value_frames *frames = data;
	const size_t i = (size_t)(frame - frames->frames) + 1;

	if (i > CALLERS || frames->first + i >= frames->n_walked)
		return NULL;
	if (!frames->is_made[i])
		make_frame(frames, i);
	return &frames->frames[i];
}

static void name_function(void *data, uint64_t addr, char *name, size_t size)
{
	struct value_frames *frames = data;
	const struct mapping *mapping = address_space_find(frames->space, addr);
	struct frame_name found;

	if (!mapping || !mapping->is_exec)
		return;
	const struct frame frame = { .kind = FRAME_USER,
				     .module = mapping->module,
				     .offset = addr - mapping->start + mapping->offset };
	if (!symbolizer_name(frames->symbolizer, &frame, &found) && found.symbol_offset == 0)
		snprintf(name, size, "%s", found.name);
}

static bool is_listed(const struct value_request *request, const struct value_variable *variable)
{
	if (!request->n_variables)
		return variable->is_parameter || request->locals;
	for (size_t i = 0; i < request->n_variables; i++)
		if (strcmp(request->variables[i], variable->name) == 0)
			return true;
	return false;
}

static int add_variable(struct value_frames *frames, struct value_variable *variable,
			struct value_table *table)
{
	const struct debug_frame *frame = &frames->frames[0];
	struct debug_location location;
	const struct value_object object = { frame, &location, name_function, frames };
	struct value_text text;
	char type[TYPE_SIZE];

	value_type_name(&variable->die, type, sizeof(type));
	struct value_row *row =
		value_table_row(table, variable->name, type, variable->is_parameter);
	if (!row)
		return -ENOMEM;
	enum debug_reason reason = debug_location_find(&location, &variable->die, frame);
	if (!reason)
		reason = value_text_write(&text, &object, &variable->die);
	if (!reason)
		return value_row_add(row, &text);
	value_row_miss(row, reason);
	return 0;
}

/* The variables of the function @depth inlined calls into the compiled one of the frame. */
static int add_variables(struct value_frames *frames, size_t depth, struct value_table *table)
{
	struct value_variable variables[VALUE_VARIABLES_MAX];
	const struct walked *walked = &frames->walked[frames->first];
	const struct value_request *request = frames->request;
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	struct value_module *module;
	uint64_t vaddr;
	size_t n_dies = 0;
	int err = 0;

	if (vaddr_of(frames, walked->frame.module, walked->frame.offset, &module, &vaddr) &&
	    module->info)
		n_dies = debug_info_find_dies(module->info, vaddr, dies, DEBUG_INFO_MAX_INLINED);
	if (depth >= n_dies) {
		table->n_without++;
		return 0;
	}
	make_frame(frames, 0);
	const size_t n = value_variables_list(&dies[n_dies - 1 - depth], vaddr,
					      request->locals || request->n_variables, variables);
	for (size_t i = 0; i < n && !err; i++)
		if (is_listed(request, &variables[i]))
			err = add_variable(frames, &variables[i], table);
	return err;
}

static void keep_frame(struct value_frames *frames, const struct unwind_walk *walk)
{
	struct walked *walked = &frames->walked[frames->n_walked++];

	walked->regs = walk->regs;
	walked->stack = walk->stack;
	walked->frame = walk->frame;
	walked->addr = walk->addr;
	walked->has_cfa = unwind_cfa(walk, &walked->cfa);
}

/* Walks the whole stack, or as far as there is room. */
static bool walk_stack(struct value_frames *frames, const struct user_stack *stack)
{
	struct unwind_walk walk;

	frames->n_walked = 0;
	unwind_begin(&walk, frames->unwinder, frames->space, stack);
	while (unwind_frame(&walk)) {
		if (frames->n_walked == VALUE_FRAMES_MAX)
			return false;
		keep_frame(frames, &walk);
		if (!unwind_caller(&walk))
			break;
	}
	return walk.end == UNWIND_ROOT;
}

/* 1: the innermost frame with the function, and how deep it is inlined there; 0: none; -ENOMEM. */
static int find_function(struct value_frames *frames, size_t *depth_ret)
{
	const struct frame_name *names;
	size_t n_names;

	for (size_t i = 0; i < frames->n_walked; i++) {
		int err = symbolizer_expand(frames->symbolizer, &frames->walked[i].frame, &names,
					    &n_names);

		if (err)
			return err;
		for (size_t j = n_names; j-- > 0;) {
			int found = is_wanted(frames, &names[j]);

			if (found < 0)
				return found;
			frames->first = i;
			*depth_ret = j;
			if (found)
				return 1;
		}
	}
	return 0;
}

int value_frames_add(struct value_frames *frames, const struct sample *sample,
		     struct value_table *table)
{
	struct user_stack stack;
	size_t depth = 0;

	table->n_samples++;
	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack)) {
		table->n_incomplete += sample->has_memory;
		return 0;
	}
	frames->space = sample->space;
	const bool is_whole = walk_stack(frames, &stack);
	int found = find_function(frames, &depth);
	if (found <= 0) {
		table->n_incomplete += !is_whole;
		return found;
	}
	table->n_found++;
	table->n_inlined += depth > 0;
	table->n_leaf += frames->first == 0;
	frames->stack = frames->walked[frames->n_walked - 1].stack;
	if (frames->stack.bytes != frames->walked[frames->first].stack.bytes)
		frames->stack = frames->walked[frames->first].stack;
	frames->process = (struct debug_process){ read_memory, find_caller, frames };
	memset(frames->is_made, 0, sizeof(frames->is_made));
	return add_variables(frames, depth, table);
}
