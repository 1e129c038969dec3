#include "cct/object/elf_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/printable.h"
#include "cct/object/elf_image.h"

#define NT_STAPSDT 3

static const char owner[] = "stapsdt";

static uint64_t align_up(uint64_t at)
{
	return (at + 3) & ~3ul;
}

/* What a note of a probe holds: three addresses, and three texts. */
static bool read_probe(const uint8_t *desc, size_t size, size_t address_size, uint64_t base,
		       struct elf_probe *ret)
{
	uint64_t addresses[3] = { 0 };
	const char *texts[3];

	if (size < 3 * address_size)
		return false;
	for (size_t i = 0; i < 3; i++)
		memcpy(&addresses[i], desc + i * address_size, address_size);
	desc += 3 * address_size;
	size -= 3 * address_size;
	for (size_t i = 0; i < 3; i++) {
		const size_t length = strnlen((const char *)desc, size);

		texts[i] = (const char *)desc;
		if (length == size || !printable_is_safe(texts[i]))
			return false;
		desc += length + 1;
		size -= length + 1;
	}
	/* Prelink and the like move code without changing notes: the section that says by how much
	 * moves along. */
	const uint64_t moved = base ? base - addresses[1] : 0;
	*ret = (struct elf_probe){
		.provider = texts[0],
		.name = texts[1],
		.arguments = texts[2],
		.offset = addresses[0] + moved,
		.semaphore = addresses[2] ? addresses[2] + moved : 0,
	};
	if (address_size == 4) {
		ret->offset &= UINT32_MAX;
		ret->semaphore &= UINT32_MAX;
	}
	return *ret->provider && *ret->name;
}

static int compare_probes(const void *a, const void *b)
{
	const struct elf_probe *left = a, *right = b;
	int order = strcmp(left->provider, right->provider);

	if (!order)
		order = strcmp(left->name, right->name);
	return order ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

static bool is_probe(const Elf64_Nhdr *note, const uint8_t *name)
{
	return note->n_type == NT_STAPSDT && note->n_namesz == sizeof(owner) &&
	       memcmp(name, owner, sizeof(owner)) == 0;
}

static void parse_notes(const uint8_t *notes, size_t size, size_t address_size, uint64_t base,
			struct elf_probes *probes)
{
	Elf64_Nhdr note; /* the same in both classes */

	for (uint64_t at = 0; at <= size && size - at >= sizeof(note);) {
		memcpy(&note, notes + at, sizeof(note));
		const uint64_t name = at + sizeof(note);
		const uint64_t desc = align_up(name + note.n_namesz);

		if (desc > size || note.n_descsz > size - desc) {
			probes->n_bad++;
			return;
		}
		if (is_probe(&note, notes + name)) {
			if (read_probe(notes + desc, note.n_descsz, address_size, base,
				       &probes->probes[probes->n]))
				probes->n++;
			else
				probes->n_bad++;
		}
		at = align_up(desc + note.n_descsz);
	}
}

int elf_probes_parse(const uint8_t *notes, size_t size, size_t address_size, uint64_t base,
		     struct elf_probes *ret)
{
	/* A note has at least its header and its owner. */
	const size_t most = size / (sizeof(Elf64_Nhdr) + sizeof(owner)) + 1;
	struct elf_probes probes = {
		.texts = malloc(size + 1),
		.probes = calloc(most, sizeof(*probes.probes)),
	};

	if (!probes.texts || !probes.probes) {
		elf_probes_deinit(&probes);
		return -ENOMEM;
	}
	if (size)
		memcpy(probes.texts, notes, size);
	parse_notes((const uint8_t *)probes.texts, size, address_size, base, &probes);
	qsort(probes.probes, probes.n, sizeof(*probes.probes), compare_probes);
	*ret = probes;
	return 0;
}

void elf_probes_deinit(struct elf_probes *probes)
{
	free(probes->probes);
	free(probes->texts);
	*probes = (struct elf_probes){ .n = 0 };
}

/* From addresses to offsets in the file; leaves out what leads to no code. */
static void locate(struct elf_probes *probes, const struct elf_segments *segments)
{
	size_t n = 0;

	for (size_t i = 0; i < probes->n; i++) {
		struct elf_probe probe = probes->probes[i];
		const struct elf_segment *segment = elf_segments_at_vaddr(segments, probe.offset);

		if (!segment || !segment->is_executable ||
		    (probe.semaphore &&
		     !elf_segments_to_offset(segments, probe.semaphore, &probe.semaphore))) {
			probes->n_bad++;
			continue;
		}
		probe.offset = probe.offset - segment->vaddr + segment->offset;
		probes->probes[n++] = probe;
	}
	probes->n = n;
}

static int read_elf(Elf *elf, struct elf_probes *ret)
{
	struct elf_section notes, base;
	struct elf_segments segments;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -EINVAL;
	const bool is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
	const Elf_Data *bytes =
		elf_find_section(elf, ".note.stapsdt", &notes) ? elf_section_bytes(&notes) : NULL;
	const bool has_base = elf_find_section(elf, ".stapsdt.base", &base);
	int err = elf_probes_parse(bytes ? bytes->d_buf : NULL, bytes ? bytes->d_size : 0,
				   is_64 ? 8 : 4, has_base ? base.header.sh_addr : 0, ret);
	if (err)
		return err;
	ret->machine = is_64 || header.e_machine == EM_386 ? header.e_machine : EM_NONE;
	err = elf_segments_init(&segments, elf);
	if (err) {
		elf_probes_deinit(ret);
		return err;
	}
	locate(ret, &segments);
	elf_segments_deinit(&segments);
	return 0;
}

int elf_probes_read(const char *path, struct elf_probes *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int err = elf ? read_elf(elf, ret) : -EINVAL;

	elf_end(elf);
	close(fd);
	return err;
}
