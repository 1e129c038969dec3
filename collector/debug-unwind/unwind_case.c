/* Walks once to see what is needed, blanks text, walks again to see that nothing changed, writes.
 */
#include "collector/debug-unwind/unwind_case.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "collector/debug-unwind/case_stacks.h"
#include "collector/debug-unwind/dump_parts.h"
#include "collector/debug-unwind/elf_parts.h"

#define FRAMES_MAX 4096
/* Code around an address without CFI: at least, to see what it is; and at most. */
#define CODE_MIN 32
#define CODE_MAX (1u << 24)

struct walk_result {
	struct frame frames[FRAMES_MAX];
	uint64_t addrs[FRAMES_MAX];
	uint64_t sps[FRAMES_MAX];
	size_t n_frames;
	enum unwind_end end;
	bool has_rest;     /* it left the sample's copy for the rest of the stack */
	size_t n_contexts; /* newest ones that it went through */
	bool has_seconds;  /* it went through second stacks */
};

struct unwind_case {
	const char *folder;
	const struct module_table *modules;
	const struct sample *sample;
	struct case_stacks stacks;
	struct elf_access_log log; /* each access once */
	uint64_t *windows;         /* for each: bytes of code around it */
	struct walk_result *result;
	/* By module: what was asked. */
	uint32_t n_modules;
	struct module_file *files;
	struct elf_parts **parts;
};

static int walk_with(const struct unwind_case *from, const struct user_stack *stack,
		     struct elf_modules *elf_modules, struct walk_result *result)
{
	struct unwinder *unwinder = unwinder_create(elf_modules);
	struct unwind_walk walk;

	if (!unwinder)
		return -ENOMEM;
	unwind_begin(&walk, unwinder, from->sample->space, stack);
	result->n_frames = 0;
	result->has_rest = false;
	while (unwind_frame(&walk) && result->n_frames < FRAMES_MAX) {
		result->frames[result->n_frames] = walk.frame;
		result->sps[result->n_frames] = walk.regs.values[walk.arch->sp];
		result->addrs[result->n_frames++] = walk.addr;
		result->has_rest |= walk.stack.rest != NULL;
		if (!unwind_caller(&walk))
			break;
	}
	result->end = walk.end;
	result->n_contexts = walk.next_context;
	result->has_seconds = walk.used_seconds;
	unwinder_destroy(unwinder);
	return result->n_frames < FRAMES_MAX ? 0 : -ENOTSUP;
}

/* @log may be NULL. */
static int walk(const struct unwind_case *from, const struct user_stack *stack,
		const struct module_table *modules, struct elf_access_log *log,
		struct walk_result *result)
{
	struct elf_modules *elf_modules = elf_modules_create(modules);

	if (!elf_modules)
		return -ENOMEM;
	elf_modules_log(elf_modules, log);
	int err = walk_with(from, stack, elf_modules, result);
	elf_modules_destroy(elf_modules);
	return err;
}

static bool is_same(const struct walk_result *a, const struct walk_result *b)
{
	if (a->n_frames != b->n_frames || a->end != b->end)
		return false;
	for (size_t i = 0; i < a->n_frames; i++)
		if (a->addrs[i] != b->addrs[i] || a->frames[i].origin != b->frames[i].origin)
			return false;
	return true;
}

static FILE *create(const struct unwind_case *of, const char *name)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", of->folder, name) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "we");
}

static int finish(FILE *out, int err)
{
	bool failed = ferror(out);

	if (fclose(out) || failed)
		return err ? err : -EIO;
	return err;
}

static bool was_asked(const struct unwind_case *of, uint32_t module)
{
	for (size_t i = 0; i < of->log.n; i++)
		if (of->log.accesses[i].module == module)
			return true;
	return false;
}

static int write_parts(const struct unwind_case *of, uint32_t id)
{
	char name[32];

	snprintf(name, sizeof(name), "module-%" PRIu32, id);
	FILE *out = create(of, name);
	if (!out)
		return -errno;
	elf_parts_write(out, of->parts[id]);
	return finish(out, 0);
}

static int write_dump_parts(const struct unwind_case *of, uint32_t id)
{
	char name[32];

	snprintf(name, sizeof(name), "module-%" PRIu32, id);
	FILE *out = create(of, name);
	if (!out)
		return -errno;
	return finish(out, dump_parts_write(out, module_table_get(of->modules, id), &of->log));
}

static bool is_dump(const struct module *module)
{
	return module->key.kind == MODULE_JIT && module->located.image_fd >= 0;
}

static const char *kind_name(const struct module *module, const struct module_file *file,
			     const struct elf_parts *parts)
{
	if (is_dump(module))
		return "jitdump";
	if (module->key.kind == MODULE_ANON || module->key.kind == MODULE_JIT)
		return "anonymous";
	if (file->state == MODULE_FILE_BAD)
		return "other";
	return parts ? "elf" : "unreadable";
}

