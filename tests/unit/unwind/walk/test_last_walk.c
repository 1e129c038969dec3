/* Walks that repeat the outer part of their thread's last walk have the frames of whole walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE          0x400000ull
#define FUNCTION_SIZE 0x20
#define RBX           3
#define RBP           6
#define RSP           7
#define STACK_TOP     0x7fff0000ull
#define STACK_WORDS   1024
#define CALLS_MAX     100
#define FRAMES        128

/* What the CFI of each function says of its frame. */
enum { ROOT, LEAN, WITH_FP, SAVES_BOTH, COUNTS_FROM_RBX, UNUSUAL, SAVES_RBX, N_FUNCTIONS };

/* A call: where its function stands, and how many words of stack it has. */
struct call {
	unsigned function;
	uint64_t offset;
	size_t n_words;
};

struct thread {
	struct call calls[CALLS_MAX];
	size_t n_calls;
	uint64_t words[STACK_WORDS];
	/* The sample. */
	uint64_t sp, fp, rbx;
	uint64_t copy[STACK_WORDS];
	struct user_stack stack;
};

struct walk {
	struct frame frames[FRAMES];
	uint64_t addrs[FRAMES], sps[FRAMES];
	size_t n;
	struct unwind_result result;
};

static uint64_t seed;

/* xorshift */
static size_t random_below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static int set_up(void **state)
{
	static const struct {
		uint8_t bytes[8];
		size_t n;
	} rows[N_FUNCTIONS] = {
		[ROOT] = { { 0x07, 16 }, 2 },
		[LEAN] = { { 0x0e, 24 }, 2 },                /* CFA = rsp + 24 */
		[WITH_FP] = { { 0x0c, 6, 16, 0x86, 2 }, 5 }, /* CFA = rbp + 16 */
		[SAVES_BOTH] = { { 0x0e, 32, 0x86, 2, 0x83, 3 }, 6 },
		[COUNTS_FROM_RBX] = { { 0x0c, 3, 24, 0x83, 2 }, 5 }, /* CFA = rbx + 24 */
		[UNUSUAL] = { { 0x0f, 2, 0x77, 16 }, 4 },            /* the same as rsp + 16 */
		[SAVES_RBX] = { { 0x0e, 16, 0x83, 2 }, 4 },
	};
	struct elf_image image;

	(void)state;
	seed = 0x9e3779b97f4a7c15u;
	elf_image_init(&image, ".eh_frame");
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		elf_image_add_fde(&image, CODE_START + i * FUNCTION_SIZE, FUNCTION_SIZE, false,
				  rows[i].bytes, rows[i].n);
	/* Each even address follows `call *%rax`. */
	for (size_t i = 0; i < sizeof(image.code); i++)
		image.code[i] = i % 2 ? 0xd0 : 0xff;
	return program_begin(&image, BASE);
}

static uint64_t place_of(const struct call *call)
{
	return BASE + CODE_START + call->function * FUNCTION_SIZE + call->offset;
}

static struct call random_call(unsigned function)
{
	static const size_t n_words[N_FUNCTIONS] = {
		[ROOT] = 1, [LEAN] = 3, [SAVES_BOTH] = 4, [UNUSUAL] = 2, [SAVES_RBX] = 2
	};

	return (struct call){ .function = function,
			      .offset = 2 + 2 * random_below(FUNCTION_SIZE / 2 - 2),
			      .n_words =
				      n_words[function] ? n_words[function] : 3 + random_below(5) };
}

static uint64_t *word_at(struct thread *thread, uint64_t addr)
{
	return &thread->words[STACK_WORDS - (STACK_TOP - addr) / 8];
}

/* What the function has on the stack below @cfa, and in registers. */
static void enter(struct thread *thread, const struct call *call, uint64_t cfa)
{
	switch (call->function) {
	case WITH_FP:
		*word_at(thread, cfa - 16) = thread->fp;
		thread->fp = cfa - 16;
		break;
	case SAVES_BOTH:
		*word_at(thread, cfa - 16) = thread->fp;
		*word_at(thread, cfa - 24) = thread->rbx;
		thread->fp = call->offset;
		thread->rbx = ~call->offset;
		break;
	case COUNTS_FROM_RBX:
		*word_at(thread, cfa - 16) = thread->rbx;
		thread->rbx = cfa - 24;
		break;
	case SAVES_RBX:
		*word_at(thread, cfa - 16) = thread->rbx;
		thread->rbx = -call->offset;
		break;
	default:
		break;
	}
}

