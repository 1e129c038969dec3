#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/sandbox/landlock.h"
#include "collector/sandbox/sandbox.h"
#include "collector/sandbox/syscall_filter.h"
#include "tests/unit/fixtures/emulated.h"

/* What a parser that was taken over may try. Each: 0: it was refused. */
struct attempt {
	const char *name;
	int (*try)(void);
};

static int refused(long result)
{
	return result < 0 ? 0 : 1;
}

static int read_a_file(void)
{
	return refused(open("/etc/passwd", O_RDONLY));
}

static int find_a_file(void)
{
	return refused(open("/etc/passwd", O_PATH));
}

static int read_own_memory(void)
{
	return refused(open("/proc/self/mem", O_RDWR));
}

static int write_a_file(void)
{
	return refused(open("/tmp/dendro-misbehaves", O_WRONLY | O_CREAT, 0600));
}

static int make_a_folder(void)
{
	return refused(mkdir("/tmp/dendro-misbehaves", 0700));
}

static int remove_a_file(void)
{
	return refused(unlink("/tmp/dendro-misbehaves"));
}

static int change_a_mode(void)
{
	return refused(fchmod(STDERR_FILENO, 0777));
}

static int make_a_connection(void)
{
	return refused(socket(AF_INET, SOCK_STREAM, 0));
}

