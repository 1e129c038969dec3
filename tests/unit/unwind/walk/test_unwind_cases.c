/*
 * Walks recorded elsewhere, as `dendro debug-unwind --export` wrote them (docs/FORMAT.md,
 * "Unwinding cases"): each below tests/data/unwind must give the frames and the end that it names.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "unwind/walk/unwind.h"

#define FRAMES_MAX 4096
#define CODES_MAX  64

struct unwind_case {
	char name[256];
	char machine[32];
	uint64_t abi;
	struct user_stack stack;
	uint8_t *bytes; /* of the stack */
	struct stack_memory *memory;
	uint8_t *memory_bytes; /* of the block that lines of bytes are for */
	size_t memory_size;
	struct code_view_list list; /* of code that no file holds */
	struct runtime_codes *codes_described;
	struct code_view codes[CODES_MAX];
	uint8_t code_bytes[CODES_MAX][CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
	size_t n_codes;
	struct module_table modules;
	uint32_t ids[1024]; /* by number in the case */
	struct address_space *space;
	uint64_t addrs[FRAMES_MAX];
	uint16_t origins[FRAMES_MAX];
	size_t n_frames;
	char end[32];
};

static const char *cases_folder(void)
{
	const char *folder = getenv("DENDRO_CASES");

	return folder ? folder : "tests/data/unwind";
}

static FILE *open_file(const struct unwind_case *of, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s/%s", cases_folder(), of->name, name);
	FILE *file = fopen(path, "re");
	if (!file)
		fail_msg("%s is missing", path);
	return file;
}

/* Hex digits to bytes; how many. */
static size_t read_hex(const char *text, uint8_t *bytes, size_t max)
{
	size_t n = 0;
	unsigned byte;

	for (; n < max && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		bytes[n] = (uint8_t)byte;
	return n;
}

/* The parts of an ELF file in their places, and zeros between. */
static int read_parts(const struct unwind_case *of, unsigned number)
{
	char name[32], line[256];
	int fd = memfd_create("parts", MFD_CLOEXEC), at_text;
	unsigned long size, at;
	uint8_t bytes[64];

	snprintf(name, sizeof(name), "module-%u", number);
	FILE *file = open_file(of, name);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(sscanf(line, "size %lu", &size), 1);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(sscanf(line, "%lx %n", &at, &at_text), 1);
		size_t n = read_hex(line + at_text, bytes, sizeof(bytes));
		assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
	}
	fclose(file);
	return fd;
}

/* A file that is not ELF. */
static int open_other(void)
{
	int fd = memfd_create("other", MFD_CLOEXEC);

	assert_int_equal(write(fd, "other", 5), 5);
	return fd;
}

static void read_module(struct unwind_case *of, const char *line)
{
	char kind[16], path[300];
	unsigned number;

	assert_int_equal(sscanf(line, "module %u %15s", &number, kind), 2);
	assert_in_range(number, 1, 1023);
	snprintf(path, sizeof(path), "/no/such/folder/%u", number);
	const struct module_key key = { .kind = !strcmp(kind, "anonymous") ? MODULE_ANON
						: !strcmp(kind, "jitdump") ? MODULE_JIT
									   : MODULE_ELF,
					.path = path };
	of->ids[number] = module_table_add(&of->modules, &key);
	assert_int_not_equal(of->ids[number], 0);
	if (!strcmp(kind, "other"))
		module_table_get(&of->modules, of->ids[number])->located.image_fd = open_other();
	if (!strcmp(kind, "elf") || !strcmp(kind, "jitdump"))
		module_table_get(&of->modules, of->ids[number])->located.image_fd =
			read_parts(of, number);
}

/* Modules that the walk did not need have no line in the case. */
static uint32_t module_id(struct unwind_case *of, unsigned number)
{
	char line[64];

	if (number && !of->ids[number]) {
		snprintf(line, sizeof(line), "module %u unreadable - ?", number);
		read_module(of, line);
	}
	return number ? of->ids[number] : 0;
}

