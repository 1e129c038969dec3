/*
 * CFI in an ELF file whose frame is in order: what a file of random bytes seldom gets to.
 *
 * Input: struct plan, then bytes that are divided among the parts that the plan wants to be
 * hostile: instructions and expressions of an FDE, whole sections, the search table, compressed
 * sections.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/cfi/cfi.h"

#define TEXT_VADDR 0x1000
#define TEXT_SIZE  0x110
#define PART_MAX   2048
#define N_WORDS    64

enum part { FRAMES, TABLE, DEBUG_FRAME, PACKED, N_PARTS };

enum shape {
	RAW,         /* the bytes are .eh_frame */
	PROGRAM,     /* they are an FDE's instructions */
	INITIAL,     /* half of them are the CIE's */
	EXPRESSIONS, /* they are the expression of the CFA, then of registers */
	N_SHAPES
};

struct plan {
	uint8_t shape;
	uint8_t is_32_bit : 1, has_table : 1, has_debug_frame : 1, is_compressed : 1,
		is_gnu_compressed : 1, has_packed : 1, is_signal_frame : 1, has_no_sections : 1;
	uint8_t n_fdes, augmentation;
	uint16_t sizes[N_PARTS]; /* of the hostile bytes, shares */
	uint32_t regs_seed;
};

