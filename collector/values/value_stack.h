/*
 * The stack of one sample, frame by frame, as the evaluation of variables needs it: debug
 * information of each frame's functions, its registers, and the memory that the sample and the
 * files of the process tell. One thread only.
 */
#ifndef COLLECTOR_VALUES_VALUE_STACK_H
#define COLLECTOR_VALUES_VALUE_STACK_H

#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "report/dwarf/debug_info.h"
#include "report/dwarf/debug_pieces.h"
#include "report/names/symbolize.h"
#include "report/values/value_expression.h"
#include "report/values/value_text.h"
#include "unwind/walk/unwind.h"

/* Frames of a stack that are looked through. */
#define VALUE_FRAMES_MAX 4096

struct perf_event_header; /* <linux/perf_event.h> */
struct value_stack;

/* @modules is borrowed. NULL: out of memory. */
struct value_stack *value_stack_create(const struct module_table *modules);
void value_stack_destroy(struct value_stack *stack);
/*
 * Walks the stack of a sample; what it refers to is borrowed until the next walk. false: its path
 * is not complete, or has more than VALUE_FRAMES_MAX frames.
 */
bool value_stack_walk(struct value_stack *stack, const struct address_space *space,
		      const struct user_stack *sample);

/*
 * Memory that the sample and the files do not have, but that was read from the process at the
 * sample or a moment later, or is read from it now: for the present walk. @record: a sample's
 * ->later.header, borrowed; NULL: none. @read: as of struct debug_process; *@is_at_sample_ret: it
 * was read at the sample.
 */
void value_stack_use_record(struct value_stack *stack, const struct perf_event_header *record);
void value_stack_use_process(struct value_stack *stack,
			     bool (*read)(void *data, uint64_t addr, size_t size, uint8_t *bytes,
					  bool *is_at_sample_ret),
			     void *data);
/* Whether values since the last call, or since the walk, depend on such memory. */
struct value_used {
	bool later, at_sample;
};
struct value_used value_stack_used(struct value_stack *stack);

/* The frames of the present walk, leaf first. @i < value_stack_n(). */
size_t value_stack_n(const struct value_stack *stack);
const struct frame *value_stack_frame(const struct value_stack *stack, size_t i);
/* The frame's lookup address in the process. */
uint64_t value_stack_addr(const struct value_stack *stack, size_t i);
/* The frame's functions, innermost first: inlined calls, and the compiled one last. 0: without
 * debug information. @dies: DEBUG_INFO_MAX_INLINED. */
size_t value_stack_functions(struct value_stack *stack, size_t i, Dwarf_Die *dies);
/* The frame to evaluate in; valid until the next call, or the next walk. */
const struct debug_frame *value_stack_debug_frame(struct value_stack *stack, size_t i);
/* A number for how frame @i leads to its caller, the same for all frames that do it alike. false:
 * they are not known. */
bool value_stack_shape(const struct value_stack *stack, size_t i, uint64_t *shape_ret);
/*
 * Where the sample has register @reg of frame @i: SAVED_IN_PLACE: where it is in the leaf;
 * SAVED_IN_MEMORY: in the word at *@addr_ret, on the stack. The return address to the frame is its
 * arch->ra; of the leaf there is none.
 */
enum saved_where value_stack_find_saved(const struct value_stack *stack, size_t i, unsigned reg,
					uint64_t *addr_ret);
/* The description of the expression's variable there, of the function @depth inlined calls into the
 * compiled one. A reason: there is none. */
enum debug_reason value_stack_variable(struct value_stack *stack, size_t i, size_t depth,
				       const struct value_expression *expression,
				       Dwarf_Die *variable_ret);
/* Writes the value of a place that was found in the frame. @symbolizer: names functions that
 * pointers lead to. A reason: nothing of it is known. */
enum debug_reason value_stack_write(struct value_stack *stack, size_t i, struct value_place *place,
				    struct symbolizer *symbolizer, struct value_text *text_ret);
/*
 * Finds and writes the value of an expression in frame @i: of the function @depth inlined calls
 * into the compiled one. A reason: it is not known. *@type_ret: where it is, as declared.
 */
enum debug_reason value_stack_evaluate(struct value_stack *stack, size_t i, size_t depth,
				       const struct value_expression *expression,
				       struct symbolizer *symbolizer, struct value_text *text_ret,
				       Dwarf_Die *type_ret);

#endif
