#include "collector/record/live/live_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/maps_line.h"
#include "collector/paths/module_finder.h"
#include "collector/record/live/process_files.h"

/* The number of processes whose mappings are kept at the same time. */
#define N_SLOTS 64
/* A thread's descriptor is searched for in this much memory above the stack pointer. */
#define STACK_SEARCH_MAX (16u << 20)
#define SEARCH_STEP      (256u << 10)
/* A descriptor begins with a pointer to itself, and contains the thread's ID within this many
 * bytes (glibc: 0x2d0, musl: 0x30). */
#define DESCRIPTOR_SIZE 1024
/* The smallest pages there are. */
#define TOUCH_PAGE_MIN 4096

struct live_processes {
	struct module_table *modules; /* or: */
	struct module_table own_modules;
	struct elf_modules *elf_modules;
	struct {
		pid_t pid;
		struct address_space *space; /* NULL: none */
	} slots[N_SLOTS];
};

struct live_processes *live_processes_create(struct module_table *modules)
{
	struct live_processes *processes = calloc(1, sizeof(*processes));

	if (!processes)
		return NULL;
	processes->modules = modules ? modules : &processes->own_modules;
	if (!modules && module_table_init(&processes->own_modules)) {
		free(processes);
		return NULL;
	}
	processes->elf_modules = elf_modules_create(processes->modules);
	if (!processes->elf_modules) {
		live_processes_destroy(processes);
		return NULL;
	}
	return processes;
}

void live_processes_destroy(struct live_processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; i < N_SLOTS; i++) {
		if (processes->slots[i].space)
			address_space_unref(processes->slots[i].space);
	}
	elf_modules_destroy(processes->elf_modules);
	if (processes->modules == &processes->own_modules)
		module_table_deinit(&processes->own_modules);
	free(processes);
}

struct elf_modules *live_processes_modules(struct live_processes *processes)
{
	return processes->elf_modules;
}

static FILE *open_maps(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return fopen(path, "re");
}

/* false: the end. Malformed lines are skipped. */
static bool next_line(FILE *maps, char **text, size_t *size, struct maps_line *line)
{
	ssize_t n;

	while ((n = getline(text, size, maps)) > 0) {
		if ((*text)[n - 1] == '\n')
			(*text)[n - 1] = '\0';
		if (maps_line_parse(*text, line))
			return true;
	}
	return false;
}

static bool is_file(const struct maps_line *line)
{
	return line->path[0] == '/' && line->inode;
}

/* Files of other namespaces are found below the process's root, deleted files by its mapping. */
static int set_other_path(struct module *module, pid_t pid, const struct maps_line *line)
{
	static const char suffix[] = " (deleted)";
	size_t size = strlen(line->path);
	bool is_deleted =
		size >= sizeof(suffix) && !strcmp(line->path + size - sizeof(suffix) + 1, suffix);
	char *path;
	int n = is_deleted ? asprintf(&path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
				      line->start, line->end)
			   : asprintf(&path, "/proc/%d/root%s", pid, line->path);

	if (n < 0)
		return -ENOMEM;
	free(module->located.alternative_path);
	module->located.alternative_path = path;
	return 0;
}

/* The id of a mapping's module. 0: out of memory. */
static uint32_t find_module(struct live_processes *processes, pid_t pid,
			    const struct maps_line *line)
{
	bool is_vdso = strcmp(line->path, "[vdso]") == 0;
	struct module_key key = { .kind = is_vdso         ? MODULE_VDSO
					  : is_file(line) ? MODULE_ELF
							  : MODULE_ANON,
				  .path = is_vdso || is_file(line) ? line->path : "//anon",
				  .dev_major = is_file(line) ? line->dev_major : 0,
				  .dev_minor = is_file(line) ? line->dev_minor : 0,
				  .inode = is_vdso         ? 0
					   : is_file(line) ? line->inode
							   : (uint32_t)pid };
	uint32_t n_before = processes->modules->n_modules;
	uint32_t id = module_table_add(processes->modules, &key);

	if (!id || id < n_before)
		return id;
	struct module *module = module_table_get(processes->modules, id);
	if (is_vdso)
		module->located.image_fd = own_vdso();
	return key.kind == MODULE_ELF && set_other_path(module, pid, line) ? 0 : id;
}

static int add_mapping(struct live_processes *processes, pid_t pid, const struct maps_line *line,
		       struct address_space **space)
{
	struct mapping mapping = { .start = line->start, .end = line->end, .is_exec = true };

	if (!(line->prot & PROT_EXEC) || line->start == line->end)
		return 0;
	mapping.module = find_module(processes, pid, line);
	if (!mapping.module)
		return -ENOMEM;
	mapping.offset = is_file(line)                       ? line->pgoff
			 : strcmp(line->path, "[vdso]") == 0 ? 0
							     : line->start;
	return address_space_map(space, &mapping);
}

static struct address_space *read_space(struct live_processes *processes, pid_t pid)
{
	FILE *maps = open_maps(pid);
	struct address_space *space = maps ? address_space_create() : NULL;
	_cleanup_free_ char *text = NULL;
	struct maps_line line;
	size_t size = 0;
	int err = space ? 0 : -ENOMEM;

	while (!err && next_line(maps, &text, &size, &line))
		err = add_mapping(processes, pid, &line, &space);
	if (maps)
		fclose(maps);
	if (err && space)
		address_space_unref(steal_ptr(space));
	return space;
}

void live_process_forget(struct live_processes *processes, pid_t pid)
{
	size_t i = (uint32_t)pid % N_SLOTS;

	if (processes->slots[i].pid == pid && processes->slots[i].space)
		address_space_unref(steal_ptr(processes->slots[i].space));
}

