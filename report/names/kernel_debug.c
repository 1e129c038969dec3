#include "report/names/kernel_debug.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/sorted.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"
#include "cct/object/file_search.h"
#include "cct/object/module_file.h"
#include "report/dwarf/debug_info.h"

#define KERNEL_NAME "[kernel.kallsyms]"
/* How many symbols are compared to find the distance between recorded and file addresses. */
#define PROBES_MAX 512
#define PROBES_MIN 4

struct function {
	uint64_t hash; /* hash of the name */
	uint64_t vaddr, size;
	bool is_ambiguous;
};

struct kernel_debug {
	int fd;     /* -1: owned by the Dwfl */
	Dwfl *dwfl; /* for kernel modules, else NULL: assigns addresses to the file's sections */
	Elf *elf;   /* owned by the Dwfl if there is one */
	struct debug_info *info;
	struct function *functions; /* by hash */
	size_t n_functions, n_allocated;
	bool has_slide; /* vmlinux only: all functions are moved by the same distance */
	uint64_t slide; /* recorded address - address in the file */
	uint64_t base;  /* address of offset 0 of the recorded module */
};

static bool add_function(struct kernel_debug *debug, const char *name, const GElf_Sym *symbol)
{
	if (array_reserve(debug->functions, debug->n_functions, debug->n_allocated, 1))
		return false;
	debug->functions[debug->n_functions++] = (struct function){
		.hash = hash_text(HASH_START, name),
		.vaddr = symbol->st_value,
		.size = symbol->st_size,
	};
	return true;
}

static bool is_function(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	/* Symbols defined in assembly code may have no type. */
	return (type == STT_FUNC || type == STT_NOTYPE) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_shndx != SHN_ABS;
}

static bool read_functions_of_module(struct kernel_debug *debug, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr addr;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &addr, NULL, NULL, NULL);

		symbol.st_value = addr;
		if (name && *name && is_function(&symbol) && !add_function(debug, name, &symbol))
			return false;
	}
	return true;
}

static bool read_functions(struct kernel_debug *debug)
{
	struct elf_symtab table;
	GElf_Sym symbol;

	if (!elf_symtab_open(debug->elf, SHT_SYMTAB, &table))
		return true;
	for (size_t i = 1; elf_symtab_get(&table, i, &symbol); i++) {
		const char *name = elf_symtab_name(&table, &symbol);

		if (name && *name && is_function(&symbol) && !add_function(debug, name, &symbol))
			return false;
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

/*
 * Sorts functions by name and drops those whose name is not unique, because static functions of one
 * name cannot be distinguished.
 */
static void sort_functions(struct kernel_debug *debug)
{
	struct function *functions = debug->functions;

	if (debug->n_functions)
		qsort(functions, debug->n_functions, sizeof(*functions), compare_functions);
	for (size_t i = 1; i < debug->n_functions; i++) {
		if (functions[i - 1].hash == functions[i].hash &&
		    functions[i - 1].vaddr != functions[i].vaddr)
			functions[i - 1].is_ambiguous = functions[i].is_ambiguous = true;
	}
}

/* The only function of that name. */
static const struct function *find_function(const struct kernel_debug *debug, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	size_t low = sorted_count(debug->n_functions, i, debug->functions[i].hash < hash);

	for (; low < debug->n_functions && debug->functions[low].hash == hash; low++) {
		if (debug->functions[low].is_ambiguous)
			return NULL;
		if (low + 1 == debug->n_functions || debug->functions[low + 1].hash != hash)
			return &debug->functions[low];
	}
	return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Finds the distance between recorded addresses and those of the file. It is the same for all
 * functions if the file belongs to the recorded kernel: at least @percent of the functions whose
 * names occur in both must agree.
 */
static bool find_slide(struct kernel_debug *debug, const struct module *module, unsigned percent)
{
	const struct symbol_table *recorded = module->symbols;
	uint64_t slides[PROBES_MAX];
	size_t n = 0, n_agree = 0;
	size_t step = recorded->n_symbols / PROBES_MAX + 1;

	for (size_t i = 0; i < recorded->n_symbols && n < PROBES_MAX; i += step) {
		const struct symbol *symbol = &recorded->symbols[i];
		const struct function *function = find_function(debug, symbol->name);

		if (function)
			slides[n++] = module->key.base + symbol->offset - function->vaddr;
	}
	if (n < PROBES_MIN)
		return false;
	qsort(slides, n, sizeof(*slides), compare_numbers);
	debug->slide = slides[n / 2];
	for (size_t i = 0; i < n; i++)
		n_agree += slides[i] == debug->slide;
	/* The file of another kernel has most of the names as well, but at other distances. */
	return n_agree * 100 >= n * percent;
}

static bool has_build_id(const struct module *module, Elf *elf)
{
	const struct build_id *recorded = &module->key.build_id;
	struct build_id found;

	elf_build_id(elf, &found);
	return found.size && found.size <= recorded->size &&
	       memcmp(found.bytes, recorded->bytes, found.size) == 0;
}

bool kernel_debug_is_kernel(const struct module *module)
{
	return module->key.kind == MODULE_KERNEL && strcmp(module->key.path, KERNEL_NAME) == 0;
}

static int find_no_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word crc, char **path_ret)
{
	(void)module, (void)userdata, (void)name, (void)base;
	(void)path, (void)link, (void)crc, (void)path_ret;
	return -1;
}

/*
 * A .ko file has sections without addresses, and debug information that refers to them. libdwfl
 * assigns addresses; it also reads compressed files.
 */
static bool open_module_file(struct kernel_debug *debug, int fd)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_no_file,
		.section_address = dwfl_offline_section_address,
	};
	GElf_Addr bias;

	debug->dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module =
		debug->dwfl ? dwfl_report_offline(debug->dwfl, "", "kernel module", fd) : NULL;
	if (!module) {
		close(fd);
		return false;
	}
	dwfl_report_end(debug->dwfl, NULL, NULL);
	debug->elf = dwfl_module_getelf(module, &bias);
	return debug->elf && dwfl_module_getdwarf(module, &bias) &&
	       read_functions_of_module(debug, module);
}

