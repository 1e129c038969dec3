#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <zstd.h>

#include <cmocka.h>

#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "tests/unit/fixtures/elf_image.h"

static char directory[] = "/tmp/dendro-test-XXXXXX";
static char path[64], other_path[64];

static const uint8_t note[] = { 4,   0,   0,   0, 8, 0, 0, 0, 3, 0, 0, 0,
				'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 6, 7, 8 };
static const struct build_id recorded_id = { 8, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const struct build_id padded_id = { 20, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const struct build_id other_id = { 8, { 1, 2, 3, 4, 5, 6, 7, 9 } };

/* An ELF file whose code begins with a note, which its only segment or a section points to. */
static struct elf_image image_with_note(bool in_segment)
{
	struct elf_image image;

	elf_image_init(&image, ".note.gnu.build-id");
	memcpy(image.code, note, sizeof(note));
	if (in_segment) {
		image.segments[0].p_type = PT_NOTE;
		image.segments[0].p_filesz = sizeof(note);
		image.segments[0].p_align = 4;
	} else {
		image.sections[1].sh_type = SHT_NOTE;
		image.sections[1].sh_offset = CODE_START;
		image.sections[1].sh_size = sizeof(note);
		image.sections[1].sh_addralign = 4;
	}
	return image;
}

static void write_file(const char *to, const void *bytes, size_t size)
{
	FILE *file = fopen(to, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static int make_files(void **state)
{
	struct elf_image image = image_with_note(true);

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/module", directory);
	snprintf(other_path, sizeof(other_path), "%s/other", directory);
	write_file(path, &image, sizeof(image));
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(path);
	unlink(other_path);
	return rmdir(directory);
}

static enum module_file_state open_state(const struct module *module)
{
	struct module_file file;

	module_file_open(module, &file);
	enum module_file_state state = file.state;
	assert_int_equal(file.elf != NULL, state == MODULE_FILE_OK);
	assert_int_equal(file.fd >= 0, state == MODULE_FILE_OK);
	module_file_close(&file);
	return state;
}

static void build_ids_decide(void **state)
{
	struct module module = { .key = { .kind = MODULE_ELF, .path = path },
				 .located.image_fd = -1 };

	(void)state;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = recorded_id;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.inode = 1; /* is not asked where a build ID is known */
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = padded_id;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = other_id;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
}

static void a_file_that_lost_its_build_id_is_another_file(void **state)
{
	struct module module = { .key = { .kind = MODULE_ELF, .path = other_path },
				 .located.image_fd = -1 };
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	write_file(other_path, &image, sizeof(image));
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = recorded_id;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
}

static void without_a_build_id_device_and_inode_decide(void **state)
{
	struct module module = { .key = { .kind = MODULE_ELF, .path = path },
				 .located.image_fd = -1 };
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	module.key.inode = status.st_ino;
	module.key.dev_major = major(status.st_dev);
	module.key.dev_minor = minor(status.st_dev);
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.inode++;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
	module.key.inode--;
	module.key.dev_minor++;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
}

static void the_captured_image_comes_first(void **state)
{
	struct elf_image image;
	struct module module = { .key = { .kind = MODULE_ELF, .path = "/nowhere" },
				 .located.image_fd = -1 };

	(void)state;
	assert_int_equal(open_state(&module), MODULE_FILE_MISSING);
	elf_image_init(&image, ".eh_frame");
	module.located.image_fd = elf_image_to_fd(&image);
	/* Captured parts may lack the note; they come from the very file. */
	module.key.build_id = recorded_id;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.kind = MODULE_VDSO;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	close(module.located.image_fd);
	module.located.image_fd = -1;
	assert_int_equal(open_state(&module), MODULE_FILE_MISSING);
}

static void the_alternative_path_is_checked_too(void **state)
{
	struct module module = { .key = { .kind = MODULE_ELF, .path = "/nowhere" },
				 .located.image_fd = -1,
				 .located.alternative_path = path };

	(void)state;
	module.key.build_id = recorded_id;
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = other_id;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
	module.key.path = path;
	module.located.alternative_path = directory; /* no file either */
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
}

static void a_file_that_is_not_elf_is_reported(void **state)
{
	struct module module = { .key = { .kind = MODULE_ELF, .path = other_path },
				 .located.image_fd = -1 };

	(void)state;
	write_file(other_path, "#!/bin/sh\n", 10);
	assert_int_equal(open_state(&module), MODULE_FILE_BAD);
	write_file(other_path, "", 0);
	assert_int_equal(open_state(&module), MODULE_FILE_BAD);
	unlink(other_path);
	assert_int_equal(mkfifo(other_path, 0600), 0);
	assert_int_equal(open_state(&module), MODULE_FILE_MISSING);
	module.key.path = directory;
	assert_int_equal(open_state(&module), MODULE_FILE_MISSING);
	unlink(other_path);
}

static void some_modules_have_no_file(void **state)
{
	static const enum module_kind kinds[] = { MODULE_NONE, MODULE_ANON, MODULE_KERNEL };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct module module = { .key = { .kind = kinds[i], .path = path },
					       .located.image_fd = -1 };

		assert_int_equal(open_state(&module), MODULE_FILE_NONE);
	}
}

static void build_ids_are_found_in_segments_and_sections(void **state)
{
	(void)state;
	for (int in_segment = 0; in_segment < 2; in_segment++) {
		struct elf_image image = image_with_note(in_segment);
		struct build_id found;

		elf_version(EV_CURRENT);
		Elf *elf = elf_memory((char *)&image, sizeof(image));
		elf_build_id(elf, &found);
		assert_int_equal(found.size, recorded_id.size);
		assert_memory_equal(found.bytes, recorded_id.bytes, found.size);
		elf_end(elf);
	}
}

static void broken_notes_are_no_build_id(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} cases[] = { { 4, 0xff },   /* longer than the data */
		      { 4, 0 },      /* empty */
		      { 4, 21 },     /* longer than any */
		      { 0, 0xff },   /* name longer than the data */
		      { 8, 1 },      /* another type */
		      { 12, 'X' } }; /* another owner */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_image image = image_with_note(true);
		struct build_id found;

		image.code[cases[i].at] = cases[i].value;
		Elf *elf = elf_memory((char *)&image, sizeof(image));
		elf_build_id(elf, &found);
		assert_int_equal(found.size, 0);
		elf_end(elf);
	}
}

/* This program, whose files are searched in @files. */
static struct module searched_module(struct file_search *files)
{
	return (struct module){ .key = { .kind = MODULE_ELF, .path = path },
				.located.image_fd = -1,
				.located.files = files };
}

static enum module_file_doubt doubt_of(const struct module *module)
{
	struct module_file file;

	module_file_open(module, &file);
	assert_int_equal(file.state, MODULE_FILE_OK);
	const enum module_file_doubt doubt = file.doubt;
	module_file_close(&file);
	return doubt;
}

static void without_a_build_id_a_file_that_was_written_later_is_doubtful(void **state)
{
	struct file_search *files = file_search_create();
	struct module module = searched_module(files);
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	for (int age = -1; age <= 1; age++) {
		for (int has_id = 0; has_id < 2; has_id++) {
			file_search_set_recorded(files, status.st_mtim.tv_sec + age);
			module.key.build_id = has_id ? recorded_id : (struct build_id){ 0 };
			assert_int_equal(doubt_of(&module) == MODULE_FILE_NEWER,
					 age < 0 && !has_id);
		}
	}
	file_search_destroy(files);
}

static void a_file_that_was_written_after_it_was_mapped_is_doubtful(void **state)
{
	struct file_search *files = file_search_create();
	struct module module = searched_module(files);
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	file_search_set_recorded(files, status.st_mtim.tv_sec + 10);
	for (int age = -1; age <= 1; age++) {
		module.located.mapped = status.st_mtim.tv_sec + age;
		assert_int_equal(doubt_of(&module) == MODULE_FILE_NEWER, age < 0);
	}
	file_search_destroy(files);
}

static void a_file_that_ends_too_early_is_cut(void **state)
{
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_offset = 0x100, .p_filesz = 0x80 };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(load),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = 0x180,
		.e_shnum = 2,
	};
	Elf64_Shdr section = { .sh_type = SHT_PROGBITS, .sh_offset = 0x200, .sh_size = 0x10 };
	char image[0x210] = { 0 };

	(void)state;
	memcpy(image, &header, sizeof(header));
	memcpy(image + header.e_phoff, &load, sizeof(load));
	memcpy(image + header.e_shoff + sizeof(section), &section, sizeof(section));
	for (size_t size = sizeof(header) + sizeof(load); size <= sizeof(image); size++) {
		Elf *elf = elf_memory(image, size);

		assert_non_null(elf);
		assert_int_equal(elf_is_cut(elf), size < sizeof(image));
		elf_end(elf);
	}
}

