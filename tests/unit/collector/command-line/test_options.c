/* The table of options: what is parsed by it, what is refused, and what is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/int_list.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/options.h"

enum color { AUTO, ALWAYS, NEVER };

struct shared {
	int unused;
	const char *folder;
};

struct target {
	bool is_quiet, is_verbose;
	const char *output, *limit;
	enum color color;
	struct int_list cpus;
	double percent;
	struct shared shared;
};

static const struct choice colors[] = {
	{ "auto", AUTO }, { "always", ALWAYS }, { "never", NEVER }, { NULL, 0 }
};

static int take_limit(const struct option_use *use, void *field)
{
	(void)use;
	*(const char **)field = use->value ? use->value : "the default";
	return 0;
}

static const struct command_option shared_options[] = {
	{ .name = "folder",
	  .argument = "DIR",
	  .help = "a folder",
	  .take = option_take_text,
	  .offset = offsetof(struct shared, folder) },
	{ 0 },
};

static const struct command_option options[] = {
	{ .heading = "How much is said" },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "say less",
	  .take = option_take_flag,
	  .offset = offsetof(struct target, is_quiet) },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "say more, in words that are so many that they need more than the one line which "
		  "the help has for them",
	  .take = option_take_flag,
	  .offset = offsetof(struct target, is_verbose) },
	{ .heading = "Where to" },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "the file",
	  .take = option_take_text,
	  .offset = offsetof(struct target, output) },
	{ .shared = shared_options, .offset = offsetof(struct target, shared) },
	{ .name = "limit",
	  .argument = "N",
	  .is_value_optional = true,
	  .help = "a limit",
	  .take = take_limit,
	  .offset = offsetof(struct target, limit) },
	{ .name = "color",
	  .argument = "WHEN",
	  .help = "colours",
	  .take = option_take_choice,
	  .choices = colors,
	  .offset = offsetof(struct target, color) },
	{ .name = "colorless",
	  .help = "no colours",
	  .take = option_take_constant,
	  .constant = NEVER,
	  .offset = offsetof(struct target, color) },
	{ .name = "cpu",
	  .letter = 'C',
	  .argument = "CPU,...",
	  .help = "CPUs",
	  .take = option_take_cpus,
	  .offset = offsetof(struct target, cpus) },
	{ .name = "min",
	  .argument = "PCT",
	  .help = "a percentage",
	  .take = option_take_percent,
	  .offset = offsetof(struct target, percent) },
	{ 0 },
};

static const struct command_option of_perf[] = {
	{ .name = "colo", .take = option_take_nothing },
	{ .name = "silent", .letter = 'S', .same_as = "quiet" },
	{ .name = "percent-limit", .argument = "N", .same_as = "min" },
	{ .letter = 'w', .same_as = "color", .given = (char[]){ "always" } },
	{ .name = "bound",
	  .letter = 'b',
	  .argument = "N",
	  .is_value_loose = true,
	  .take = take_limit,
	  .offset = offsetof(struct target, limit) },
	{ .name = "canvas", .letter = 'c', .help = "paint has no canvas", .take = option_refuse },
	{ .name = "verbose", .letter = 'q', .help = "ours is better", .take = option_refuse },
	{ 0 },
};

static const struct command_option refused[] = {
	{ .name = "frame",
	  .argument = "N",
	  .help = "pictures have no frames",
	  .take = option_refuse },
	{ 0 },
};

static const struct command_line line = { .command = "paint",
					  .synopsis = "[OPTIONS] [FILE]\n[OPTIONS] -q",
					  .description = "Paints.",
					  .options = options,
					  .of_perf = of_perf,
					  .refused = refused,
					  .notes = "That is all." };
static const struct command_line ended_line = { .command = "run",
						.synopsis = "[OPTIONS] COMMAND",
						.description = "Runs.",
						.options = options,
						.is_ended_by_operand = true };

/* What went to a stream, as text on the heap. */
static char *captured(FILE *stream, void (*function)(void *), void *argument)
{
	char *text = calloc(1, 8192);
	FILE *file = tmpfile();
	int saved = dup(fileno(stream));

	assert_non_null(text);
	assert_non_null(file);
	fflush(stream);
	dup2(fileno(file), fileno(stream));
	function(argument);
	fflush(stream);
	dup2(saved, fileno(stream));
	close(saved);
	rewind(file);
	text[fread(text, 1, 8191, file)] = '\0';
	fclose(file);
	return text;
}

