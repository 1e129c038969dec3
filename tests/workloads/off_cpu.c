/*
 * Threads that wait: asleep, for a lock that is always held, for a pipe, for a disk, and for a
 * processor that two of them share; kinds: for a file's event, a message and a child. Each measures
 * itself; at the end one line each:
 *
 *   wait FUNCTION NS           off the CPU below that function, all threads together
 *   thread NAME NS CPU-NS      from its first instruction to its last; its time on the CPU
 *
 * usage: off_cpu SECONDS [PART...]
 *
 * Parts: naps, convoy, pipe, hogs (these without a PART), disk, kinds, deadlock, which never ends
 * and prints where its two locks are.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define N_CONVOY   3
#define N_HOGS     2
#define MAX_THREAD 16
#define BLOCK_SIZE (1 << 20)
#define FILE_SIZE  (16 * BLOCK_SIZE)

static uint64_t end_ns;

/* ---- what is measured ---- */

enum wait {
	NAP,
	HOLD_LOCK,
	CONTEND,
	WAIT_FOR_PIPE,
	READ_DISK,
	BURN,
	WAIT_TO_POLL,
	WAIT_FOR_SOCKET,
	WAIT_FOR_CHILD,
	N_WAITS
};
static const char *const wait_names[] = { "nap",           "hold_lock",       "contend",
					  "wait_for_pipe", "read_disk",       "burn",
					  "wait_to_poll",  "wait_for_socket", "wait_for_child" };
static _Atomic uint64_t waited[N_WAITS];

struct moment {
	uint64_t wall_ns, cpu_ns;
};

static struct moment now(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (struct moment){ now_ns(),
				(uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec };
}

static void add_wait(enum wait wait, const struct moment *since)
{
	struct moment until = now();

	waited[wait] += (until.wall_ns - since->wall_ns) - (until.cpu_ns - since->cpu_ns);
}

struct life {
	char name[16];
	uint64_t wall_ns, cpu_ns;
};
static struct life lives[MAX_THREAD];
static atomic_int n_lives;

static void begin_life(struct moment *born, const char *name)
{
	*born = now();
	pthread_setname_np(pthread_self(), name);
}

static void end_life(const struct moment *born, const char *name)
{
	struct life *life = &lives[n_lives++];
	struct moment died = now();

	snprintf(life->name, sizeof(life->name), "%s", name);
	life->wall_ns = died.wall_ns - born->wall_ns;
	life->cpu_ns = died.cpu_ns - born->cpu_ns;
}

/* ---- waits ---- */

static void sleep_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

static FUNCTION void nap(uint64_t ns)
{
	struct moment began = now();

	sleep_ns(ns);
	add_wait(NAP, &began);
	KEEP_FRAME();
}

static FUNCTION void hold_lock(uint64_t ns)
{
	struct moment began = now();

	sleep_ns(ns);
	add_wait(HOLD_LOCK, &began);
	KEEP_FRAME();
}

static FUNCTION void contend(pthread_mutex_t *lock)
{
	struct moment began = now();

	pthread_mutex_lock(lock);
	add_wait(CONTEND, &began);
	KEEP_FRAME();
}

static FUNCTION ssize_t wait_for_pipe(int fd)
{
	struct moment began = now();
	char byte;
	ssize_t n = read(fd, &byte, 1);

	add_wait(WAIT_FOR_PIPE, &began);
	return n;
}

static FUNCTION ssize_t read_disk(int fd, void *block, off_t offset)
{
	struct moment began = now();
	ssize_t n = pread(fd, block, BLOCK_SIZE, offset);

	add_wait(READ_DISK, &began);
	return n;
}

static FUNCTION int wait_to_poll(int fd)
{
	struct moment began = now();
	int n = poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 30);

	add_wait(WAIT_TO_POLL, &began);
	return n;
}

static FUNCTION ssize_t wait_for_socket(int fd)
{
	struct moment began = now();
	char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	add_wait(WAIT_FOR_SOCKET, &began);
	return n;
}

static FUNCTION pid_t wait_for_child(pid_t pid)
{
	struct moment began = now();
	pid_t got = waitpid(pid, NULL, 0);

	add_wait(WAIT_FOR_CHILD, &began);
	return got;
}

static FUNCTION void burn(void)
{
	struct moment began = now();

	while (now_ns() < end_ns)
		units(1);
	add_wait(BURN, &began);
}

static FUNCTION void lock_second(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	KEEP_FRAME();
}

/* ---- threads ---- */

static pthread_mutex_t pair_locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t both_have_one;

static void *left_main(void *arg)
{
	pthread_mutex_lock(&pair_locks[0]);
	pthread_barrier_wait(&both_have_one);
	lock_second(&pair_locks[1]);
	return arg;
}

static void *right_main(void *arg)
{
	pthread_mutex_lock(&pair_locks[1]);
	pthread_barrier_wait(&both_have_one);
	lock_second(&pair_locks[0]);
	return arg;
}

static pthread_mutex_t convoy_lock = PTHREAD_MUTEX_INITIALIZER;

static void *convoy_main(void *arg)
{
	struct moment born;

	begin_life(&born, arg);
	while (now_ns() < end_ns) {
		contend(&convoy_lock);
		hold_lock(7000000);
		pthread_mutex_unlock(&convoy_lock);
		units(4);
	}
	end_life(&born, arg);
	return NULL;
}

static int pipe_fds[2];