static bool open_vmlinux(struct kernel_debug *debug, int fd)
{
	debug->fd = fd;
	elf_version(EV_CURRENT);
	debug->elf = elf_begin(debug->fd, ELF_C_READ_MMAP, NULL);
	return debug->elf && elf_kind(debug->elf) == ELF_K_ELF && read_functions(debug);
}

/* Opens and checks a file. NULL: it is the right one; else why not. Takes ownership of @fd. */
static const char *open_file(struct kernel_debug *debug, const struct module *module, int fd)
{
	struct stat status;
	bool is_regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);

	if (!is_regular && fd >= 0)
		close(fd);
	bool is_open = is_regular && (kernel_debug_is_kernel(module) ? open_vmlinux(debug, fd)
								     : open_module_file(debug, fd));
	bool is_known = module->key.build_id.size;

	if (!is_open)
		return "it cannot be read, or is not an ELF file";
	if (is_known && !has_build_id(module, debug->elf))
		return "its build ID differs from that of the recorded kernel";
	sort_functions(debug);
	if (!module->symbols || !module->symbols->n_symbols)
		return "the recording contains no kernel symbols to verify its addresses";
	/*
	 * Each section of a kernel module is moved by its own distance, so fewer functions agree.
	 */
	unsigned percent = !kernel_debug_is_kernel(module) ? 80 : is_known ? 60 : 98;
	if ((kernel_debug_is_kernel(module) || !is_known) && !find_slide(debug, module, percent))
		return "its functions do not match the recorded kernel's addresses";
	debug->has_slide = kernel_debug_is_kernel(module);
	debug->base = module->key.base;
	return NULL;
}

static struct kernel_debug *create(void)
{
	struct kernel_debug *debug = calloc(1, sizeof(*debug));

	if (debug)
		debug->fd = -1;
	return debug;
}

void kernel_debug_close(struct kernel_debug *debug)
{
	if (!debug)
		return;
	debug_info_close(debug->info);
	if (debug->dwfl)
		dwfl_end(debug->dwfl);
	else
		elf_end(debug->elf);
	cleanup_close(&debug->fd);
	free(debug->functions);
	free(debug);
}

/* The key of the file in an archive. */
static bool format_key(const struct module *module, char key[static FILE_SEARCH_KEY_MAX])
{
	int n = snprintf(key, FILE_SEARCH_KEY_MAX, "kernel %" PRIx64 " %s", module->key.base,
			 module->key.path);

	return n > 0 && n < FILE_SEARCH_KEY_MAX;
}

/*
 * Opens the file if it is the right one and has debug information. Takes ownership of @fd, which
 * may be negative.
 */
static struct kernel_debug *try_fd(const struct module *module, int fd)
{
	_cleanup_close_ int found = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	struct kernel_debug *debug = fd >= 0 ? create() : NULL;
	char key[FILE_SEARCH_KEY_MAX];

	if (!debug && fd >= 0)
		close(fd);
	if (debug && !open_file(debug, module, fd))
		debug->info = debug_info_open(debug->elf, module, debug->fd);
	if (!debug || !debug->info) {
		kernel_debug_close(debug);
		return NULL;
	}
	if (found >= 0 && format_key(module, key))
		file_search_found(module->located.files, key, found, NULL);
	return debug;
}

static struct kernel_debug *try_path(const struct module *module, const char *path)
{
	return try_fd(module, file_search_open(module->located.files, path));
}

static struct kernel_debug *try_carried(const struct module *module)
{
	char key[FILE_SEARCH_KEY_MAX];

	return format_key(module, key)
		       ? try_fd(module, file_search_open_carried(module->located.files, key))
		       : NULL;
}

/*
 * Opens the file that the user named, which is not looked up below a sysroot. Without O_NONBLOCK,
 * opening a FIFO would wait for a writer.
 */
