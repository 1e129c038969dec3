#include "collector/record/start/kernel_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/file_text.h"
#include "collector/attached/packer.h"
#include "collector/record/observers/kernel_modules.h"
#include "collector/record/start/kernel_text.h"
#include "collector/record/start/names_cache.h"
#include "perf/kernel/passing_symbols.h"

#define COMPRESSION_LEVEL 1
#define LINE_MAX_SIZE     (KERNEL_MODULE_NAME_SIZE + 32)

struct kernel_snapshot {
	pthread_t thread;
	bool is_joined;
	sem_t has_result;
	bool is_waited_for;
	const struct kernel_snapshot_options *options;
	struct names_key key;
	bool has_key;
	struct file_text text; /* all symbols, or those of code that comes and goes */
	struct kernel_code_text former;
	struct kernel_snapshot_result result;
};

/* What the kernel's text may begin with. */
static const char *const text_symbols[] = { "_text", "_stext" };
#define N_TEXT_SYMBOLS (sizeof(text_symbols) / sizeof(text_symbols[0]))

/* "ffffffff81000000 T _text\n", with another letter on arm64; 0 if there is no such line. */
static uint64_t symbol_address(const struct kernel_snapshot *snapshot, const char *symbol)
{
	char pattern[32];

	snprintf(pattern, sizeof(pattern), " %s\n", symbol);
	const char *found = strstr(snapshot->text.bytes, pattern);
	if (!found)
		return 0;
	while (found > snapshot->text.bytes && found[-1] != '\n')
		found--;
	return strtoull(found, NULL, 16);
}

static void find_text(struct kernel_snapshot *snapshot)
{
	struct kernel_snapshot_result *result = &snapshot->result;

	for (size_t i = 0; i < N_TEXT_SYMBOLS && !result->text_start; i++) {
		result->text_symbol = text_symbols[i];
		result->text_start = symbol_address(snapshot, text_symbols[i]);
	}
	result->text_end = symbol_address(snapshot, "_etext");
	result->entry_start = symbol_address(snapshot, "__entry_text_start");
	result->entry_end = symbol_address(snapshot, "__entry_text_end");
	result->is_hidden = !result->text_start && !result->text_end;
}

/* One line is enough to show that addresses are hidden. */
static int pack_first_line(const struct kernel_snapshot *snapshot, struct packer *packer)
{
	packer_deinit(packer);
	int err = packer_begin(packer, COMPRESSION_LEVEL);

	return err ? err
		   : packer_end(packer, snapshot->text.bytes, strcspn(snapshot->text.bytes, "\n"));
}

