/* Walks once to see what is needed, blanks text, walks again to see that nothing changed, writes.
 */
#include "collector/unwind_case.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/cleanup.h"
#include "cct/module_file.h"
#include "collector/elf_parts.h"
#include "collector/rule_text.h"

#define FRAMES_MAX 4096
#define LINE_SIZE  32 /* bytes of the stack on one line */
/* Printable bytes in a word that make it text. */
#define TEXT_BYTES 5
/* Beyond the outermost frame lie arguments and environment. */
#define KEPT_BEYOND_ROOT 64
/* Code around an address without CFI, at least: to see what it is. */
#define CODE_MIN 32

struct walk_result {
	struct frame frames[FRAMES_MAX];
	uint64_t addrs[FRAMES_MAX];
	size_t n_frames;
	enum unwind_end end;
	uint64_t last_sp; /* of the last frame */
};

struct unwind_case {
	const char *folder;
	const struct module_table *modules;
	const struct sample_input *input;
	struct user_stack stack;
	uint8_t *bytes; /* of the stack, owned */
	struct elf_access_log log;
	struct walk_result *result;
	/* By module: what was asked. */
	uint32_t n_modules;
	struct module_file *files;
	struct elf_parts **parts;
};

static int walk_with(const struct unwind_case *from, struct elf_modules *elf_modules,
		     struct walk_result *result)
{
	struct unwinder *unwinder = unwinder_create(elf_modules);
	struct unwind_walk walk;

	if (!unwinder)
		return -ENOMEM;
	unwind_begin(&walk, unwinder, from->input->space, &from->stack);
	result->n_frames = 0;
	while (unwind_frame(&walk) && result->n_frames < FRAMES_MAX) {
		result->frames[result->n_frames] = walk.frame;
		result->addrs[result->n_frames++] = walk.addr;
		result->last_sp = walk.regs.values[walk.arch->sp];
		if (!unwind_caller(&walk))
			break;
	}
	result->end = walk.end;
	unwinder_destroy(unwinder);
	return result->n_frames < FRAMES_MAX ? 0 : -ENOTSUP;
}

/* @log may be NULL. */
static int walk(const struct unwind_case *from, const struct module_table *modules,
		struct elf_access_log *log, struct walk_result *result)
{
	struct elf_modules *elf_modules = elf_modules_create(modules);

	if (!elf_modules)
		return -ENOMEM;
	elf_modules_log(elf_modules, log);
	int err = walk_with(from, elf_modules, result);
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

static bool is_address(const struct unwind_case *of, uint64_t value)
{
	uint64_t start = of->stack.regs.values[of->stack.arch->sp];

	return value - start < of->stack.size || address_space_find(of->input->space, value);
}

static bool is_text(const uint8_t *word)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++)
		n += isprint(word[i]) != 0;
	return n >= TEXT_BYTES;
}

