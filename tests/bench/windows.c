/*
 * windows FOLDER STREAM...: one process builds the profiles of several streams of records, one
 * after the other, as the agent's do: FOLDER/0.cct, FOLDER/1.cct and so on. Prints the CPU time
 * that each took it, the most anonymous memory that it was seen to have meanwhile, and what it has
 * afterwards. Streams are what dendro record -o - writes, without compression.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/agent/agent_cost.h"
#include "collector/files/profile_builder.h"
#include "collector/sandbox/child_process.h"

#define COMMAND   "windows"
#define LOOK_MS   5
#define COPY_SIZE (1 << 16)

struct builder {
	pid_t pid;
	int task_fd;
};

static int start(struct builder *builder)
{
	const struct profile_builder_options options = {
		.command = COMMAND,
		.output = "a profile",
		.is_quiet = true,
	};

	builder->pid = child_process_fork_linked(&builder->task_fd);
	if (builder->pid == 0) {
		child_process_keep(&builder->task_fd, 1);
		_exit(profile_builder_serve(&options, builder->task_fd));
	}
	return builder->pid < 0;
}

/* Writes the stream, and that it is whole, in a separate process. */
static pid_t feed(const char *path, int stream_fd, int control_fd)
{
	static char bytes[COPY_SIZE];
	const pid_t pid = fork();
	ssize_t n;

	if (pid)
		return pid;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		_exit(1);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t done = 0, got; done < n; done += got) {
			got = write(stream_fd, bytes + done, (size_t)(n - done));
			if (got < 0)
				_exit(1);
		}
	builder_link_confirm(control_fd);
	_exit(0);
}

/* Until the profile is written. 0, or 1. */
static int attend(const struct builder *builder, uint64_t *memory_ret)
{
	const struct watched_answer answer = { .span = { 1, 2 } };
	struct pollfd fd = { builder->task_fd, POLLIN, 0 };

	for (;;) {
		const uint64_t memory = agent_cost_of_memory(builder->pid);

		if (memory > *memory_ret)
			*memory_ret = memory;
		if (poll(&fd, 1, LOOK_MS) <= 0)
			continue;
		switch (profile_builder_hear(builder->task_fd)) {
		case BUILDER_ASKS:
			profile_builder_answer(builder->task_fd, &answer);
			break;
		case BUILDER_DONE:
			return 0;
		case BUILDER_FAILED:
		case BUILDER_GONE:
			return 1;
		case BUILDER_SILENT:
			break;
		}
	}
}

static int build(const struct builder *builder, const char *stream_path, int out)
{
	int stream[2], control[2], status;
	const uint64_t before_ns = agent_cost_of_process(builder->pid);
	uint64_t memory = 0;

	if (profile_builder_make_link(COMMAND, stream, control))
		return 1;
	int err = profile_builder_give(builder->task_fd, stream[0], control[0], out);
	close(stream[0]);
	close(control[0]);
	const pid_t feeder = err ? -1 : feed(stream_path, stream[1], control[1]);
	close(stream[1]);
	close(control[1]);
	if (feeder < 0)
		return 1;
	err = attend(builder, &memory);
	while (waitpid(feeder, &status, 0) < 0 && errno == EINTR)
		;
	printf("%s: %.1f ms, at most %.1f MiB, then %.1f MiB\n", stream_path,
	       (double)(agent_cost_of_process(builder->pid) - before_ns) / NSEC_PER_MSEC,
	       (double)memory / (1 << 20), (double)agent_cost_of_memory(builder->pid) / (1 << 20));
	return err || status;
}

int main(int argc, char **argv)
{
	struct builder builder;
	int err = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: windows FOLDER STREAM...\n");
		return 2;
	}
	err = start(&builder);
	for (int i = 2; i < argc && !err; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%d.cct", argv[1], i - 2);
		const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		err = out < 0 || build(&builder, argv[i], out);
		close(out);
	}
	close(builder.task_fd);
	return err;
}