static int read_and_pack(struct kernel_snapshot *snapshot, struct packer *packer)
{
	_cleanup_close_ int fd = open(snapshot->options->paths.kallsyms, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : packer_begin(packer, COMPRESSION_LEVEL);

	if (!err)
		err = kernel_text_read(&snapshot->text, fd, packer);
	if (err)
		return err;
	find_text(snapshot);
	if (snapshot->result.is_hidden)
		err = pack_first_line(snapshot, packer);
	if (err)
		return err;
	snapshot->result.compressed = steal_ptr(packer->bytes);
	snapshot->result.compressed_size = packer->size;
	return 0;
}

static int find_code(struct kernel_snapshot *snapshot)
{
	struct kernel_code_list *code = &snapshot->result.code;
	struct bpf_function *functions;
	size_t n_functions;

	int err = kernel_code_find(snapshot->text.bytes, code);
	if (err || bpf_functions_read(&functions, &n_functions))
		return err;
	kernel_code_set_sizes(code, functions, n_functions);
	free(functions);
	return 0;
}

static int read_all(struct kernel_snapshot *snapshot)
{
	struct packer packer = { .size = 0 };
	int err = read_and_pack(snapshot, &packer);

	packer_deinit(&packer);
	return err || snapshot->result.is_hidden ? err : find_code(snapshot);
}

/* Modules end the code before them, as their symbols do in the whole list. */
static int add_modules(struct kernel_snapshot *snapshot)
{
	struct kernel_modules_list list = { 0 };
	struct file_text *text = &snapshot->text;
	int err = kernel_modules_read(snapshot->options->paths.proc, &list);

	for (size_t i = 0; i < list.n && !err; i++) {
		err = file_text_reserve(text, LINE_MAX_SIZE);
		if (!err)
			text->size += (size_t)snprintf(text->bytes + text->size, LINE_MAX_SIZE,
						       "%016" PRIx64 " t start\t[%s]\n",
						       list.modules[i].start, list.modules[i].name);
	}
	free(list.modules);
	return err;
}

void kernel_code_text_deinit(struct kernel_code_text *former)
{
	kernel_code_list_deinit(&former->code);
	free(former->text.bytes);
	*former = (struct kernel_code_text){ .text.bytes = NULL };
}

/* -ENOENT: the code has to be read with all names. */
static int read_code(struct kernel_snapshot *snapshot, uint32_t iterator)
{
	struct kernel_code_text *former = &snapshot->former;

	if (former->text.bytes && names_key_equal(&former->key, &snapshot->key)) {
		snapshot->text = former->text;
		snapshot->result.code = former->code;
		*former = (struct kernel_code_text){ .text.bytes = NULL };
		return 0;
	}
	if (passing_symbols_read(iterator, &snapshot->text))
		return -ENOENT;
	const int err = add_modules(snapshot);
	return err ? err : find_code(snapshot);
}

/* -ENOENT: the names have to be read. */
static int read_kept(struct kernel_snapshot *snapshot)
{
	struct kernel_snapshot_result *result = &snapshot->result;
	_cleanup_free_ uint8_t *compressed = NULL;
	struct names_cache_entry entry;

	if (!snapshot->has_key ||
	    names_cache_read(snapshot->options->cache, &snapshot->key, &entry, &compressed) ||
	    entry.text_symbol >= N_TEXT_SYMBOLS)
		return -ENOENT;
	const int err = read_code(snapshot, entry.iterator);
	if (err)
		return err;
	result->text_start = entry.text_start;
	result->text_end = entry.text_end;
	result->entry_start = entry.entry_start;
	result->entry_end = entry.entry_end;
	result->text_symbol = text_symbols[entry.text_symbol];
	result->compressed = steal_ptr(compressed);
	result->compressed_size = entry.compressed_size;
	result->is_cached = true;
	return 0;
}

/* Without the kernel's iterator they can't be used, and are not kept. */
static void keep(struct kernel_snapshot *snapshot)
{
	const struct kernel_snapshot_result *result = &snapshot->result;
	struct names_key now;
	struct names_cache_entry entry = {
		.text_start = result->text_start,
		.text_end = result->text_end,
		.entry_start = result->entry_start,
		.entry_end = result->entry_end,
		.compressed_size = result->compressed_size,
	};

	while (entry.text_symbol + 1 < N_TEXT_SYMBOLS &&
	       text_symbols[entry.text_symbol] != result->text_symbol)
		entry.text_symbol++;
	/* A module may have come meanwhile. */
	if (passing_symbols_find_iterator(&entry.iterator) ||
	    names_key_find(&snapshot->options->paths, &now) ||
	    !names_key_equal(&now, &snapshot->key))
		return;
	names_cache_write(snapshot->options->cache, &now, &entry, result->compressed);
}

static void *snapshot_thread(void *arg)
{
	struct kernel_snapshot *snapshot = arg;
	const struct kernel_snapshot_options *options = snapshot->options;
	struct kernel_snapshot_result *result = &snapshot->result;

	snapshot->has_key = options->cache && names_key_find(&options->paths, &snapshot->key) == 0;
	result->error = read_kept(snapshot);
	if (result->error == -ENOENT)
		result->error = read_all(snapshot);
	/* To keep them takes a while, and nobody waits for it. */
	sem_post(&snapshot->has_result);
	if (snapshot->has_key && !result->error && !result->is_cached && !result->is_hidden)
		keep(snapshot);
	return NULL;
}

int kernel_snapshot_start(const struct kernel_snapshot_options *options,
			  struct kernel_code_text *former, struct kernel_snapshot **snapshot_ret)
{
	sigset_t all, old;
	struct kernel_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return -ENOMEM;
	snapshot->options = options;
	snapshot->former = *former;
	*former = (struct kernel_code_text){ .text.bytes = NULL };
	sem_init(&snapshot->has_result, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = -pthread_create(&snapshot->thread, NULL, snapshot_thread, snapshot);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		sem_destroy(&snapshot->has_result);
		kernel_code_text_deinit(&snapshot->former);
		free(snapshot);
		return err;
	}
	*snapshot_ret = snapshot;
	return 0;
}

const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot)
{
	while (!snapshot->is_waited_for)
		snapshot->is_waited_for = sem_wait(&snapshot->has_result) == 0;
	return &snapshot->result;
}

static void join(struct kernel_snapshot *snapshot)
{
	if (!snapshot->is_joined)
		pthread_join(snapshot->thread, NULL);
	snapshot->is_joined = true;
}

struct kernel_code_text kernel_snapshot_take_code(struct kernel_snapshot *snapshot)
{
	struct kernel_code_text code = { .text.bytes = NULL };

	join(snapshot);
	if (snapshot->result.error || !snapshot->result.is_cached)
		return code;
	code = (struct kernel_code_text){ snapshot->key, snapshot->text, snapshot->result.code };
	snapshot->text = (struct file_text){ .bytes = NULL };
	snapshot->result.code = (struct kernel_code_list){ .codes = NULL };
	return code;
}

void kernel_snapshot_destroy(struct kernel_snapshot *snapshot)
{
	if (!snapshot)
		return;
	join(snapshot);
	kernel_code_text_deinit(&snapshot->former);
	sem_destroy(&snapshot->has_result);
	free(snapshot->result.compressed);
	kernel_code_list_deinit(&snapshot->result.code);
	free(snapshot->text.bytes);
	free(snapshot);
}