static void *reader_main(void *arg)
{
	struct moment born;

	begin_life(&born, arg);
	while (wait_for_pipe(pipe_fds[0]) > 0)
		units(2);
	end_life(&born, arg);
	return NULL;
}

static void *writer_main(void *arg)
{
	struct moment born;

	begin_life(&born, arg);
	while (now_ns() < end_ns) {
		nap(11000000);
		if (write(pipe_fds[1], "x", 1) != 1)
			break;
	}
	close(pipe_fds[1]);
	end_life(&born, arg);
	return NULL;
}

static void *napper_main(void *arg)
{
	struct moment born;

	begin_life(&born, arg);
	while (now_ns() < end_ns) {
		nap(20000000);
		units(16);
	}
	end_life(&born, arg);
	return NULL;
}

/* Before all others, on one of the processors it may use. */
static void *hog_main(void *arg)
{
	struct moment born;
	cpu_set_t all, one;
	int cpu = 0;

	begin_life(&born, arg);
	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	burn();
	end_life(&born, arg);
	return NULL;
}

static int disk_fd = -1;

static void *disk_main(void *arg)
{
	struct moment born;
	void *block = aligned_alloc(4096, BLOCK_SIZE);

	begin_life(&born, arg);
	for (off_t at = 0; now_ns() < end_ns; at = (at + BLOCK_SIZE) % FILE_SIZE)
		if (read_disk(disk_fd, block, at) != BLOCK_SIZE)
			break;
	end_life(&born, arg);
	free(block);
	return NULL;
}

static void *kinds_main(void *arg)
{
	struct moment born;
	int fds[2];

	begin_life(&born, arg);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_usec = 30000 },
		       sizeof(struct timeval)))
		exit(1);
	while (now_ns() < end_ns) {
		wait_to_poll(fds[0]);
		wait_for_socket(fds[0]);
		pid_t pid = fork();
		if (!pid) {
			sleep_ns(30000000);
			_exit(0);
		}
		wait_for_child(pid);
	}
	end_life(&born, arg);
	return NULL;
}

/* To be read past the page cache; -1: this file system can't. */
/* A file of zeros to be read from the disk, past the page cache. -1: none here: file systems in
 * memory have direct reads, too, but do not wait. */
static int make_file_in(const char *directory)
{
	static char block[BLOCK_SIZE];
	char name[64];
	struct statfs system;

	snprintf(name, sizeof(name), "%s/off_cpu.XXXXXX", directory);
	if (statfs(directory, &system) || system.f_type == TMPFS_MAGIC)
		return -1;
	int fd = mkostemp(name, O_CLOEXEC);
	int read_fd = -1;
	bool is_written = fd >= 0;
	for (int i = 0; is_written && i < FILE_SIZE / BLOCK_SIZE; i++)
		is_written = write(fd, block, sizeof(block)) == sizeof(block);
	if (is_written && !fsync(fd))
		read_fd = open(name, O_RDONLY | O_DIRECT);
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	return read_fd;
}

static int make_file(void)
{
	int fd = make_file_in(".");

	return fd >= 0 ? fd : make_file_in("/var/tmp");
}

static pthread_t threads[MAX_THREAD];
static int n_threads;

static void start(void *(*run)(void *), char *name)
{
	if (pthread_create(&threads[n_threads++], NULL, run, name))
		exit(1);
}

static bool is_asked(int argc, char **argv, const char *part)
{
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], part) == 0)
			return true;
	return argc <= 2 && strcmp(part, "disk") != 0 && strcmp(part, "kinds") != 0 &&
	       strcmp(part, "deadlock") != 0;
}

static void start_threads(int argc, char **argv)
{
	static char convoy_names[N_CONVOY][16], hog_names[N_HOGS][16];

	for (int i = 0; i < N_CONVOY && is_asked(argc, argv, "convoy"); i++) {
		snprintf(convoy_names[i], sizeof(convoy_names[i]), "convoy-%d", i);
		start(convoy_main, convoy_names[i]);
	}
	for (int i = 0; i < N_HOGS && is_asked(argc, argv, "hogs"); i++) {
		snprintf(hog_names[i], sizeof(hog_names[i]), "hog-%d", i);
		start(hog_main, hog_names[i]);
	}
	if (is_asked(argc, argv, "naps"))
		start(napper_main, "napper");
	if (disk_fd >= 0)
		start(disk_main, "disk");
	if (is_asked(argc, argv, "deadlock")) {
		pthread_barrier_init(&both_have_one, NULL, 2);
		printf("locks %p %p\n", (void *)&pair_locks[0], (void *)&pair_locks[1]);
		fflush(stdout);
		start(left_main, NULL);
		start(right_main, NULL);
	}
	if (is_asked(argc, argv, "kinds"))
		start(kinds_main, "kinds");
	if (is_asked(argc, argv, "pipe")) {
		if (pipe(pipe_fds))
			exit(1);
		start(reader_main, "reader");
		start(writer_main, "writer");
	}
}

int main(int argc, char **argv)
{
	if (is_asked(argc, argv, "disk"))
		disk_fd = make_file();
	end_ns = now_ns() + (uint64_t)(seconds_of(argc, argv) * 1e9);
	start_threads(argc, argv);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N_WAITS; i++)
		if (waited[i])
			printf("wait %s %llu\n", wait_names[i], (unsigned long long)waited[i]);
	for (int i = 0; i < n_lives; i++)
		printf("thread %s %llu %llu\n", lives[i].name, (unsigned long long)lives[i].wall_ns,
		       (unsigned long long)lives[i].cpu_ns);
	return 0;
}
