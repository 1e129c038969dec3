/* Counting and timing are separate passes, so that neither disturbs the other's caches. */
#include "collector/debug-unwind/unwind_summary.h"

#include <inttypes.h>
#include <string.h>

#include "cct/base/clock.h"

static void count(struct summary_count *into, uint64_t number)
{
	if (into->n < SUMMARY_EXAMPLES)
		into->examples[into->n] = number;
	into->n++;
}

/* Counts frames, but names samples: each only once. */
static void count_frame(struct summary_count *into, uint64_t number, bool *is_named)
{
	uint64_t n_named = 0;

	into->n++;
	if (*is_named)
		return;
	*is_named = true;
	while (n_named < SUMMARY_EXAMPLES && into->examples[n_named])
		n_named++;
	if (n_named < SUMMARY_EXAMPLES)
		into->examples[n_named] = number;
}

static enum frame_kind_of_rule kind_of_step(const struct unwind_walk *walk)
{
	if (walk->frame.origin == FRAME_GUESSED)
		return FRAMES_BY_GUESS;
	if (walk->frame.origin == FRAME_STITCHED)
		return FRAMES_STITCHED;
	if (walk->runtime && walk->rule->kind == RULE_NONE)
		return FRAMES_DESCRIBED;
	if (walk->rule->kind == RULE_CFA_MEMORY)
		return FRAMES_BY_MEMORY;
	if (walk->rule->kind != RULE_GENERAL)
		return FRAMES_BY_REGISTER;
	return walk->rule->general->is_signal_frame ? FRAMES_BY_SIGNAL_FRAME : FRAMES_BY_EXPRESSION;
}

static void count_frames(struct unwind_summary *summary, uint64_t number, struct unwinder *unwinder,
			 const struct sample *sample, const struct user_stack *stack)
{
	bool is_named[N_FRAME_KINDS] = { false };
	struct unwind_walk walk;

	unwind_begin(&walk, unwinder, sample->space, stack);
	for (size_t n = 1; n < SAMPLE_PATH_MAX_USER && unwind_frame(&walk) && unwind_caller(&walk);
	     n++) {
		enum frame_kind_of_rule kind = kind_of_step(&walk);

		count_frame(&summary->frames[kind], number, &is_named[kind]);
	}
}

void unwind_summary_count(struct unwind_summary *summary, uint64_t number,
			  struct unwinder *unwinder, const struct sample *sample)
{
	struct user_stack stack;

	summary->n_samples++;
	switch (sample->path.user_half) {
	case USER_COMPLETE:
		count(&summary->complete, number);
		break;
	case USER_NONE:
	case USER_FLAT:
		count(&summary->none, number);
		break;
	case USER_UNVERIFIED:
	case USER_BRANCHES:
		count(&summary->unverified, number);
		break;
	case USER_JOINED: /* its walk was cut */
	case USER_INCOMPLETE:
		count(&summary->ends[sample->path.end], number);
		break;
	}
	if (sample->record.sample.has_user_regs && sample_user_stack(sample, &stack))
		count_frames(summary, number, unwinder, sample, &stack);
}

void unwind_summary_time(struct walk_times *times, struct unwinder *unwinder,
			 const struct sample *sample, struct frame *frames)
{
	struct user_stack stack;
	struct unwind_result result;

	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack) ||
	    !stack.size)
		return;
	uint64_t start_ns = now_ns();
	size_t n_frames = unwind_user_stack(unwinder, sample->space, &stack, frames, NULL,
					    SAMPLE_PATH_MAX_USER, &result);
	times->ns += now_ns() - start_ns;
	times->n_walks++;
	times->n_frames += n_frames;
}

static uint64_t walk_timed(struct unwinder *unwinder, const struct sample *sample,
			   struct user_stack *stack, struct walked_stack *walked)
{
	stack->sps = walked->sps;
	const uint64_t start_ns = now_ns();
	walked->n_frames = unwind_user_stack(unwinder, sample->space, stack, walked->frames,
					     walked->addrs, SAMPLE_PATH_MAX_USER, &walked->result);
	return now_ns() - start_ns;
}