/* Carries @bytes under @key, as an archive does. */
static void carry(struct file_search *files, const char *key, const void *bytes, size_t size)
{
	size_t room = ZSTD_compressBound(size);
	void *packed = malloc(room);
	size_t n = ZSTD_compress(packed, room, bytes, size, 1);
	int fd = memfd_create("packed", MFD_CLOEXEC);

	assert_int_equal(write(fd, packed, n), n);
	assert_int_equal(file_search_carry(files, key, fd), 0);
	close(fd);
	free(packed);
}

static void an_archive_says_what_there_was(void **state)
{
	static const struct {
		const char *text;
		enum module_file_state state;
		int error;
		enum module_file_doubt doubt;
		bool has_file;
	} cases[] = {
		{ "missing 2 - 0\n", MODULE_FILE_MISSING, -2, 0, false },
		{ "changed 0 0102 0\n", MODULE_FILE_CHANGED, 0, 0, false },
		{ "bad 0 - 0\n", MODULE_FILE_BAD, 0, 0, false },
		{ "ok 0 - 1\n", MODULE_FILE_OK, 0, MODULE_FILE_NEWER, true },
		{ "ok 0 - 2\n", MODULE_FILE_OK, 0, MODULE_FILE_COPY, true },
		{ "ok 0 - 3\n", MODULE_FILE_OK, 0, 0, true },
		{ "ok 0 - -1\n", MODULE_FILE_OK, 0, 0, true },
		{ NULL, MODULE_FILE_OK, 0, 0, true },
		/* what contradicts what there is, or itself */
		{ "changed 0 0102 0\n", MODULE_FILE_OK, 0, 0, true },
		{ "ok 0 - 0\n", MODULE_FILE_MISSING, 0, 0, false },
		{ "strange 0 - 0\n", MODULE_FILE_MISSING, 0, 0, false },
		{ "missing", MODULE_FILE_MISSING, 0, 0, false },
		{ "missing -5 - 0\n", MODULE_FILE_MISSING, 0, 0, false },
	};
	struct elf_image image = image_with_note(true);
	char elf_key[128], state_key[128];

	(void)state;
	snprintf(elf_key, sizeof(elf_key), "elf 0102030405060708 0:0:7 %s", path);
	snprintf(state_key, sizeof(state_key), "state 0102030405060708 0:0:7 %s", path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_search *files = file_search_create();
		const struct module module = { .key = { .kind = MODULE_ELF,
							.path = path,
							.inode = 7,
							.build_id = recorded_id },
					       .located.image_fd = -1,
					       .located.files = files };
		struct module_file file;

		file_search_set_complete(files);
		if (cases[i].text)
			carry(files, state_key, cases[i].text, strlen(cases[i].text));
		if (cases[i].has_file)
			carry(files, elf_key, &image, sizeof(image));
		module_file_open(&module, &file);
		assert_int_equal(file.state, cases[i].state);
		assert_int_equal(file.error, cases[i].error);
		assert_int_equal(file.doubt, cases[i].doubt);
		if (file.state == MODULE_FILE_CHANGED)
			assert_int_equal(file.found.size, 2);
		module_file_close(&file);
		file_search_destroy(files);
	}
}

