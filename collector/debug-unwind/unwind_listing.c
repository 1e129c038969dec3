/* A step is a frame, its rule, and the registers that the rule leads to. */
#include "collector/debug-unwind/unwind_listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "collector/debug-unwind/rule_text.h"
#include "collector/replay/processes.h"

#define WIDTH  100
#define INDENT 16 /* of continued lines */
#define LABEL  5  /* where the label of a line begins */

static void print_label(FILE *out, const char *label)
{
	fprintf(out, "%*s%-*s", LABEL, "", INDENT - LABEL, label);
}

/* Prints "first; second; ..." or "first  second ...", broken into lines where @separator stands. */
static void print_wrapped(FILE *out, const char *label, const char *text, const char *separator)
{
	size_t column = INDENT, size = strlen(separator);

	print_label(out, label);
	while (*text) {
		const char *end = strstr(text, separator);
		size_t n = end ? (size_t)(end - text) : strlen(text);
		bool is_first = column == INDENT;

		if (!is_first && column + size + n > WIDTH) {
			fprintf(out, "%s\n%*s", *separator == ';' ? ";" : "", INDENT, "");
			column = INDENT;
		} else if (!is_first) {
			fputs(separator, out);
		}
		fprintf(out, "%.*s", (int)n, text);
		column += n + size;
		text += end ? n + size : n;
	}
	fputc('\n', out);
}

static int print_rule(const struct unwind_listing *listing, const struct unwind_walk *walk)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	struct elf_module *module = elf_modules_get(listing->elf_modules, walk->frame.module);
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return -ENOMEM;
	fprintf(line, "%s",
		module ? elf_module_rule_source(module, walk->arch, walk->frame.offset)
		       : "no mapping holds this address");
	if (walk->rule && walk->rule->kind != RULE_NONE && walk->rule->kind != RULE_UNREADABLE) {
		fputs(": ", line);
		rule_print(line, walk->rule, walk->arch);
	}
	if (fclose(line))
		return -ENOMEM;
	print_wrapped(listing->out, "rule", text, "; ");
	return 0;
}

static int print_regs(const struct unwind_listing *listing, const char *label,
		      const struct arch *arch, const struct regs *regs)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return -ENOMEM;
	fprintf(line, "pc %" PRIx64, regs->pc);
	for (unsigned reg = 0; reg < arch->n_regs; reg++)
		if (reg != arch->ra && regs_have(regs, reg))
			fprintf(line, "  %s %" PRIx64, reg_text(arch, reg), regs->values[reg]);
	if (fclose(line))
		return -ENOMEM;
	print_wrapped(listing->out, label, text, "  ");
	return 0;
}

static int print_frame(const struct unwind_listing *listing, size_t number,
		       const struct unwind_walk *walk)
{
	const struct frame *frame = &walk->frame;
	const struct module *module = module_table_get(listing->modules, frame->module);
	struct frame_name name;
	int err = symbolizer_name(listing->symbolizer, frame, &name);

	if (err)
		return err;
	fprintf(listing->out, "#%-3zu %016" PRIx64 "  ", number, walk->addr);
	printable_put(listing->out, module ? module_name(module) : "?");
	fprintf(listing->out, "+0x%" PRIx64, frame->offset);
	if (name.symbol_offset != UINT64_MAX) {
		fputs("  ", listing->out);
		printable_put(listing->out, name.name);
		fprintf(listing->out, "+0x%" PRIx64, name.symbol_offset);
	}
	fputs(walk->addr == walk->regs.pc      ? ""
	      : frame->origin == FRAME_BY_CFI  ? "  (return address - 1)"
	      : frame->origin == FRAME_GUESSED ? "  (return address - 1, guessed)"
					       : "  (return address - 1, stitched)",
	      listing->out);
	fputc('\n', listing->out);
	return 0;
}

/* The caller, by the rule just printed or without one. */
static int print_step(const struct unwind_listing *listing, const struct unwind_walk *callee,
		      const struct unwind_walk *walk, bool has_caller)
{
	uint64_t cfa;

	if (callee->rule &&
	    rule_cfa(callee->rule, callee->arch, &callee->stack, &callee->regs, &cfa))
		fprintf(listing->out, "%*s%-*s%" PRIx64 "\n", LABEL, "", INDENT - LABEL, "CFA",
			cfa);
	if (has_caller && walk->frame.origin == FRAME_GUESSED)
		fprintf(listing->out, "%*s%-*s%s\n", LABEL, "", INDENT - LABEL, "guess",
			"the code confirms this caller");
	if (has_caller && walk->frame.origin == FRAME_BY_CFI && walk->runtime &&
	    callee->rule->kind == RULE_NONE)
		fprintf(listing->out, "%*s%-*s%s\n", LABEL, "", INDENT - LABEL, "frame",
			"as the run-time system has described it");
	return has_caller ? print_regs(listing, "caller", walk->arch, &walk->regs) : 0;
}