struct call {
	const struct command_line *line;
	struct target target;
	char words[256];
	char *argv[16];
	struct parsed_line parsed;
};

static void parse_words(void *argument)
{
	struct call *call = argument;
	char *rest = call->words, *word;
	int argc = 0;

	call->argv[argc++] = strdup("name");
	while ((word = strsep(&rest, " ")))
		call->argv[argc++] = word;
	call->argv[argc] = NULL;
	call->parsed = options_parse(call->line, NULL, argc, call->argv, &call->target);
}

static void end(struct call *call)
{
	free(call->argv[0]);
	int_list_deinit(&call->target.cpus);
}

static void assert_operands(const struct call *call, const char *expected)
{
	char operands[256] = "";

	for (size_t i = 0; i < call->parsed.n_operands; i++) {
		size_t size = strlen(operands);

		snprintf(operands + size, sizeof(operands) - size, "%s%s", i ? " " : "",
			 call->parsed.operands[i]);
	}
	assert_string_equal(operands, expected);
	assert_null(call->parsed.operands[call->parsed.n_operands]);
}

static void values_follow_in_every_form(void **state)
{
	static const char *const forms[] = { "-o x",      "-ox",       "--output x", "--output=x",
					     "--outp=x",  "--out x",   "-qo x",      "-qvox",
					     "-v -q -ox", "--o x --q", "-o y -o x" };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct call call = { .line = &line };

		snprintf(call.words, sizeof(call.words), "%s", forms[i]);
		parse_words(&call);
		assert_false(call.parsed.is_done);
		assert_string_equal(call.target.output, "x");
		assert_int_equal(call.parsed.n_operands, 0);
		end(&call);
	}
}

static void a_value_may_be_empty_or_look_like_an_option(void **state)
{
	struct call call = { .line = &line, .words = "--output= --folder --quiet -C3" };

	(void)state;
	parse_words(&call);
	assert_string_equal(call.target.output, "");
	assert_string_equal(call.target.shared.folder, "--quiet");
	assert_int_equal(call.target.cpus.values[0], 3);
	assert_false(call.target.is_quiet);
	end(&call);
}

static void an_optional_value_is_never_the_next_word(void **state)
{
	struct call call = { .line = &line, .words = "--limit 5" };

	(void)state;
	parse_words(&call);
	assert_string_equal(call.target.limit, "the default");
	assert_operands(&call, "5");
	end(&call);
	call = (struct call){ .line = &line, .words = "--limit=5" };
	parse_words(&call);
	assert_string_equal(call.target.limit, "5");
	end(&call);
}

static void values_have_their_types(void **state)
{
	struct call call = { .line = &line,
			     .words = "--color always --cpu 2-3 -C0 --min 20% -v --folder /x" };

	(void)state;
	parse_words(&call);
	assert_int_equal(call.target.color, ALWAYS);
	assert_int_equal(call.target.cpus.n, 3);
	assert_true(call.target.percent == 20);
	assert_true(call.target.is_verbose);
	assert_string_equal(call.target.shared.folder, "/x");
	end(&call);
	call = (struct call){ .line = &line, .words = "--colorless" };
	parse_words(&call);
	assert_int_equal(call.target.color, NEVER);
	end(&call);
}

static void the_whole_name_wins_over_what_begins_so(void **state)
{
	struct call call = { .line = &line, .words = "--color=never" };

	(void)state;
	parse_words(&call);
	assert_int_equal(call.target.color, NEVER);
	end(&call);
}

