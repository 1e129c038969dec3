#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/attached/elf_extract.h"

/* Text, notes, frames and names: a large enough file of each kind of section. */
enum { TEXT_SIZE = 100000, N_SECTIONS = 5, FRAMES_SIZE = 800 };

struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[3];
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t desc[20];
	} note;
	uint8_t frames[FRAMES_SIZE];
	uint8_t text[TEXT_SIZE];
	char names[64];
	Elf64_Shdr shdrs[N_SECTIONS];
};

static uint32_t name_of(const struct image *image, const char *name)
{
	return (uint32_t)((const char *)memmem(image->names, sizeof(image->names), name,
					       strlen(name) + 1) -
			  image->names);
}

static void set_section(struct image *image, size_t index, const char *name, uint32_t type,
			size_t offset, size_t size)
{
	image->shdrs[index] = (Elf64_Shdr){ .sh_name = name_of(image, name),
					    .sh_type = type,
					    .sh_offset = offset,
					    .sh_addr = offset,
					    .sh_size = size,
					    .sh_addralign = 8 };
}

static struct image *image_create(void)
{
	static const char names[] = "\0.note.gnu.build-id\0.eh_frame\0.text\0.shstrtab";
	struct image *image = calloc(1, sizeof(*image));

	memcpy(image->ehdr.e_ident, ELFMAG, SELFMAG);
	image->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	image->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	image->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	image->ehdr.e_type = ET_DYN;
	image->ehdr.e_machine = EM_X86_64;
	image->ehdr.e_version = EV_CURRENT;
	image->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	image->ehdr.e_phoff = offsetof(struct image, phdrs);
	image->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	image->ehdr.e_phnum = 3;
	image->ehdr.e_shoff = offsetof(struct image, shdrs);
	image->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	image->ehdr.e_shnum = N_SECTIONS;
	image->ehdr.e_shstrndx = 4;
	memcpy(image->names, names, sizeof(names));
	image->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					.p_flags = PF_R | PF_X,
					.p_filesz = sizeof(*image),
					.p_memsz = sizeof(*image),
					.p_align = 4096 };
	image->phdrs[1] = (Elf64_Phdr){ .p_type = PT_NOTE,
					.p_offset = offsetof(struct image, note),
					.p_filesz = sizeof(image->note),
					.p_align = 4 };
	image->phdrs[2].p_type = PT_GNU_STACK;
	image->note.header = (Elf64_Nhdr){ 4, 20, NT_GNU_BUILD_ID };
	memcpy(image->note.name, "GNU", 4);
	for (int i = 0; i < 20; i++)
		image->note.desc[i] = (uint8_t)(i + 1);
	memset(image->frames, 0x5a, FRAMES_SIZE);
	memset(image->text, 0xcc, TEXT_SIZE);
	set_section(image, 1, ".note.gnu.build-id", SHT_NOTE, offsetof(struct image, note),
		    sizeof(image->note));
	set_section(image, 2, ".eh_frame", SHT_PROGBITS, offsetof(struct image, frames),
		    FRAMES_SIZE);
	set_section(image, 3, ".text", SHT_PROGBITS, offsetof(struct image, text), TEXT_SIZE);
	set_section(image, 4, ".shstrtab", SHT_STRTAB, offsetof(struct image, names),
		    sizeof(image->names));
	return image;
}

static int to_fd(const void *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static void the_build_id_is_found_in_the_notes(void **state)
{
	struct image *image = image_create();
	struct build_id id;
	int fd = to_fd(image, sizeof(*image));

	(void)state;
	assert_int_equal(elf_read_build_id(fd, &id), 0);
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, image->note.desc, 20);
	close(fd);
	image->phdrs[1].p_type = PT_NULL;
	fd = to_fd(image, sizeof(*image));
	assert_int_equal(elf_read_build_id(fd, &id), -ENOENT);
	close(fd);
	free(image);
}

static void the_build_id_of_a_32_bit_file_is_found_too(void **state)
{
	struct {
		Elf32_Ehdr ehdr;
		Elf32_Phdr phdr;
		Elf32_Nhdr note;
		char name[4];
		uint8_t desc[8];
	} image = {
		.ehdr = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			  .e_phoff = sizeof(Elf32_Ehdr),
			  .e_phentsize = sizeof(Elf32_Phdr),
			  .e_phnum = 1 },
		.phdr = { .p_type = PT_NOTE,
			  .p_offset = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
			  .p_filesz = 24 },
		.note = { 4, 8, NT_GNU_BUILD_ID },
		.name = "GNU",
		.desc = { 9, 8, 7, 6, 5, 4, 3, 2 },
	};
	struct build_id id;
	int fd = to_fd(&image, sizeof(image));

	(void)state;
	assert_int_equal(elf_read_build_id(fd, &id), 0);
	assert_int_equal(id.size, 8);
	assert_memory_equal(id.bytes, image.desc, 8);
	close(fd);
}

