#include "collector/script/script_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/printable.h"
#include "collector/command-line/messages.h"

static const struct choice names[] = {
	{ "comm", SCRIPT_COMM },       { "pid", SCRIPT_PID },
	{ "tid", SCRIPT_TID },         { "cpu", SCRIPT_CPU },
	{ "time", SCRIPT_TIME },       { "period", SCRIPT_PERIOD },
	{ "event", SCRIPT_EVENT },     { "trace", SCRIPT_TRACE },
	{ "ip", SCRIPT_IP },           { "sym", SCRIPT_SYM },
	{ "symoff", SCRIPT_SYMOFF },   { "dso", SCRIPT_DSO },
	{ "addr", SCRIPT_ADDR },       { "weight", SCRIPT_WEIGHT },
	{ "brstack", SCRIPT_BRSTACK }, { NULL, 0 },
};

static unsigned find(const char *name)
{
	for (const struct choice *choice = names; choice->name; choice++) {
		if (!strcmp(choice->name, name))
			return (unsigned)choice->value;
	}
	return 0;
}

static int complain(const struct option_use *use, const char *name)
{
	message_error(use->command,
		      "%s takes comm, pid, tid, cpu, time, period, event, trace, ip, sym, symoff, "
		      "dso, addr, weight and brstack, or all of them with + or -, not '%s'.",
		      use->spelling, name);
	return EXIT_WRONG_USE;
}

/* As in perf, a line of a path begins with its address. */
static int check(const struct option_use *use, unsigned fields)
{
	const unsigned parts = SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO;

	if (fields & SCRIPT_CHOSEN && fields & parts && !(fields & SCRIPT_IP))
		return message_wrong_use(use->command, "%s: sym, symoff and dso need ip.",
					 use->spelling);
	return 0;
}

int script_fields_take(const struct option_use *use, void *field)
{
	unsigned *fields = field;
	char *rest = use->value, *name;
	bool is_change = strchr("+-", *rest) && *rest;

	if (!is_change)
		*fields = SCRIPT_CHOSEN;
	while ((name = strsep(&rest, ","))) {
		bool has_sign = *name && strchr("+-", *name);
		unsigned value = has_sign == is_change ? find(name + has_sign) : 0;

		if (!value)
			return complain(use, name);
		*fields = *name == '-' ? *fields & ~value : *fields | value;
	}
	return check(use, *fields);
}

static bool has(const struct sample *sample, uint64_t type)
{
	return sample->raw.header && sample->event->layout.sample_type & type;
}

void script_fields_print_data(const struct sample *sample, unsigned fields)
{
	if (fields & SCRIPT_ADDR && has(sample, PERF_SAMPLE_ADDR))
		printf("%16" PRIx64, sample->record.sample.addr);
	if (fields & SCRIPT_WEIGHT && has(sample, PERF_SAMPLE_WEIGHT_TYPE))
		printf("%16" PRIu64, sample->record.sample.weight);
}

/* "" where the processor does not tell, or the type is newer than this table. */
static const char *type_name(const struct perf_branch_entry *branch)
{
	/* PERF_BR_* and PERF_BR_NEW_* of linux/perf_event.h */
	static const char *const types[] = { "",       "COND",      "UNCOND",   "IND",
					     "CALL",   "IND_CALL",  "RET",      "SYSCALL",
					     "SYSRET", "COND_CALL", "COND_RET", "ERET",
					     "IRQ",    "SERROR",    "NO_TX",    "" };
	static const char *const new_types[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"
	};

	if (branch->type != PERF_BR_EXTEND_ABI)
		return types[branch->type];
	return branch->new_type < sizeof(new_types) / sizeof(new_types[0])
		       ? new_types[branch->new_type]
		       : "";
}

static void print_end(struct dendro *session, const struct sample *sample, uint64_t addr)
{
	struct frame frame = dendro_frame(session, sample, addr);
	const struct module *module =
		module_table_get(&dendro_recording(session)->modules, frame.module);

	printf("0x%" PRIx64 "(", addr);
	printable_put(stdout, module ? module->key.path : "[unknown]");
	putchar(')');
}

void script_fields_print_branches(struct dendro *session, const struct sample *sample,
				  unsigned fields)
{
	if (!(fields & SCRIPT_BRSTACK) || !has(sample, PERF_SAMPLE_BRANCH_STACK))
		return;
	for (size_t i = 0; i < sample->record.sample.n_branches; i++) {
		const struct perf_branch_entry *branch = &sample->record.sample.branches[i];

		putchar(' ');
		print_end(session, sample, branch->from);
		putchar('/');
		print_end(session, sample, branch->to);
		printf("/%c/%c/%c/%d/%s ",
		       branch->predicted ? 'P'
		       : branch->mispred ? 'M'
					 : '-',
		       branch->in_tx ? 'X' : '-', branch->abort ? 'A' : '-', (int)branch->cycles,
		       type_name(branch));
	}
}