static int make_a_local_socket(void)
{
	return refused(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int fork_a_process(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return refused(pid);
}

static int run_a_program(void)
{
	char *const argv[] = { (char *)"true", NULL };

	return refused(execve("/bin/true", argv, NULL));
}

static int trace_the_parent(void)
{
	return refused(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
}

static int read_the_parent(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	return refused(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int end_the_parent(void)
{
	return refused(kill(getppid(), SIGCONT)) ||
	       refused(syscall(SYS_tgkill, getppid(), getppid(), SIGCONT));
}

static int make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		return 1;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED ? 1 : refused(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static int become_root(void)
{
	return refused(setuid(0));
}

static int make_a_namespace(void)
{
	return refused(unshare(CLONE_NEWUSER));
}

static int open_a_counter(void)
{
	return refused(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static int type_for_the_terminal(void)
{
	return refused(syscall(SYS_ioctl, STDERR_FILENO, 0x5412 /* TIOCSTI */, "x"));
}

static int become_traceable(void)
{
	return refused(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static const struct attempt attempts[] = {
	{ "read a file", read_a_file },
	{ "find a file", find_a_file },
	{ "read its memory by /proc", read_own_memory },
	{ "write a file", write_a_file },
	{ "make a folder", make_a_folder },
	{ "remove a file", remove_a_file },
	{ "change a mode", change_a_mode },
	{ "connect", make_a_connection },
	{ "make a local socket", make_a_local_socket },
	{ "fork", fork_a_process },
	{ "run a program", run_a_program },
	{ "trace another process", trace_the_parent },
	{ "read another process's memory", read_the_parent },
	{ "signal another process", end_the_parent },
	{ "make code", make_code },
	{ "become root", become_root },
	{ "make a namespace", make_a_namespace },
	{ "open a counter", open_a_counter },
	{ "type for the terminal", type_for_the_terminal },
	{ "become traceable", become_traceable },
};

/* Runs @body in a process in the sandbox, and returns how it ended. */
static int in_sandbox(int (*body)(void))
{
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		const int err = sandbox_enter();

		if (err)
			fprintf(stderr, "cannot enter: %s\n", strerror(-err));
		_exit(err ? 99 : body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int try_all(void)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		if (!attempts[i].try())
			continue;
		fprintf(stderr, "it could %s\n", attempts[i].name);
		n++;
	}
	return n;
}

static void a_parser_that_misbehaves_gets_nowhere(void **state)
{
	SKIP_IF_EMULATED("seccomp");
	(void)state;
	if (!syscall_filter_is_here())
		skip();
	assert_int_equal(in_sandbox(try_all), 0);
}

/* What a command that reads a recording gets, and what it does not. */
static char read_parent[] = "/tmp/test-sandbox-XXXXXX";
static char read_file[64], read_folder[64], other_file[64];
static const char *const readable[] = { read_file, "/not/there", read_folder };

static void make_files(void)
{
	assert_non_null(mkdtemp(read_parent));
	snprintf(read_file, sizeof(read_file), "%s/file", read_parent);
	snprintf(other_file, sizeof(other_file), "%s/other", read_parent);
	snprintf(read_folder, sizeof(read_folder), "%s/folder", read_parent);
	close(open(read_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	close(open(other_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(mkdir(read_folder, 0700), 0);
}

static void remove_files(void)
{
	unlink(read_file);
	unlink(other_file);
	rmdir(read_folder);
	rmdir(read_parent);
}

static int try_all_but_reading(void)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		if (attempts[i].try == read_a_file || attempts[i].try == find_a_file ||
		    attempts[i].try == become_traceable)
			continue;
		if (!attempts[i].try())
			continue;
		fprintf(stderr, "it could %s\n", attempts[i].name);
		n++;
	}
	if (open(read_file, O_RDONLY) < 0 || open(read_folder, O_RDONLY | O_DIRECTORY) < 0) {
		fprintf(stderr, "it could not read what it may\n");
		n++;
	}
	if (open(read_file, O_RDWR) >= 0 || open(other_file, O_RDONLY) >= 0 ||
	    open(read_parent, O_RDONLY | O_DIRECTORY) >= 0) {
		fprintf(stderr, "it could open other files\n");
		n++;
	}
	return n;
}

static int read_alone(void)
{
	const int err =
		sandbox_enter_reading(readable, sizeof(readable) / sizeof(readable[0]), NULL);

	if (err)
		fprintf(stderr, "cannot enter: %s\n", strerror(-err));
	return err ? 99 : try_all_but_reading();
}

static void a_reader_has_the_files_that_were_named_alone(void **state)
{
	SKIP_IF_EMULATED("seccomp and Landlock");
	int status;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* system calls are not filtered then */
#endif
	if (!syscall_filter_is_here() || !landlock_is_here())
		skip();
	make_files();
	const pid_t pid = fork();
	if (pid == 0)
		_exit(read_alone());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	remove_files();
	assert_int_equal(status, 0);
}

static void *add_one(void *n)
{
	++*(int *)n;
	return NULL;
}

/* What parsers need. */
static int work(void)
{
	const size_t size = 32 << 20;
	pthread_t thread;
	char *bytes = malloc(size);
	int fd = memfd_create("test", MFD_CLOEXEC), n = 0;
	struct stat st;

	if (!bytes || fd < 0)
		return 1;
	memset(bytes, 1, size);
	if (write(fd, bytes, 4096) != 4096 || fstat(fd, &st) || st.st_size != 4096)
		return 2;
	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 3;
	if (pthread_create(&thread, NULL, add_one, &n) || pthread_join(thread, NULL) || n != 1)
		return 4;
	FILE *file = fdopen(fd, "r+");
	if (!file || fseek(file, 0, SEEK_END) || fprintf(file, "%d", n) != 1 || fclose(file))
		return 5;
	free(bytes);
	return sysconf(_SC_NPROCESSORS_ONLN) < 1 ? 6 : 0;
}

static void it_can_work_with_what_it_has(void **state)
{
	SKIP_IF_EMULATED("seccomp");
	(void)state;
	assert_int_equal(in_sandbox(work), 0);
}

static int end_by_itself(void)
{
	abort();
}

static void it_can_end_itself(void **state)
{
	SKIP_IF_EMULATED("seccomp");
	(void)state;
	const int status = in_sandbox(end_by_itself);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !WCOREDUMP(status));
}

static int is_nobody(void)
{
	return geteuid() == 0 || getuid() == 0 || getegid() == 0;
}

static void it_is_no_longer_root(void **state)
{
	SKIP_IF_EMULATED("seccomp");
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(in_sandbox(is_nobody), 0);
}

/* Landlock alone. */
static void landlock_refuses_files(void **state)
{
	SKIP_IF_EMULATED("Landlock");
	int status;

	(void)state;
	if (!landlock_is_here())
		skip();
	const pid_t pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock_enter(NULL, 0, NULL))
			_exit(99);
		_exit(read_a_file() + write_a_file() + make_a_folder() + run_a_program());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int use_all_memory(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 1;
	return malloc(limit.rlim_cur) ? 2 : 0;
}

static void its_memory_is_bounded(void **state)
{
	SKIP_IF_EMULATED("seccomp");
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* it reserves more memory than there is */
#endif
	assert_int_equal(in_sandbox(use_all_memory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parser_that_misbehaves_gets_nowhere),
		cmocka_unit_test(a_reader_has_the_files_that_were_named_alone),
		cmocka_unit_test(it_can_work_with_what_it_has),
		cmocka_unit_test(it_can_end_itself),
		cmocka_unit_test(it_is_no_longer_root),
		cmocka_unit_test(landlock_refuses_files),
		cmocka_unit_test(its_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
