#include "collector/agent/window_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/merge/profile_merge.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/file_options.h"
#include "collector/command-line/messages.h"
#include "collector/sandbox/child_process.h"
#include "collector/sandbox/sandbox.h"

#define COMMAND "agent"
/* More samples become sums of slices of time: 50 MiB of memory, and 5 MB on the disk. */
#define ROWS_MAX     (1u << 20)
#define JOURNAL_NAME "journal"

/* Takes @fd over. */
static int read_profile(int fd, const char *name, struct profile **profile_ret)
{
	_cleanup_free_ char *error = NULL;
	unsigned n_skipped;
	FILE *file = fdopen(fd, "r");

	if (!file)
		return message_error_of_file(COMMAND, name, strerror(errno));
	int err = profile_file_read_with_rows(file, profile_ret, &n_skipped, &error);
	fclose(file);
	return err ? message_error_of_file(COMMAND, name, error ? error : strerror(-err)) : 0;
}

static int add_files(const struct window_merge *merge, const int *fds, struct profile_merge *sum)
{
	int err = 0;

	for (size_t i = 0; !err && i < merge->list.n; i++) {
		struct profile *profile = NULL;

		err = read_profile(fds[i], merge->list.files[i].name, &profile);
		if (!err && profile_merge_add(sum, profile))
			err = message_error_of_memory(COMMAND);
		profile_destroy(profile);
	}
	return err;
}

static int write_sum(const struct profile *profile, int fd)
{
	FILE *out = fdopen(fd, "w");
	int err = out ? profile_file_write(out, profile) : -ENOMEM;

	if (out && fclose(out) && !err)
		err = -errno;
	return err ? message_error(COMMAND, "cannot write a sum of windows: %s.", strerror(-err))
		   : 0;
}

/* The profiles, each read by one that has no rights any more: processes that had none wrote them.
 * NULL: not all could be opened, after a message. */
static int *open_files(const struct window_merge *merge, int folder_fd)
{
	int *fds = calloc(merge->list.n, sizeof(*fds));

	file_options_allow_many();
	if (!fds) {
		message_error_of_memory(COMMAND);
		return NULL;
	}
	for (size_t i = 0; i < merge->list.n; i++) {
		const char *name = merge->list.files[i].name;

		fds[i] = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0) {
			message_error_of_file(COMMAND, name, strerror(errno));
			return NULL;
		}
	}
	return fds;
}

static int add_up(const struct window_merge *merge, const int *fds, bool drops_details)
{
	struct profile *profile = NULL;
	struct profile_merge *sum = profile_merge_create(false, ROWS_MAX);

	if (sum && drops_details) {
		profile_merge_join_processes(sum);
		profile_merge_by_minute(sum);
		profile_merge_join_addresses(sum);
		profile_merge_fold_once(sum);
	}
	int err = sum ? add_files(merge, fds, sum) : message_error_of_memory(COMMAND);

	if (!err && profile_merge_finish_packed(sum, &profile))
		err = message_error_of_memory(COMMAND);
	return err || write_sum(profile, merge->fd);
}

static _Noreturn void run(const struct window_merge *merge, int folder_fd,
			  const struct window_merge_options *options)
{
	const int kept[] = { folder_fd, merge->fd };

	child_process_keep(kept, sizeof(kept) / sizeof(kept[0]));
	setpriority(PRIO_PROCESS, 0, options->nice);
	const int *fds = open_files(merge, folder_fd);
	const int err = !fds || options->keeps_rights ? 0 : sandbox_enter();
	if (err)
		message_error(COMMAND,
			      "the process that merges windows cannot give up its rights: "
			      "%s. --no-sandbox leaves them to it.",
			      strerror(-err));
	close(folder_fd);
	_exit(!fds || err || add_up(merge, fds, options->drops_details) ? 1 : 0);
}

static void forget(struct window_merge *merge)
{
	window_list_deinit(&merge->list);
	*merge = (struct window_merge){ .fd = -1 };
}

static void give_up(struct window_merge *merge, struct window_folder *folder)
{
	if (merge->fd >= 0) {
		window_folder_remove(folder, merge->name);
		close(merge->fd);
	}
	forget(merge);
}

