/*
 * Single-steps small programs from their first instruction on and keeps a shadow stack by decoding
 * calls and returns; at each step the unwinder gets what perf would give it, registers and a copy
 * of the stack, and must find the very return addresses of the shadow stack, and the root.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
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

/* Headers that are not in 64-bit ones' place: without the multilib package, which would remove the
 * cross compilers. */
#define M32 "-m32 -idirafter /usr/include/x86_64-linux-gnu"

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
	bool is_32_bit;
	uint64_t n_steps, n_steps_outside, n_checked, n_without_cfi, n_wrong;
	uint8_t bytes[STACK_COPY_SIZE];
};

static uint64_t read_word(const struct tracee *tracee, uint64_t addr)
{
	size_t size = tracee->is_32_bit ? 4 : 8;
	uint64_t word = 0;

	assert_int_equal(pread(tracee->memory, &word, size, (off_t)addr), size);
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

static bool is_prefix(const struct tracee *tracee, uint8_t byte)
{
	return memchr("\x66\x67\xf2\xf3\x2e\x3e\x64\x65", byte, 8) ||
	       (!tracee->is_32_bit && (byte & 0xf0) == 0x40);
}

static enum instruction decode(const struct tracee *tracee, uint64_t pc)
{
	static const uint8_t next[] = { 0xe8, 0, 0, 0, 0 }; /* a call to learn the pc */
	uint8_t code[16] = { 0 };
	size_t at = 0;

	pread(tracee->memory, code, sizeof(code), (off_t)pc);
	while (at < 8 && is_prefix(tracee, code[at]))
		at++;
	if (!memcmp(code + at, next, sizeof(next)))
		return OTHER;
	if (code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2))
		return CALL;
	if (code[at] == 0xc3 || code[at] == 0xc2)
		return RETURN;
	if ((code[at] == 0x0f && (code[at + 1] == 0x05 || code[at + 1] == 0x34)) ||
	    (code[at] == 0xcd && code[at + 1] == 0x80))
		return SYSCALL;
	return OTHER;
}

static void push(struct thread *thread, uint64_t addr, bool is_interrupted)
{
	assert_true(thread->depth < DEPTH_MAX);
	thread->shadow[thread->depth++] = (struct shadow_entry){ addr, is_interrupted };
}

/*
 * Programs here return to where they were called from; nobody longjmps. But i386's lazy binding
 * returns into the function found, and leaves the return address on top of the stack.
 */
static void pop(const struct tracee *tracee, struct thread *thread,
		const struct user_regs_struct *user)
{
	uint64_t pc = user->rip;

	assert_true(thread->depth > 0);
	if (tracee->is_32_bit && pc != thread->shadow[thread->depth - 1].addr &&
	    read_word(tracee, user->rsp) == thread->shadow[thread->depth - 1].addr)
		return;
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
	struct user_stack stack = {
		.arch = arch_find("x86_64", tracee->is_32_bit ? PERF_SAMPLE_REGS_ABI_32
							      : PERF_SAMPLE_REGS_ABI_64),
		.bytes = tracee->bytes,
	};
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

enum call { OTHER_CALL, CHANGES_MAPPINGS, SETS_HANDLER, RETURNS_FROM_HANDLER };

static enum call call_made(const struct tracee *tracee, const struct user_regs_struct *before)
{
	static const struct {
		uint64_t number, number_i386;
		enum call call;
	} calls[] = {
		{ SYS_mmap, 192, CHANGES_MAPPINGS },
		{ SYS_munmap, 91, CHANGES_MAPPINGS },
		{ SYS_mprotect, 125, CHANGES_MAPPINGS },
		{ SYS_brk, 45, CHANGES_MAPPINGS },
		{ SYS_mremap, 163, CHANGES_MAPPINGS },
		{ SYS_rt_sigaction, 174, SETS_HANDLER },
		{ SYS_rt_sigreturn, 173, RETURNS_FROM_HANDLER },
		{ UINT64_MAX, 119, RETURNS_FROM_HANDLER },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (before->rax == (tracee->is_32_bit ? calls[i].number_i386 : calls[i].number))
			return calls[i].call;
	return OTHER_CALL;
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
		pop(tracee, thread, after);
		break;
	case SYSCALL:
		switch (call_made(tracee, before)) {
		case RETURNS_FROM_HANDLER:
			pop(tracee, thread, after);
			break;
		case SETS_HANDLER:
			if ((tracee->is_32_bit ? before->rbx : before->rdi) == SIGUSR1)
				tracee->handles_signal = true;
			break;
		case CHANGES_MAPPINGS:
			read_maps(tracee);
			break;
		case OTHER_CALL:
			break;
		}
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
	uint32_t narrow[2];
	uint64_t entry[2] = { AT_NULL };
	struct user_regs_struct regs;
	int status;

	snprintf(name, sizeof(name), "/proc/%d/auxv", tracee->pid);
	FILE *file = fopen(name, "re");
	assert_non_null(file);
	while (entry[0] != AT_ENTRY && tracee->is_32_bit) {
		assert_int_equal(fread(narrow, sizeof(narrow), 1, file), 1);
		entry[0] = narrow[0];
		entry[1] = narrow[1];
	}
	while (entry[0] != AT_ENTRY)
		assert_int_equal(fread(entry, sizeof(entry), 1, file), 1);
	fclose(file);

	uint64_t addr = entry[1], code;
	assert_int_equal(pread(tracee->memory, &code, sizeof(code), (off_t)addr), sizeof(code));
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
	struct user_regs_struct regs;
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
	assert_int_equal(ptrace(PTRACE_GETREGS, tracee->pid, 0, &regs), 0);
	tracee->is_32_bit = regs.cs == 0x23;
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

/* false: there is no such compiler, or what it needs for 32 bits is missing. */
static bool build(const struct program *program, const char *path)
{
	const char *compiler = program->compiler ? program->compiler : "cc";
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	if (system(command))
		return false;
	snprintf(command, sizeof(command),
		 "echo 'int main(void) { return 0; }' | %s -x c - " M32 " -o %s 2>/dev/null",
		 compiler, path);
	if (strstr(program->flags, M32) && system(command))
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
		print_message("no %s here, or no 32-bit libraries\n", program->compiler);
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
	{ "unwind_calls.c", .compiler = "gcc", .flags = M32 " -O2" },
	{ "unwind_calls.c", .compiler = "gcc", .flags = M32 " -O3 -s -Wl,-z,now -fcf-protection",
	  .skip_loader = true },
	{ "unwind_calls.c", .compiler = "gcc", .flags = M32 " -O0", .skip_loader = true },
	{ "unwind_calls.c", .compiler = "gcc", .flags = M32 " -O2 -static", .signal_every = 53 },
	{ "unwind_calls.c", .compiler = "clang", .flags = M32 " -O2", .skip_loader = true },
	{ "unwind_thread.c", .compiler = "gcc", .flags = M32 " -O2", .skip_loader = true },
};

int main(void)
{
	struct CMUnitTest tests[sizeof(programs) / sizeof(programs[0])] = { 0 };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(
			every_instruction_has_the_right_callers, (void *)(void *)&programs[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