/* Paths, arguments, environment: what a case shall not tell of the machine. */
static void blank_text(struct unwind_case *of)
{
	uint64_t start = of->stack.regs.values[of->stack.arch->sp];
	uint64_t used = of->result->last_sp - start + KEPT_BEYOND_ROOT;

	for (size_t at = 0; at + 8 <= of->stack.size; at += 8) {
		uint64_t value;

		memcpy(&value, of->bytes + at, sizeof(value));
		bool is_beyond = of->result->end == UNWIND_ROOT && at >= used;
		if (is_beyond || (is_text(of->bytes + at) && !is_address(of, value)))
			memset(of->bytes + at, 0, 8);
	}
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

static void write_build_id(FILE *out, const struct build_id *build_id)
{
	for (unsigned i = 0; i < build_id->size; i++)
		fprintf(out, "%02x", build_id->bytes[i]);
	if (!build_id->size)
		fputc('-', out);
}

/* Names without folders: those are the machine's. */
static int write_module(const struct unwind_case *of, FILE *out, uint32_t id)
{
	const struct module *module = module_table_get(of->modules, id);
	struct build_id build_id = { 0 };

	if (of->parts[id])
		elf_build_id(of->files[id].elf, &build_id);
	fprintf(out, "module %" PRIu32 " %s ", id,
		module->key.kind == MODULE_ANON ? "anonymous"
		: of->parts[id]                 ? "elf"
						: "unreadable");
	write_build_id(out, &build_id);
	fprintf(out, " %s\n", module_name(module));
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
	const struct address_space *space = of->input->space;

	for (size_t i = 0; i < space->n_mappings; i++) {
		const struct mapping *mapping = &space->mappings[i];

		fprintf(out, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu32 " %c\n",
			mapping->start, mapping->end, mapping->offset, mapping->module,
			mapping->is_exec ? 'x' : '-');
	}
}

static void write_regs(const struct unwind_case *of, FILE *out)
{
	const struct arch *arch = of->stack.arch;
	const struct regs *regs = &of->stack.regs;

	fprintf(out, "machine %s\nabi %" PRIu64 "\npc %" PRIx64 "\n", of->input->machine,
		of->input->record->sample.user_regs.abi, regs->pc);
	for (unsigned reg = 0; reg < REGS_MAX; reg++)
		if (regs_have(regs, reg))
			fprintf(out, "register %u %" PRIx64 " %s\n", reg, regs->values[reg],
				reg_text(arch, reg));
}

static void write_stack(const struct unwind_case *of, FILE *out)
{
	static const uint8_t zeros[LINE_SIZE];

	fprintf(out, "stack %zu %s\n", of->stack.size, of->stack.is_full ? "full" : "whole");
	for (size_t at = 0; at < of->stack.size; at += LINE_SIZE) {
		size_t n = of->stack.size - at < LINE_SIZE ? of->stack.size - at : LINE_SIZE;

		if (!memcmp(of->bytes + at, zeros, n))
			continue;
		fprintf(out, "bytes %zx ", at);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%02x", of->bytes[at + i]);
		fputc('\n', out);
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
	fputs("dendro-unwind-case 1\n", out);
	write_regs(of, out);
	int err = write_modules(of, out);
	write_mappings(of, out);
	write_stack(of, out);
	write_expected(of, out);
	return finish(out, err);
}

static int make_parts(struct unwind_case *of, uint64_t window)
{
	for (uint32_t id = 1; id < of->n_modules; id++) {
		elf_parts_destroy(steal_ptr(of->parts[id]));
		if (!was_asked(of, id))
			continue;
		if (!of->files[id].elf)
			module_file_open(module_table_get(of->modules, id), &of->files[id]);
		if (of->files[id].state != MODULE_FILE_OK)
			continue;
		int err = elf_parts_create(of->files[id].elf, id, &of->log, window, &of->parts[id]);
		if (err)
			return err;
	}
	return 0;
}

/* The same modules under the same ids, but with their parts for files. */
static int fill_table(const struct unwind_case *of, struct module_table *modules)
{
	for (uint32_t id = 1; id < of->n_modules; id++) {
		char path[32];

		snprintf(path, sizeof(path), "/no/such/file/%" PRIu32, id);
		const struct module_key key = { .kind = module_table_get(of->modules, id)->key.kind,
						.path = path };
		if (module_table_add(modules, &key) != id)
			return -ENOMEM;
		if (!of->parts[id])
			continue;
		int fd = elf_parts_image(of->parts[id]);
		if (fd < 0)
			return fd;
		module_table_get(modules, id)->image_fd = fd;
	}
	return 0;
}

/* Does it walk the same from its parts alone? *@is_same_ret. */
static int try_parts(struct unwind_case *of, uint64_t window, bool *is_same_ret)
{
	_cleanup_free_ struct walk_result *again = malloc(sizeof(*again));
	struct module_table modules;
	int err = make_parts(of, window);

	if (err || !again || module_table_init(&modules))
		return err ? err : -ENOMEM;
	err = fill_table(of, &modules);
	if (!err)
		err = walk(of, &modules, NULL, again);
	module_table_deinit(&modules);
	*is_same_ret = !err && is_same(of->result, again);
	return err;
}

/* More and more code around what has no CFI, until nothing is missing. */
static int find_parts(struct unwind_case *of)
{
	static const uint64_t windows[] = { CODE_MIN, 256, 4096, 65536, UINT32_MAX };
	bool is_enough = false;

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]) && !is_enough; i++) {
		int err = try_parts(of, windows[i], &is_enough);
		if (err)
			return err;
	}
	return is_enough ? 0 : -ENOTSUP;
}

/* Walks on a copy of the stack that can be blanked. */
static int prepare(struct unwind_case *of)
{
	of->n_modules = of->modules->n_modules;
	of->bytes = malloc(of->stack.size);
	of->result = malloc(sizeof(*of->result));
	of->files = calloc(of->n_modules, sizeof(*of->files));
	of->parts = calloc(of->n_modules, sizeof(*of->parts));
	if (!of->bytes || !of->result || !of->files || !of->parts)
		return -ENOMEM;
	memcpy(of->bytes, of->stack.bytes, of->stack.size);
	of->stack.bytes = of->bytes;
	int err = walk(of, of->modules, &of->log, of->result);
	if (err)
		return err;
	blank_text(of);
	return of->log.is_incomplete ? -ENOMEM : find_parts(of);
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
	free(of->bytes);
	free(of->result);
	free(of->log.accesses);
}

int unwind_case_export(const char *folder, const struct module_table *modules,
		       const struct sample_input *input)
{
	struct unwind_case of = { .folder = folder, .modules = modules, .input = input };

	if (!input->record->sample.has_user_regs || !sample_user_stack(input, &of.stack) ||
	    !of.stack.size)
		return -ENODATA;
	int err = prepare(&of);
	if (!err)
		err = write_case(&of);
	case_deinit(&of);
	return err;
}
