/* dendro doctor: shows what can be recorded here, and what changes what can't. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/doctor/diagnosis_output.h"
#include "collector/doctor/event_checks.h"
#include "collector/doctor/program_checks.h"
#include "collector/doctor/system_checks.h"
#include "report/terminal/character_set.h"

struct doctor_options {
	enum text_or_json format;
};

static const struct command_option options_of_doctor[] = {
	{ .shared = text_or_json_option, .offset = offsetof(struct doctor_options, format) },
	{ .name = "json",
	  .opposite = "format",
	  .help = "the same as --format json, for bug reports and scripts",
	  .take = option_take_constant,
	  .constant = AS_JSON,
	  .offset = offsetof(struct doctor_options, format) },
	{ 0 },
};

/* The operands, by name, as the table below has them. */
static const struct choice check_names[] = {
	{ "own-programs", 0 },
	{ "kernel-code", 0 },
	{ "whole-machine", 0 },
	{ "hardware-events", 0 },
	{ "branches", 0 },
	{ "tracepoints", 0 },
	{ "probes", 0 },
	{ "breakpoints", 0 },
	{ "bpf", 0 },
	{ "kernel-names", 0 },
	{ "function-names", 0 },
	{ "debuginfod", 0 },
	{ "sample-rate", 0 },
	{ "ring-memory", 0 },
	{ "open-files", 0 },
	{ "free-space", 0 },
	{ "security", 0 },
	{ "settings", 0 },
	{ NULL, 0 },
};

const struct command_line doctor_line = {
	.command = "doctor",
	.synopsis = "[OPTIONS] [CHECK...]",
	.description =
		"Shows what can be recorded on this machine by this user, and of what can't, the\n"
		"command that changes it.\n\n"
		"CHECK is one or more of: own-programs, kernel-code, whole-machine,\n"
		"hardware-events, branches, tracepoints, probes, breakpoints, bpf, kernel-names,\n"
		"function-names, debuginfod, sample-rate, ring-memory, open-files, free-space,\n"
		"security, settings. Default: all.",
	.options = options_of_doctor,
	.operands = check_names,
	.notes = "The exit status is 1 if the answer to one of the CHECKs is no, and 129 after "
		 "wrong use.",
};

static const struct doctor_check checks[] = {
	{ "own-programs", "own programs", check_own_programs },
	{ "kernel-code", "kernel code", check_kernel_code },
	{ "whole-machine", "whole machine", check_whole_machine },
	{ "hardware-events", "hardware events", check_hardware_events },
	{ "branches", "branches", check_branches },
	{ "tracepoints", "tracepoints", check_tracepoints },
	{ "probes", "probes", check_probes },
	{ "breakpoints", "breakpoints", check_breakpoints },
	{ "bpf", "BPF programs", check_bpf },
	{ "kernel-names", "kernel names", check_kernel_names },
	{ "function-names", "function names", check_function_names },
	{ "debuginfod", "debuginfod", check_debuginfod },
	{ "sample-rate", "sample rate", check_sample_rate },
	{ "ring-memory", "ring memory", check_ring_memory },
	{ "open-files", "open files", check_open_files },
	{ "free-space", "free space", check_free_space },
	{ "security", "security", check_security },
	{ "settings", "settings", check_settings },
	{ 0 },
};

static const struct doctor_check *find_check(const char *name)
{
	for (const struct doctor_check *check = checks; check->name; check++)
		if (strcmp(check->name, name) == 0)
			return check;
	return NULL;
}

static int complain_of_unknown(const char *name)
{
	struct near_names near;

	near_names_init(&near, name, strlen(name));
	for (const struct doctor_check *check = checks; check->name; check++)
		near_names_offer(&near, check->name);
	if (!near.n_kept)
		return message_wrong_use("doctor", "unknown check '%s'.", name);
	return message_wrong_use("doctor", "unknown check '%s'; did you mean '%s'?", name,
				 near.kept[0].name);
}

/* 0, or an exit status after a message. */
static int run_checks(struct diagnosis *diagnosis, const struct parsed_line *parsed)
{
	for (size_t i = 0; i < parsed->n_operands; i++)
		if (!find_check(parsed->operands[i]))
			return complain_of_unknown(parsed->operands[i]);
	for (size_t i = 0; i < parsed->n_operands; i++)
		find_check(parsed->operands[i])
			->run(diagnosis, find_check(parsed->operands[i])->name);
	for (const struct doctor_check *check = checks; check->name && !parsed->n_operands; check++)
		check->run(diagnosis, check->name);
	return diagnosis->is_out_of_memory ? message_error_of_memory("doctor") : 0;
}

static bool has_check(const struct diagnosis *diagnosis, const char *check)
{
	for (size_t i = 0; i < diagnosis->n_findings; i++)
		if (strcmp(diagnosis->findings[i].check, check) == 0)
			return true;
	return false;
}

static void write_text(const struct diagnosis *diagnosis)
{
	bool utf8 = character_set_is_utf8();
	struct utsname machine;

	if (uname(&machine) == 0)
		printf("dendro %s on Linux %s, %s, %u CPUs, as %s\n\n", DENDRO_VERSION,
		       machine.release, machine.machine, diagnosis->limits.n_cpus,
		       geteuid() ? "an ordinary user" : "root");
	diagnosis_write_text(stdout, diagnosis, checks, terminal_width(), utf8);
	if (has_check(diagnosis, "settings"))
		diagnosis_write_settings(stdout, diagnosis->configuration, utf8);
}

static int show(const struct doctor_options *options, const struct diagnosis *diagnosis)
{
	int status = 0;

	if (options->format == AS_JSON)
		diagnosis_write_json(stdout, diagnosis);
	else
		write_text(diagnosis);
	for (size_t i = 0; i < diagnosis->n_findings; i++)
		status |= diagnosis->findings[i].state == FINDING_NO;
	if (fflush(stdout) && errno != EPIPE)
		return message_error("doctor", "cannot write the findings: %s.", strerror(errno));
	return status;
}

int cmd_doctor(int argc, char **argv, struct configuration *configuration)
{
	struct doctor_options options = { 0 };
	struct parsed_line parsed =
		options_parse(&doctor_line, configuration, argc, argv, &options);
	struct diagnosis diagnosis = { .configuration = configuration };

	if (parsed.is_done)
		return parsed.status;
	character_set_take();
	limits_read(&diagnosis.limits);
	int status = run_checks(&diagnosis, &parsed);
	if (!status)
		status = show(&options, &diagnosis);
	diagnosis_deinit(&diagnosis);
	return status;
}