struct bytes {
	uint8_t at[PART_MAX + 1024];
	size_t size;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(struct bytes *into, const void *bytes, size_t size)
{
	if (size > sizeof(into->at) - into->size)
		size = sizeof(into->at) - into->size;
	memcpy(into->at + into->size, bytes, size);
	into->size += size;
}

static void put_number(struct bytes *into, uint64_t value, size_t size)
{
	put(into, &value, size);
}

static void put_uleb(struct bytes *into, uint64_t value)
{
	do {
		put_number(into, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

static void end_entry(struct bytes *into, size_t start)
{
	while (into->size % 8 && into->size < sizeof(into->at))
		into->at[into->size++] = 0;
	uint32_t length = (uint32_t)(into->size - start - 4);
	memcpy(into->at + start, &length, sizeof(length));
}

static void put_cie(struct bytes *into, const struct plan *plan, const uint8_t *initial,
		    size_t size)
{
	static const char *const augmentations[] = { "zR", "zRS", "zPLR", "zRB" };
	const char *augmentation = augmentations[plan->augmentation % 4];
	uint8_t sp = plan->is_32_bit ? 4 : 7, ra = plan->is_32_bit ? 8 : 16;
	uint8_t data_factor = plan->is_32_bit ? 0x7c : 0x78;
	size_t start = into->size;

	put_number(into, 0, 8);
	put_number(into, 1, 1);
	put(into, augmentation, strlen(augmentation) + 1);
	put_number(into, 1, 1);
	put_number(into, data_factor, 1);
	put_number(into, ra, 1);
	if (augmentation[1] == 'P')
		put(into, "\7\x1b\0\0\0\0\x1b\x1b", 8);
	else
		put(into, "\1\x1b", 2);
	const uint8_t rows[] = { 0x0c, sp, (uint8_t)(plan->is_32_bit ? 4 : 8), (uint8_t)(0x80 | ra),
				 1 };
	put(into, rows, sizeof(rows));
	put(into, initial, size);
	end_entry(into, start);
}

/* As DW_CFA_def_cfa_expression, then DW_CFA_expression for register after register. */
static void put_expressions(struct bytes *into, const uint8_t *bytes, size_t size)
{
	for (unsigned i = 0; i < 8 && size; i++) {
		size_t n = bytes[0] % size;

		put_number(into, i == 0 ? 0x0f : i % 2 ? 0x10 : 0x16, 1);
		if (i)
			put_uleb(into, i * 3 % 17);
		put_uleb(into, n);
		put(into, bytes + 1, n < size - 1 ? n : size - 1);
		bytes += n + 1 < size ? n + 1 : size;
		size -= n + 1 < size ? n + 1 : size;
	}
}

static void put_fde(struct bytes *into, const struct plan *plan, unsigned i, uint64_t vaddr,
		    const uint8_t *program, size_t size)
{
	size_t start = into->size;

	put_number(into, 0, 4);
	put_number(into, start + 4, 4);
	put_number(into, TEXT_VADDR + i * 0x10ull - (vaddr + into->size), 4);
	put_number(into, 0x10, 4);
	put_number(into, 0, 1);
	if (plan->shape % N_SHAPES == EXPRESSIONS)
		put_expressions(into, program, size);
	else
		put(into, program, size);
	end_entry(into, start);
}

static void make_frames(struct bytes *into, const struct plan *plan, uint64_t vaddr,
			const uint8_t *bytes, size_t size)
{
	unsigned n = 1 + plan->n_fdes % 16;
	size_t initial = plan->shape % N_SHAPES == INITIAL ? size / 2 : 0;

	if (plan->shape % N_SHAPES == RAW) {
		put(into, bytes, size);
		return;
	}
	put_cie(into, plan, bytes, initial);
	bytes += initial;
	size -= initial;
	for (unsigned i = 0; i < n; i++)
		put_fde(into, plan, i, vaddr, bytes + size / n * i, size / n);
	put_number(into, 0, 4);
}

/* A file: headers, then the parts one after the other, each 8-aligned. */
struct file {
	uint8_t bytes[4 * (PART_MAX + 1024) + TEXT_VADDR + TEXT_SIZE + 8192];
	size_t size;
	struct bytes parts[N_PARTS];
	uint64_t places[N_PARTS];
};

static const char names[] = "\0.eh_frame\0.eh_frame_hdr\0.debug_frame\0.zdebug_frame\0"
			    ".gnu_debugdata\0.shstrtab";

static uint32_t name_of(const char *name)
{
	for (uint32_t at = 1; at < sizeof(names); at += (uint32_t)strlen(names + at) + 1)
		if (!strcmp(names + at, name))
			return at;
	abort();
}

static void place_parts(struct file *file)
{
	file->size = TEXT_VADDR + TEXT_SIZE;
	for (unsigned i = 0; i < N_PARTS; i++) {
		file->size = (file->size + 7) & ~(size_t)7;
		file->places[i] = file->size;
		memcpy(file->bytes + file->size, file->parts[i].at, file->parts[i].size);
		file->size += file->parts[i].size;
	}
}

static void put_section(struct file *file, bool is_32_bit, const char *name, uint64_t place,
			uint64_t size, uint64_t flags)
{
	const uint32_t type = strcmp(name, ".shstrtab") ? SHT_PROGBITS : SHT_STRTAB;
	const Elf64_Shdr wide = { .sh_name = *name ? name_of(name) : 0,
				  .sh_type = *name ? type : SHT_NULL,
				  .sh_flags = flags,
				  .sh_addr = flags & SHF_ALLOC ? place : 0,
				  .sh_offset = place,
				  .sh_size = size,
				  .sh_addralign = 1 };
	const Elf32_Shdr narrow = { .sh_name = wide.sh_name,
				    .sh_type = wide.sh_type,
				    .sh_flags = (uint32_t)wide.sh_flags,
				    .sh_addr = (uint32_t)wide.sh_addr,
				    .sh_offset = (uint32_t)wide.sh_offset,
				    .sh_size = (uint32_t)wide.sh_size,
				    .sh_addralign = 1 };

	memcpy(file->bytes + file->size, is_32_bit ? (const void *)&narrow : (const void *)&wide,
	       is_32_bit ? sizeof(narrow) : sizeof(wide));
	file->size += is_32_bit ? sizeof(narrow) : sizeof(wide);
}

/* How many sections there are. */
static uint16_t put_sections(struct file *file, const struct plan *plan, uint64_t names_at)
{
	bool is_32 = plan->is_32_bit, is_gnu = plan->is_gnu_compressed;
	uint64_t packed_flag = plan->is_compressed && !is_gnu ? SHF_COMPRESSED : 0;

	put_section(file, is_32, "", 0, 0, 0);
	put_section(file, is_32, ".shstrtab", names_at, sizeof(names), 0);
	put_section(file, is_32, ".eh_frame", file->places[FRAMES], file->parts[FRAMES].size,
		    SHF_ALLOC);
	put_section(file, is_32, ".eh_frame_hdr", file->places[TABLE],
		    plan->has_table ? file->parts[TABLE].size : 0, SHF_ALLOC);
	put_section(file, is_32, is_gnu ? ".zdebug_frame" : ".debug_frame",
		    file->places[DEBUG_FRAME],
		    plan->has_debug_frame ? file->parts[DEBUG_FRAME].size : 0, packed_flag);
	put_section(file, is_32, ".gnu_debugdata", file->places[PACKED],
		    plan->has_packed ? file->parts[PACKED].size : 0, 0);
	return 6;
}

static void put_headers(struct file *file, const struct plan *plan, uint64_t sections,
			uint16_t n_sections)
{
	const Elf64_Ehdr wide = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = n_sections ? sections : 0,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = n_sections,
		.e_shstrndx = n_sections ? 1 : 0,
	};
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_filesz = file->size,
		  .p_memsz = file->size,
		  .p_align = 4096 },
		{ .p_type = PT_GNU_EH_FRAME,
		  .p_offset = file->places[TABLE],
		  .p_vaddr = file->places[TABLE],
		  .p_filesz = file->parts[TABLE].size },
	};

	memcpy(file->bytes, &wide, sizeof(wide));
	memcpy(file->bytes + sizeof(wide), segments, sizeof(segments));
}

static void put_narrow_headers(struct file *file, uint64_t sections, uint16_t n_sections)
{
	const Elf32_Ehdr narrow = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_386,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf32_Ehdr),
		.e_shoff = n_sections ? (uint32_t)sections : 0,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = n_sections,
		.e_shstrndx = n_sections ? 1 : 0,
	};
	const Elf32_Phdr segment = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_filesz = (uint32_t)file->size,
				     .p_memsz = (uint32_t)file->size,
				     .p_align = 4096 };

	memcpy(file->bytes, &narrow, sizeof(narrow));
	memcpy(file->bytes + sizeof(narrow), &segment, sizeof(segment));
}

