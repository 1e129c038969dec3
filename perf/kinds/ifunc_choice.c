#include "perf/kinds/ifunc_choice.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_slots.h"
#include "cct/object/elf_symtab.h"
#include "cct/text/file_text.h"
#include "cct/text/maps_line.h"

/* A file that was looked into. */
struct seen_file {
	dev_t dev;
	ino_t ino;
	uint64_t *slots; /* addresses in the file that hold the choice, if the loader has run; owned
			  */
	size_t n_slots;
	uint64_t first_vaddr; /* of its first byte */
};

struct search {
	struct stat library;
	const char *path, *function;
	size_t function_length; /* without the version */
	uint64_t resolver;
	bool has_one_version; /* the name alone says which function is meant */
	struct seen_file *files;
	size_t n_files;
	struct file_text maps;
	struct maps_line *lines; /* of the process that is looked at */
	size_t n_lines, n_allocated;
};

static bool is_file(const struct maps_line *line, const struct stat *file)
{
	return line->inode == file->st_ino &&
	       makedev(line->dev_major, line->dev_minor) == file->st_dev;
}

/* Whether the loader fills the slot with what the resolver returns. Other files refer to the
 * function by name, and perhaps to an older version of it. */
static bool has_choice(const struct search *search, const struct elf_slot *slot, bool is_library)
{
	if (!slot->name)
		return is_library && slot->ifunc == search->resolver;
	return search->has_one_version &&
	       strncmp(slot->name, search->function, search->function_length) == 0 &&
	       !slot->name[search->function_length];
}

static int keep_slots(const struct search *search, const struct elf_slots *slots, bool is_library,
		      struct seen_file *file)
{
	for (size_t i = 0; i < slots->n; i++) {
		if (!has_choice(search, &slots->slots[i], is_library))
			continue;
		if (array_reserve_one(file->slots, file->n_slots))
			return -ENOMEM;
		file->slots[file->n_slots++] = slots->slots[i].addr;
	}
	return 0;
}

static int read_file(const struct search *search, Elf *elf, bool is_library, struct seen_file *file)
{
	struct elf_segments segments;
	struct elf_slots slots;

	if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64)
		return 0;
	int err = elf_segments_init(&segments, elf);
	if (err)
		return err;
	bool is_mapped = elf_segments_to_vaddr(&segments, 0, &file->first_vaddr);
	elf_segments_deinit(&segments);
	if (!is_mapped)
		return 0;
	err = elf_slots_init(&slots, elf);
	if (err)
		return err;
	err = keep_slots(search, &slots, is_library, file);
	elf_slots_deinit(&slots);
	return err;
}

/* The file of a mapping, from the process's point of view; each one is read once. *@file_ret is
 * NULL where it can't be, and valid until the next call. 0 or -ENOMEM. */
static int see_file(struct search *search, const char *pid, const struct maps_line *line,
		    const struct seen_file **file_ret)
{
	char path[PATH_MAX];
	struct stat st;

	*file_ret = NULL;
	for (size_t i = 0; i < search->n_files; i++)
		if (search->files[i].ino == line->inode &&
		    search->files[i].dev == makedev(line->dev_major, line->dev_minor))
			*file_ret = &search->files[i];
	if (*file_ret ||
	    snprintf(path, sizeof(path), "/proc/%s/root%s", pid, line->path) >= (int)sizeof(path))
		return 0;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_file(line, &st))
		return 0;
	if (array_reserve_one(search->files, search->n_files))
		return -ENOMEM;
	struct seen_file *file = &search->files[search->n_files++];
	*file = (struct seen_file){ .dev = st.st_dev, .ino = st.st_ino };
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int err = read_file(search, elf, is_file(line, &search->library), file);
	elf_end(elf);
	*file_ret = file;
	return err;
}

/* If the address is code of the library, its offset in the file. */
static bool is_in_library(const struct search *search, uint64_t addr, uint64_t *offset_ret)
{
	for (size_t i = 0; i < search->n_lines; i++) {
		const struct maps_line *line = &search->lines[i];

		if (addr < line->start || addr >= line->end || !(line->prot & PROT_EXEC) ||
		    !is_file(line, &search->library))
			continue;
		*offset_ret = addr - line->start + line->pgoff;
		return true;
	}
	return false;
}

