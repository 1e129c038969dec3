/*
 * Single-steps small programs from their first instruction on and keeps a shadow stack by decoding
 * calls and returns; at each step the unwinder gets what perf would give it, registers and a copy
 * of the stack, and must find the very return addresses of the shadow stack, and the root.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "cct/cleanup.h"
#include "cct/module.h"
#include "unwind/address_space.h"
#include "unwind/unwind.h"

#define STACK_COPY_SIZE (64 * 1024)
#define DEPTH_MAX       256
#define THREADS_MAX     4
#define WITHOUT_CFI_MAX 20 /* instructions of _init, _fini and crtstuff.c */
#define WRONG_SHOWN     20

struct program {
	const char *source;   /* compiled with @compiler and @flags, or: */
	const char *path;     /* a program of the system */
	const char *compiler; /* NULL: $CC or cc */
	const char *flags;
	unsigned signal_every; /* steps; 0: only the signals it sends itself */
	bool skip_loader;      /* begin at the program's entry */
};

/* Who will be returned to. */
struct shadow_entry {
	uint64_t addr;
	bool is_interrupted; /* by a signal: @addr is no return address */
};

struct thread {
	pid_t tid; /* 0: free */
	struct shadow_entry shadow[DEPTH_MAX];
	size_t depth;
	bool is_new; /* not stepped yet */
};

enum instruction { OTHER, CALL, RETURN, SYSCALL };

struct tracee {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	struct thread threads[THREADS_MAX];
	struct module_table modules;
	struct address_space *space;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	bool handles_signal;
	uint64_t n_steps, n_steps_outside, n_checked, n_without_cfi, n_wrong;
	uint8_t bytes[STACK_COPY_SIZE];
};

static uint64_t read_word(const struct tracee *tracee, uint64_t addr)
{
	uint64_t word = 0;

	assert_int_equal(pread(tracee->memory, &word, sizeof(word), (off_t)addr), sizeof(word));
	return word;
}

/* The vdso lives in memory only: its module carries an image, as a recording would. */
static int copy_to_memfd(const struct tracee *tracee, uint64_t start, uint64_t end)
{
	size_t size = end - start;
	_cleanup_free_ char *bytes = malloc(size);
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	assert_true(bytes && fd >= 0);
	assert_int_equal(pread(tracee->memory, bytes, size, (off_t)start), size);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static uint32_t add_module(struct tracee *tracee, const char *path, uint64_t start, uint64_t end)
{
	bool is_vdso = !strcmp(path, "[vdso]");
	struct module_key key = { .kind = is_vdso ? MODULE_VDSO : MODULE_ELF, .path = path };

	if (path[0] != '/' && !is_vdso)
		return 0;
	uint32_t id = module_table_add(&tracee->modules, &key);
	struct module *module = module_table_get(&tracee->modules, id);
	if (is_vdso && module->image_fd < 0)
		module->image_fd = copy_to_memfd(tracee, start, end);
	return id;
}

static void read_maps(struct tracee *tracee)
{
	char name[64], line[PATH_MAX + 128];

	address_space_unref(tracee->space);
	tracee->space = address_space_create();
	snprintf(name, sizeof(name), "/proc/%d/maps", tracee->pid);
	FILE *maps = fopen(name, "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		char path[PATH_MAX] = "", permissions[8];
		struct mapping mapping = { 0 };

		assert_true(sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &mapping.start,
				   &mapping.end, permissions, &mapping.offset, path) >= 4);
		mapping.is_exec = permissions[2] == 'x';
		mapping.module = add_module(tracee, path, mapping.start, mapping.end);
		assert_int_equal(address_space_map(&tracee->space, &mapping), 0);
	}
	fclose(maps);
}

static enum instruction decode(const struct tracee *tracee, uint64_t pc)
{
	uint8_t code[16] = { 0 };
	size_t at = 0;

	pread(tracee->memory, code, sizeof(code), (off_t)pc);
	while (at < 8 &&
	       (code[at] == 0x66 || code[at] == 0x67 || code[at] == 0xf2 || code[at] == 0xf3 ||
		code[at] == 0x3e || code[at] == 0x2e || (code[at] & 0xf0) == 0x40))
		at++;
	if (code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2))
		return CALL;
	if (code[at] == 0xc3 || code[at] == 0xc2)
		return RETURN;
	if (code[at] == 0x0f && code[at + 1] == 0x05)
		return SYSCALL;
	return OTHER;
}

