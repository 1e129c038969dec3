/*
 * Loads BPF programs one after the other, each at (probably) the address of the one before, and
 * runs each for a time.
 *
 *   bpf_programs NAME SECONDS [NAME SECONDS]...
 *
 * Seconds of processor time. For each program a line: its address and name, as /proc/kallsyms has
 * them. Status 77, and a line that says why, where BPF programs can't be run, or are not compiled.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N_INSTRUCTIONS 3000
#define RUNS_AT_ONCE   2000
#define WAIT_US        10000
#define N_WAITS        500

static void give_up(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(77);
}

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* r0 = 1; r0 *= SEED, many times; return r0 */
static int load(const char *name, int seed)
{
	static struct bpf_insn code[N_INSTRUCTIONS];
	static char license[] = "GPL";
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER };

	code[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 };
	for (int i = 1; i + 1 < N_INSTRUCTIONS; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = seed };
	code[N_INSTRUCTIONS - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	attr.insns = (unsigned long)code;
	attr.insn_cnt = N_INSTRUCTIONS;
	attr.license = (unsigned long)license;
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	int fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		give_up("BPF programs can't be loaded");
	return fd;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(int fd, double seconds)
{
	unsigned char packet[64] = { 0 };
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end) {
		union bpf_attr attr = { .test = { .prog_fd = (unsigned)fd,
						  .data_size_in = sizeof(packet),
						  .data_in = (unsigned long)packet,
						  .repeat = RUNS_AT_ONCE } };

		if (bpf(BPF_PROG_TEST_RUN, &attr))
			give_up("BPF programs can't be run");
	}
}

/* The line of /proc/kallsyms of the program, or an empty one. */
static void find(const char *name, char *address, size_t size)
{
	char line[1024], suffix[64];
	FILE *file = fopen("/proc/kallsyms", "r");

	address[0] = '\0';
	snprintf(suffix, sizeof(suffix), "_%s\t[bpf]\n", name);
	while (file && fgets(line, sizeof(line), file)) {
		size_t end = strlen(line), n = strlen(suffix);

		if (end > n && strcmp(line + end - n, suffix) == 0)
			snprintf(address, size, "%.*s", (int)strcspn(line, " "), line);
	}
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	char address[32];

	for (int i = 1; i + 1 < argc; i += 2) {
		int fd = load(argv[i], argv[i][0] * 2 + 1);

		find(argv[i], address, sizeof(address));
		if (!address[0]) {
			errno = ENOTSUP;
			give_up("BPF programs are not compiled, or not named");
		}
		printf("%s %s\n", address, argv[i]);
		fflush(stdout);
		run(fd, strtod(argv[i + 1], NULL));
		close(fd);
		for (int n = 0; n < N_WAITS && address[0]; n++) {
			usleep(WAIT_US);
			find(argv[i], address, sizeof(address));
		}
	}
	return 0;
}
