/*
 * Call paths of a profile as dendro's tables in ClickHouse have them: each has a number that comes
 * from its content, build IDs and offsets in files, so that equal paths of any hosts and times have
 * the same. What has no build ID is another file on each host.
 *
 * Code that programs made while they ran is known by its name, where it has one, because its
 * address is another one each time.
 */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_STACK_IDS_H
#define COLLECTOR_PUSH_CLICKHOUSE_STACK_IDS_H

#include "cct/base/pair_map.h"
#include "cct/model/profile.h"
#include "cct/text/content_id.h"

#define STACK_ID_SIZE 16

/* Distinct paths, in the order in which they were asked for. */
struct table_stack {
	uint32_t node; /* where one such path ends */
	uint8_t marks; /* 1 << enum path_mark, of its samples */
	uint8_t id[STACK_ID_SIZE];
};

struct table_frame {
	uint64_t module, offset;
	uint32_t bits;
};

struct stack_ids {
	const struct profile *profile; /* borrowed; with names */
	const char *host;              /* borrowed */
	uint64_t *modules;             /* by their ids in the profile */
	struct content_id *paths;      /* by node, without marks */
	struct pair_map by_node, by_id;
	struct table_stack *stacks;
	uint32_t n_stacks, n_allocated;
	struct frame *frames; /* of the path at hand, outermost first */
	uint8_t *frame_marks;
	size_t n_frames_allocated, n_marks_allocated;
};

/* 0 or -ENOMEM; it may be deinitialized in any case. */
int stack_ids_init(struct stack_ids *ids, const struct profile *profile, const char *host);
void stack_ids_deinit(struct stack_ids *ids);
/* The index in ->stacks of the path that ends at a node, of samples with these marks. UINT32_MAX:
 * out of memory. */
uint32_t stack_ids_get(struct stack_ids *ids, uint32_t node, uint8_t marks);
/* The number of frames of a path, which are ->frames and ->frame_marks until the next call.
 * SIZE_MAX: out of memory. */
size_t stack_ids_path(struct stack_ids *ids, const struct table_stack *stack);
/* @marks: of the frame itself. */
struct table_frame stack_ids_frame(const struct stack_ids *ids, const struct frame *frame,
				   uint8_t marks);
/* The number of a text that is a frame: as of a module. */
uint64_t stack_ids_text(const char *text);
/* The text of such a frame; NULL: it is of another kind. */
const char *stack_ids_text_of(const struct stack_ids *ids, const struct frame *frame);
/* The kind of a module in the tables. */
const char *stack_ids_kind(enum module_kind kind);
/* The number of a module that has a build ID. */
uint64_t stack_ids_of_build_id(enum module_kind kind, const struct build_id *build_id);
/* Hexadecimal digits without the zeros with which recorders pad build IDs; "": there is none. */
void stack_ids_build_id(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE]);

#endif