static void a_small_file_is_taken_whole(void **state)
{
	struct image *image = image_create();
	int fd = to_fd(image, sizeof(*image));
	uint8_t *bytes;
	size_t size;

	(void)state;
	assert_int_equal(elf_extract(fd, sizeof(*image), 1 << 20, &bytes, &size), 0);
	assert_int_equal(size, sizeof(*image));
	assert_memory_equal(bytes, image, size);
	free(bytes);
	close(fd);
	free(image);
}

static void check_extract(uint8_t *bytes, size_t size)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)bytes, size);
	size_t n_phdrs, names;
	bool has_frames = false;

	assert_non_null(elf);
	assert_int_equal(elf_getphdrnum(elf, &n_phdrs), 0);
	assert_int_equal(n_phdrs, 3);
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr shdr;
		gelf_getshdr(section, &shdr);
		const char *name = elf_strptr(elf, names, shdr.sh_name);
		assert_non_null(name);
		if (strcmp(name, ".text") == 0)
			assert_int_equal(shdr.sh_type, SHT_NOBITS);
		if (strcmp(name, ".eh_frame") != 0)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		assert_int_equal(data->d_size, FRAMES_SIZE);
		assert_int_equal(((uint8_t *)data->d_buf)[FRAMES_SIZE - 1], 0x5a);
		assert_int_equal(shdr.sh_addr, offsetof(struct image, frames));
		has_frames = true;
	}
	assert_true(has_frames);
	GElf_Phdr load;
	gelf_getphdr(elf, 0, &load);
	assert_int_equal(load.p_offset, 0);
	assert_int_equal(load.p_filesz, sizeof(struct image));
	elf_end(elf);
}

static void of_a_large_file_what_unwinding_needs_is_taken(void **state)
{
	struct image *image = image_create();
	int fd = to_fd(image, sizeof(*image));
	struct build_id id;
	uint8_t *bytes;
	size_t size;

	(void)state;
	assert_int_equal(elf_extract(fd, 1000, 1 << 20, &bytes, &size), 0);
	assert_true(size < 3000);
	check_extract(bytes, size);
	int extract_fd = to_fd(bytes, size);
	assert_int_equal(elf_read_build_id(extract_fd, &id), 0);
	assert_int_equal(id.size, 20);
	close(extract_fd);
	free(bytes);
	assert_int_equal(elf_extract(fd, 1000, 1400, &bytes, &size), -EFBIG);
	close(fd);
	free(image);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	static const char *const texts[] = { "", "#!/bin/sh\nexit 0\n", "\177ELF",
					     "\177ELF\2\1\1" };
	struct build_id id;
	uint8_t *bytes;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int fd = to_fd(texts[i], strlen(texts[i]));
		assert_int_equal(elf_read_build_id(fd, &id), -ENOEXEC);
		assert_int_equal(elf_extract(fd, 1000, 1000, &bytes, &size), -ENOEXEC);
		close(fd);
	}
}

/* Any single byte of the headers may be wrong: nothing but an error, or another file, comes. */
static void damaged_headers_do_no_harm(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct image *image = image_create();
	size_t end = offsetof(struct image, frames);
	int fd = to_fd(image, sizeof(*image));
	struct build_id id;
	uint8_t *bytes;
	size_t size;

	(void)state;
	for (size_t i = 0; i < end + sizeof(image->shdrs); i++) {
		size_t at = i < end ? i : i - end + offsetof(struct image, shdrs);
		uint8_t original = ((uint8_t *)image)[at];
		for (size_t v = 0; v < sizeof(values); v++) {
			assert_int_equal(pwrite(fd, &values[v], 1, (off_t)at), 1);
			elf_read_build_id(fd, &id);
			if (elf_extract(fd, 1000, 1 << 20, &bytes, &size) == 0)
				free(bytes);
		}
		assert_int_equal(pwrite(fd, &original, 1, (off_t)at), 1);
	}
	close(fd);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_found_in_the_notes),
		cmocka_unit_test(the_build_id_of_a_32_bit_file_is_found_too),
		cmocka_unit_test(a_small_file_is_taken_whole),
		cmocka_unit_test(of_a_large_file_what_unwinding_needs_is_taken),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
		cmocka_unit_test(damaged_headers_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