static void read_mapping(struct unwind_case *of, const char *line)
{
	struct mapping mapping = { .start = 0 };
	unsigned number;
	char exec;

	assert_int_equal(sscanf(line, "map %" SCNx64 " %" SCNx64 " %" SCNx64 " %u %c",
				&mapping.start, &mapping.end, &mapping.offset, &number, &exec),
			 5);
	assert_in_range(number, 0, 1023);
	mapping.is_exec = exec == 'x';
	mapping.module = module_id(of, number);
	assert_int_equal(address_space_map(&of->space, &mapping), 0);
}

static void read_stack(struct unwind_case *of, const char *line)
{
	char extent[8];
	int n = sscanf(line, "stack %zu %7s %" SCNx64, &of->stack.size, extent,
		       &of->stack.mapping_end);

	assert_int_equal(n, strcmp(extent, "hole") ? 2 : 3);
	of->stack.is_full = !strcmp(extent, "full");
	of->bytes = calloc(1, of->stack.size);
	assert_non_null(of->bytes);
	of->stack.bytes = of->bytes;
}

/* A line "NAME OFFSET HEX". */
static void read_bytes(const char *line, uint8_t *bytes, size_t size)
{
	size_t at;
	int at_text;

	assert_int_equal(sscanf(line, "%*s %zx %n", &at, &at_text), 1);
	assert_in_range(at, 0, size);
	read_hex(line + at_text, bytes + at, size - at);
}

static struct stack_block *take_block(struct unwind_case *of, size_t size)
{
	struct stack_block *block = stack_block_create(size, NULL);

	assert_non_null(block);
	of->memory_bytes = memset(block->bytes, 0, size);
	of->memory_size = size;
	return block;
}

static void read_guard(struct unwind_case *of, const char *line)
{
	struct stack_guard *guard = &of->memory->guards[of->memory->n_guards];

	assert_in_range(of->memory->n_guards, 0, STACK_GUARDS_MAX - 1);
	assert_int_equal(sscanf(line, "guard %" SCNx64 " %" SCNx64, &guard->addr, &guard->value),
			 2);
	of->memory->n_guards++;
}

static void read_rest(struct unwind_case *of, const char *line)
{
	const uint8_t n_guards = of->memory->n_guards;
	uint64_t start, end;

	assert_int_equal(sscanf(line, "rest %" SCNx64 " %" SCNx64, &start, &end), 2);
	assert_in_range(end - start, 1, STACK_SIZE_MAX);
	assert_int_equal(
		stack_memory_set_rest(of->memory, start, take_block(of, end - start), end, end), 0);
	of->memory->n_guards = n_guards;
}

/* They come newest first. */
static void read_context(struct unwind_case *of, const char *line)
{
	struct stack_context context = { .time_ns = STACK_CONTEXTS_MAX - of->memory->n_contexts };
	char extent[8];
	size_t size;

	assert_in_range(of->memory->n_contexts, 0, STACK_CONTEXTS_MAX - 1);
	assert_int_equal(
		sscanf(line, "context %" SCNx64 " %zu %7s", &context.regs.pc, &size, extent), 3);
	context.arch = arch_find(of->machine, of->abi);
	context.is_full = !strcmp(extent, "full");
	context.block = take_block(of, size);
	stack_memory_add_context(of->memory, &context);
}

static void read_context_register(struct unwind_case *of, const char *line)
{
	uint64_t value;
	unsigned reg;

	assert_int_equal(sscanf(line, "context-register %u %" SCNx64, &reg, &value), 2);
	assert_in_range(reg, 0, REGS_MAX - 1);
	assert_int_not_equal(of->memory->n_contexts, 0);
	regs_set(&of->memory->contexts[of->memory->n_contexts - 1].regs, reg, value);
}

static void read_second(struct unwind_case *of, const char *line)
{
	struct second_stack second;
	char extent[8], how[16];
	size_t size;

	assert_in_range(of->memory->n_seconds, 0, STACK_SECONDS_MAX - 1);
	assert_int_equal(
		sscanf(line, "second %" SCNx64 " %zu %7s %15s", &second.start, &size, extent, how),
		4);
	second.is_full = !strcmp(extent, "full");
	second.is_saved = !strcmp(how, "saved");
	second.block = take_block(of, size);
	stack_memory_add_second(of->memory, &second, 0);
}

