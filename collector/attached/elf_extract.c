#include "collector/attached/elf_extract.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/object/elf_notes.h"

#define NOTES_MAX    (64u << 10) /* of one segment; a build ID comes early */
#define SECTIONS_MAX 4096u
#define SEGMENTS_MAX 256u
#define NAMES_MAX    (1u << 20)
#define GO_TABLE_MAX (20u << 20) /* larger ones would crowd out what unwinding needs */

static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
	uint8_t *at = to;

	if (offset > INT64_MAX - size)
		return -ENOEXEC;
	while (size) {
		ssize_t n = pread(fd, at, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOEXEC;
		at += n;
		offset += (size_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* The header and program headers of both classes, in the larger format. */
struct elf_headers {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[SEGMENTS_MAX];
};

static void widen_ehdr(const Elf32_Ehdr *from, Elf64_Ehdr *to)
{
	to->e_phoff = from->e_phoff;
	to->e_shoff = from->e_shoff;
	to->e_phentsize = from->e_phentsize;
	to->e_phnum = from->e_phnum;
	to->e_shentsize = from->e_shentsize;
	to->e_shnum = from->e_shnum;
	to->e_shstrndx = from->e_shstrndx;
}

static int read_phdrs(int fd, bool is_64, struct elf_headers *headers)
{
	const Elf64_Ehdr *ehdr = &headers->ehdr;

	if (ehdr->e_phnum > SEGMENTS_MAX ||
	    ehdr->e_phentsize != (is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return -ENOEXEC;
	if (is_64)
		return read_at(fd, headers->phdrs, ehdr->e_phnum * sizeof(Elf64_Phdr),
			       ehdr->e_phoff);

	Elf32_Phdr narrow[SEGMENTS_MAX];
	int err = read_at(fd, narrow, ehdr->e_phnum * sizeof(Elf32_Phdr), ehdr->e_phoff);
	for (size_t i = 0; i < ehdr->e_phnum && !err; i++)
		headers->phdrs[i] = (Elf64_Phdr){ .p_type = narrow[i].p_type,
						  .p_offset = narrow[i].p_offset,
						  .p_filesz = narrow[i].p_filesz,
						  .p_align = narrow[i].p_align };
	return err;
}

static int read_headers(int fd, struct elf_headers *headers)
{
	union {
		Elf64_Ehdr ehdr;
		Elf32_Ehdr narrow;
	} file;

	int err = read_at(fd, &file, sizeof(file.narrow), 0);
	if (err)
		return err;
	if (memcmp(file.ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.ehdr.e_ident[EI_DATA] !=
		    (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return -ENOEXEC;
	bool is_64 = file.ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	if (is_64)
		err = read_at(fd, &file, sizeof(file.ehdr), 0);
	if (err)
		return err;
	headers->ehdr = file.ehdr;
	if (!is_64)
		widen_ehdr(&file.narrow, &headers->ehdr);
	return read_phdrs(fd, is_64, headers);
}

int elf_read_build_id(int fd, struct build_id *build_id_ret)
{
	struct elf_headers headers;
	_cleanup_free_ uint8_t *notes = NULL;

	int err = read_headers(fd, &headers);
	if (err)
		return err;
	for (size_t i = 0; i < headers.ehdr.e_phnum; i++) {
		const Elf64_Phdr *phdr = &headers.phdrs[i];

		if (phdr->p_type != PT_NOTE || phdr->p_filesz > NOTES_MAX || !phdr->p_filesz)
			continue;
		if (!notes)
			notes = malloc(NOTES_MAX);
		if (!notes)
			return -ENOMEM;
		size_t align = phdr->p_align == 8 ? 8 : 4;
		struct build_id build_id = { 0 };
		if (read_at(fd, notes, phdr->p_filesz, phdr->p_offset) == 0 &&
		    elf_notes_build_id(notes, phdr->p_filesz, align, &build_id)) {
			*build_id_ret = build_id;
			return 0;
		}
	}
	return -ENOENT;
}

/* A large file while its extract is made. */
struct extract {
	int fd;
	uint64_t file_size;
	struct elf_headers headers;
	Elf64_Shdr *shdrs;
	uint64_t *old_offsets; /* of sections, shdrs then holds the new ones */
	char *names;
	size_t names_size;
	uint8_t *bytes;
	size_t size;
};

static int read_sections(struct extract *extract)
{
	const Elf64_Ehdr *ehdr = &extract->headers.ehdr;
	size_t n = ehdr->e_shnum;

	if (!n || n > SECTIONS_MAX || ehdr->e_shentsize != sizeof(Elf64_Shdr) ||
	    ehdr->e_shstrndx >= n)
		return -EFBIG;
	extract->shdrs = calloc(n, sizeof(*extract->shdrs));
	extract->old_offsets = calloc(n, sizeof(*extract->old_offsets));
	if (!extract->shdrs || !extract->old_offsets)
		return -ENOMEM;
	int err = read_at(extract->fd, extract->shdrs, n * sizeof(*extract->shdrs), ehdr->e_shoff);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		extract->old_offsets[i] = extract->shdrs[i].sh_offset;

	const Elf64_Shdr *names = &extract->shdrs[ehdr->e_shstrndx];
	if (names->sh_size > NAMES_MAX)
		return -ENOEXEC;
	extract->names_size = names->sh_size;
	extract->names = calloc(1, names->sh_size + 1);
	if (!extract->names)
		return -ENOMEM;
	return read_at(extract->fd, extract->names, names->sh_size, names->sh_offset);
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (strcmp(name, *names) == 0)
			return true;
	}
	return false;
}

static bool has_section(const struct extract *extract, const char *name)
{
	return memmem(extract->names, extract->names_size, name, strlen(name) + 1);
}

/* A Go program's tables and the data by which they are found (cct/object/go/go_pclntab.h,
 * cct/object/go/go_module_data.h). */
static bool is_go_table(const struct extract *extract, const Elf64_Shdr *shdr)
{
	static const char *const tables[] = {
		".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo", ".go.module", ".noptrdata",
		".rodata",    ".data.rel.ro",           ".rela",         ".rela.dyn",  NULL
	};

	return (has_section(extract, ".gopclntab") || has_section(extract, ".go.buildinfo")) &&
	       shdr->sh_size <= GO_TABLE_MAX && is_one_of(extract->names + shdr->sh_name, tables);
}

static bool is_wanted(const struct extract *extract, size_t section)
{
	static const char *const wanted[] = {
		".eh_frame",      ".eh_frame_hdr",  ".debug_frame",  ".symtab",
		".strtab",        ".dynsym",        ".dynstr",       ".dynamic",
		".gnu_debugdata", ".gnu_debuglink", ".plt",          ".plt.got",
		".plt.sec",       ".rela.plt",      ".zdebug_frame", NULL
	};
	const Elf64_Shdr *shdr = &extract->shdrs[section];

	if (shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL || !shdr->sh_size ||
	    shdr->sh_name >= extract->names_size || shdr->sh_offset > extract->file_size ||
	    shdr->sh_size > extract->file_size - shdr->sh_offset)
		return false;
	if (shdr->sh_type == SHT_NOTE || section == extract->headers.ehdr.e_shstrndx)
		return true;
	return is_one_of(extract->names + shdr->sh_name, wanted) || is_go_table(extract, shdr);
}

static uint64_t align_up(uint64_t offset, uint64_t align)
{
	return align > 1 && align <= 4096 && !(align & (align - 1))
		       ? (offset + align - 1) & ~(align - 1)
		       : (offset + 7) & ~(uint64_t)7;
}

/* Lays out the sections in their order after the headers; -EFBIG beyond @max. */
static int place_sections(struct extract *extract, size_t max)
{
	Elf64_Ehdr *ehdr = &extract->headers.ehdr;
	uint64_t at = sizeof(*ehdr) + ehdr->e_phnum * sizeof(Elf64_Phdr);

	for (size_t i = 0; i < ehdr->e_shnum; i++) {
		Elf64_Shdr *shdr = &extract->shdrs[i];

		if (!is_wanted(extract, i)) {
			if (shdr->sh_type != SHT_NULL)
				shdr->sh_type = SHT_NOBITS;
			continue;
		}
		at = align_up(at, shdr->sh_addralign);
		shdr->sh_offset = at;
		at += shdr->sh_size;
		if (at > max)
			return -EFBIG;
	}
	at = align_up(at, 8);
	ehdr->e_phoff = sizeof(*ehdr);
	ehdr->e_shoff = at;
	extract->size = at + ehdr->e_shnum * sizeof(Elf64_Shdr);
	return extract->size > max ? -EFBIG : 0;
}

/* Segments other than PT_LOAD that begin in a section follow it to its new place. */
static void move_segments(struct extract *extract)
{
	for (size_t i = 0; i < extract->headers.ehdr.e_phnum; i++) {
		Elf64_Phdr *phdr = &extract->headers.phdrs[i];

		if (phdr->p_type == PT_LOAD)
			continue;
		for (size_t j = 0; j < extract->headers.ehdr.e_shnum; j++) {
			const Elf64_Shdr *shdr = &extract->shdrs[j];

			if (shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL ||
			    phdr->p_offset != extract->old_offsets[j])
				continue;
			phdr->p_offset = shdr->sh_offset;
			break;
		}
	}
}

static int copy_sections(struct extract *extract)
{
	const Elf64_Ehdr *ehdr = &extract->headers.ehdr;

	extract->bytes = calloc(1, extract->size);
	if (!extract->bytes)
		return -ENOMEM;
	memcpy(extract->bytes, ehdr, sizeof(*ehdr));
	memcpy(extract->bytes + ehdr->e_phoff, extract->headers.phdrs,
	       ehdr->e_phnum * sizeof(Elf64_Phdr));
	memcpy(extract->bytes + ehdr->e_shoff, extract->shdrs, ehdr->e_shnum * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < ehdr->e_shnum; i++) {
		const Elf64_Shdr *shdr = &extract->shdrs[i];

		if (shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL)
			continue;
		int err = read_at(extract->fd, extract->bytes + shdr->sh_offset, shdr->sh_size,
				  extract->old_offsets[i]);
		if (err)
			return err;
	}
	return 0;
}

static int extract_parts(struct extract *extract, size_t max)
{
	if (extract->headers.ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return -EFBIG;
	int err = read_sections(extract);
	if (!err)
		err = place_sections(extract, max);
	if (err)
		return err;
	move_segments(extract);
	return copy_sections(extract);
}

static int extract_whole(struct extract *extract)
{
	extract->size = extract->file_size;
	extract->bytes = malloc(extract->size);
	return extract->bytes ? read_at(extract->fd, extract->bytes, extract->size, 0) : -ENOMEM;
}

int elf_extract(int fd, size_t whole_max, size_t max, uint8_t **bytes_ret, size_t *size_ret)
{
	struct extract extract = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	extract.file_size = (uint64_t)st.st_size;
	int err = read_headers(fd, &extract.headers);
	if (err)
		return err;
	err = extract.file_size <= whole_max ? extract_whole(&extract)
					     : extract_parts(&extract, max);
	if (err == -EFBIG && extract.file_size <= max)
		err = extract_whole(&extract);
	free(extract.shdrs);
	free(extract.old_offsets);
	free(extract.names);
	if (err) {
		free(extract.bytes);
		return err;
	}
	*bytes_ret = extract.bytes;
	*size_ret = extract.size;
	return 0;
}