static int read_lines(struct search *search)
{
	search->n_lines = 0;
	for (char *text = search->maps.bytes, *next; text && *text; text = next) {
		next = text + strcspn(text, "\n");
		if (*next)
			*next++ = '\0';
		if (array_reserve(search->lines, search->n_lines, search->n_allocated, 1))
			return -ENOMEM;
		search->n_lines += maps_line_parse(text, &search->lines[search->n_lines]);
	}
	return 0;
}

static bool maps_library(const struct search *search)
{
	for (size_t i = 0; i < search->n_lines; i++)
		if (is_file(&search->lines[i], &search->library))
			return true;
	return false;
}

/* 1: found; 0: not in this process; or -ENOMEM. */
static int look_into_memory(struct search *search, const char *pid, int memory,
			    uint64_t *offset_ret)
{
	const struct seen_file *file;
	uint64_t addr;

	for (size_t i = 0; i < search->n_lines; i++) {
		const struct maps_line *line = &search->lines[i];

		if (line->pgoff || line->path[0] != '/')
			continue;
		int err = see_file(search, pid, line, &file);
		if (err)
			return err;
		for (size_t k = 0; file && k < file->n_slots; k++) {
			uint64_t at = line->start - file->first_vaddr + file->slots[k];

			if (at <= INT64_MAX &&
			    pread(memory, &addr, sizeof(addr), (off_t)at) == sizeof(addr) &&
			    is_in_library(search, addr, offset_ret))
				return 1;
		}
	}
	return 0;
}

static int look_into(struct search *search, const char *pid, uint64_t *offset_ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	_cleanup_close_ int maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0 || file_text_read(&search->maps, maps))
		return 0;
	int err = read_lines(search);
	if (err || !maps_library(search))
		return err;
	snprintf(path, sizeof(path), "/proc/%.20s/mem", pid);
	_cleanup_close_ int memory = open(path, O_RDONLY | O_CLOEXEC);
	return memory < 0 ? 0 : look_into_memory(search, pid, memory, offset_ret);
}

static int look_into_all(struct search *search, uint64_t *offset_ret)
{
	int found = look_into(search, "self", offset_ret);
	const struct dirent *entry;
	DIR *proc = opendir("/proc");

	while (!found && proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			found = look_into(search, entry->d_name, offset_ret);
	if (proc)
		closedir(proc);
	if (found < 0)
		return found;
	return found ? 0 : -ENOENT;
}

static bool has_one_version(Elf *elf, const struct search *search)
{
	struct elf_symtab table;
	GElf_Sym symbol;
	size_t n = 0;

	if (!elf_symtab_open(elf, SHT_DYNSYM, &table))
		return false;
	for (size_t i = 0; elf_symtab_get(&table, i, &symbol); i++) {
		const char *name =
			elf_symbol_is_function(&symbol) ? elf_symtab_name(&table, &symbol) : NULL;
		n += name && strncmp(name, search->function, search->function_length) == 0 &&
		     !name[search->function_length];
	}
	return n == 1;
}

static int look_at_library(struct search *search)
{
	_cleanup_close_ int fd = open(search->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &search->library))
		return -errno;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	search->has_one_version = elf && has_one_version(elf, search);
	elf_end(elf);
	return 0;
}

int ifunc_choice_find(const char *path, const char *function, uint64_t resolver,
		      uint64_t *offset_ret)
{
	struct search search = { .path = path,
				 .function = function,
				 .function_length = strcspn(function, "@"),
				 .resolver = resolver };

	int err = look_at_library(&search);
	if (!err)
		err = look_into_all(&search, offset_ret);
	for (size_t i = 0; i < search.n_files; i++)
		free(search.files[i].slots);
	free(search.files);
	free(search.lines);
	free(search.maps.bytes);
	return err;
}
