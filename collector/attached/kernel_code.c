#include "collector/attached/kernel_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define BPF_TAG     "\t[bpf]"
#define BPF_PROGRAM "bpf_prog_"
#define BUILTIN_TAG "\t[__builtin__"

/* Lines with a tag, which kernel modules have too. */
struct tagged {
	struct kernel_code *lines;
	size_t n, n_allocated;
};

static int add_line(struct tagged *tagged, const struct kernel_code *line)
{
	if (array_reserve(tagged->lines, tagged->n, tagged->n_allocated, 1))
		return -ENOMEM;
	tagged->lines[tagged->n++] = *line;
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* "ffffffffc0201000 t name\t[tag]" */
static bool parse_line(const char *line, const char *tab, struct kernel_code *code)
{
	char *end;

	*code = (struct kernel_code){ .addr = strtoull(line, &end, 16) };
	if (!code->addr || tab - end < 4 || end[0] != ' ' || end[2] != ' ')
		return false;
	code->name = end + 3;
	code->name_size = (size_t)(tab - code->name);
	code->is_bpf = begins(tab, BPF_TAG);
	return code->name_size < KERNEL_CODE_MAX_NAME;
}

static int find_tagged(const char *text, struct tagged *tagged)
{
	int err = 0;

	for (const char *tab = text; !err && (tab = strchr(tab, '\t')); tab++) {
		const char *line = memrchr(text, '\n', (size_t)(tab - text));
		struct kernel_code code;

		if (parse_line(line ? line + 1 : text, tab, &code))
			err = add_line(tagged, &code);
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct kernel_code *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool comes_and_goes(const struct kernel_code *code)
{
	const char *tab = code->name + code->name_size;

	return code->is_bpf || begins(tab, BUILTIN_TAG);
}

static uint32_t length(const struct tagged *tagged, size_t i)
{
	uint64_t addr = tagged->lines[i].addr, len = KERNEL_CODE_MAX_SIZE;
	size_t next = i + 1;

	while (next < tagged->n && tagged->lines[next].addr == addr)
		next++;
	if (next < tagged->n && tagged->lines[next].addr - addr < len)
		len = tagged->lines[next].addr - addr;
	return (uint32_t)len;
}

int kernel_code_find(const char *text, struct kernel_code_list *list)
{
	struct tagged tagged = { 0 };
	int err = find_tagged(text, &tagged);
	size_t n = 0;

	*list = (struct kernel_code_list){ 0 };
	if (err) {
		free(tagged.lines);
		return err;
	}
	if (tagged.n)
		qsort(tagged.lines, tagged.n, sizeof(*tagged.lines), compare);
	/* What precedes the line at hand is not looked at again. */
	for (size_t i = 0; i < tagged.n; i++) {
		struct kernel_code code = tagged.lines[i];

		if (!comes_and_goes(&code))
			continue;
		code.len = length(&tagged, i);
		tagged.lines[n++] = code;
	}
	*list = (struct kernel_code_list){ .codes = tagged.lines, .n = n };
	return 0;
}

static const struct bpf_function *find_function(const struct bpf_function *functions, size_t n,
						uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (functions[i].addr == addr)
			return &functions[i];
	return NULL;
}

void kernel_code_set_sizes(struct kernel_code_list *list, const struct bpf_function *functions,
			   size_t n_functions)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct kernel_code code = list->codes[i];
		const struct bpf_function *function =
			find_function(functions, n_functions, code.addr);

		if (function)
			code.len = function->size;
		/* Trampolines are not programs. */
		if (function || !code.is_bpf || !begins(code.name, BPF_PROGRAM))
			list->codes[n++] = code;
	}
	list->n = n;
}

void kernel_code_list_deinit(struct kernel_code_list *list)
{
	free(list->codes);
	*list = (struct kernel_code_list){ 0 };
}
