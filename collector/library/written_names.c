#include "collector/library/written_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/names/module_names.h"

#define PLACES_BITS 20 /* offsets of one function */

void written_names_deinit(struct written_names *names)
{
	string_ids_deinit(&names->codes);
	string_ids_deinit(&names->functions);
	free(names->frames);
	free(names->n_places);
}

/* With its length, so that different texts one after the other are different. */
static void describe_text(FILE *out, const char *text)
{
	fprintf(out, "%zu:%s", text ? strlen(text) : 0, text ? text : "");
}

/* A text that is equal for equal code, or, of the compiled function alone, for one function. */
static char *describe(uint32_t module, const struct dendro_path_frame *frames, size_t n,
		      bool is_function)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%" PRIu32 ",", module);
	for (size_t i = 0; i < n; i++) {
		describe_text(out, frames[i].name);
		if (is_function)
			continue;
		describe_text(out, frames[i].file);
		fprintf(out, ",%" PRIu32, frames[i].line);
	}
	const bool has_failed = ferror(out);
	if (fclose(out) || has_failed) {
		free(text);
		return NULL;
	}
	return text;
}

static int find_module(struct profile *profile, const char *module,
		       const struct dendro_path_frame *frame, uint32_t *module_ret)
{
	const bool is_kernel = frame->kind == DENDRO_FRAME_KERNEL;
	const struct module_key key = {
		.kind = is_kernel ? MODULE_KERNEL : MODULE_ELF,
		.path = frame->module ? frame->module
			: is_kernel   ? "[kernel.kallsyms]"
				      : module,
	};

	*module_ret = module_table_add(&profile->modules, &key);
	return *module_ret ? 0 : -ENOMEM;
}

/* The offset of one place more in a function, and where the function starts. */
static int add_place(struct written_names *names, uint32_t module,
		     const struct dendro_path_frame *frame, uint64_t *start_ret,
		     uint64_t *offset_ret)
{
	_cleanup_free_ char *text = describe(module, frame, 1, true);
	uint32_t function;
	bool is_new;

	if (!text || string_ids_add(&names->functions, text, &function, &is_new))
		return -ENOMEM;
	if (is_new) {
		if (array_reserve_one(names->n_places, function))
			return -ENOMEM;
		names->n_places[function] = 0;
	}
	if (names->n_places[function] >> PLACES_BITS)
		return -E2BIG;
	*start_ret = (uint64_t)(function + 1) << PLACES_BITS;
	*offset_ret = *start_ret + names->n_places[function]++;
	return 0;
}

static int add_call(struct stored_names *names, const struct dendro_path_frame *frame,
		    bool is_compiled)
{
	struct stored_call call = {
		.decl_file = STORED_NO_TEXT,
		.directory = STORED_NO_TEXT,
		.line = frame->file ? frame->line : 0,
	};
	int err = stored_names_add_text(names, is_compiled ? NULL : frame->name, &call.name);

	if (!err)
		err = stored_names_add_text(names, frame->file, &call.file);
	return err ? err : stored_names_add_call(names, &call);
}

static int add_code(struct stored_names *names, const struct frame *frame, uint64_t start,
		    const struct dendro_path_frame *frames, size_t n)
{
	struct stored_code code = {
		.module = frame->module,
		.offset = frame->offset,
		.start = start,
		.addr = frame->offset,
		.start_kind = START_OFFSET,
		.flags = STORED_FROM_DEBUG_INFO,
		.first_call = names->n_calls,
		.n_calls = n > 1 || frames->file ? (uint32_t)n : 0,
	};
	int err = stored_names_add_text(names, frames->name, &code.symbol);

	for (uint32_t i = code.n_calls; i-- > 0 && !err;)
		err = add_call(names, &frames[i], i == 0);
	return err ? err : stored_names_add_code(names, &code);
}

int written_names_frame(struct written_names *names, struct profile *profile, const char *module,
			const struct dendro_path_frame *frames, size_t n, struct frame *frame_ret)
{
	struct frame frame = { .kind = frames->kind == DENDRO_FRAME_KERNEL ? FRAME_KERNEL
									   : FRAME_USER };
	uint32_t code;
	uint64_t start;
	bool is_new;

	if (n > STORED_CALLS_MAX)
		return -E2BIG;
	int err = find_module(profile, module, frames, &frame.module);
	if (err)
		return err;
	_cleanup_free_ char *text = describe(frame.module, frames, n, false);
	if (!text || string_ids_add(&names->codes, text, &code, &is_new))
		return -ENOMEM;
	if (is_new) {
		if (array_reserve_one(names->frames, code))
			return -ENOMEM;
		err = add_place(names, frame.module, frames, &start, &frame.offset);
		if (!err)
			err = add_code(profile->names, &frame, start, frames, n);
		names->frames[code] = frame;
	}
	if (!err)
		*frame_ret = names->frames[code];
	return err;
}