static int open_named(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

__attribute__((format(printf, 2, 3))) static struct kernel_debug *
try_format(const struct module *module, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return n > 0 && (size_t)n < sizeof(path) ? try_path(module, path) : NULL;
}

static struct kernel_debug *try_build_id(const struct module *module)
{
	const struct build_id *id = &module->key.build_id;
	char hex[BUILD_ID_TEXT_SIZE];

	if (id->size < 2)
		return NULL;
	build_id_format(id, hex);
	return try_format(module, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

static struct kernel_debug *find_vmlinux(const struct module *module, const char *release)
{
	static const struct {
		const char *before, *behind;
	} places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};
	struct kernel_debug *debug = NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !debug; i++)
		debug = try_format(module, "%s%s%s", places[i].before, release, places[i].behind);
	return debug;
}

/* "[nf_tables]", "/lib/modules/.../nf-tables.ko.xz" -> "nf_tables" */
static bool bare_name(const char *path, char name[static 64])
{
	const char *slash = strrchr(path, '/');
	const char *start = slash ? slash + 1 : path + (*path == '[');
	size_t size = strcspn(start, slash ? "." : "]");

	if (!size || size >= 64)
		return false;
	for (size_t i = 0; i < size; i++)
		name[i] = start[i] == '-' ? '_' : start[i];
	name[size] = '\0';
	return true;
}

/*
 * Whether a line of modules.dep is about the module: "kernel/fs/ext4/ext4.ko.xz: kernel/...". Cuts
 * the line at the colon, which leaves the path.
 */
static bool is_line_of(char *line, const char *name)
{
	char found[64];
	char *colon = strchr(line, ':');

	if (!colon)
		return false;
	*colon = '\0';
	return strchr(line, '/') && bare_name(line, found) && strcmp(found, name) == 0;
}

static struct kernel_debug *try_module_paths(const struct module *module, const char *release,
					     const char *path)
{
	/* The path without the suffix of compressed files. */
	const char *ko = strstr(path, ".ko");
	int size = ko ? (int)(ko - path) + 3 : (int)strlen(path);
	struct kernel_debug *debug =
		try_format(module, "/usr/lib/debug/lib/modules/%s/%.*s", release, size, path);

	if (!debug)
		debug = try_format(module, "/usr/lib/debug/lib/modules/%s/%.*s.debug", release,
				   size, path);
	return debug ? debug : try_format(module, "/lib/modules/%s/%s", release, path);
}

static struct kernel_debug *find_module_file(const struct module *module, const char *release)
{
	char path[PATH_MAX], line[4096], name[64];
	struct kernel_debug *debug = NULL;

	if (module->key.path[0] == '/')
		debug = try_path(module, module->key.path);
	if (debug || !bare_name(module->key.path, name) ||
	    snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release) >=
		    (int)sizeof(path))
		return debug;
	int fd = file_search_open(module->located.files, path);
	FILE *list = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!list && fd >= 0)
		close(fd);
	while (list && !debug && fgets(line, sizeof(line), list)) {
		if (is_line_of(line, name))
			debug = try_module_paths(module, release, line);
	}
	if (list)
		fclose(list);
	return debug;
}

struct kernel_debug *kernel_debug_open(const struct module *module,
				       const struct kernel_debug_places *places)
{
	const char *release = places->os_release;
	bool is_name = release && *release && *release != '.' && !strchr(release, '/');

	if (kernel_debug_is_kernel(module) && places->vmlinux)
		return try_fd(module, open_named(places->vmlinux));
	/* BPF programs and similar code do not come from a file. */
	if (!kernel_debug_is_kernel(module) && module->key.path[0] != '/' &&
	    (!module->key.base || module->key.path[0] != '['))
		return NULL;
	struct kernel_debug *debug = try_carried(module);
	if (!debug)
		debug = try_build_id(module);
	if (debug || !is_name)
		return debug;
	return kernel_debug_is_kernel(module) ? find_vmlinux(module, release)
					      : find_module_file(module, release);
}

struct debug_info *kernel_debug_info(const struct kernel_debug *debug)
{
	return debug->info;
}

Elf *kernel_debug_code(const struct kernel_debug *debug)
{
	return debug->has_slide ? debug->elf : NULL;
}

bool kernel_debug_vaddr(const struct kernel_debug *debug, const struct symbol *symbol,
			uint64_t offset, uint64_t *vaddr_ret)
{
	const struct function *function;

	if (debug->has_slide) {
		*vaddr_ret = debug->base + offset - debug->slide;
		return true;
	}
	function = find_function(debug, symbol->name);
	if (!function || (function->size && offset - symbol->offset >= function->size))
		return false;
	*vaddr_ret = function->vaddr + (offset - symbol->offset);
	return true;
}

const char *kernel_debug_refusal(const struct module *module, const char *vmlinux)
{
	struct kernel_debug *debug = create();
	const char *why = debug ? open_file(debug, module, open_named(vmlinux)) : "out of memory";

	kernel_debug_close(debug);
	return why;
}
