#include "perf/kernel/passing_symbols.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/kernel/bpf.h"
#include "perf/kernel/btf.h"

#define NAME_SIZE   512 /* KSYM_NAME_LEN since Linux 6.1 */
#define MODULE_SIZE 56  /* MODULE_NAME_LEN */
#define SYMBOLS_MAX 65536

/* kernel/kallsyms.c, struct kallsym_iter. */
struct image {
	uint64_t pos;
	uint64_t modules_end; /* after the modules' symbols: the position that followed them */
	uint64_t ftrace_end, bpf_end;
	uint64_t value;
	uint32_t name_offset;
	char type;
	char name[NAME_SIZE];
	char module[MODULE_SIZE];
	int32_t is_exported, shows_value;
};
static_assert(offsetof(struct image, name) == 45 && offsetof(struct image, module) == 557 &&
		      sizeof(struct image) == 624,
	      "layout of the kernel");

enum { R0, R1, R2, R3, R6 = 6, R7, R8 };
enum label { HAVE_SYMBOL, IS_PASSING };

static void return_zero(struct bpf_code *code)
{
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}

/* R6: the context, with struct bpf_iter__ksym; R7: the symbol; R8: the map's value. */
static void choose_symbol(struct bpf_code *code, int map_fd)
{
	bpf_move(code, R6, R1);
	bpf_load(code, R7, R6, 8);
	bpf_jump_value(code, BPF_JNE, R7, 0, HAVE_SYMBOL);
	return_zero(code); /* it is called once more after the last symbol */
	bpf_label(code, HAVE_SYMBOL);
	bpf_load(code, R1, R7, offsetof(struct image, modules_end));
	bpf_jump_value(code, BPF_JNE, R1, 0, IS_PASSING);
	return_zero(code);
	bpf_label(code, IS_PASSING);
	bpf_find_value(code, map_fd);
	bpf_move(code, R8, R0);
}

static void write_program(struct bpf_code *code, int map_fd)
{
	choose_symbol(code, map_fd);
	bpf_move(code, R1, R8);
	bpf_move_value(code, R2, sizeof(struct image));
	bpf_move(code, R3, R7);
	bpf_call(code, BPF_READ_KERNEL);
	bpf_load(code, R1, R6, 0);
	bpf_load(code, R1, R1, 0); /* of struct bpf_iter_meta: the file */
	bpf_move(code, R2, R8);
	bpf_move_value(code, R3, sizeof(struct image));
	bpf_call(code, BPF_SEQ_WRITE);
	return_zero(code);
}

int passing_symbols_find_iterator(uint32_t *function_id_ret)
{
	struct file_text btf = { .bytes = NULL };
	uint32_t id, size;
	int err = btf_read_kernel(&btf);

	if (!err)
		err = btf_find_structure(btf.bytes, btf.size, "kallsym_iter", &size);
	if (!err && size != sizeof(struct image))
		err = -EOPNOTSUPP;
	if (!err)
		err = btf_find_function(btf.bytes, btf.size, "bpf_iter_ksym", &id);
	free(btf.bytes);
	if (!err)
		*function_id_ret = id;
	return err;
}

/* 0 at the end, and no more than a whole image. */
static ssize_t read_image(int fd, struct image *image)
{
	size_t n = 0;

	while (n < sizeof(*image)) {
		ssize_t got = read(fd, (char *)image + n, sizeof(*image) - n);

		/* EAGAIN: it has skipped a million symbols. */
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (!got)
			return n ? -EIO : 0;
		n += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)n;
}

static int add_line(struct file_text *text, const struct image *image)
{
	int err = file_text_reserve(text, NAME_SIZE + MODULE_SIZE + 32);

	if (err)
		return err;
	text->size +=
		(size_t)snprintf(text->bytes + text->size, text->n_allocated - text->size,
				 "%016" PRIx64 " %c %.*s\t[%.*s]\n", image->value, image->type,
				 NAME_SIZE - 1, image->name, MODULE_SIZE - 1, image->module);
	return 0;
}

/* The program is called once more at the end, with the remains of the symbol before. */
static bool is_end(const struct image *image, const struct image *before)
{
	static const char last_module[] = "__builtin__kprobes";

	static_assert(sizeof(last_module) <= MODULE_SIZE, "it has room, with its zero");
	return strncmp(image->module, last_module, sizeof(last_module)) == 0 &&
	       (!before->type || (image->value == before->value &&
				  strncmp(image->name, before->name, NAME_SIZE) == 0));
}

static int read_symbols(int program_fd, struct file_text *text)
{
	_cleanup_close_ int fd = bpf_open_iterator(program_fd);
	struct image image, before = { .type = '\0' };
	ssize_t n = 1;
	int err = fd < 0 ? fd : file_text_reserve(text, 1);

	if (err)
		return err;
	text->bytes[0] = '\0';
	for (size_t i = 0; !err && n > 0 && i < SYMBOLS_MAX; i++, before = image) {
		n = read_image(fd, &image);
		if (n > 0 && !is_end(&image, &before))
			err = add_line(text, &image);
	}
	return n < 0 ? (int)n : err;
}

int passing_symbols_read(uint32_t function_id, struct file_text *text_ret)
{
	struct bpf_code code = { .n = 0 };
	_cleanup_close_ int map_fd = bpf_create_map(BPF_MAP_TYPE_ARRAY, sizeof(struct image), 1);

	text_ret->size = 0;
	if (map_fd < 0)
		return map_fd;
	write_program(&code, map_fd);
	_cleanup_close_ int program_fd =
		bpf_load_iterator(&code, function_id, PASSING_SYMBOLS_PROGRAM);
	return program_fd < 0 ? program_fd : read_symbols(program_fd, text_ret);
}