static void push(struct thread *thread, uint64_t addr, bool is_interrupted)
{
	assert_true(thread->depth < DEPTH_MAX);
	thread->shadow[thread->depth++] = (struct shadow_entry){ addr, is_interrupted };
}

/* Programs here return to where they were called from; nobody longjmps. */
static void pop(struct thread *thread, uint64_t pc)
{
	assert_true(thread->depth > 0);
	assert_int_equal(thread->shadow[--thread->depth].addr, pc);
}

static bool is_in_handler(const struct thread *thread)
{
	for (size_t i = 0; i < thread->depth; i++)
		if (thread->shadow[i].is_interrupted)
			return true;
	return false;
}

static struct user_stack sample(struct tracee *tracee, const struct user_regs_struct *user)
{
	/* In the order of perf's mask: AX BX CX DX SI DI BP SP IP, R8 to R15. */
	const uint64_t values[] = { user->rax, user->rbx, user->rcx, user->rdx, user->rsi,
				    user->rdi, user->rbp, user->rsp, user->rip, user->r8,
				    user->r9,  user->r10, user->r11, user->r12, user->r13,
				    user->r14, user->r15 };
	struct user_stack stack = { .arch = arch_find("x86_64", 2), .bytes = tracee->bytes };
	const struct mapping *mapping = address_space_find(tracee->space, user->rsp);
	size_t size = mapping && mapping->end - user->rsp < STACK_COPY_SIZE
			      ? mapping->end - user->rsp
			      : STACK_COPY_SIZE;

	assert_true(regs_from_perf(stack.arch, 0xff01ff, values, &stack.regs));
	ssize_t n = pread(tracee->memory, tracee->bytes, size, (off_t)user->rsp);
	stack.size = n > 0 ? (size_t)n : 0;
	stack.is_full = stack.size == STACK_COPY_SIZE;
	return stack;
}

/* How many of the frames, from the leaf on, are the shadow stack's. */
static size_t count_right(const struct thread *thread, uint64_t pc, const uint64_t *addrs,
			  size_t n_frames)
{
	size_t n_right = 0;

	if (addrs[0] != pc)
		return 0;
	while (++n_right < n_frames && n_right <= thread->depth) {
		const struct shadow_entry *entry = &thread->shadow[thread->depth - n_right];

		if (addrs[n_right] != entry->addr - !entry->is_interrupted)
			break;
	}
	return n_right;
}

static void print_address(const struct tracee *tracee, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(tracee->space, addr);
	const struct module *module =
		mapping ? module_table_get(&tracee->modules, mapping->module) : NULL;

	if (module)
		print_message(" %s+0x%lx", module_name(module),
			      addr - mapping->start + mapping->offset);
	else
		print_message(" 0x%lx", addr);
}

static void print_wrong(const struct tracee *tracee, const struct thread *thread, uint64_t pc,
			const uint64_t *addrs, size_t n_frames, enum unwind_end end)
{
	print_message("# wrong at");
	print_address(tracee, pc);
	print_message(": end %d;", end);
	for (size_t i = 0; i < n_frames; i++)
		print_address(tracee, addrs[i]);
	print_message("; right:");
	for (size_t i = thread->depth; i-- > 0;)
		print_address(tracee, thread->shadow[i].addr - !thread->shadow[i].is_interrupted);
	print_message("\n");
}

static void check(struct tracee *tracee, const struct thread *thread,
		  const struct user_regs_struct *user)
{
	struct frame frames[DEPTH_MAX + 1];
	uint64_t addrs[DEPTH_MAX + 1];
	struct unwind_result result;
	struct user_stack stack = sample(tracee, user);
	size_t n_frames = unwind_user_stack(tracee->unwinder, tracee->space, &stack, frames, addrs,
					    DEPTH_MAX + 1, &result);

	size_t n_right = count_right(thread, user->rip, addrs, n_frames);
	tracee->n_checked++;
	if (n_right == n_frames && n_frames == thread->depth + 1 && result.end == UNWIND_ROOT)
		return;
	/* Start-up code has a few functions that no CFI describes. To say so is right, too. */
	if (n_right == n_frames && result.end == UNWIND_NO_UNWIND_INFO) {
		tracee->n_without_cfi++;
		return;
	}
	if (tracee->n_wrong++ < WRONG_SHOWN)
		print_wrong(tracee, thread, user->rip, addrs, n_frames, result.end);
}

static bool changes_mappings(uint64_t number)
{
	return number == SYS_mmap || number == SYS_munmap || number == SYS_mprotect ||
	       number == SYS_brk || number == SYS_mremap;
}