static void finish_file(struct file *file, const struct plan *plan)
{
	uint64_t names_at = file->size;

	memcpy(file->bytes + names_at, names, sizeof(names));
	file->size = (names_at + sizeof(names) + 7) & ~7ull;
	uint64_t sections = file->size;
	uint16_t n = plan->has_no_sections ? 0 : put_sections(file, plan, names_at);
	if (plan->is_32_bit)
		put_narrow_headers(file, sections, n);
	else
		put_headers(file, plan, sections, n);
}

static void make_file(struct file *file, const struct plan *plan, const uint8_t *data, size_t size)
{
	uint32_t all = 1;

	for (unsigned i = 0; i < N_PARTS; i++)
		all += plan->sizes[i];
	for (unsigned i = 0; i < N_PARTS; i++) {
		size_t n = size * plan->sizes[i] / all;

		n = n > PART_MAX ? PART_MAX : n;
		if (i == FRAMES)
			make_frames(&file->parts[i], plan, TEXT_VADDR + TEXT_SIZE, data, n);
		else
			put(&file->parts[i], data, n);
		data += n;
	}
	place_parts(file);
	finish_file(file, plan);
}

static void apply(const struct plan *plan, const struct arch *arch, const struct rule *rule)
{
	uint64_t words[N_WORDS]; /* addresses in the stack, of code, and nothing */
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = 0x7000,
					  .size = sizeof(words),
					  .is_full = plan->regs_seed & 1,
					  .is_32_bit = arch->pointer_size == 4 };
	struct regs regs = { .pc = TEXT_VADDR };
	bool is_exact = plan->regs_seed & 2;
	enum unwind_end end = N_UNWIND_ENDS;

	for (unsigned i = 0; i < N_WORDS; i++)
		words[i] = i % 3 == 0 ? 0x7000 + i * 8 : i % 3 == 1 ? TEXT_VADDR + i : 0;
	for (unsigned reg = 0; reg < arch->n_regs; reg++)
		if (!(plan->regs_seed >> (reg + 2) & 1))
			regs_set(&regs, reg, 0x7000 + (plan->regs_seed >> reg & 0xff) * 8);
	regs_set(&regs, arch->sp, 0x7000);
	bool ok = rule_apply(rule, arch, &stack, &regs, &is_exact, &end);
	/* What can't go on says why; what goes on does not stay where it is. */
	if (!ok && end >= N_UNWIND_ENDS)
		abort();
	if (ok && !is_exact && regs.values[arch->sp] < 0x7000)
		abort();
}

static void look_up(struct cfi *cfi, const struct plan *plan, const struct arch *arch)
{
	for (uint64_t vaddr = TEXT_VADDR - 1; vaddr <= TEXT_VADDR + TEXT_SIZE; vaddr += 7) {
		struct rule rule, again;

		cfi_find_rule(cfi, arch, vaddr, &rule);
		cfi_find_rule(cfi, arch, vaddr, &again);
		if (rule.kind != again.kind)
			abort();
		if (rule.kind >= RULE_CFA_REGISTER)
			apply(plan, arch, &rule);
		/* A rule comes from somewhere. */
		bool is_described = cfi_section(cfi, vaddr);
		if (rule.kind == RULE_NONE ? is_described : rule.kind != RULE_BAD && !is_described)
			abort();
	}
	cfi_has_any(cfi, 0, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct file file;
	struct plan plan;

	if (size < sizeof(plan))
		return 0;
	memcpy(&plan, data, sizeof(plan));
	memset(&file, 0, sizeof(file));
	make_file(&file, &plan, data + sizeof(plan), size - sizeof(plan));

	elf_version(EV_CURRENT);
	int fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || write(fd, file.bytes, file.size) != (ssize_t)file.size)
		abort();
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct cfi *cfi = elf ? cfi_create(elf, NULL) : NULL;
	if (cfi)
		look_up(cfi, &plan, plan.is_32_bit ? &arch_i386 : &arch_x86_64);
	cfi_destroy(cfi);
	elf_end(elf);
	close(fd);
	return 0;
}
