/* ptrace, the few instructions that move calls, and the comparison. */
#include "tests/unit/single_step.h"

#ifdef __x86_64__

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
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

#include "cct/base/cleanup.h"
#include "cct/model/module.h"
#include "tests/unit/shadow_stack.h"
#include "unwind/rules/address_space.h"

#define STACK_COPY_SIZE      (64 * 1024)
#define FRAMES_MAX           (SHADOW_DEPTH_MAX + 1)
#define THREADS_MAX          4
#define JUMP_STEPS_MAX       40  /* from the first CFI of a jump's target to the jump */
#define INSTALLING_STEPS_MAX 400 /* from where a landing pad's first register is written */
#define WRONG_SHOWN          20
#define CS_OF_32_BIT         0x23

enum instruction { OTHER, CALL, RETURN, JUMP, SYSCALL, POP, PUSH_MEMORY, LOAD_SP };

/* A walk that is not the shadow stack's. */
struct answer {
	uint64_t addrs[FRAMES_MAX], right[FRAMES_MAX];
	size_t n_frames, n_right;
	enum unwind_end end;
	bool is_installed;
};

struct thread {
	pid_t tid;   /* 0: free */
	bool is_new; /* not stepped yet */
	struct shadow_stack shadow;
	/* The step underway. */
	struct user_regs_struct regs;
	enum instruction instruction;
	bool has_jumped; /* by the step before: longjmp(), or the like */
	int signal;
	/* Answers that can only be judged when it is known where a jump goes to. */
	struct answer answers[INSTALLING_STEPS_MAX];
	size_t n_answers;
	uint64_t n_steps_since; /* the first of them */
};

/* Where libgcc's functions that install a landing pad's registers lie, in one module. */
#define INSTALLERS_MAX 8
struct installers {
	uint32_t module; /* 0: not looked for yet */
	struct {
		uint64_t offset, size;
	} ranges[INSTALLERS_MAX];
	size_t n_ranges;
};

struct tracee {
	pid_t pid;
	int memory;  /* /proc/PID/mem */
	int pagemap; /* /proc/PID/pagemap */
	bool is_32_bit;
	struct thread threads[THREADS_MAX];
	struct module_table modules;
	struct address_space *space;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct installers installers[16];
	uint64_t handled; /* bit per signal */
	uint64_t n_steps_outside;
	bool is_untouched_beyond; /* the copy ended at a page that is not present */
	struct traced_counts counts;
	uint8_t bytes[STACK_COPY_SIZE];
};

static uint64_t word_size(const struct tracee *tracee)
{
	return tracee->is_32_bit ? 4 : 8;
}

static uint64_t read_word(const struct tracee *tracee, uint64_t addr)
{
	uint64_t word = 0;

	assert_int_equal(pread(tracee->memory, &word, word_size(tracee), (off_t)addr),
			 word_size(tracee));
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
	if (is_vdso && module->located.image_fd < 0)
		module->located.image_fd = copy_to_memfd(tracee, start, end);
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
	uint8_t code[16] = { 0 }, *at = code;

	pread(tracee->memory, code, sizeof(code), (off_t)pc);
	while (at < code + 8 && is_prefix(tracee, *at))
		at++;
	uint8_t reg = at[1] >> 3 & 7, mod = at[1] >> 6;
	if (!memcmp(at, next, sizeof(next)))
		return OTHER;
	if (at[0] == 0xe8 || (at[0] == 0xff && reg == 2))
		return CALL;
	if (at[0] == 0xc3 || at[0] == 0xc2)
		return RETURN;
	if (at[0] == 0xff && reg == 4)
		return JUMP;
	if (at[0] == 0xff && reg == 6 && mod != 3)
		return PUSH_MEMORY;
	if ((at[0] >= 0x58 && at[0] <= 0x5f) || (at[0] == 0x8f && reg == 0))
		return POP;
	if (at[0] == 0x8b && reg == 4 && mod != 3)
		return LOAD_SP;
	if ((at[0] == 0x0f && (at[1] == 0x05 || at[1] == 0x34)) || (at[0] == 0xcd && at[1] == 0x80))
		return SYSCALL;
	return OTHER;
}

/* perf copies what is in memory: it stops at the first page that has to be faulted in. */
static size_t present_size(const struct tracee *tracee, uint64_t start, size_t size)
{
	const uint64_t is_present = 1ull << 63;
	uint64_t entries[STACK_COPY_SIZE / PAGE_SIZE + 1];
	uint64_t first = start / PAGE_SIZE, n = (start + size - 1) / PAGE_SIZE - first + 1;

	ssize_t n_read = pread(tracee->pagemap, entries, n * sizeof(entries[0]),
			       (off_t)(first * sizeof(entries[0])));
	assert_int_equal(n_read, n * sizeof(entries[0]));
	for (uint64_t i = 0; i < n; i++)
		if (!(entries[i] & is_present))
			return i ? (first + i) * PAGE_SIZE - start : 0;
	return size;
}