static struct thread *find_thread(struct tracee *tracee, pid_t tid)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (tracee->threads[i].tid == tid)
			return &tracee->threads[i];
	return NULL;
}

/* Waits for any thread to stop. NULL: the last one has exited. */
static struct thread *wait_for_stop(struct tracee *tracee, int *signal_ret)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		struct thread *thread = find_thread(tracee, tid);

		if (!WIFSTOPPED(status)) {
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			thread->tid = 0;
			continue;
		}
		if (!thread) {
			thread = find_thread(tracee, 0);
			assert_non_null(thread);
			*thread = (struct thread){ .tid = tid, .is_new = true };
		}
		*signal_ret = WSTOPSIG(status);
		if (status >> 16) { /* an event in a system call that is still to be finished */
			ptrace(PTRACE_SINGLESTEP, tid, 0, 0);
			continue;
		}
		return thread;
	}
	assert_int_equal(errno, ECHILD);
	return NULL;
}

/* What @thread does by one step, @before told its registers. */
static void follow(struct tracee *tracee, struct thread *thread, enum instruction instruction,
		   const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	switch (instruction) {
	case CALL:
		push(thread, read_word(tracee, after->rsp), false);
		break;
	case RETURN:
		pop(thread, after->rip);
		break;
	case SYSCALL:
		if (before->rax == SYS_rt_sigreturn)
			pop(thread, after->rip);
		if (before->rax == SYS_rt_sigaction && before->rdi == SIGUSR1)
			tracee->handles_signal = true;
		if (changes_mappings(before->rax))
			read_maps(tracee);
		break;
	case OTHER:
		break;
	}
}

/* Steps outside the handler count, so the program gets on between two signals. */
static bool is_time_for_a_signal(struct tracee *tracee, const struct thread *thread,
				 const struct program *program)
{
	return program->signal_every && tracee->handles_signal && !is_in_handler(thread) &&
	       ++tracee->n_steps_outside % program->signal_every == 0;
}

static void run(struct tracee *tracee, const struct program *program)
{
	struct state {
		struct user_regs_struct regs;
		enum instruction instruction;
		int signal;
	} states[THREADS_MAX] = { 0 };
	struct thread *thread;
	int signal;

	while ((thread = wait_for_stop(tracee, &signal))) {
		struct state *state = &states[thread - tracee->threads];
		struct user_regs_struct regs;
		int deliver = 0;

		assert_int_equal(ptrace(PTRACE_GETREGS, thread->tid, 0, &regs), 0);
		if (signal == SIGUSR1 && !state->signal) {
			/* About to be delivered; the step it interrupts has not happened. */
			deliver = SIGUSR1;
			state->instruction = OTHER;
		} else if (state->signal) {
			push(thread, state->regs.rip, true);
			push(thread, read_word(tracee, regs.rsp), false);
		} else if (thread->is_new) {
			read_maps(tracee);
		} else {
			follow(tracee, thread, state->instruction, &state->regs, &regs);
		}
		if (!deliver && !thread->is_new) {
			tracee->n_steps++;
			check(tracee, thread, &regs);
			if (is_time_for_a_signal(tracee, thread, program))
				deliver = SIGUSR1;
		}
		thread->is_new = false;
		state->signal = deliver;
		state->regs = regs;
		state->instruction = decode(tracee, regs.rip);
		ptrace(PTRACE_SINGLESTEP, thread->tid, 0, deliver);
	}
}

