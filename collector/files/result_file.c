#include "collector/files/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/broker/file_request.h"
#include "collector/command-line/messages.h"

static bool is_same_file(FILE *file, const char *path)
{
	struct stat x, y;

	return fstat(fileno(file), &x) == 0 && stat(path, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool is_one_of(FILE *file, const char *const *paths, size_t n_paths)
{
	for (size_t i = 0; i < n_paths; i++) {
		if (is_same_file(file, paths[i]))
			return true;
	}
	return false;
}

/* From the start of the file on, not at its end alone. */
static void write_anywhere(FILE *out)
{
	const int flags = fcntl(fileno(out), F_GETFL);

	if (flags >= 0)
		fcntl(fileno(out), F_SETFL, flags & ~O_APPEND);
	rewind(out);
}

/* To add to it, which keeps a recording that is named by mistake. A descriptor, or -errno. */
static int open_to_add(const struct file_options *files, const char *path)
{
	struct file_request request = { .kind = FILE_REQUEST_RESULT };
	struct file_answer answer;
	int fd;

	if (!files->server_fd) {
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		return fd < 0 ? -errno : fd;
	}
	int err = file_request_set_path(&request, path);
	if (!err)
		err = file_request_ask(files->server_fd, &request, -1, &answer, &fd);
	return err ? err : fd < 0 ? answer.err : fd;
}

FILE *result_file_open(const struct file_options *files, const char *command, const char *path,
		       const char *const *inputs, size_t n_inputs)
{
	if (!path || strcmp(path, "-") == 0)
		return stdout;
	const int fd = open_to_add(files, path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "a");
	if (!out) {
		message_error_of_file(command, path, strerror(fd < 0 ? -fd : ENOMEM));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (is_one_of(out, inputs, n_inputs)) {
		fclose(out);
		message_error(command, "%s is the input itself: name another file with -o.", path);
		return NULL;
	}
	if (ftruncate(fileno(out), 0) && errno != EINVAL) { /* a pipe or a device has no length */
		message_error_of_file(command, path, strerror(errno));
		fclose(out);
		return NULL;
	}
	write_anywhere(out);
	return out;
}

int result_file_close(FILE *file, const char *command, const char *path, int err)
{
	if (file != stdout && fclose(file) && !err)
		err = -errno;
	if (!err)
		return 0;
	return message_error_of_file(command, file == stdout ? "standard output" : path,
				     strerror(-err));
}