static size_t copy_size(struct tracee *tracee, uint64_t sp)
{
	const struct mapping *mapping = address_space_find(tracee->space, sp);
	if (!mapping)
		return 0;
	size_t size = mapping->end - sp < STACK_COPY_SIZE ? mapping->end - sp : STACK_COPY_SIZE;
	size_t present = present_size(tracee, sp, size);
	tracee->is_untouched_beyond = present < size;
	return present;
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
	size_t size = copy_size(tracee, user->rsp);

	assert_non_null(stack.arch);
	assert_true(regs_from_perf(stack.arch, 0xff01ff, values, &stack.regs));
	ssize_t n = pread(tracee->memory, tracee->bytes, size, (off_t)user->rsp);
	stack.size = n > 0 ? (size_t)n : 0;
	stack.is_full = stack.size == STACK_COPY_SIZE;
	return stack;
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

static void count_wrong(struct tracee *tracee, const struct answer *answer)
{
	if (tracee->counts.n_wrong++ >= WRONG_SHOWN)
		return;
	print_message("# wrong at");
	for (size_t i = 0; i < answer->n_frames; i++)
		print_address(tracee, answer->addrs[i]);
	print_message(", end %d; right:", answer->end);
	for (size_t i = 0; i < answer->n_right; i++)
		print_address(tracee, answer->right[i]);
	print_message("\n");
}

/* How many of @addrs, from the first on, are the shadow stack's callers. */
static size_t count_callers(const struct shadow_stack *shadow, const uint64_t *addrs, size_t n)
{
	const struct shadow_entry *caller;
	size_t i = 0;

	while (i < n && (caller = shadow_caller(shadow, i)) && shadow_is_frame(caller, addrs[i]))
		i++;
	return i;
}

static bool is_memory_missing(enum unwind_end end)
{
	return end == UNWIND_BAD_MEMORY || end == UNWIND_STACK_CUT || end == UNWIND_NO_STACK;
}

static bool name_is_installer(const char *name)
{
	return name &&
	       (!strcmp(name, "_Unwind_RaiseException") || !strcmp(name, "_Unwind_Resume") ||
		!strcmp(name, "_Unwind_Resume_or_Rethrow") ||
		!strcmp(name, "_Unwind_ForcedUnwind"));
}

static void find_installers(struct installers *installers, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header, text;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size ||
			    installers->n_ranges == INSTALLERS_MAX ||
			    !name_is_installer(elf_strptr(elf, header.sh_link, symbol.st_name)) ||
			    !gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &text))
				continue;
			installers->ranges[installers->n_ranges].offset =
				symbol.st_value - text.sh_addr + text.sh_offset;
			installers->ranges[installers->n_ranges++].size = symbol.st_size;
		}
	}
}

