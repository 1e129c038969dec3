/* The command line of dendro record: what its options set, and what is refused. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/perf_options.h"
#include "collector/command-line/record_options.h"

#define WORDS_MAX 24

struct parsed {
	struct record_arguments arguments;
	char words[WORDS_MAX][64], *argv[WORDS_MAX + 1];
	int argc;
	int status; /* 0, or of the first refusal */
};

static const struct command_line line = { .command = "record",
					  .synopsis = "",
					  .description = "",
					  .options = record_options,
					  .of_perf = perf_options_of_record,
					  .is_ended_by_operand = true };

/* The result of @fill; its messages on standard error are not for people. */
static int quietly(int (*fill)(struct parsed *), struct parsed *parsed)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	assert_true(saved >= 0 && null >= 0 && dup2(null, STDERR_FILENO) >= 0);
	int status = fill(parsed);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return status;
}

static int fill_arguments(struct parsed *parsed)
{
	struct record_arguments *arguments = &parsed->arguments;

	record_arguments_init(arguments, "record", parsed->argv);
	struct parsed_line result =
		options_parse(&line, NULL, parsed->argc, parsed->argv, arguments);
	if (result.is_done)
		return result.status;
	if (result.n_operands)
		arguments->options.command = result.operands;
	return record_arguments_check(arguments);
}

/* @text: the words after "record", separated by blanks. */
static void parse(struct parsed *parsed, const char *text)
{
	char copy[256], *rest = NULL;
	int n = 0;

	memset(parsed, 0, sizeof(*parsed));
	snprintf(copy, sizeof(copy), "record %s", text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(n < WORDS_MAX);
		snprintf(parsed->words[n], sizeof(parsed->words[n]), "%s", word);
		parsed->argv[n] = parsed->words[n];
		n++;
	}
	parsed->argc = n;
	parsed->status = quietly(fill_arguments, parsed);
}

static void release(struct parsed *parsed)
{
	record_arguments_deinit(&parsed->arguments);
}

static void a_command_alone_has_the_defaults(void **state)
{
	struct parsed parsed;
	const struct recorder_options *options = &parsed.arguments.options;

	(void)state;
	parse(&parsed, "true -a");
	assert_int_equal(parsed.status, 0);
	assert_string_equal(options->command[0], "true");
	assert_string_equal(options->command[1], "-a");
	assert_null(options->command[2]);
	assert_false(options->is_system_wide);
	assert_int_equal(options->frequency, 997);
	assert_int_equal(options->period, 0);
	assert_false(options->has_rate);
	assert_int_equal(options->stack_size, 65528);
	assert_false(options->has_stack_size);
	assert_int_equal(options->ring_size, 0);
	assert_false(options->has_compression_level);
	assert_string_equal(options->output, "dendro.data");
	assert_int_equal(parsed.arguments.n_events, 0);
	release(&parsed);
}

static void options_set_their_fields(void **state)
{
	struct parsed parsed;
	const struct recorder_options *options = &parsed.arguments.options;

	(void)state;
	parse(&parsed, "-a -C 0-2,7 -c 1000 --stack-size 16K -d 200ms -D 5 -o out -z -7 -m 100");
	assert_int_equal(parsed.status, 0);
	assert_true(options->is_system_wide);
	assert_null(options->command);
	assert_int_equal(options->cpus.n, 4);
	assert_int_equal(options->cpus.values[3], 7);
	assert_int_equal(options->period, 1000);
	assert_int_equal(options->frequency, 0);
	assert_true(options->has_rate);
	assert_int_equal(options->stack_size, 16384);
	assert_true(options->has_stack_size);
	assert_int_equal(options->duration_ns, 200 * NSEC_PER_MSEC);
	assert_int_equal(options->delay_ns, 5 * NSEC_PER_MSEC);
	assert_string_equal(options->output, "out");
	assert_true(options->has_compression_level);
	assert_int_equal(options->compression_level, -7);
	assert_int_equal(options->ring_size, 128 * 4096);
	release(&parsed);
}

static void rings_are_pages_or_bytes_rounded_up_to_a_power_of_two(void **state)
{
	static const struct {
		const char *text;
		uint64_t size;
	} cases[] = { { "-m 1 true", 4096 },
		      { "-m 3 true", 4 * 4096 },
		      { "-m 512K true", 512 << 10 },
		      { "-m 5M true", 8 << 20 },
		      { "-m 64G true", 1ull << 36 } };
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse(&parsed, cases[i].text);
		assert_int_equal(parsed.status, 0);
		assert_int_equal(parsed.arguments.options.ring_size, cases[i].size);
		release(&parsed);
	}
}

