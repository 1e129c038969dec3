#include "collector/record/start/kernel_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/file_text.h"
#include "collector/attached/packer.h"

#define COMPRESSION_LEVEL 1

struct kernel_snapshot {
	pthread_t thread;
	bool is_joined;
	char *path;
	struct file_text text;
	struct kernel_snapshot_result result;
};

static int read_text(struct kernel_snapshot *snapshot)
{
	_cleanup_close_ int fd = open(snapshot->path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_text_read(&snapshot->text, fd);
}

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
	static const char *const starts[] = { "_text", "_stext" };

	for (size_t i = 0; i < 2 && !result->text_start; i++) {
		result->text_symbol = starts[i];
		result->text_start = symbol_address(snapshot, starts[i]);
	}
	result->text_end = symbol_address(snapshot, "_etext");
	result->entry_start = symbol_address(snapshot, "__entry_text_start");
	result->entry_end = symbol_address(snapshot, "__entry_text_end");
	result->is_hidden = !result->text_start && !result->text_end;
}

/* One line is enough to show that addresses are hidden. */
static size_t size_worth_keeping(const struct kernel_snapshot *snapshot)
{
	return snapshot->result.is_hidden ? strcspn(snapshot->text.bytes, "\n")
					  : snapshot->text.size;
}

static int compress(struct kernel_snapshot *snapshot)
{
	struct packer packer = { .size = 0 };
	int err = packer_begin(&packer, COMPRESSION_LEVEL);

	if (!err)
		err = packer_end(&packer, snapshot->text.bytes, size_worth_keeping(snapshot));
	if (!err) {
		snapshot->result.compressed = steal_ptr(packer.bytes);
		snapshot->result.compressed_size = packer.size;
	}
	packer_deinit(&packer);
	return err;
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

static void *snapshot_thread(void *arg)
{
	struct kernel_snapshot *snapshot = arg;

	snapshot->result.error = read_text(snapshot);
	if (!snapshot->result.error) {
		find_text(snapshot);
		snapshot->result.error = compress(snapshot);
	}
	if (!snapshot->result.error && !snapshot->result.is_hidden)
		snapshot->result.error = find_code(snapshot);
	return NULL;
}

int kernel_snapshot_start(const char *path, struct kernel_snapshot **snapshot_ret)
{
	sigset_t all, old;
	struct kernel_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot || !(snapshot->path = strdup(path))) {
		free(snapshot);
		return -ENOMEM;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = -pthread_create(&snapshot->thread, NULL, snapshot_thread, snapshot);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		free(snapshot->path);
		free(snapshot);
		return err;
	}
	*snapshot_ret = snapshot;
	return 0;
}

const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot)
{
	if (!snapshot->is_joined)
		pthread_join(snapshot->thread, NULL);
	snapshot->is_joined = true;
	return &snapshot->result;
}

void kernel_snapshot_destroy(struct kernel_snapshot *snapshot)
{
	if (!snapshot)
		return;
	kernel_snapshot_wait(snapshot);
	free(snapshot->result.compressed);
	kernel_code_list_deinit(&snapshot->result.code);
	free(snapshot->text.bytes);
	free(snapshot->path);
	free(snapshot);
}