static const struct installers *get_installers(struct tracee *tracee, uint32_t module)
{
	struct installers *installers = tracee->installers;

	while (installers->module && installers->module != module)
		installers++;
	assert_true(installers < tracee->installers + 15);
	if (installers->module)
		return installers;
	installers->module = module;
	int fd = open(module_table_get(&tracee->modules, module)->key.path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (elf)
		find_installers(installers, elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return installers;
}

static bool is_in_installer(struct tracee *tracee, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(tracee->space, addr);

	if (!mapping || !mapping->module)
		return false;
	const struct installers *installers = get_installers(tracee, mapping->module);
	uint64_t offset = addr - mapping->start + mapping->offset;
	for (size_t i = 0; i < installers->n_ranges; i++)
		if (offset - installers->ranges[i].offset < installers->ranges[i].size)
			return true;
	return false;
}

/* In such a function, or in one that it has called. */
static bool is_below_installer(struct tracee *tracee, const struct thread *thread, uint64_t pc)
{
	const struct shadow_entry *caller = shadow_caller(&thread->shadow, 0);

	return is_in_installer(tracee, pc) || (caller && is_in_installer(tracee, caller->addr - 1));
}

/* Whether no frame of an answer that ends early is another than it was before the jump. */
static bool ends_with_reason(const struct answer *answer)
{
	return answer->end != UNWIND_ROOT && answer->n_frames - 1 <= answer->n_right &&
	       !memcmp(answer->addrs + 1, answer->right,
		       (answer->n_frames - 1) * sizeof(*answer->addrs));
}

/* The answers that expected where the jump has gone to, @thread's pc now, were right. */
static void judge_jump(struct tracee *tracee, struct thread *thread, uint64_t target)
{
	struct shadow_stack *shadow = &thread->shadow;
	struct traced_counts *counts = &tracee->counts;

	for (size_t i = 0; i < thread->n_answers; i++) {
		const struct answer *answer = &thread->answers[i];
		/* The installer may have called. */
		const size_t at = answer->is_installed && answer->n_frames > 2 &&
						  is_in_installer(tracee, answer->addrs[1])
					  ? 2
					  : 1;
		size_t n_callers = answer->n_frames > at ? answer->n_frames - at - 1 : 0;
		/* A landing pad, or a new stack's first function, was not called there. */
		const bool is_exact = shadow->is_new_chain || answer->is_installed;
		bool is_target = answer->n_frames <= at || answer->addrs[at] == target - !is_exact;
		bool is_right = is_target && count_callers(shadow, answer->addrs + at + 1,
							   n_callers) == n_callers;

		if (is_right && answer->end == UNWIND_ROOT && !shadow_caller(shadow, n_callers))
			counts->n_complete++;
		else if (answer->is_installed && ends_with_reason(answer))
			counts->n_installed++;
		else if (is_right && answer->end != UNWIND_ROOT && !answer->is_installed)
			counts->n_jumping++;
		else
			count_wrong(tracee, answer);
	}
	thread->n_answers = 0;
	shadow->is_jumping = shadow->is_new_chain = false;
}

/* No jump came: they were answers to the shadow stack as it was. */
static void give_up_on_jump(struct tracee *tracee, struct thread *thread)
{
	for (size_t i = 0; i < thread->n_answers; i++)
		count_wrong(tracee, &thread->answers[i]);
	thread->n_answers = 0;
}

/* To be judged when it is known where the next jump goes to. */
static void keep_answer(struct tracee *tracee, struct thread *thread, struct answer *answer)
{
	const struct shadow_entry *caller;

	for (answer->n_right = 0; (caller = shadow_caller(&thread->shadow, answer->n_right));)
		answer->right[answer->n_right++] = caller->addr - (caller->kind == SHADOW_CALLED);
	answer->is_installed = is_below_installer(tracee, thread, answer->addrs[0]);
	if (!thread->n_answers++)
		thread->n_steps_since = 0;
}

static uint64_t steps_to_jump(const struct thread *thread)
{
	return thread->answers[0].is_installed ? INSTALLING_STEPS_MAX : JUMP_STEPS_MAX;
}

static void check(struct tracee *tracee, struct thread *thread, const struct user_regs_struct *user)
{
	struct shadow_stack *shadow = &thread->shadow;
	struct traced_counts *counts = &tracee->counts;
	struct answer *answer = &thread->answers[thread->n_answers];
	struct frame frames[FRAMES_MAX];
	struct unwind_result result;
	struct user_stack stack = sample(tracee, user);
	size_t n_frames = unwind_user_stack(tracee->unwinder, tracee->space, &stack, frames,
					    answer->addrs, FRAMES_MAX, &result);
	size_t n_right = count_callers(shadow, answer->addrs + 1, n_frames - 1);
	bool is_right = answer->addrs[0] == user->rip && n_right == n_frames - 1;

	counts->n_checked++;
	if (is_right && result.end == UNWIND_ROOT && !shadow_caller(shadow, n_right)) {
		counts->n_complete++;
	} else if (is_right && result.end == UNWIND_NO_UNWIND_INFO && tracee->is_untouched_beyond) {
		/* No CFI says that there is more: without the memory no guess can be confirmed. */
		counts->n_untouched++;
	} else if (is_right && result.end == UNWIND_NO_UNWIND_INFO) {
		counts->n_without_cfi++;
	} else if (is_right &&
		   (is_memory_missing(result.end) || result.end == UNWIND_OTHER_STACK) &&
		   shadow_caller(shadow, n_right) && n_right >= shadow_depth_here(shadow)) {
		counts->n_other_stack++;
	} else if (is_right && is_memory_missing(result.end) && tracee->is_untouched_beyond) {
		counts->n_untouched++;
	} else {
		answer->n_frames = n_frames;
		answer->end = result.end;
		keep_answer(tracee, thread, answer);
	}
	if (thread->n_answers && ++thread->n_steps_since == steps_to_jump(thread))
		give_up_on_jump(tracee, thread);
}

enum call {
	OTHER_CALL,
	CHANGES_MAPPINGS,
	SETS_HANDLER,
	SETS_STACK,
	RETURNS_FROM_HANDLER,
};

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
		{ SYS_sigaltstack, 186, SETS_STACK },
		{ SYS_rt_sigreturn, 173, RETURNS_FROM_HANDLER },
		{ UINT64_MAX, 119, RETURNS_FROM_HANDLER },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (before->rax == (tracee->is_32_bit ? calls[i].number_i386 : calls[i].number))
			return calls[i].call;
	return OTHER_CALL;
}

/* struct sigaction and struct sigaltstack begin with what matters here. */
static void set_handler(struct tracee *tracee, uint64_t number, uint64_t action)
{
	uint64_t bit = 1ull << (number & 63);

	if (action && read_word(tracee, action) > (uintptr_t)SIG_IGN)
		tracee->handled |= bit;
	else if (action)
		tracee->handled &= ~bit;
}

static void set_stack(const struct tracee *tracee, struct shadow_stack *shadow, uint64_t stack)
{
	uint64_t word = word_size(tracee);

	if (!stack)
		return;
	shadow->alt_start = read_word(tracee, stack);
	shadow->alt_end = shadow->alt_start + read_word(tracee, stack + 2 * word);
	if (read_word(tracee, stack + word) & SS_DISABLE)
		shadow->alt_end = shadow->alt_start;
}

static void follow_call(struct tracee *tracee, struct thread *thread,
			const struct user_regs_struct *before, uint64_t pc)
{
	uint64_t first = tracee->is_32_bit ? before->rbx : before->rdi;
	uint64_t second = tracee->is_32_bit ? before->rcx : before->rsi;

	switch (call_made(tracee, before)) {
	case RETURNS_FROM_HANDLER:
		shadow_sigreturn(&thread->shadow, pc);
		break;
	case SETS_HANDLER:
		set_handler(tracee, first, second);
		break;
	case SETS_STACK:
		set_stack(tracee, &thread->shadow, first);
		break;
	case CHANGES_MAPPINGS:
		read_maps(tracee);
		break;
	case OTHER_CALL:
		break;
	}
}

static void follow_move(const struct tracee *tracee, struct thread *thread,
			const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	enum shadow_move how = SHADOW_COMPUTED;
	uint64_t word = 0;

	if (thread->instruction == POP)
		how = SHADOW_POPPED;
	if (thread->instruction == LOAD_SP) {
		how = SHADOW_LOADED;
		word = read_word(tracee, after->rsp);
	}
	if (before->rsp != after->rsp)
		shadow_move(&thread->shadow, how, before->rsp, after->rsp, word);
}

/* What @thread has done by one step, to registers @after. */
static void follow(struct tracee *tracee, struct thread *thread,
		   const struct user_regs_struct *after)
{
	const struct user_regs_struct *before = &thread->regs;

	switch (thread->instruction) {
	case CALL:
		shadow_call(&thread->shadow, after->rsp, read_word(tracee, after->rsp));
		break;
	case RETURN:
		shadow_return(&thread->shadow, before->rsp, after->rip);
		break;
	case SYSCALL:
		follow_call(tracee, thread, before, after->rip);
		break;
	case PUSH_MEMORY:
		if (thread->has_jumped)
			shadow_push_back(&thread->shadow, after->rsp,
					 read_word(tracee, after->rsp));
		break;
	case JUMP:
		shadow_jump(&thread->shadow);
		break;
	case POP:
	case LOAD_SP:
	case OTHER:
		follow_move(tracee, thread, before, after);
		break;
	}
	thread->has_jumped = thread->shadow.is_jumping &&
			     (thread->instruction == JUMP || thread->instruction == RETURN);
	if (!thread->has_jumped)
		return;
	shadow_land(&thread->shadow, after->rip, after->rsp);
	judge_jump(tracee, thread, after->rip);
}

static struct thread *find_thread(struct tracee *tracee, pid_t tid)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (tracee->threads[i].tid == tid)
			return &tracee->threads[i];
	return NULL;
}