static void modes_of_call_graphs_are_sizes_of_copies(void **state)
{
	static const struct {
		const char *text;
		uint32_t size;
		bool is_chosen;
	} cases[] = { { "--call-graph dwarf true", 65528, false },
		      { "--call-graph dwarf,8192 true", 8192, true },
		      { "--call-graph dwarf,16K true", 16384, true },
		      { "--call-graph fp true", 0, true },
		      { "--call-graph fp --call-graph dwarf true", 65528, false } };
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct recorder_options *options = &parsed.arguments.options;

		parse(&parsed, cases[i].text);
		assert_int_equal(parsed.status, 0);
		assert_int_equal(options->stack_size, cases[i].size);
		assert_int_equal(options->has_stack_size, cases[i].is_chosen);
		assert_int_equal(options->deep_stacks == DEEP_STACKS_CUT, cases[i].size == 0);
		release(&parsed);
	}
}

static void cpus_without_a_target_are_the_whole_machine(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "-C 0");
	assert_int_equal(parsed.status, 0);
	assert_true(parsed.arguments.options.is_system_wide);
	release(&parsed);
	parse(&parsed, "-C 0 true");
	assert_int_equal(parsed.status, 0);
	assert_false(parsed.arguments.options.is_system_wide);
	release(&parsed);
	parse(&parsed, "-C 0 -p 1");
	assert_int_equal(parsed.status, 0);
	assert_false(parsed.arguments.options.is_system_wide);
	release(&parsed);
}

static void the_whole_machine_s_cgroup_is_the_cgroup_as_in_perf(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "-a -G a");
	assert_int_equal(parsed.status, 0);
	assert_false(parsed.arguments.options.is_system_wide);
	assert_string_equal(parsed.arguments.options.cgroup, "a");
	release(&parsed);
}

static void the_last_choice_of_jitter_counts(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "--jitter --no-jitter true");
	assert_int_equal(parsed.arguments.options.jitter, JITTER_NONE);
	release(&parsed);
	parse(&parsed, "--no-jitter --jitter true");
	assert_int_equal(parsed.arguments.options.jitter, JITTER_ALL);
	release(&parsed);
}

static void wrong_use_is_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"-p 1 -t 1",
		"-a -p 1",
		"-a -t 1",
		"--cgroup a --unit b",
		"--cgroup a -p 1",
		"--unit a -t 1",
		"--call-graph lbr true",
		"--call-graph dwarf,7 true",
		"--call-graph dwarfs true",
		"--call-graph fp --stack-size 16K true",
		"-F 99 -c 1000 true",
		"-q -v true",
		"-F 0 true",
		"-F fast true",
		"-F 4294967296 true",
		"-c 0 true",
		"-c 9223372036854775808 true",
		"--stack-size 12 true",
		"--stack-size 65536 true",
		"--stack-size -8 true",
		"-m 0 true",
		"-m 65G true",
		"-d 0 true",
		"-d 3x true",
		"-D -1 true",
		"-z 23 true",
		"-z -8 true",
		"-p 4194305 true",
		"-p 1,,2 true",
		"-C 3-1 true",
		"-e no-such-event true",
		"-e cpu-clock --filter a>1 true",
		"--filter a>1 -e cpu-clock true",
		"--no-such-option true",
		"-o",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed parsed;

		parse(&parsed, cases[i]);
		if (parsed.status != EXIT_WRONG_USE)
			print_error("'%s': status %d\n", cases[i], parsed.status);
		assert_int_equal(parsed.status, EXIT_WRONG_USE);
		release(&parsed);
	}
}

static void events_of_several_options_add_up(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "-e cpu-clock,page-faults -e context-switches true");
	assert_int_equal(parsed.status, 0);
	assert_int_equal(parsed.arguments.n_events, 3);
	assert_string_equal(parsed.arguments.events[0].name, "cpu-clock");
	assert_string_equal(parsed.arguments.events[2].name, "context-switches");
	release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_alone_has_the_defaults),
		cmocka_unit_test(options_set_their_fields),
		cmocka_unit_test(rings_are_pages_or_bytes_rounded_up_to_a_power_of_two),
		cmocka_unit_test(cpus_without_a_target_are_the_whole_machine),
		cmocka_unit_test(modes_of_call_graphs_are_sizes_of_copies),
		cmocka_unit_test(the_whole_machine_s_cgroup_is_the_cgroup_as_in_perf),
		cmocka_unit_test(the_last_choice_of_jitter_counts),
		cmocka_unit_test(wrong_use_is_refused),
		cmocka_unit_test(events_of_several_options_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
