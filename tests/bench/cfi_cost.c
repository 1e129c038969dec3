/*
 * cfi_cost FILE...: what it costs to get rules from ELF files. For each file: the first look-up,
 * with what it read of the file; then a look-up at every 64 bytes of code, the slowest of them, and
 * the memory that is held at the end. cfi_cost --generate HEADER|NO-HEADER FILE writes a file of
 * 200 MiB with a million FDEs to try it on.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind/modules/elf_modules.h"
#include "unwind/rules/rule.h"

#define N_FUNCTIONS   1000000
#define FUNCTION_SIZE 192
#define STRIDE        64

/* An FDE of one row after the prologue's push; "zR", addresses relative. */
struct cie {
	uint32_t length, id;
	uint8_t bytes[16];
};
struct fde {
	uint32_t length, cie_distance;
	int32_t start;
	uint32_t size;
	uint8_t bytes[8];
};
static const struct cie the_cie = {
	.length = sizeof(struct cie) - 4,
	.bytes = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1 },
};

struct layout {
	uint64_t text, frames, header, names, sections, end;
};

static struct layout lay_out(void)
{
	struct layout layout = { .text = 4096 };

	layout.frames = layout.text + (uint64_t)N_FUNCTIONS * FUNCTION_SIZE;
	layout.header = layout.frames + sizeof(struct cie) + N_FUNCTIONS * sizeof(struct fde) + 4;
	layout.names = layout.header + 12 + (uint64_t)N_FUNCTIONS * 8;
	layout.sections = (layout.names + 64 + 7) & ~7ull;
	layout.end = layout.sections + 4 * sizeof(Elf64_Shdr);
	return layout;
}

static void write_frames(FILE *file, const struct layout *at)
{
	fseek(file, (long)at->frames, SEEK_SET);
	fwrite(&the_cie, sizeof(the_cie), 1, file);
	for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
		uint64_t here = at->frames + sizeof(the_cie) + i * sizeof(struct fde);
		struct fde fde = {
			.length = sizeof(fde) - 4,
			.cie_distance = (uint32_t)(here + 4 - at->frames),
			.start = (int32_t)(at->text + (uint64_t)i * FUNCTION_SIZE - (here + 8)),
			.size = FUNCTION_SIZE,
			.bytes = { 0, 0x41, 0x0e, 16, 0x86, 2 },
		};

		fwrite(&fde, sizeof(fde), 1, file);
	}
}

static void write_header(FILE *file, const struct layout *at)
{
	int32_t frames = (int32_t)(at->frames - (at->header + 4));
	uint32_t n = N_FUNCTIONS;

	fseek(file, (long)at->header, SEEK_SET);
	fwrite("\1\x1b\3\x3b", 4, 1, file);
	fwrite(&frames, sizeof(frames), 1, file);
	fwrite(&n, sizeof(n), 1, file);
	for (uint32_t i = 0; i < n; i++) {
		int32_t entry[2] = {
			(int32_t)(at->text + (uint64_t)i * FUNCTION_SIZE - at->header),
			(int32_t)(at->frames + sizeof(the_cie) + i * sizeof(struct fde) -
				  at->header),
		};

		fwrite(entry, sizeof(entry), 1, file);
	}
}

static void write_sections(FILE *file, const struct layout *at, bool has_header)
{
	static const char names[64] = "\0.eh_frame\0.eh_frame_hdr\0.shstrtab";
	const Elf64_Shdr sections[4] = {
		[1] = { .sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = at->frames,
			.sh_offset = at->frames,
			.sh_size = at->header - at->frames },
		[2] = { .sh_name = has_header ? 11 : 0,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = at->header,
			.sh_offset = at->header,
			.sh_size = at->names - at->header },
		[3] = { .sh_name = 25,
			.sh_type = SHT_STRTAB,
			.sh_offset = at->names,
			.sh_size = sizeof(names) },
	};

	fseek(file, (long)at->names, SEEK_SET);
	fwrite(names, sizeof(names), 1, file);
	fseek(file, (long)at->sections, SEEK_SET);
	fwrite(sections, sizeof(sections), 1, file);
}

static int generate(const char *path, bool has_header)
{
	const struct layout at = lay_out();
	const Elf64_Phdr load = { .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_filesz = at.names,
				  .p_memsz = at.names,
				  .p_align = 4096 };
	const Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_shoff = at.sections,
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(load),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 3,
	};
	FILE *file = fopen(path, "we");

	if (!file)
		return 1;
	fwrite(&ehdr, sizeof(ehdr), 1, file);
	fwrite(&load, sizeof(load), 1, file);
	write_frames(file, &at);
	write_header(file, &at);
	write_sections(file, &at, has_header);
	return fclose(file) ? 1 : 0;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double anonymous_mib(void)
{
	unsigned long pages = 0, shared = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%*u %lu %lu", &pages, &shared) != 2)
			pages = shared = 0;
		fclose(file);
	}
	return (double)(pages - shared) * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static double file_mib(void)
{
	unsigned long shared = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%*u %*u %lu", &shared) != 1)
			shared = 0;
		fclose(file);
	}
	return (double)shared * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* The largest executable segment, in file offsets. */
static bool find_text(const char *path, uint64_t *start_ret, uint64_t *end_ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	bool found = false;
	GElf_Phdr phdr;

	for (int i = 0; elf && gelf_getphdr(elf, i, &phdr); i++) {
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) ||
		    (found && phdr.p_filesz <= *end_ret - *start_ret))
			continue;
		*start_ret = phdr.p_offset;
		*end_ret = phdr.p_offset + phdr.p_filesz;
		found = true;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

static void measure(const char *path)
{
	struct module_table modules;
	struct module_key key = { .kind = MODULE_ELF, .path = path };
	uint64_t start, end;
	struct rule rule;

	elf_version(EV_CURRENT);
	if (!find_text(path, &start, &end) || module_table_init(&modules))
		return;
	struct elf_modules *elf_modules = elf_modules_create(&modules);
	uint32_t id = module_table_add(&modules, &key);
	double memory = anonymous_mib(), mapped = file_mib(), began = now_ms();
	struct elf_module *module = elf_modules_get(elf_modules, id);
	elf_module_find_rule(module, arch_find("x86_64", 2), start + (end - start) / 2, &rule);
	double first = now_ms() - began;
	printf("%-28s first look-up %7.2f ms, %6.1f MiB of the file touched, %5.1f MiB of memory\n",
	       path, first, file_mib() - mapped, anonymous_mib() - memory);

	double slowest = 0, all = now_ms();
	size_t n = 0, n_rows = 0;
	for (uint64_t at = start; at < end; at += STRIDE, n++) {
		began = now_ms();
		elf_module_find_rule(module, arch_find("x86_64", 2), at, &rule);
		double took = now_ms() - began;
		slowest = took > slowest ? took : slowest;
		n_rows += rule.kind != RULE_NONE;
	}
	all = now_ms() - all;
	double text = (double)(end - start) / (1 << 20);
	printf("%-28s %.1f MiB of code, %zu rows read of %zu requested, %.0f ns each, slowest %.2f "
	       "ms; "
	       "%.3f MiB of memory per MiB of code\n",
	       "", text, n_rows, n, all * 1e6 / (double)n, slowest,
	       (anonymous_mib() - memory) / text);
	elf_modules_destroy(elf_modules);
	module_table_deinit(&modules);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--generate"))
		return generate(argv[3], !strcmp(argv[2], "HEADER"));
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return 0;
}