static void begin_thread(struct thread *thread, pid_t tid)
{
	thread->tid = tid;
	thread->is_new = true;
	thread->has_jumped = false;
	thread->signal = 0;
	thread->n_answers = 0;
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
			give_up_on_jump(tracee, thread);
			thread->tid = 0;
			continue;
		}
		if (!thread) {
			thread = find_thread(tracee, 0);
			assert_non_null(thread);
			begin_thread(thread, tid);
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

/*
 * Steps outside the handler count, so the program gets on between two signals. Not where it is not
 * known yet where a jump goes to: the handler's callers could not be judged.
 */
static bool is_time_for_a_signal(struct tracee *tracee, const struct thread *thread,
				 const struct traced_program *program)
{
	const uint64_t bit = 1ull << (SIGUSR1 - 1);
	uint64_t blocked = 0;

	if (!program->signal_every || !(tracee->handled >> SIGUSR1 & 1) ||
	    shadow_is_in_handler(&thread->shadow) || thread->shadow.is_jumping ||
	    thread->n_answers || ++tracee->n_steps_outside % program->signal_every)
		return false;
	ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(blocked), &blocked);
	return !(blocked & bit);
}

/* Where the thread stands after its last step. Returns the signal for the next, or 0. */
static int look(struct tracee *tracee, struct thread *thread, const struct traced_program *program,
		const struct user_regs_struct *regs, int signal)
{
	if (thread->is_new) {
		read_maps(tracee);
		shadow_begin(&thread->shadow, regs->rsp, word_size(tracee));
		thread->is_new = false;
	} else if (signal != SIGTRAP && !thread->signal) {
		return signal; /* about to be delivered; the step it interrupts has not happened */
	} else if (thread->signal && tracee->handled >> thread->signal & 1) {
		shadow_signal(&thread->shadow, thread->regs.rip, thread->regs.rsp, regs->rsp,
			      read_word(tracee, regs->rsp));
	} else {
		follow(tracee, thread, regs);
	}
	check(tracee, thread, regs);
	return is_time_for_a_signal(tracee, thread, program) ? SIGUSR1 : 0;
}