/* Runs to the program's entry, which the auxiliary vector tells. */
static void skip_loader(struct tracee *tracee)
{
	char name[64];
	Elf64_auxv_t entry = { .a_type = AT_NULL };
	struct user_regs_struct regs;
	int status;

	snprintf(name, sizeof(name), "/proc/%d/auxv", tracee->pid);
	FILE *file = fopen(name, "re");
	assert_non_null(file);
	while (entry.a_type != AT_ENTRY)
		assert_int_equal(fread(&entry, sizeof(entry), 1, file), 1);
	fclose(file);

	uint64_t addr = entry.a_un.a_val, code = read_word(tracee, addr);
	ptrace(PTRACE_POKETEXT, tracee->pid, addr, (code & ~0xffull) | 0xcc);
	ptrace(PTRACE_CONT, tracee->pid, 0, 0);
	assert_int_equal(waitpid(tracee->pid, &status, 0), tracee->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	ptrace(PTRACE_POKETEXT, tracee->pid, addr, code);
	assert_int_equal(ptrace(PTRACE_GETREGS, tracee->pid, 0, &regs), 0);
	assert_int_equal(regs.rip, addr + 1);
	regs.rip = addr;
	ptrace(PTRACE_SETREGS, tracee->pid, 0, &regs);
}

static void start(struct tracee *tracee, const struct program *program, const char *path)
{
	const char *const environment[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
	const char *const arguments[] = { path, NULL };
	char name[64];
	int status;

	memset(tracee, 0, sizeof(*tracee));
	assert_int_equal(module_table_init(&tracee->modules), 0);
	tracee->elf_modules = elf_modules_create(&tracee->modules);
	tracee->unwinder = unwinder_create(tracee->elf_modules);
	assert_non_null(tracee->unwinder);
	tracee->pid = fork();
	if (tracee->pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execve(path, (char *const *)arguments, (char *const *)environment);
		_exit(127);
	}
	assert_int_equal(waitpid(tracee->pid, &status, 0), tracee->pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, tracee->pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	snprintf(name, sizeof(name), "/proc/%d/mem", tracee->pid);
	tracee->memory = open(name, O_RDONLY | O_CLOEXEC);
	assert_true(tracee->memory >= 0);
	if (program->skip_loader)
		skip_loader(tracee);
	tracee->threads[0] = (struct thread){ .tid = tracee->pid, .is_new = true };
	read_maps(tracee);
	ptrace(PTRACE_SINGLESTEP, tracee->pid, 0, 0);
}

static void finish(struct tracee *tracee)
{
	unwinder_destroy(tracee->unwinder);
	elf_modules_destroy(tracee->elf_modules);
	module_table_deinit(&tracee->modules);
	address_space_unref(tracee->space);
	close(tracee->memory);
	free(tracee);
}

/* false: there is no such compiler. */
static bool build(const struct program *program, const char *path)
{
	const char *compiler = program->compiler ? program->compiler : "cc";
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	if (system(command))
		return false;
	snprintf(command, sizeof(command), "%s %s -o %s tests/workloads/%s -lpthread", compiler,
		 program->flags, path, program->source);
	assert_int_equal(system(command), 0);
	return true;
}

static void every_instruction_has_the_right_callers(void **state)
{
	const struct program *program = *state;
	char path[] = "/tmp/dendro-test-XXXXXX";
	struct tracee *tracee = malloc(sizeof(*tracee));
	int fd = mkstemp(path);

	assert_true(tracee && fd >= 0);
	close(fd);
	if (program->source && !build(program, path)) {
		unlink(path);
		print_message("no %s here\n", program->compiler);
		skip();
	}
	start(tracee, program, program->path ? program->path : path);
	run(tracee, program);
	unlink(path);

	const struct unwind_stats *stats = unwinder_stats(tracee->unwinder);
	print_message("# %s %s %s: %lu steps, %lu checked, %lu wrong, %lu without CFI; %lu "
		      "expressions, %lu guessed\n",
		      program->compiler ? program->compiler : "",
		      program->source ? program->source : program->path,
		      program->flags ? program->flags : "", tracee->n_steps, tracee->n_checked,
		      tracee->n_wrong, tracee->n_without_cfi, stats->n_expressions,
		      stats->n_guessed);
	assert_true(tracee->n_checked > 1000);
	assert_int_equal(tracee->n_wrong, 0);
	assert_true(tracee->n_without_cfi <= WITHOUT_CFI_MAX);
	finish(tracee);
}

static struct program programs[] = {
	{ "unwind_calls.c", .compiler = "gcc", .flags = "-O2" },
	{ "unwind_calls.c", .compiler = "gcc", .flags = "-O3 -s -Wl,-z,now", .skip_loader = true },
	{ "unwind_calls.c", .compiler = "gcc", .flags = "-O0", .skip_loader = true },
	{ "unwind_calls.c", .compiler = "gcc", .flags = "-O2 -static" },
	{ "unwind_calls.c", .compiler = "gcc", .flags = "-O2 -static", .signal_every = 53 },
	{ "unwind_calls.c", .compiler = "clang", .flags = "-O2", .skip_loader = true },
	{ "unwind_calls.c", .compiler = "clang", .flags = "-O0", .skip_loader = true },
	{ "unwind_thread.c", .compiler = "gcc", .flags = "-O2", .skip_loader = true },
};

int main(void)
{
	struct CMUnitTest tests[sizeof(programs) / sizeof(programs[0])] = { 0 };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(
			every_instruction_has_the_right_callers, (void *)(void *)&programs[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
