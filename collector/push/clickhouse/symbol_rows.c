#include "collector/push/clickhouse/symbol_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"
#include "cct/object/module_file.h"
#include "collector/push/clickhouse/row_binary.h"
#include "collector/push/clickhouse/stack_ids.h"
#include "collector/push/clickhouse/table_request.h"
#include "report/code/elf_symbols.h"
#include "report/demangle/demangle.h"

#define DAY_S 86400

/* Where functions begin, as symbols say: virtual addresses. */
struct starts {
	uint64_t *addrs;
	size_t n, n_allocated;
};

static int add_starts(struct starts *starts, Elf *elf, uint32_t type)
{
	struct elf_symtab table;
	GElf_Sym symbol;
	int err = 0;

	if (!elf_symtab_open(elf, type, &table))
		return 0;
	for (size_t i = 1; i < table.n && !err; i++) {
		if (!elf_symtab_get(&table, i, &symbol) || !elf_symbol_is_function(&symbol))
			continue;
		err = array_reserve(starts->addrs, starts->n, starts->n_allocated, 1);
		if (!err)
			starts->addrs[starts->n++] = symbol.st_value;
	}
	return err;
}

static int compare_addrs(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What is written of a file. @places: the file that runs, whose offsets frames have. */
struct writer {
	struct table_request request;
	uint64_t module;
	uint16_t day;
	struct elf_symbols *names, *places;
	unsigned n;
};

static int add_function(struct writer *writer, uint64_t start)
{
	struct byte_buffer *row = &writer->request.rows;
	struct elf_symbol_match match;
	uint64_t offset;

	if (!elf_symbols_find(writer->names, start, &match) || match.start != start || match.plt ||
	    match.end <= start || !elf_symbols_offset(writer->places, start, &offset))
		return 0;
	_cleanup_free_ char *plain = demangle_symbol(match.name);
	row_add_64(row, writer->module);
	row_add_64(row, offset);
	row_add_64(row, offset + (match.end - start));
	row_add_text(row, match.name);
	row_add_text(row, plain ? plain : match.name);
	row_add_16(row, writer->day);
	writer->n++;
	return table_request_end_row(&writer->request);
}

static int add_functions(struct writer *writer, Elf *elf)
{
	struct starts starts = { 0 };
	int err = add_starts(&starts, elf, SHT_SYMTAB);

	if (!err && !starts.n)
		err = add_starts(&starts, elf, SHT_DYNSYM);
	if (starts.n)
		qsort(starts.addrs, starts.n, sizeof(*starts.addrs), compare_addrs);
	for (size_t i = 0; i < starts.n && !err; i++) {
		if (!i || starts.addrs[i] != starts.addrs[i - 1])
			err = add_function(writer, starts.addrs[i]);
	}
	free(starts.addrs);
	return err ? err : table_request_flush(&writer->request);
}

static bool has_symbols(Elf *elf)
{
	struct elf_section section;

	return elf_find_section_type(elf, SHT_SYMTAB, &section);
}

/* A vmlinux, or a module of the kernel: frames of these are counted from where the kernel began. */
static bool is_of_kernel(Elf *elf)
{
	struct elf_section section;

	return elf_find_section(elf, "__ksymtab", &section) ||
	       elf_find_section(elf, ".gnu.linkonce.this_module", &section);
}

/* @named: the file with symbols, which may be the same. */
static int add_file(struct writer *writer, Elf *elf, Elf *named)
{
	int err = elf_symbols_create(elf, &writer->places);

	if (!err)
		err = elf_symbols_create(named, &writer->names);
	if (!err)
		err = add_functions(writer, named);
	elf_symbols_destroy(writer->names);
	elf_symbols_destroy(writer->places);
	return err;
}

static int add_elf(struct push_requests *requests, Elf *elf, unsigned *n_ret,
		   const char **problem_ret)
{
	struct writer writer = {
		.request = { .requests = requests,
			     .table = "functions",
			     .columns = "module, start, end, symbol, function, seen" },
		.day = (uint16_t)(time(NULL) / DAY_S),
	};
	struct module_file separate = { .state = MODULE_FILE_NONE, .fd = -1 };
	struct build_id build_id;

	if (elf_kind(elf) != ELF_K_ELF) {
		*problem_ret = "it is neither a program nor a library";
		return -ENOEXEC;
	}
	if (is_of_kernel(elf)) {
		*problem_ret = "it is the kernel or a module of it, whose names are sent with what "
			       "was recorded, or not at all";
		return -ENOEXEC;
	}
	elf_build_id(elf, &build_id);
	if (!build_id.size) {
		*problem_ret = "it has no build ID, which tells its code from other files'";
		return -ENOEXEC;
	}
	writer.module = stack_ids_of_build_id(MODULE_ELF, &build_id);
	if (!has_symbols(elf))
		module_file_open_debug(NULL, elf, &separate);
	const int err = add_file(&writer, elf, separate.elf ? separate.elf : elf);
	module_file_close(&separate);
	table_request_deinit(&writer.request);
	*n_ret = writer.n;
	if (err || writer.n)
		return err;
	*problem_ret = "neither it nor its debug file has symbols of functions that have code in "
		       "it; name the program itself, not its debug file";
	return -ENOEXEC;
}

int symbol_rows_add(struct push_requests *requests, const char *path, unsigned *n_ret,
		    const char **problem_ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return -ENOMEM;
	const int err = add_elf(requests, elf, n_ret, problem_ret);
	elf_end(elf);
	return err;
}