static void read_code(struct unwind_case *of, const char *line)
{
	assert_in_range(of->n_codes, 0, CODES_MAX - 1);
	struct code_view *code = &of->codes[of->n_codes];
	uint8_t *bytes = of->code_bytes[of->n_codes++];

	assert_int_equal(sscanf(line, "code %" SCNx64 " %zu", &code->start, &code->n_pages), 2);
	assert_in_range(code->n_pages, 1, CODE_VIEW_PAGES);
	memset(bytes, CODE_VIEW_NO_INSTRUCTION, sizeof(of->code_bytes[0]));
	for (size_t i = 0; i < code->n_pages; i++)
		code->before[i] = code->after[i] = bytes + i * CODE_VIEW_PAGE_SIZE;
	code_view_list_init(&of->list, of->codes, of->n_codes);
	of->stack.code = &of->list.source;
}

static void read_described(struct unwind_case *of, const char *line)
{
	struct runtime_code code = { .frame = RUNTIME_FRAME_STUB };
	char frame[16];

	assert_int_equal(sscanf(line, "described %" SCNx64 " %" SCNx64 " %15s %" SCNu32 " %" SCNx32,
				&code.start, &code.end, frame, &code.frame_size, &code.complete),
			 5);
	if (strcmp(frame, "stub") != 0)
		code.frame =
			!strcmp(frame, "sized") ? RUNTIME_FRAME_SIZED : RUNTIME_FRAME_INTERPRETED;
	if (!of->codes_described)
		of->codes_described = runtime_codes_create(0);
	assert_int_equal(runtime_codes_add(&of->codes_described, &code), 0);
	of->stack.runtime = of->codes_described;
}

static void read_frame(struct unwind_case *of, const char *line)
{
	char origin[16];

	assert_in_range(of->n_frames, 0, FRAMES_MAX - 1);
	assert_int_equal(sscanf(line, "frame %" SCNx64 " %15s", &of->addrs[of->n_frames], origin),
			 2);
	of->origins[of->n_frames++] = !strcmp(origin, "guessed")    ? FRAME_GUESSED
				      : !strcmp(origin, "stitched") ? FRAME_STITCHED
								    : FRAME_BY_CFI;
}

static void read_register(struct unwind_case *of, const char *line)
{
	uint64_t value;
	unsigned reg;

	assert_int_equal(sscanf(line, "register %u %" SCNx64, &reg, &value), 2);
	assert_in_range(reg, 0, REGS_MAX - 1);
	regs_set(&of->stack.regs, reg, value);
}

static void read_stack_bytes(struct unwind_case *of, const char *line)
{
	read_bytes(line, of->bytes, of->stack.size);
}

static void read_memory_bytes(struct unwind_case *of, const char *line)
{
	read_bytes(line, of->memory_bytes, of->memory_size);
}

static void read_code_bytes(struct unwind_case *of, const char *line)
{
	assert_in_range(of->n_codes, 1, CODES_MAX);
	read_bytes(line, of->code_bytes[of->n_codes - 1],
		   of->codes[of->n_codes - 1].n_pages * CODE_VIEW_PAGE_SIZE);
}