static const char *end_text(enum unwind_end end)
{
	return end == UNWIND_ROOT ? "[the outermost frame]" : marker_text(unwind_end_marker(end));
}

static int print_walk(const struct unwind_listing *listing, const struct sample *sample,
		      const struct user_stack *stack)
{
	struct unwind_walk walk;
	size_t n_frames = 0;
	bool goes_on = true;

	unwind_begin(&walk, listing->unwinder, sample->space, stack);
	while (goes_on && unwind_frame(&walk)) {
		struct unwind_walk callee = walk;
		int err = print_frame(listing, n_frames++, &walk);

		if (!err)
			err = print_rule(listing, &walk);
		if (n_frames == SAMPLE_PATH_MAX_USER) {
			walk.end = UNWIND_TOO_DEEP;
			break;
		}
		goes_on = unwind_caller(&walk);
		if (!err)
			err = print_step(listing, &callee, &walk, goes_on);
		if (err)
			return err;
	}
	fprintf(listing->out, "end: %s\n", end_text(walk.end));
	return 0;
}

static const char *extent_text(const struct user_stack *stack)
{
	if (stack->is_full)
		return "full, the stack may go on";
	return stack->mapping_end ? "cut at a page that was not in memory"
				  : "not full, it ends here";
}

static void print_stack(const struct unwind_listing *listing, const struct sample *sample,
			const struct user_stack *stack)
{
	uint64_t start = stack->regs.values[stack->arch->sp];

	fprintf(listing->out,
		"  stack copy: %zu of %" PRIu32 " bytes, %" PRIx64 "-%" PRIx64 ": %s\n",
		stack->size, sample->event->attr.sample_stack_user, start, start + stack->size,
		extent_text(stack));
}

static void print_user_half(const struct unwind_listing *listing, const struct call_path *path)
{
	static const char *const halves[] = {
		[USER_COMPLETE] = "complete",
		[USER_JOINED] = "cut, joined to the callers of another sample",
		[USER_NONE] = "none: a kernel thread, or idle",
		[USER_UNVERIFIED] = "as the kernel walked it",
		[USER_BRANCHES] = "as the processor recorded the calls",
		[USER_FLAT] = "no callers were recorded",
	};

	fprintf(listing->out, "  user part of the path: %s\n",
		path->user_half == USER_INCOMPLETE ? marker_text(path->end)
						   : halves[path->user_half]);
}

static void print_header(const struct unwind_listing *listing, uint64_t number,
			 const struct sample *sample)
{
	const struct record *record = &sample->record;

	fprintf(listing->out, "sample %" PRIu64 ": ", number);
	printable_put(listing->out, sample->thread->name);
	fprintf(listing->out, ", process %d, thread %d", record->pid, record->tid);
	if (record->has_time)
		fprintf(listing->out, ", %" PRIu64 ".%09" PRIu64 " s",
			record->time_ns / NSEC_PER_SEC, record->time_ns % NSEC_PER_SEC);
	fputs(", ", listing->out);
	printable_put(listing->out, sample->event->name);
	fprintf(listing->out, ", in %s mode\n",
		record->cpu_mode == PERF_RECORD_MISC_KERNEL ? "kernel" : "user");
	fprintf(listing->out, "  address space: epoch %" PRIu64 ", %zu mappings%s\n",
		sample->space->epoch, sample->space->n_mappings,
		sample->has_exec ? ", begun by exec in this recording" : "");
}

int unwind_listing_print(const struct unwind_listing *listing, uint64_t number,
			 const struct sample *sample)
{
	struct user_stack stack;

	print_header(listing, number, sample);
	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack)) {
		fputs("  no user registers that can be unwound from\n", listing->out);
		print_user_half(listing, &sample->path);
		return 0;
	}
	print_stack(listing, sample, &stack);
	print_user_half(listing, &sample->path);
	int err = print_regs(listing, "registers", stack.arch, &stack.regs);
	return err ? err : print_walk(listing, sample, &stack);
}