/* Names without folders: those are the machine's. */
static int write_module(const struct unwind_case *of, FILE *out, uint32_t id)
{
	const struct module *module = module_table_get(of->modules, id);
	struct build_id build_id = { 0 };
	char build_id_text[BUILD_ID_TEXT_SIZE];

	if (of->parts[id])
		elf_build_id(of->files[id].elf, &build_id);
	build_id_format(&build_id, build_id_text);
	fprintf(out, "module %" PRIu32 " %s %s %s\n", id,
		kind_name(module, &of->files[id], of->parts[id]), build_id_text,
		module_name(module));
	if (is_dump(module))
		return write_dump_parts(of, id);
	return of->parts[id] ? write_parts(of, id) : 0;
}

static int write_modules(const struct unwind_case *of, FILE *out)
{
	int err = 0;

	for (uint32_t id = 1; id < of->n_modules && !err; id++)
		if (was_asked(of, id))
			err = write_module(of, out, id);
	return err;
}

static void write_mappings(const struct unwind_case *of, FILE *out)
{
	const struct address_space *space = of->sample->space;

	for (size_t i = 0; i < space->n_mappings; i++) {
		const struct mapping *mapping = &space->mappings[i];

		fprintf(out, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu32 " %c\n",
			mapping->start, mapping->end, mapping->offset, mapping->module,
			mapping->is_exec ? 'x' : '-');
	}
}

static void write_expected(const struct unwind_case *of, FILE *out)
{
	static const char *const origins[] = {
		[FRAME_BY_CFI] = "cfi", [FRAME_GUESSED] = "guessed", [FRAME_STITCHED] = "stitched"
	};
	const struct walk_result *result = of->result;

	for (size_t i = 0; i < result->n_frames; i++)
		fprintf(out, "frame %" PRIx64 " %s\n", result->addrs[i],
			origins[result->frames[i].origin]);
	fprintf(out, "end %s\n",
		result->end == UNWIND_ROOT ? "root" : marker_name(unwind_end_marker(result->end)));
}

static int write_case(const struct unwind_case *of)
{
	if (mkdir(of->folder, 0777) != 0)
		return -errno;
	FILE *out = create(of, "case");
	if (!out)
		return -errno;
	fprintf(out, "dendro-unwind-case 1\nmachine %s\nabi %" PRIu64 "\n",
		of->sample->machine->name, of->sample->record.sample.user_regs.abi);
	case_stacks_write_regs(out, &of->stacks);
	int err = write_modules(of, out);
	write_mappings(of, out);
	case_stacks_write_bytes(out, &of->stacks);
	write_expected(of, out);
	return finish(out, err);
}

static int make_parts(struct unwind_case *of)
{
	for (uint32_t id = 1; id < of->n_modules; id++) {
		elf_parts_destroy(steal_ptr(of->parts[id]));
		if (!was_asked(of, id))
			continue;
		if (!of->files[id].elf)
			module_file_open(module_table_get(of->modules, id), &of->files[id]);
		if (of->files[id].state != MODULE_FILE_OK)
			continue;
		int err = elf_parts_create(of->files[id].elf, id, &of->log, of->windows,
					   &of->parts[id]);
		if (err)
			return err;
	}
	return 0;
}

/* The same modules under the same ids, but with their parts for files. */
static int fill_table(const struct unwind_case *of, struct module_table *modules)
{
	for (uint32_t id = 1; id < of->n_modules; id++) {
		const struct module *module = module_table_get(of->modules, id);
		char path[32];

		snprintf(path, sizeof(path), "/no/such/file/%" PRIu32, id);
		const struct module_key key = { .kind = module->key.kind, .path = path };
		if (module_table_add(modules, &key) != id)
			return -ENOMEM;
		if (!of->parts[id] && !is_dump(module))
			continue;
		int fd = is_dump(module) ? dump_parts_image(module, &of->log)
					 : elf_parts_image(of->parts[id]);
		if (fd < 0)
			return fd;
		module_table_get(modules, id)->located.image_fd = fd;
	}
	return 0;
}

/* Does it walk the same from its parts alone? *@is_same_ret. */
static int try_parts(const struct unwind_case *of, bool *is_same_ret)
{
	_cleanup_free_ struct walk_result *again = malloc(sizeof(*again));
	struct module_table modules;

	if (!again || module_table_init(&modules))
		return -ENOMEM;
	int err = fill_table(of, &modules);
	if (!err)
		err = walk(of, &of->stacks.stack, &modules, NULL, again);
	module_table_deinit(&modules);
	*is_same_ret = !err && is_same(of->result, again);
	return err;
}

static void set_windows(struct unwind_case *of, size_t from, size_t to, uint64_t window)
{
	for (size_t i = from; i < to; i++)
		of->windows[i] = window;
}

