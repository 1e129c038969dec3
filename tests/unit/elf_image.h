/* A tiny ELF file in a memfd: code at offset and address 0x1000, and hand-made CFI for it. */
#ifndef TESTS_ELF_IMAGE_H
#define TESTS_ELF_IMAGE_H

#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_START 0x1000
#define CODE_SIZE  0x100

struct elf_image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[1];
	Elf64_Shdr sections[3];
	char names[32];
	uint8_t cfi[512];
	uint8_t padding[CODE_START - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr) -
			3 * sizeof(Elf64_Shdr) - 32 - 512];
	uint8_t code[CODE_SIZE];
};
static_assert(offsetof(struct elf_image, code) == CODE_START, "offsets are addresses");

struct cfi_bytes {
	uint8_t *bytes;
	size_t n;
};

static inline void put(struct cfi_bytes *cfi, const void *bytes, size_t n)
{
	memcpy(cfi->bytes + cfi->n, bytes, n);
	cfi->n += n;
}

static inline void put_u32(struct cfi_bytes *cfi, uint32_t value)
{
	put(cfi, &value, sizeof(value));
}

static inline void put_u64(struct cfi_bytes *cfi, uint64_t value)
{
	put(cfi, &value, sizeof(value));
}

/* Fills up with DW_CFA_nop, and sets the length of the entry that begins at @start. */
static inline void end_entry(struct cfi_bytes *cfi, size_t start)
{
	while (cfi->n % 8)
		cfi->bytes[cfi->n++] = 0;
	uint32_t length = (uint32_t)(cfi->n - start - 4);
	memcpy(cfi->bytes + start, &length, sizeof(length));
}

/*
 * One FDE for [@start, @start + @size) with @program, after a CIE that has CFA = rsp + 8 and the
 * return address below; on arm64 CFA = sp. @is_signal: augmentation "zRS", else "zR"; none in
 * .debug_frame.
 */
static inline void elf_image_add_fde(struct elf_image *image, uint64_t start, uint64_t size,
				     bool is_signal, const void *program, size_t program_size)
{
	bool is_eh_frame = !strcmp(image->names + 1, ".eh_frame");
	struct cfi_bytes cfi = { image->cfi, image->sections[1].sh_size };
	static const uint8_t initial[] = { 0x0c, 7, 8, 0x80 | 16, 1 };
	static const uint8_t initial_aarch64[] = { 0x0c, 31, 0 };
	bool is_aarch64 = image->header.e_machine == EM_AARCH64;
	size_t cie = cfi.n;

	put_u32(&cfi, 0);
	put_u32(&cfi, is_eh_frame ? 0 : UINT32_MAX);
	put(&cfi, "\1", 1);
	if (!is_eh_frame)
		put(&cfi, "\0", 1);
	else if (is_signal)
		put(&cfi, "zRS", 4);
	else
		put(&cfi, "zR", 3);
	put(&cfi, "\1\x78", 2);                     /* factors 1 and -8 */
	put(&cfi, is_aarch64 ? "\x1e" : "\x10", 1); /* the return address's column */
	if (is_eh_frame)
		put(&cfi, "\1\0", 2); /* absolute pointers */
	if (is_aarch64)
		put(&cfi, initial_aarch64, sizeof(initial_aarch64));
	else
		put(&cfi, initial, sizeof(initial));
	end_entry(&cfi, cie);

	size_t fde = cfi.n;
	put_u32(&cfi, 0);
	put_u32(&cfi, is_eh_frame ? (uint32_t)(cfi.n - cie) : (uint32_t)cie);
	put_u64(&cfi, start);
	put_u64(&cfi, size);
	if (is_eh_frame)
		put(&cfi, "\0", 1);
	put(&cfi, program, program_size);
	end_entry(&cfi, fde);
	image->sections[1].sh_size = cfi.n;
}

/* @section: ".eh_frame" or ".debug_frame". */
static inline void elf_image_init(struct elf_image *image, const char *section)
{
	memset(image, 0, sizeof(*image));
	image->header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct elf_image, segments),
		.e_shoff = offsetof(struct elf_image, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	image->segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					   .p_flags = PF_R | PF_X,
					   .p_offset = CODE_START,
					   .p_vaddr = CODE_START,
					   .p_filesz = CODE_SIZE,
					   .p_memsz = CODE_SIZE,
					   .p_align = 0x1000 };
	image->sections[1] = (Elf64_Shdr){ .sh_name = 1,
					   .sh_type = SHT_PROGBITS,
					   .sh_offset = offsetof(struct elf_image, cfi) };
	image->sections[2] = (Elf64_Shdr){ .sh_name = 1,
					   .sh_type = SHT_STRTAB,
					   .sh_offset = offsetof(struct elf_image, names),
					   .sh_size = sizeof(image->names) };
	strcpy(image->names + 1, section);
}

/* -1: not possible. */
static inline int elf_image_to_fd(const struct elf_image *image)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, image, sizeof(*image)) != sizeof(*image)) {
		close(fd);
		return -1;
	}
	return fd;
}

#endif