static bool are_same_walks(const struct walked_stack *a, const struct walked_stack *b)
{
	const size_t n = a->n_frames;

	return n == b->n_frames && a->result.end == b->result.end &&
	       a->result.n_guessed == b->result.n_guessed &&
	       a->result.n_stitched == b->result.n_stitched &&
	       !memcmp(a->frames, b->frames, n * sizeof(*a->frames)) &&
	       !memcmp(a->addrs, b->addrs, n * sizeof(*a->addrs)) &&
	       !memcmp(a->sps, b->sps, n * sizeof(*a->sps));
}

void unwind_summary_repeat(struct repeated_walks *repeated, uint64_t number,
			   struct unwinder *unwinder, const struct sample *sample,
			   struct walked_stack walked[static 2])
{
	const uint64_t n_before = unwinder_stats(unwinder)->n_repeated;
	struct user_stack stack;

	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack) ||
	    !stack.size)
		return;
	/* What the first walk has looked up, both find in the processor's caches. */
	walk_timed(unwinder, sample, &stack, &walked[0]);
	const uint64_t whole_ns = walk_timed(unwinder, sample, &stack, &walked[0]);
	stack.thread = sample->thread;
	const uint64_t ns = walk_timed(unwinder, sample, &stack, &walked[1]);
	const uint64_t n = unwinder_stats(unwinder)->n_repeated - n_before;
	repeated->n_walks++;
	repeated->n_repeating += n > 0;
	repeated->n_repeated += n;
	repeated->n_new += walked[1].n_frames - n;
	repeated->whole_ns += whole_ns;
	repeated->ns += ns;
	if (!are_same_walks(&walked[0], &walked[1]))
		count(&repeated->differ, number);
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* "  name   count   share   samples 1, 2, 3": nothing where the count is 0. */
static void print_count(FILE *out, const char *name, const struct summary_count *from,
			uint64_t whole, bool has_examples)
{
	if (!from->n)
		return;
	fprintf(out, "  %-36s %10" PRIu64 " %8.3f %%", name, from->n, 100 * ratio(from->n, whole));
	for (size_t i = 0; has_examples && i < SUMMARY_EXAMPLES && from->examples[i]; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "   e.g. sample ", from->examples[i]);
	fputc('\n', out);
}

static void print_frames(FILE *out, const struct unwind_summary *summary)
{
	static const char *const names[N_FRAME_KINDS] = {
		[FRAMES_BY_REGISTER] = "CFA = register + n",
		[FRAMES_BY_MEMORY] = "CFA = memory + n",
		[FRAMES_BY_EXPRESSION] = "expression",
		[FRAMES_BY_SIGNAL_FRAME] = "signal frame",
		[FRAMES_DESCRIBED] = "described by a run-time system",
		[FRAMES_BY_GUESS] = "guess, confirmed by the code",
		[FRAMES_STITCHED] = "stitched from another record",
	};
	uint64_t n_callers = 0;

	for (size_t i = 0; i < N_FRAME_KINDS; i++)
		n_callers += summary->frames[i].n;
	fprintf(out, "callers found: %" PRIu64 ", by kind of rule\n", n_callers);
	for (size_t i = 0; i < N_FRAME_KINDS; i++)
		print_count(out, names[i], &summary->frames[i], n_callers, i > FRAMES_BY_REGISTER);
}

