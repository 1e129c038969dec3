/* Modules that go on in another table, of a copy of this test's own program. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "unwind/code/kept_scans.h"
#include "unwind/modules/elf_modules.h"
#include "unwind/rules/rule.h"

static char directory[] = "/tmp/dendro-test-XXXXXX";
static char path[64];
static struct build_id build_id;
static uint64_t code; /* the offset of a function that has CFI */
static const struct arch *arch;

static void copy_program(void)
{
	char command[128];

	snprintf(command, sizeof(command), "cp -f /proc/%d/exe %s", getpid(), path);
	assert_int_equal(system(command), 0);
}

static uint64_t find_code(Elf *elf)
{
	struct elf_section section;

	assert_true(elf_find_section(elf, ".text", &section));
	return section.header.sh_offset + section.header.sh_size / 2;
}

static int make_program(void **state)
{
	struct utsname machine;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/program", directory);
	copy_program();
	assert_int_equal(uname(&machine), 0);
	arch = arch_find(machine.machine, PERF_SAMPLE_REGS_ABI_64);
	assert_non_null(arch);
	elf_version(EV_CURRENT);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	elf_build_id(elf, &build_id);
	code = find_code(elf);
	elf_end(elf);
	close(fd);
	return 0;
}

static int remove_program(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

/* What one recording finds out. */
struct pass {
	struct module_table table;
	struct elf_modules *elf_modules;
	struct elf_module *module;
	struct rule rule;
};

static void begin(struct pass *pass, struct kept_modules *kept, const struct module_key *key)
{
	assert_int_equal(module_table_init(&pass->table), 0);
	/* Numbers differ from one recording to the next. */
	if (key->path[0] == '/' && kept)
		module_table_add(&pass->table,
				 &(struct module_key){ .kind = MODULE_ELF, .path = "/other" });
	const uint32_t id = module_table_add(&pass->table, key);
	pass->elf_modules = elf_modules_create(&pass->table);
	assert_non_null(pass->elf_modules);
	elf_modules_keep(pass->elf_modules, kept);
	pass->module = elf_modules_get(pass->elf_modules, id);
	assert_non_null(pass->module);
}

static void look_up(struct pass *pass)
{
	memset(&pass->rule, 0, sizeof(pass->rule));
	elf_module_find_rule(pass->module, arch, code, &pass->rule);
}

static void end(struct pass *pass)
{
	elf_modules_destroy(pass->elf_modules);
	module_table_deinit(&pass->table);
}

static uint32_t n_opened(const struct pass *pass)
{
	struct elf_modules_stats stats;

	elf_modules_stats(pass->elf_modules, &stats);
	return stats.n_opened;
}

static struct module_key key_of_program(void)
{
	return (struct module_key){ .kind = MODULE_ELF, .path = path, .build_id = build_id };
}

static void a_file_that_has_not_changed_is_not_opened_again(void **state)
{
	struct kept_modules *kept = kept_modules_create();
	const struct module_key key = key_of_program();
	struct pass alone, first, second;

	(void)state;
	begin(&alone, NULL, &key);
	look_up(&alone);
	assert_int_not_equal(alone.rule.kind, RULE_UNREADABLE);
	begin(&first, kept, &key);
	assert_int_equal(n_opened(&first), 0);
	look_up(&first);
	end(&first);
	begin(&second, kept, &key);
	assert_int_equal(n_opened(&second), 1); /* before the first look-up */
	look_up(&second);
	assert_memory_equal(&first.rule, &alone.rule, sizeof(alone.rule));
	assert_memory_equal(&second.rule, &alone.rule, sizeof(alone.rule));
	end(&second);
	end(&alone);
	kept_modules_destroy(kept);
}

/* Keeps the program's, then does @change, and asks again. Whether it was still kept. */
static bool is_kept_after(const struct module_key *before, void (*change)(void),
			  const struct module_key *after)
{
	struct kept_modules *kept = kept_modules_create();
	struct pass first, second;

	begin(&first, kept, before);
	look_up(&first);
	end(&first);
	if (change)
		change();
	begin(&second, kept, after);
	const bool is_kept = n_opened(&second);
	look_up(&second);
	end(&second);
	kept_modules_destroy(kept);
	return is_kept;
}

static void touch(void)
{
	const struct timespec times[] = { { 1, 0 }, { 1, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void replace(void)
{
	assert_int_equal(unlink(path), 0);
	copy_program();
}

static void truncate_program(void)
{
	assert_int_equal(truncate(path, 4096), 0);
}

static void a_file_that_has_changed_is_opened_again(void **state)
{
	const struct module_key key = key_of_program();

	(void)state;
	assert_true(is_kept_after(&key, NULL, &key));
	assert_false(is_kept_after(&key, touch, &key));
	assert_false(is_kept_after(&key, replace, &key));
	assert_false(is_kept_after(&key, truncate_program, &key));
	copy_program();
}

static void only_the_same_path_and_build_id_are_the_same_file(void **state)
{
	struct module_key key = key_of_program(), other = key, unknown = key;

	(void)state;
	other.build_id.bytes[0] ^= 1;
	assert_false(is_kept_after(&key, NULL, &other));
	other = key;
	other.path = "/nowhere";
	assert_false(is_kept_after(&key, NULL, &other));
	unknown.build_id = (struct build_id){ .size = 0 };
	assert_false(is_kept_after(&unknown, NULL, &unknown));
}

static void a_file_that_was_not_needed_is_not_kept(void **state)
{
	struct kept_modules *kept = kept_modules_create();
	const struct module_key key = key_of_program();
	struct pass first, second;

	(void)state;
	begin(&first, kept, &key);
	end(&first);
	begin(&second, kept, &key);
	assert_int_equal(n_opened(&second), 0);
	end(&second);
	kept_modules_destroy(kept);
}

static void scans_go_on_with_their_file(void **state)
{
	const struct scan_question question = { .arch = arch, .offset = code };
	const struct scan_answer answer = { .way = CODE_CANNOT_LEAD };
	struct kept_modules *kept = kept_modules_create();
	const struct module_key key = key_of_program();
	struct scan_answer got = { .way = CODE_LEADS };
	struct pass alone, first, second, third;

	(void)state;
	begin(&alone, NULL, &key);
	look_up(&alone);
	elf_module_keep_scan(alone.module, &question, &answer);
	assert_false(elf_module_find_scan(alone.module, &question, &got));
	end(&alone);
	begin(&first, kept, &key);
	look_up(&first);
	assert_false(elf_module_find_scan(first.module, &question, &got));
	elf_module_keep_scan(first.module, &question, &answer);
	end(&first);
	begin(&second, kept, &key);
	assert_true(elf_module_find_scan(second.module, &question, &got));
	assert_int_equal(got.way, CODE_CANNOT_LEAD);
	end(&second);
	touch();
	begin(&third, kept, &key);
	assert_false(elf_module_find_scan(third.module, &question, &got));
	end(&third);
	kept_modules_destroy(kept);
	copy_program();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_has_not_changed_is_not_opened_again),
		cmocka_unit_test(a_file_that_has_changed_is_opened_again),
		cmocka_unit_test(only_the_same_path_and_build_id_are_the_same_file),
		cmocka_unit_test(a_file_that_was_not_needed_is_not_kept),
		cmocka_unit_test(scans_go_on_with_their_file),
	};

	return cmocka_run_group_tests(tests, make_program, remove_program);
}
