/*
 * The static probes of an ELF file, USDT: places that a program's author has marked, described in
 * the notes of .note.stapsdt (systemtap's sys/sdt.h, version 3:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation).
 *
 * The file may be hostile: the number of probes is bounded by the size of the notes, and notes that
 * make no sense are counted.
 */
#ifndef CCT_OBJECT_ELF_PROBES_H
#define CCT_OBJECT_ELF_PROBES_H

#include <stddef.h>
#include <stdint.h>

/* One site of a probe: several have the same names. */
struct elf_probe {
	const char *provider, *name;
	const char *arguments; /* "4@%edi -8@16(%rsp)" */
	uint64_t offset;       /* of its instruction in the file */
	uint64_t semaphore;    /* offset of its 16-bit counter of those who watch; 0: none */
};

struct elf_probes {
	struct elf_probe *probes; /* sorted by provider, name and offset */
	size_t n;
	size_t n_bad;     /* notes that make no sense, or that lead to no code */
	uint16_t machine; /* EM_*; EM_NONE if addresses have another size than those of the machine
			   */
	char *texts;      /* of the probes */
};

/* 0; -EINVAL: not an ELF file; another -errno. A file without probes has none. */
int elf_probes_read(const char *path, struct elf_probes *ret);
void elf_probes_deinit(struct elf_probes *probes);
/* Likewise of notes in the memory's byte order. @address_size: 4 or 8; @base: the address of
 * .stapsdt.base, 0: there is none. Offsets are addresses then, and ->machine is not set. */
int elf_probes_parse(const uint8_t *notes, size_t size, size_t address_size, uint64_t base,
		     struct elf_probes *ret);

#endif
