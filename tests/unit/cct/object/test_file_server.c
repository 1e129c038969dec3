#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/broker/descriptor_message.h"
#include "cct/broker/file_request.h"
#include "cct/object/file_server.h"
#include "tests/unit/fixtures/emulated.h"

struct served {
	struct file_search *search;
	pid_t pid;
	int socket_fd;
	char folder[64], path[128], result[128];
};

/* The files of this machine, by a server. */
static int start(void **state)
{
	struct served *served = calloc(1, sizeof(*served));
	int ends[2];

	strcpy(served->folder, "/tmp/dendro-server-XXXXXX");
	assert_non_null(mkdtemp(served->folder));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	served->search = file_search_create();
	snprintf(served->result, sizeof(served->result), "%s/result", served->folder);
	assert_int_equal(file_search_set_result(served->search, served->result), 0);
	served->pid = fork();
	if (served->pid == 0) {
		close(ends[0]);
		file_server_run(served->search, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	served->socket_fd = ends[0];
	file_search_set_server(served->search, ends[0]);
	*state = served;
	return 0;
}

static int stop(void **state)
{
	struct served *served = *state;
	int status;

	file_search_destroy(served->search);
	assert_int_equal(waitpid(served->pid, &status, 0), served->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	unlink(served->path);
	unlink(served->result);
	rmdir(served->folder);
	free(served);
	return 0;
}

static const char *name_file(struct served *served, const char *name)
{
	unlink(served->path);
	snprintf(served->path, sizeof(served->path), "%s/%s", served->folder, name);
	return served->path;
}

static int open_with(struct served *served, const void *bytes, size_t size)
{
	const char *path = name_file(served, "file");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return file_search_open(served->search, path);
}

static int open_elf(struct served *served, unsigned char order, uint16_t type)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, order },
			      .e_type = type };

	return open_with(served, &header, sizeof(header));
}

static void programs_are_handed_over_to_be_read(void **state)
{
	struct served *served = *state;
	int fd = open_elf(served, ELFDATA2LSB, ET_DYN);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	fd = open_elf(served, ELFDATA2MSB, ET_EXEC << 8);
	assert_true(fd >= 0);
	close(fd);
}

static void code_of_compilers_is_handed_over(void **state)
{
	static const char *const starts[] = { "JiTD", "DTiJ" };
	struct served *served = *state;

	for (size_t i = 0; i < 2; i++) {
		char header[40] = "";

		memcpy(header, starts[i], 4);
		int fd = open_with(served, header, sizeof(header));
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(open_with(served, starts[i], 4), -ENOEXEC);
	}
}

static int ask_for_result(const struct served *served, const char *path)
{
	struct file_request request = { .kind = FILE_REQUEST_RESULT };
	struct file_answer answer;
	int fd = -1;

	assert_int_equal(file_request_set_path(&request, path), 0);
	assert_int_equal(file_request_ask(served->socket_fd, &request, -1, &answer, &fd), 0);
	return fd < 0 ? answer.err : fd;
}

static void only_the_result_may_be_written(void **state)
{
	struct served *served = *state;
	char other[sizeof(served->result) + 8];

	snprintf(other, sizeof(other), "%s-other", served->result);
	assert_int_equal(ask_for_result(served, other), -EACCES);
	assert_int_equal(ask_for_result(served, "/etc/passwd"), -EACCES);
	assert_int_equal(ask_for_result(served, ""), -EACCES);
	int fd = ask_for_result(served, served->result);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "shown", 5), 5);
	close(fd);
	/* What is there is added to, until who asked has looked at it. */
	fd = ask_for_result(served, served->result);
	struct stat st;
	assert_true(fd >= 0 && fstat(fd, &st) == 0 && st.st_size == 5);
	close(fd);
}

/* A file that this machine may lack. */
static int open_text(struct served *served, const char *path)
{
	int fd = file_search_open(served->search, path);

	return fd == -ENOENT && access(path, F_OK) ? -ENOEXEC : fd;
}

static void memory_of_processes_and_other_files_are_refused(void **state)
{
	struct served *served = *state;

	assert_int_equal(open_elf(served, ELFDATA2LSB, ET_CORE), -ENOEXEC);
	assert_int_equal(open_elf(served, ELFDATA2MSB, ET_CORE << 8), -ENOEXEC);
	assert_int_equal(open_with(served, "secret", 6), -ENOEXEC);
	assert_int_equal(open_with(served, "", 0), -ENOEXEC);
	assert_int_equal(file_search_open(served->search, "etc/passwd"), -EINVAL);
	assert_int_equal(open_text(served, "/etc/passwd"), -ENOEXEC);
	assert_int_equal(open_text(served, "/lib/modules/../../etc/passwd"), -ENOEXEC);
	assert_int_equal(file_search_open(served->search, "/nowhere/at/all"), -ENOENT);
}