/* The stack and the registers after all calls. */
static void call_all(struct thread *thread)
{
	uint64_t sp = STACK_TOP - 64;

	thread->fp = thread->rbx = 1;
	for (size_t i = 1; i < thread->n_calls; i++) {
		*word_at(thread, sp - 8) = place_of(&thread->calls[i - 1]);
		enter(thread, &thread->calls[i], sp);
		sp -= thread->calls[i].n_words * 8;
	}
	thread->sp = sp;
}

/* Functions that keep walks from repeating others are rare. */
static unsigned random_function(void)
{
	static const unsigned usual[] = { LEAN, WITH_FP, SAVES_BOTH, SAVES_RBX };

	return random_below(16) ? usual[random_below(4)]
				: 1 + (unsigned)random_below(N_FUNCTIONS - 1);
}

/* Some functions return, the innermost that is left goes on, and calls others. */
static void run(struct thread *thread)
{
	const size_t n_return = random_below(random_below(8) ? 6 : 40);
	const size_t n_calls = random_below(random_below(8) ? 6 : 40);

	thread->n_calls -= n_return < thread->n_calls ? n_return : thread->n_calls;
	if (!thread->n_calls)
		thread->calls[thread->n_calls++] = random_call(ROOT);
	struct call *last = &thread->calls[thread->n_calls - 1];
	last->offset = random_call(last->function).offset;
	for (size_t i = 0; i < n_calls && thread->n_calls < CALLS_MAX; i++)
		thread->calls[thread->n_calls++] = random_call(random_function());
	call_all(thread);
}

/* Another value, which may look right. */
static void damage(struct thread *thread, size_t n_words)
{
	uint64_t *word = &thread->copy[random_below(n_words)];

	switch (random_below(4)) {
	case 0:
		*word += 8;
		break;
	case 1:
		*word = place_of(&thread->calls[random_below(thread->n_calls)]);
		break;
	case 2:
		*word = STACK_TOP - 8 * random_below(STACK_WORDS);
		break;
	default:
		*word = random_below(SIZE_MAX);
	}
}

static void take_sample(struct thread *thread)
{
	size_t n_words = (STACK_TOP - thread->sp) / 8;

	memcpy(thread->copy, word_at(thread, thread->sp), n_words * 8);
	if (!random_below(4))
		damage(thread, n_words);
	if (!random_below(4))
		n_words -= random_below(n_words);
	thread->stack = program_stack(place_of(&thread->calls[thread->n_calls - 1]), thread->sp,
				      thread->copy, n_words);
	regs_set(&thread->stack.regs, RBP, thread->fp);
	regs_set(&thread->stack.regs, RBX, thread->rbx);
	for (unsigned reg = 12; reg < 16; reg++)
		regs_set(&thread->stack.regs, reg, 0);
	if (!random_below(4))
		thread->stack.size -= random_below(8);
	thread->stack.is_full = random_below(2);
}

static void walk_stack(const struct user_stack *from, const void *thread, struct walk *walk)
{
	struct user_stack stack = *from;

	memset(walk, 0, sizeof(*walk));
	stack.thread = thread;
	stack.sps = walk->sps;
	walk->n = unwind_user_stack(unwinder, space, &stack, walk->frames, walk->addrs, FRAMES,
				    &walk->result);
}

/* Returns the number of frames. */
static size_t expect_same(const struct user_stack *stack, const void *thread)
{
	struct walk whole, repeated;

	walk_stack(stack, NULL, &whole);
	walk_stack(stack, thread, &repeated);
	assert_memory_equal(&whole, &repeated, sizeof(whole));
	return whole.n;
}

static void threads_walks_that_repeat_are_as_whole_walks(void **state)
{
	static struct thread threads[3];
	size_t n_frames = 0;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		struct thread *thread = &threads[random_below(3)];

		run(thread);
		take_sample(thread);
		n_frames += expect_same(&thread->stack, thread);
	}
	const uint64_t n_repeated = unwinder_stats(unwinder)->n_repeated;
	assert_in_range(n_repeated, n_frames / 4, n_frames);
}