int window_merge_start(struct window_merge *merge, struct window_folder *folder,
		       const struct window_file *first, size_t n,
		       const struct window_merge_options *options)
{
	*merge = (struct window_merge){ .fd = -1, .span = first->span };
	merge->list.files = calloc(n, sizeof(*first));
	if (!merge->list.files)
		return message_error_of_memory(COMMAND);
	memcpy(merge->list.files, first, n * sizeof(*first));
	merge->list.n = n;
	for (size_t i = 1; i < n; i++) {
		if (first[i].span.end_ns > merge->span.end_ns)
			merge->span.end_ns = first[i].span.end_ns;
	}
	merge->fd = window_folder_create(folder, merge->name);
	int err = merge->fd < 0 ? merge->fd : 0;
	if (!err) {
		fflush(NULL);
		merge->pid = fork();
		err = merge->pid < 0 ? -errno : 0;
	}
	if (!err && merge->pid == 0)
		run(merge, folder->fd, options);
	if (!err)
		return 0;
	give_up(merge, folder);
	return message_error(COMMAND, "cannot merge windows: %s.", strerror(-err));
}

int window_merge_end(struct window_merge *merge, struct window_folder *folder, int status)
{
	merge->pid = 0;
	merge->is_whole = WIFEXITED(status) && !WEXITSTATUS(status);
	if (merge->is_whole)
		return 0;
	if (WIFSIGNALED(status))
		message_error(COMMAND,
			      "the process that merges windows was ended by signal %d (%s).",
			      WTERMSIG(status), strsignal(WTERMSIG(status)));
	give_up(merge, folder);
	return 1;
}

/* The name of the sum, then those of the files that it replaces. */
static int write_journal(const struct window_merge *merge, const struct window_folder *folder)
{
	const int fd =
		openat(folder->fd, JOURNAL_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	char name[WINDOW_NAME_MAX];

	if (!file)
		return -errno;
	window_name_write(name, &merge->span);
	fprintf(file, "%s\n", name);
	for (size_t i = 0; i < merge->list.n; i++)
		fprintf(file, "%s\n", merge->list.files[i].name);
	int err = fflush(file) || fsync(fd) ? -errno : 0;
	if (fclose(file) && !err)
		err = -errno;
	if (!err && fsync(folder->fd))
		err = -errno;
	if (err)
		unlinkat(folder->fd, JOURNAL_NAME, 0);
	return err;
}

/* Of one file that takes up the whole time of the group, the sum has the name. */
static bool has_name_of_sum(const struct window_merge *merge)
{
	for (size_t i = 0; i < merge->list.n; i++) {
		if (merge->list.files[i].span.start_ns == merge->span.start_ns &&
		    merge->list.files[i].span.end_ns == merge->span.end_ns)
			return true;
	}
	return false;
}

static int replace(struct window_merge *merge, struct window_folder *folder)
{
	char kept[WINDOW_NAME_MAX];

	/* Then it lasts a millisecond longer. */
	if (has_name_of_sum(merge))
		merge->span.end_ns += 1000000;
	int err = write_journal(merge, folder);
	if (err)
		return err;
	err = window_folder_keep(folder, merge->fd, merge->name, &merge->span, kept);
	if (err) {
		unlinkat(folder->fd, JOURNAL_NAME, 0);
		return err;
	}
	window_merge_recover(folder);
	return 0;
}

int window_merge_replace(struct window_merge *merge, struct window_folder *folder)
{
	if (flock(folder->fd, LOCK_EX | LOCK_NB))
		return -errno;
	int err = replace(merge, folder);
	flock(folder->fd, LOCK_UN);
	if (err) {
		give_up(merge, folder);
		return err;
	}
	close(merge->fd);
	forget(merge);
	return 0;
}

/* Takes a line; false: there is no whole one. */
static bool read_name(FILE *file, char name[WINDOW_NAME_MAX])
{
	struct time_span span;

	if (!fgets(name, WINDOW_NAME_MAX, file) || !strchr(name, '\n'))
		return false;
	*strchr(name, '\n') = '\0';
	return window_name_parse(name, &span) == 0;
}

void window_merge_recover(const struct window_folder *folder)
{
	const int fd = openat(folder->fd, JOURNAL_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char sum[WINDOW_NAME_MAX], name[WINDOW_NAME_MAX];

	if (!file)
		return;
	if (read_name(file, sum) && faccessat(folder->fd, sum, F_OK, 0) == 0) {
		while (read_name(file, name))
			unlinkat(folder->fd, name, 0);
		fsync(folder->fd);
	}
	fclose(file);
	unlinkat(folder->fd, JOURNAL_NAME, 0);
}

void window_merge_cancel(struct window_merge *merge, struct window_folder *folder)
{
	if (merge->pid > 0) {
		kill(merge->pid, SIGKILL);
		waitpid(merge->pid, NULL, 0);
	}
	give_up(merge, folder);
}