static void operands_may_be_anywhere(void **state)
{
	static const struct {
		const char *words, *operands;
	} cases[] = {
		{ "a", "a" },          { "a -q b", "a b" }, { "-q a b -v c", "a b c" },
		{ "-", "-" },          { "- -q x", "- x" }, { "-q -- -v --output", "-v --output" },
		{ "a -- -v", "a -v" }, { "--", "" },        { "-- -- a", "-- a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call = { .line = &line };

		snprintf(call.words, sizeof(call.words), "%s", cases[i].words);
		parse_words(&call);
		assert_false(call.parsed.is_done);
		assert_operands(&call, cases[i].operands);
		assert_false(strchr(cases[i].operands, 'v') && call.target.is_verbose);
		end(&call);
	}
}

static void what_follows_the_command_that_is_run_belongs_to_it(void **state)
{
	struct call call = { .line = &ended_line, .words = "-q ls -v --output" };

	(void)state;
	parse_words(&call);
	assert_operands(&call, "ls -v --output");
	assert_false(call.target.is_verbose);
	assert_string_equal(call.argv[1], "-q"); /* argv is as it was */
	end(&call);
	call = (struct call){ .line = &ended_line, .words = "-q -- -v x" };
	parse_words(&call);
	assert_operands(&call, "-v x");
	end(&call);
}

static void spellings_of_perf_set_the_fields_of_ours(void **state)
{
	struct call call = { .line = &line,
			     .words = "--silent --verbose -qw --percent-limit 7 --folder x" };

	(void)state;
	parse_words(&call);
	assert_false(call.parsed.is_done);
	assert_true(call.target.is_quiet);
	assert_true(call.target.is_verbose);
	assert_int_equal(call.target.color, ALWAYS);
	assert_true(call.target.percent == 7);
	assert_string_equal(call.target.shared.folder, "x");
	end(&call);
}

static void a_loose_value_is_the_next_word_unless_it_is_an_option(void **state)
{
	static const struct {
		const char *words, *limit;
	} cases[] = { { "-b 5", "5" },          { "-b5", "5" },
		      { "--bound 5", "5" },     { "--bound=5", "5" },
		      { "-b", "the default" },  { "--bound -q", "the default" },
		      { "-vb", "the default" }, { "-b -q", "the default" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call = { .line = &line };

		snprintf(call.words, sizeof(call.words), "%s", cases[i].words);
		parse_words(&call);
		assert_string_equal(call.target.limit, cases[i].limit);
		assert_int_equal(call.parsed.n_operands, 0);
		end(&call);
	}
}

static void what_perf_can_and_dendro_cannot_is_one_line(void **state)
{
	static const struct {
		const char *words, *message;
	} cases[] = {
		{ "--canvas", "--canvas is not supported: paint has no canvas.\n" },
		{ "--frame 3", "--frame is not supported: pictures have no frames.\n" },
		{ "-qc", "-c is not supported: paint has no canvas.\n" },
		{ "--percent-limit x",
		  "--percent-limit takes a percentage from 0 to 100, not 'x'.\n"
		  "See 'dendro paint --help'.\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call = { .line = &line };
		char expected[256];

		snprintf(call.words, sizeof(call.words), "%s", cases[i].words);
		snprintf(expected, sizeof(expected), "dendro paint: %s", cases[i].message);
		char *text = captured(stderr, parse_words, &call);
		assert_string_equal(text, expected);
		assert_int_equal(call.parsed.status, EXIT_WRONG_USE);
		free(text);
		end(&call);
	}
}

static void a_wrong_value_of_a_letter_of_both_tells_what_it_is_to_perf(void **state)
{
	static const struct command_option letters_of_perf[] = {
		{ .name = "contrast",
		  .letter = 'C',
		  .help = "paint has one",
		  .take = option_refuse },
		{ .name = "over", .letter = 'o', .take = option_take_nothing },
		{ 0 },
	};
	static const struct {
		const char *words, *message;
	} cases[] = {
		{ "-C high", "-C takes numbers like 1,2 or 4-7, not 'high'; perf's -C (--contrast) "
			     "is not supported: paint has one.\n" },
		{ "-vo", "-o requires a value: -o FILE; perf's -o (--over) is not needed.\n" },
		{ "--cpu high", "--cpu takes numbers like 1,2 or 4-7, not 'high'.\n"
				"See 'dendro paint --help'.\n" },
	};
	struct command_line both = line;

	(void)state;
	both.of_perf = letters_of_perf;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call = { .line = &both };

		snprintf(call.words, sizeof(call.words), "%s", cases[i].words);
		char *text = captured(stderr, parse_words, &call);
		assert_string_equal(text + strlen("dendro paint: "), cases[i].message);
		assert_int_equal(call.parsed.status, EXIT_WRONG_USE);
		free(text);
		end(&call);
	}
}

static void wrong_use_is_one_line_and_a_hint_where_to_look(void **state)
{
	static const struct {
		const char *words, *message;
	} cases[] = {
		{ "--quite", "unknown option '--quite'; did you mean '--quiet'?" },
		{ "--colour=never", "unknown option '--colour'; did you mean '--color'?" },
		{ "--nothing-like-it", "unknown option '--nothing-like-it'." },
		{ "--=x", "unknown option '--'." },
		{ "-x", "unknown option '-x'." },
		{ "-qx", "unknown option '-x'." },
		{ "--col x", "'--col' is ambiguous: it may be any of '--color', '--colorless'." },
		{ "--output", "--output requires a value: --output FILE." },
		{ "a -qo", "-o requires a value: -o FILE." },
		{ "--quiet=1", "--quiet takes no value." },
		{ "--color x", "--color takes auto, always or never, not 'x'." },
		{ "-C 1,", "-C takes numbers like 1,2 or 4-7, not '1,'." },
		{ "-C 65536", "-C takes numbers like 1,2 or 4-7, not '65536'." },
		{ "--min 101", "--min takes a percentage from 0 to 100, not '101'." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call = { .line = &line };
		char expected[256];

		snprintf(call.words, sizeof(call.words), "%s", cases[i].words);
		snprintf(expected, sizeof(expected),
			 "dendro paint: %s\nSee 'dendro paint --help'.\n", cases[i].message);
		char *text = captured(stderr, parse_words, &call);
		assert_string_equal(text, expected);
		assert_true(call.parsed.is_done);
		assert_int_equal(call.parsed.status, EXIT_WRONG_USE);
		free(text);
		end(&call);
	}
}

static void help_is_printed_from_the_table(void **state)
{
	static const char expected[] =
		"usage: dendro paint [OPTIONS] [FILE]\n"
		"       dendro paint [OPTIONS] -q\n"
		"\n"
		"Paints.\n"
		"\n"
		"How much is said:\n"
		"  -q, --quiet        say less\n"
		"  -v, --verbose      say more, in words that are so many that they need more than "
		"the one\n"
		"                     line which the help has for them\n"
		"\n"
		"Where to:\n"
		"  -o, --output FILE  the file\n"
		"      --folder DIR   a folder\n"
		"      --limit[=N]    a limit\n"
		"      --color WHEN   colours\n"
		"      --colorless    no colours\n"
		"  -C, --cpu CPU,...  CPUs\n"
		"      --min PCT      a percentage\n"
		"  -h, --help         show this text\n"
		"\n"
		"That is all.\n";
	static const char *const forms[] = { "--help", "-h", "-qh", "--he -q", "a -h --unknown" };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct call call = { .line = &line };

		snprintf(call.words, sizeof(call.words), "%s", forms[i]);
		char *text = captured(stdout, parse_words, &call);
		assert_string_equal(text, expected);
		assert_true(call.parsed.is_done);
		assert_int_equal(call.parsed.status, 0);
		free(text);
		end(&call);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_follow_in_every_form),
		cmocka_unit_test(a_value_may_be_empty_or_look_like_an_option),
		cmocka_unit_test(an_optional_value_is_never_the_next_word),
		cmocka_unit_test(values_have_their_types),
		cmocka_unit_test(the_whole_name_wins_over_what_begins_so),
		cmocka_unit_test(operands_may_be_anywhere),
		cmocka_unit_test(what_follows_the_command_that_is_run_belongs_to_it),
		cmocka_unit_test(spellings_of_perf_set_the_fields_of_ours),
		cmocka_unit_test(a_loose_value_is_the_next_word_unless_it_is_an_option),
		cmocka_unit_test(what_perf_can_and_dendro_cannot_is_one_line),
		cmocka_unit_test(a_wrong_value_of_a_letter_of_both_tells_what_it_is_to_perf),
		cmocka_unit_test(wrong_use_is_one_line_and_a_hint_where_to_look),
		cmocka_unit_test(help_is_printed_from_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