static void walks_of_all_threads_may_be_taken_for_one_threads(void **state)
{
	static struct thread threads[3];

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		struct thread *thread = &threads[random_below(3)];

		run(thread);
		take_sample(thread);
		expect_same(&thread->stack, threads);
	}
}

static void more_threads_than_are_kept_at_once_have_right_walks(void **state)
{
	static struct thread thread;
	static char names[1000];

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		run(&thread);
		take_sample(&thread);
		expect_same(&thread.stack, &names[random_below(sizeof(names))]);
	}
}

/* A stack of @n calls of the same function, below the root. */
static void call_n(struct thread *thread, unsigned function, size_t n)
{
	thread->n_calls = 0;
	thread->calls[thread->n_calls++] = random_call(ROOT);
	while (n--)
		thread->calls[thread->n_calls++] = random_call(function);
	call_all(thread);
	take_sample(thread);
	thread->stack.bytes = (const uint8_t *)word_at(thread, thread->sp);
	thread->stack.size = STACK_TOP - thread->sp;
}

/* The number of frames that a second walk of the same stack does not walk. */
static uint64_t count_repeated(const struct thread *thread)
{
	const uint64_t before = unwinder_stats(unwinder)->n_repeated;

	expect_same(&thread->stack, thread);
	return unwinder_stats(unwinder)->n_repeated - before;
}

static void a_stack_that_stays_is_not_walked_again(void **state)
{
	static struct thread thread;

	(void)state;
	call_n(&thread, LEAN, 20);
	assert_int_equal(count_repeated(&thread), 0);
	/* The sampled instruction and its caller, which is met, are walked. */
	assert_int_equal(count_repeated(&thread), 19);
}

static void a_frame_pointer_that_changed_is_noticed_where_it_counts(void **state)
{
	static struct thread thread;

	(void)state;
	call_n(&thread, WITH_FP, 20);
	count_repeated(&thread);
	assert_int_equal(count_repeated(&thread), 19);
	/* The frame pointer that the third function saved is the fourth's. */
	const uint64_t frame = STACK_TOP - 64 - 8 * thread.calls[1].n_words;
	*word_at(&thread, frame - 16) += 8;
	assert_int_equal(count_repeated(&thread), 0);
}

static void code_that_was_mapped_since_is_looked_up(void **state)
{
	static struct thread thread;

	(void)state;
	call_n(&thread, LEAN, 20);
	count_repeated(&thread);
	program_map(BASE + 0x100000, 0x1000, 0, 1, true);
	assert_int_equal(count_repeated(&thread), 0);
	assert_int_equal(count_repeated(&thread), 19);
	program_map(BASE, CODE_START + CODE_SIZE, 0, 0, false);
	assert_int_equal(count_repeated(&thread), 0);
}

static void fewer_frames_than_repeat_may_be_wanted(void **state)
{
	static struct thread thread;
	struct walk whole, repeated;

	(void)state;
	call_n(&thread, LEAN, 20);
	count_repeated(&thread);
	struct user_stack stack = thread.stack;
	stack.sps = whole.sps;
	whole.n = unwind_user_stack(unwinder, space, &stack, whole.frames, whole.addrs, 10,
				    &whole.result);
	stack.sps = repeated.sps;
	stack.thread = &thread;
	repeated.n = unwind_user_stack(unwinder, space, &stack, repeated.frames, repeated.addrs, 10,
				       &repeated.result);
	assert_int_equal(whole.n, 10);
	assert_int_equal(repeated.n, 10);
	assert_int_equal(repeated.result.end, UNWIND_TOO_DEEP);
	assert_memory_equal(whole.addrs, repeated.addrs, 10 * sizeof(whole.addrs[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(threads_walks_that_repeat_are_as_whole_walks),
		PROGRAM_TEST(walks_of_all_threads_may_be_taken_for_one_threads),
		PROGRAM_TEST(more_threads_than_are_kept_at_once_have_right_walks),
		PROGRAM_TEST(a_stack_that_stays_is_not_walked_again),
		PROGRAM_TEST(a_frame_pointer_that_changed_is_noticed_where_it_counts),
		PROGRAM_TEST(code_that_was_mapped_since_is_looked_up),
		PROGRAM_TEST(fewer_frames_than_repeat_may_be_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