static void devices_folders_and_fifos_are_not_opened(void **state)
{
	struct served *served = *state;
	const char *path = name_file(served, "fifo");

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_search_open(served->search, path), -EINVAL);
	assert_int_equal(file_search_open(served->search, "/dev/zero"), -EINVAL);
	assert_int_equal(file_search_open(served->search, "/dev"), -EINVAL);
}

static void roots_are_those_of_processes(void **state)
{
	SKIP_IF_EMULATED("openat2");
	struct served *served = *state;
	char root[32], program[128];

	snprintf(root, sizeof(root), "/proc/%d/root", getpid());
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	assert_true(n > 0);
	program[n] = '\0';
	int fd = file_search_open_below_root(served->search, root, program);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(file_search_open_below_root(served->search, served->folder, program),
			 -ENOENT);
	assert_int_equal(open_with(served, "secret", 6), -ENOEXEC);
	assert_int_equal(file_search_open_below_root(served->search, root, served->path), -ENOEXEC);
}

static void a_file_has_its_path_and_identity(void **state)
{
	struct served *served = *state;
	int fd = open_elf(served, ELFDATA2LSB, ET_REL);
	struct file_identity identity, here;
	char *path = file_search_path_of(served->search, fd);

	assert_string_equal(path, served->path);
	free(path);
	assert_true(file_search_identity(served->search, fd, &identity));
	assert_true(file_identity_as_mapped(fd, &here));
	assert_int_equal(identity.inode, here.inode);
	assert_int_equal(identity.dev_major, here.dev_major);
	close(fd);
	assert_null(file_search_path_of(served->search, -1));
	assert_false(file_search_identity(served->search, -1, &identity));
}

/* It answers, and goes on. */
static void malformed_requests_are_refused(void **state)
{
	struct served *served = *state;
	struct file_request request = { .kind = 77 };
	struct file_answer answer;
	int ends[2], fd = -1;
	size_t n = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		file_server_run(served->search, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(file_request_ask(ends[0], &request, -1, &answer, &fd), 0);
	assert_int_equal(answer.err, -EINVAL);
	request.kind = FILE_REQUEST_BELOW_ROOT;
	request.pid = -1;
	memset(request.path, '/', sizeof(request.path));
	assert_int_equal(file_request_ask(ends[0], &request, STDERR_FILENO, &answer, &fd), 0);
	assert_int_equal(answer.err, -EINVAL);
	assert_int_equal(fd, -1);
	assert_int_equal(send(ends[0], "short", 5, 0), 5);
	int fds[DESCRIPTOR_MESSAGE_MAX];
	assert_int_equal(descriptor_message_receive(
				 ends[0], &(struct iovec){ &answer, sizeof(answer) }, fds, &n),
			 0);
	assert_int_equal(answer.err, -EPROTO);
	request.kind = FILE_REQUEST_CACHED;
	request.build_id.size = UINT8_MAX;
	strcpy(request.path, "debuginfo");
	assert_int_equal(file_request_ask(ends[0], &request, -1, &answer, &fd), 0);
	assert_int_equal(answer.err, -EINVAL);
	close(ends[0]);
	waitpid(pid, NULL, 0);
}

static void without_a_server_there_are_no_files(void **state)
{
	struct served *served = *state;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[1]);
	file_search_set_server(served->search, ends[0]);
	assert_int_equal(file_search_open(served->search, "/proc/self/exe"), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(programs_are_handed_over_to_be_read, start, stop),
		cmocka_unit_test_setup_teardown(code_of_compilers_is_handed_over, start, stop),
		cmocka_unit_test_setup_teardown(only_the_result_may_be_written, start, stop),
		cmocka_unit_test_setup_teardown(memory_of_processes_and_other_files_are_refused,
						start, stop),
		cmocka_unit_test_setup_teardown(devices_folders_and_fifos_are_not_opened, start,
						stop),
		cmocka_unit_test_setup_teardown(roots_are_those_of_processes, start, stop),
		cmocka_unit_test_setup_teardown(a_file_has_its_path_and_identity, start, stop),
		cmocka_unit_test_setup_teardown(malformed_requests_are_refused, start, stop),
		cmocka_unit_test_setup_teardown(without_a_server_there_are_no_files, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