static int try_windows(struct unwind_case *of, bool *is_same_ret)
{
	int err = make_parts(of);

	return err ? err : try_parts(of, is_same_ret);
}

/* More and more code around what has no CFI, until nothing is missing. */
static int widen(struct unwind_case *of, uint64_t *window_ret)
{
	bool is_enough = false;

	for (uint64_t window = CODE_MIN; window <= CODE_MAX && !is_enough; window *= 2) {
		set_windows(of, 0, of->log.n, window);
		int err = try_windows(of, &is_enough);
		if (err)
			return err;
		*window_ret = window;
	}
	return is_enough ? 0 : -ENOTSUP;
}

/* Most of it is needed around a few of the accesses alone: by halves. Parts are to be made then. */
static int narrow(struct unwind_case *of, size_t from, size_t to, uint64_t window)
{
	size_t middle = from + (to - from) / 2;
	bool is_enough;

	set_windows(of, from, to, CODE_MIN);
	int err = try_windows(of, &is_enough);
	if (err || is_enough)
		return err;
	set_windows(of, from, to, window);
	if (to - from == 1)
		return 0;
	err = narrow(of, from, middle, window);
	return err ? err : narrow(of, middle, to, window);
}

/* More and more of the code that is in no file, at most all that is known. */
static int widen_code(struct unwind_case *of)
{
	const uint64_t all = CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE;
	bool is_enough = !of->stacks.stack.code;

	for (uint64_t window = CODE_MIN; window <= all && !is_enough; window *= 2) {
		case_stacks_keep_code(&of->stacks, window);
		int err = try_parts(of, &is_enough);
		if (err)
			return err;
	}
	return is_enough ? 0 : -ENOTSUP;
}

static int find_parts(struct unwind_case *of)
{
	uint64_t window;
	int err = widen(of, &window);

	if (!err && window > CODE_MIN)
		err = narrow(of, 0, of->log.n, window);
	if (!err)
		err = make_parts(of);
	return err ? err : widen_code(of);
}

static int compare_accesses(const void *a, const void *b)
{
	const struct elf_access *left = a, *right = b;

	if (left->module != right->module)
		return left->module < right->module ? -1 : 1;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left->size > right->size) - (left->size < right->size);
}

static int sort_accesses(struct unwind_case *of)
{
	struct elf_access_log *log = &of->log;
	size_t n = 0;

	if (log->n)
		qsort(log->accesses, log->n, sizeof(*log->accesses), compare_accesses);
	for (size_t i = 0; i < log->n; i++)
		if (!n || compare_accesses(&log->accesses[n - 1], &log->accesses[i]))
			log->accesses[n++] = log->accesses[i];
	log->n = n;
	of->windows = calloc(n + 1, sizeof(*of->windows));
	return of->windows && !log->is_incomplete ? 0 : -ENOMEM;
}

/* Walks once on all there is, to see what of it is needed. */
static int prepare(struct unwind_case *of, const struct user_stack *stack)
{
	of->n_modules = of->modules->n_modules;
	of->result = malloc(sizeof(*of->result));
	of->files = calloc(of->n_modules, sizeof(*of->files));
	of->parts = calloc(of->n_modules, sizeof(*of->parts));
	if (!of->result || !of->files || !of->parts)
		return -ENOMEM;
	int err = walk(of, stack, of->modules, &of->log, of->result);
	if (err)
		return err;
	const struct used_stacks used = { .sps = of->result->sps,
					  .addrs = of->result->addrs,
					  .n_frames = of->result->n_frames,
					  .is_at_root = of->result->end == UNWIND_ROOT,
					  .has_rest = of->result->has_rest,
					  .n_contexts = of->result->n_contexts,
					  .has_seconds = of->result->has_seconds };
	err = case_stacks_init(&of->stacks, stack, of->sample->space, &used);
	if (!err)
		err = sort_accesses(of);
	return err ? err : find_parts(of);
}

static void case_deinit(struct unwind_case *of)
{
	for (uint32_t id = 1; id < of->n_modules; id++) {
		if (of->parts)
			elf_parts_destroy(of->parts[id]);
		if (of->files && of->files[id].elf)
			module_file_close(&of->files[id]);
	}
	free(of->parts);
	free(of->files);
	case_stacks_deinit(&of->stacks);
	free(of->result);
	free(of->log.accesses);
	free(of->windows);
}

int unwind_case_export(const char *folder, const struct module_table *modules,
		       const struct sample *sample)
{
	struct unwind_case of = { .folder = folder, .modules = modules, .sample = sample };
	struct user_stack stack;

	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack) ||
	    !stack.size)
		return -ENODATA;
	int err = prepare(&of, &stack);
	if (!err)
		err = write_case(&of);
	case_deinit(&of);
	return err;
}