static void a_found_file_is_reported_as_an_archive_reads_it(void **state)
{
	struct file_search *files = file_search_create();
	struct module module = {
		.key = { .kind = MODULE_ELF, .path = path, .inode = 7, .build_id = recorded_id },
		.located.image_fd = -1,
		.located.files = files
	};
	const struct found_file *found;
	size_t n;

	(void)state;
	file_search_keep_found(files);
	assert_int_equal(open_state(&module), MODULE_FILE_OK);
	module.key.build_id = other_id;
	assert_int_equal(open_state(&module), MODULE_FILE_CHANGED);
	assert_int_equal(file_search_list_found(files, &found, &n), 0);
	assert_int_equal(n, 2);
	assert_true(!strncmp(found[0].key, "elf 0102030405060708 0:0:7 /", 28) && found[0].fd >= 0);
	assert_true(!strncmp(found[1].key, "state 0102030405060709 0:0:7 /", 30));
	assert_string_equal(found[1].text, "changed 0 0102030405060708 0\n");
	file_search_destroy(files);
}

static void files_of_debug_information_are_had_by_build_id(void **state)
{
	struct elf_image image = image_with_note(false);
	struct file_search *files = file_search_create();
	const struct module module = { .key = { .kind = MODULE_ELF, .path = "/nowhere" },
				       .located.image_fd = -1,
				       .located.files = files };
	const struct module_file_place place = { .module = &module };
	struct module_file file;

	(void)state;
	module_file_open_build_id(&place, &recorded_id, path, &file);
	assert_int_equal(file.state, MODULE_FILE_OK);
	module_file_close(&file);
	module_file_open_build_id(&place, &other_id, path, &file);
	assert_int_not_equal(file.state, MODULE_FILE_OK);
	module_file_close(&file);
	file_search_set_complete(files);
	module_file_open_build_id(&place, &recorded_id, path, &file);
	assert_int_equal(file.state, MODULE_FILE_MISSING);
	module_file_close(&file);
	carry(files, "debug 0102030405060708", &image, sizeof(image));
	carry(files, "debug 0102030405060709", &image, sizeof(image)); /* it is not */
	module_file_open_build_id(&place, &recorded_id, NULL, &file);
	assert_int_equal(file.state, MODULE_FILE_OK);
	module_file_close(&file);
	module_file_open_build_id(&place, &other_id, NULL, &file);
	assert_int_not_equal(file.state, MODULE_FILE_OK);
	module_file_close(&file);
	file_search_destroy(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_decide),
		cmocka_unit_test(a_file_that_lost_its_build_id_is_another_file),
		cmocka_unit_test(without_a_build_id_device_and_inode_decide),
		cmocka_unit_test(the_captured_image_comes_first),
		cmocka_unit_test(the_alternative_path_is_checked_too),
		cmocka_unit_test(a_file_that_is_not_elf_is_reported),
		cmocka_unit_test(some_modules_have_no_file),
		cmocka_unit_test(build_ids_are_found_in_segments_and_sections),
		cmocka_unit_test(broken_notes_are_no_build_id),
		cmocka_unit_test(without_a_build_id_a_file_that_was_written_later_is_doubtful),
		cmocka_unit_test(a_file_that_was_written_after_it_was_mapped_is_doubtful),
		cmocka_unit_test(a_file_that_ends_too_early_is_cut),
		cmocka_unit_test(an_archive_says_what_there_was),
		cmocka_unit_test(a_found_file_is_reported_as_an_archive_reads_it),
		cmocka_unit_test(files_of_debug_information_are_had_by_build_id),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