static void step(struct tracee *tracee, struct thread *thread, const struct traced_program *program,
		 int signal)
{
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, thread->tid, 0, &regs), 0);
	thread->signal = look(tracee, thread, program, &regs, signal);
	thread->regs = regs;
	thread->instruction = decode(tracee, regs.rip);
	ptrace(PTRACE_SINGLESTEP, thread->tid, 0, thread->signal);
}

static void run(struct tracee *tracee, const struct traced_program *program)
{
	struct thread *thread = &tracee->threads[0];
	int signal = SIGTRAP;

	do
		step(tracee, thread, program, signal);
	while ((thread = wait_for_stop(tracee, &signal)));
}

static uint64_t read_entry(const struct tracee *tracee)
{
	uint64_t type = AT_NULL, value = 0;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/auxv", tracee->pid);
	FILE *file = fopen(name, "re");
	assert_non_null(file);
	while (type != AT_ENTRY)
		assert_true(fread(&type, word_size(tracee), 1, file) == 1 &&
			    fread(&value, word_size(tracee), 1, file) == 1);
	fclose(file);
	return value;
}

/* Runs to the program's entry, which the auxiliary vector tells. */
static void skip_loader(const struct tracee *tracee)
{
	struct user_regs_struct regs;
	uint64_t addr = read_entry(tracee), code;
	int status;

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

static int open_of_process(pid_t pid, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/%s", pid, what);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static pid_t start_stopped(const struct traced_program *program)
{
	const char *const environment[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", program->setting,
					    NULL };
	const char *const arguments[] = { program->path, NULL };
	int status;

	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execve(program->path, (char *const *)arguments, (char *const *)environment);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	return pid;
}

static void start(struct tracee *tracee, const struct traced_program *program)
{
	struct user_regs_struct regs;

	assert_int_equal(module_table_init(&tracee->modules), 0);
	tracee->elf_modules = elf_modules_create(&tracee->modules);
	tracee->unwinder = unwinder_create(tracee->elf_modules);
	assert_non_null(tracee->unwinder);
	tracee->pid = start_stopped(program);
	tracee->memory = open_of_process(tracee->pid, "mem");
	tracee->pagemap = open_of_process(tracee->pid, "pagemap");
	assert_int_equal(ptrace(PTRACE_GETREGS, tracee->pid, 0, &regs), 0);
	tracee->is_32_bit = regs.cs == CS_OF_32_BIT;
	if (program->skip_loader)
		skip_loader(tracee);
	begin_thread(&tracee->threads[0], tracee->pid);
}

static void finish(struct tracee *tracee)
{
	unwinder_destroy(tracee->unwinder);
	elf_modules_destroy(tracee->elf_modules);
	module_table_deinit(&tracee->modules);
	address_space_unref(tracee->space);
	close(tracee->memory);
	close(tracee->pagemap);
	free(tracee);
}

void single_step(const struct traced_program *program, struct traced_counts *counts_ret)
{
	struct tracee *tracee = calloc(1, sizeof(*tracee));

	assert_non_null(tracee);
	start(tracee, program);
	run(tracee, program);
	*counts_ret = tracee->counts;
	counts_ret->unwind = *unwinder_stats(tracee->unwinder);
	finish(tracee);
}
#endif