static void read_line(struct unwind_case *of, const char *line)
{
	static const struct {
		const char *name;
		void (*read)(struct unwind_case *of, const char *line);
	} kinds[] = {
		{ "register", read_register },
		{ "module", read_module },
		{ "map", read_mapping },
		{ "stack", read_stack },
		{ "bytes", read_stack_bytes },
		{ "guard", read_guard },
		{ "rest", read_rest },
		{ "rest-bytes", read_memory_bytes },
		{ "context", read_context },
		{ "context-register", read_context_register },
		{ "context-bytes", read_memory_bytes },
		{ "second", read_second },
		{ "second-bytes", read_memory_bytes },
		{ "code", read_code },
		{ "code-bytes", read_code_bytes },
		{ "described", read_described },
		{ "frame", read_frame },
	};
	size_t size = strcspn(line, " ");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].name) == size && !strncmp(line, kinds[i].name, size)) {
			kinds[i].read(of, line);
			return;
		}
	}
	if (sscanf(line, "machine %31s", of->machine) != 1 &&
	    sscanf(line, "abi %" SCNu64, &of->abi) != 1 &&
	    sscanf(line, "pc %" SCNx64, &of->stack.regs.pc) != 1 &&
	    sscanf(line, "end %31s", of->end) != 1 && line[0] != '#')
		fail_msg("%s: what is this? %s", of->name, line);
}

static void read_case(struct unwind_case *of)
{
	char line[256];
	FILE *file = open_file(of, "case");

	assert_int_equal(module_table_init(&of->modules), 0);
	of->space = address_space_create();
	of->memory = stack_memory_create();
	assert_non_null(of->memory);
	of->stack.memory = of->memory;
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "dendro-unwind-case 1\n");
	while (fgets(line, sizeof(line), file))
		read_line(of, line);
	fclose(file);
	of->stack.arch = arch_find(of->machine, of->abi);
	assert_non_null(of->stack.arch);
	assert_non_null(of->bytes);
	assert_true(of->n_frames > 0);
}

static void free_case(struct unwind_case *of)
{
	free(of->bytes);
	runtime_codes_unref(of->codes_described);
	stack_memory_unref(of->memory);
	address_space_unref(of->space);
	module_table_deinit(&of->modules);
	free(of);
}

static const char *end_name(enum unwind_end end)
{
	return end == UNWIND_ROOT ? "root" : marker_name(unwind_end_marker(end));
}

/* Prints each frame that is not as expected; returns their number. */
static size_t compare(const struct unwind_case *of, const struct frame *frames,
		      const uint64_t *addrs, size_t n, enum unwind_end end)
{
	size_t n_wrong = 0, most = n > of->n_frames ? n : of->n_frames;

	for (size_t i = 0; i < most; i++) {
		uint64_t expected = i < of->n_frames ? of->addrs[i] : 0;
		uint64_t got = i < n ? addrs[i] : 0;

		if (got == expected && i < n && frames[i].origin == of->origins[i])
			continue;
		print_message("# %s: frame %zu is %" PRIx64 ", expected %" PRIx64 "\n", of->name, i,
			      got, expected);
		n_wrong++;
	}
	if (strcmp(end_name(end), of->end) == 0)
		return n_wrong;
	print_message("# %s: ends with %s, expected %s\n", of->name, end_name(end), of->end);
	return n_wrong + 1;
}

static size_t run_case(const char *name)
{
	static struct frame frames[FRAMES_MAX];
	static uint64_t addrs[FRAMES_MAX];
	struct unwind_case *of = calloc(1, sizeof(*of));
	struct unwind_result result;

	assert_non_null(of);
	snprintf(of->name, sizeof(of->name), "%s", name);
	read_case(of);
	struct elf_modules *elf_modules = elf_modules_create(&of->modules);
	struct unwinder *unwinder = unwinder_create(elf_modules);
	size_t n = unwind_user_stack(unwinder, of->space, &of->stack, frames, addrs, FRAMES_MAX,
				     &result);
	size_t n_wrong = compare(of, frames, addrs, n, result.end);
	unwinder_destroy(unwinder);
	elf_modules_destroy(elf_modules);
	free_case(of);
	return n_wrong;
}

static void recorded_walks_repeat(void **state)
{
	DIR *folder = opendir(cases_folder());
	struct dirent *entry;
	size_t n = 0, n_wrong = 0;

	(void)state;
	if (!folder) {
		print_message("# no %s here\n", cases_folder());
		skip();
	}
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		n_wrong += run_case(entry->d_name) != 0;
		n++;
	}
	closedir(folder);
	print_message("# %zu cases, %zu wrong\n", n, n_wrong);
	assert_int_not_equal(n, 0);
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_walks_repeat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