const struct address_space *live_process_space(struct live_processes *processes, pid_t pid)
{
	size_t i = (uint32_t)pid % N_SLOTS;

	if (processes->slots[i].pid != pid)
		live_process_forget(processes, processes->slots[i].pid);
	processes->slots[i].pid = pid;
	if (!processes->slots[i].space)
		processes->slots[i].space = read_space(processes, pid);
	return processes->slots[i].space;
}

int live_memory_read(pid_t pid, uint64_t addr, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)addr, size };
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EFAULT;
}

size_t live_memory_read_start(pid_t pid, uint64_t addr, void *to, size_t size)
{
	struct iovec pages[LIVE_TOUCH_MAX / TOUCH_PAGE_MIN + 1];
	struct iovec local = { to, size < LIVE_TOUCH_MAX ? size : LIVE_TOUCH_MAX };
	size_t n_pages = 0;

	/* Only between parts may the kernel stop. */
	for (size_t at = 0; at < local.iov_len; at += pages[n_pages++].iov_len) {
		size_t left = local.iov_len - at,
		       in_page = TOUCH_PAGE_MIN - (addr + at) % TOUCH_PAGE_MIN;

		pages[n_pages].iov_base = (void *)(uintptr_t)(addr + at);
		pages[n_pages].iov_len = left < in_page ? left : in_page;
	}
	ssize_t n = process_vm_readv(pid, &local, 1, pages, n_pages, 0);
	return n > 0 ? (size_t)n : 0;
}

/* Does the thread's descriptor begin at @addr? @words are the @n words there. */
static bool is_descriptor(const uint64_t *words, size_t n, uint64_t addr, int32_t tid)
{
	size_t n_here = n < DESCRIPTOR_SIZE / 8 ? n : DESCRIPTOR_SIZE / 8;

	if (words[0] != addr)
		return false;
	for (size_t i = 1; i < n_here; i++) {
		int32_t halves[2];

		memcpy(halves, &words[i], sizeof(halves));
		if (halves[0] == tid || halves[1] == tid)
			return true;
	}
	return false;
}

static int find_descriptor(pid_t pid, pid_t tid, uint64_t sp, uint64_t mapping_end,
			   uint64_t *end_ret)
{
	_cleanup_free_ uint64_t *words = malloc(SEARCH_STEP + DESCRIPTOR_SIZE);
	uint64_t end = mapping_end - sp > STACK_SEARCH_MAX ? sp + STACK_SEARCH_MAX : mapping_end;
	int32_t known_as = process_own_tid("/proc", pid, tid);

	if (!words)
		return -ENOMEM;
	for (uint64_t at = sp & ~7ull; at < end; at += SEARCH_STEP) {
		size_t size = SEARCH_STEP + DESCRIPTOR_SIZE;
		size_t n_words = (end - at < size ? end - at : size) / 8;
		int err = live_memory_read(pid, at, words, n_words * 8);

		if (err)
			return err;
		for (size_t i = 0; i < n_words && i < SEARCH_STEP / 8; i++) {
			if (is_descriptor(words + i, n_words - i, at + 8 * i, known_as)) {
				*end_ret = at + 8 * i;
				return 0;
			}
		}
	}
	return -ENOENT;
}

/* The mapping around @addr; its path is in *@text, which is freed by the caller whatever comes of
 * it. 0, -ENOENT or -errno. */
static int find_line(pid_t pid, uint64_t addr, char **text, struct maps_line *line_ret)
{
	FILE *maps = open_maps(pid);
	bool is_found = false;
	size_t size = 0;

	if (!maps)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!is_found && next_line(maps, text, &size, line_ret))
		is_found = line_ret->start <= addr && addr < line_ret->end;
	fclose(maps);
	return is_found ? 0 : -ENOENT;
}

int live_anonymous_find(pid_t pid, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret)
{
	_cleanup_free_ char *text = NULL;
	struct maps_line line = { 0 };

	int err = find_line(pid, addr, &text, &line);
	if (err)
		return err;
	if (line.inode || line.flags != MAP_PRIVATE || !(line.prot & PROT_READ))
		return -ENOENT;
	*start_ret = line.start;
	*end_ret = line.end;
	return 0;
}

int live_memory_touch(pid_t pid, uint64_t start, uint64_t end)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct iovec pages[LIVE_TOUCH_MAX / TOUCH_PAGE_MIN];
	uint8_t bytes[LIVE_TOUCH_MAX / TOUCH_PAGE_MIN];
	size_t n = 0;

	for (uint64_t at = start; at < end && n < sizeof(bytes); at += page)
		pages[n++] = (struct iovec){ (void *)(uintptr_t)at, 1 };
	struct iovec local = { bytes, n };
	ssize_t n_read = process_vm_readv(pid, &local, 1, pages, n, 0);

	return n_read == (ssize_t)n ? 0 : n_read < 0 ? -errno : -EFAULT;
}

int live_stack_find(pid_t pid, pid_t tid, uint64_t sp, uint64_t *start_ret, uint64_t *end_ret)
{
	_cleanup_free_ char *text = NULL;
	struct maps_line line = { .path = "" };

	int err = find_line(pid, sp, &text, &line);
	if (err)
		return err;
	bool is_main = pid == tid && strcmp(line.path, "[stack]") == 0;
	uint64_t end = line.end;
	err = is_main ? 0 : find_descriptor(pid, tid, sp, line.end, &end);
	if (err)
		return err;
	*start_ret = line.start;
	*end_ret = end;
	return 0;
}