static void print_cost(FILE *out, const struct unwind_summary *summary)
{
	const struct unwind_stats *stats = &summary->stats;
	const struct walk_times *times = &summary->times, *with_lookups = &summary->with_lookups;
	const struct elf_module_cost *files = &with_lookups->files.total;
	uint64_t n_asked = stats->n_step_hits + stats->n_rule_hits + stats->n_rule_misses;
	uint64_t cold_ns = files->open_ns + files->lookup_ns;
	uint64_t walk_ns =
		times->ns > times->files.total.open_ns ? times->ns - times->files.total.open_ns : 0;
	uint64_t warm_ns = with_lookups->ns > cold_ns ? with_lookups->ns - cold_ns : 0;

	fprintf(out,
		"walks: %" PRIu64 " by one thread, %" PRIu64 " frames, %.1f frames each\n"
		"  ns per frame                         %10.1f\n"
		"  ns per frame without cold look-ups   %10.1f\n"
		"  rules found by address               %10" PRIu64 " %8.3f %%\n"
		"  rules found by file offset           %10" PRIu64 " %8.3f %%\n"
		"  rules looked up in files             %10" PRIu64 " %8.3f %%\n",
		times->n_walks, times->n_frames, ratio(times->n_frames, times->n_walks),
		ratio(walk_ns, times->n_frames), ratio(warm_ns, with_lookups->n_frames),
		stats->n_step_hits, 100 * ratio(stats->n_step_hits, n_asked), stats->n_rule_hits,
		100 * ratio(stats->n_rule_hits, n_asked), stats->n_rule_misses,
		100 * ratio(stats->n_rule_misses, n_asked));
	fprintf(out,
		"cold: %" PRIu32 " files with %.1f MiB of code\n"
		"  opening, ms                          %10.3f\n"
		"  look-ups                             %10" PRIu64 "\n"
		"  look-ups, ms                         %10.3f\n"
		"  ns per look-up                       %10.1f\n"
		"  longest look-up, ms                  %10.3f\n"
		"  memory, KiB per MiB of code          %10.1f\n",
		with_lookups->files.n_opened, (double)files->text_size / (1 << 20),
		(double)files->open_ns / 1e6, files->n_lookups, (double)files->lookup_ns / 1e6,
		ratio(files->lookup_ns, files->n_lookups), (double)files->max_lookup_ns / 1e6,
		files->text_size
			? (double)summary->memory / 1024 / ((double)files->text_size / (1 << 20))
			: 0);
}

/* What a repeated frame costs is what the walks take beyond the frames that they walk. */
static void print_repeated(FILE *out, const struct unwind_summary *summary)
{
	const struct repeated_walks *repeated = &summary->repeated;
	const uint64_t n_frames = repeated->n_new + repeated->n_repeated;
	const double whole_ns = ratio(repeated->whole_ns, n_frames);
	const double new_ns = whole_ns * (double)repeated->n_new;
	const double rest_ns = (double)repeated->ns > new_ns ? (double)repeated->ns - new_ns : 0;

	fprintf(out,
		"repeated: %" PRIu64 " of %" PRIu64 " walks go on as the thread's last one\n"
		"  frames that repeat                   %10" PRIu64 " %8.3f %%\n"
		"  ns per frame, all walked             %10.1f\n"
		"  ns per frame                         %10.1f\n"
		"  ns per repeated frame                %10.1f\n",
		repeated->n_repeating, repeated->n_walks, repeated->n_repeated,
		100 * ratio(repeated->n_repeated, n_frames), whole_ns,
		ratio(repeated->ns, n_frames),
		repeated->n_repeated ? rest_ns / (double)repeated->n_repeated : 0);
	print_count(out, "walks that differ", &repeated->differ, repeated->n_walks, true);
}

void unwind_summary_print(FILE *out, const struct unwind_summary *summary)
{
	uint64_t whole = summary->n_samples;

	fprintf(out, "samples: %" PRIu64 ", by the end of their user part\n", whole);
	print_count(out, "complete", &summary->complete, whole, true);
	print_count(out, "no user part", &summary->none, whole, true);
	print_count(out, "as the kernel walked it", &summary->unverified, whole, true);
	for (size_t i = 0; i < N_MARKERS; i++)
		print_count(out, marker_text((enum marker)i), &summary->ends[i], whole, true);
	print_frames(out, summary);
	print_cost(out, summary);
	print_repeated(out, summary);
}
