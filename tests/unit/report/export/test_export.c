#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/printable.h"
#include "cct/model/profile.h"
#include "report/export/export.h"
#include "report/fold/share_error.h"
#include "report/text/text_format.h"
#include "report/views/view.h"
#include "tests/unit/fixtures/sample_profile.h"

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	char *output;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = sample_profile_create((const char *[]){ "cycles:u" }, 1);
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture->output);
	free(fixture);
	return 0;
}

/* A process of this name with one sample, below it @depth frames of one unknown module each. */
static void add_sample(struct fixture *fixture, const char *comm, unsigned depth, uint64_t weight)
{
	uint32_t process = profile_add_process(fixture->profile, 7, comm);
	uint32_t node = sample_profile_process(fixture->profile, process);

	for (unsigned i = 0; i < depth; i++) {
		struct frame frame = { .kind = FRAME_USER, .offset = 0x1000 + i };

		node = cct_child(fixture->profile->cct, node, &frame);
	}
	sample_profile_add(fixture->profile, node, 0, weight);
	fixture->profile->quality.counts[QUALITY_SAMPLES]++;
	fixture->profile->quality.counts[QUALITY_COMPLETE]++;
}

static const char *write_report(struct fixture *fixture, const char *format,
				const struct view_options *view_options,
				const struct export_options *options)
{
	struct view *view;
	size_t size;
	FILE *out;

	free(fixture->output);
	out = open_memstream(&fixture->output, &size);
	assert_int_equal(view_create(fixture->profile, fixture->symbolizer, view_options, &view),
			 0);
	assert_int_equal(export_format_find(format)->write(out, view, fixture->symbolizer, options),
			 0);
	fclose(out);
	view_destroy(view);
	return fixture->output;
}

/* Skips a JSON value and returns its end; NULL: it is malformed. */
static const char *skip_value(const char *text);

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \n\t\r");
}

static const char *skip_string(const char *text)
{
	for (text++; *text && *text != '"'; text++) {
		if ((unsigned char)*text < ' ')
			return NULL;
		if (*text != '\\')
			continue;
		text++;
		if (*text == 'u' && strspn(text + 1, "0123456789abcdef") < 4)
			return NULL;
		if (!strchr("\"\\/bfnrtu", *text))
			return NULL;
	}
	return *text ? text + 1 : NULL;
}

static const char *skip_list(const char *text, char end, bool keys)
{
	text = skip_blanks(text + 1);
	if (*text == end)
		return text + 1;
	for (;;) {
		if (keys) {
			text = *text == '"' ? skip_string(text) : NULL;
			if (!text || *(text = skip_blanks(text)) != ':')
				return NULL;
			text = skip_blanks(text + 1);
		}
		text = skip_value(text);
		if (!text)
			return NULL;
		text = skip_blanks(text);
		if (*text == end)
			return text + 1;
		if (*text != ',')
			return NULL;
		text = skip_blanks(text + 1);
	}
}

static const char *skip_value(const char *text)
{
	size_t n_digits;

	switch (*text) {
	case '{':
		return skip_list(text, '}', true);
	case '[':
		return skip_list(text, ']', false);
	case '"':
		return skip_string(text);
	}
	if (strncmp(text, "null", 4) == 0 || strncmp(text, "true", 4) == 0)
		return text + 4;
	text += *text == '-';
	n_digits = strspn(text, "0123456789");
	if (!n_digits || text[n_digits] != '.')
		return n_digits ? text + n_digits : NULL;
	text += n_digits + 1;
	n_digits = strspn(text, "0123456789");
	return n_digits ? text + n_digits : NULL;
}

static void assert_json(const char *text)
{
	const char *end = skip_value(text);

	assert_non_null(end);
	assert_string_equal(skip_blanks(end), "");
}

static void json_is_one_object_of_exact_numbers(void **state)
{
	static const char *const expected[] = {
		"\"metrics\":[\n  {\"event\":\"cycles:u\",\"unit\":\"events\",\"samples\":2,"
		"\"total\":18446744073709551615}]",
		"\"quality\":{\"samples\":2,\"lost\":5,\"throttled\":6,",
		"\"unwind\":{\"complete\":2,\"joined\":0,\"no_user_part\":0,\"kernel_walked\":0,"
		"\"branch_"
		"stack\":0,"
		"\"flat\":0,\"stack_cut\":0",
		"\"frames\":[\n{\"name\":\"all\",\"module\":\"\",\"kind\":\"root\"},\n"
		"{\"name\":\"prog\",\"module\":\"\",\"kind\":\"process\"},\n"
		"{\"name\":\"0x1000\",\"module\":\"\",\"kind\":\"user\"},\n",
		"\"nodes\":[\n[-1,0,[0],[18446744073709551615]],\n"
		"[0,1,[0],[18446744073709551615]],\n"
		"[1,2,[18446744073709551614],[18446744073709551615]],\n",
	};
	struct fixture *fixture = *state;
	const char *text;

	add_sample(fixture, "prog", 1, UINT64_MAX - 1);
	add_sample(fixture, "prog", 2, 1);
	fixture->profile->quality.counts[QUALITY_LOST] = 5;
	fixture->profile->quality.counts[QUALITY_THROTTLED] = 6;
	text = write_report(fixture, "json", &(struct view_options){ .kind = VIEW_TREE },
			    &(struct export_options){ 0 });
	assert_json(text);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_non_null(strstr(text, expected[i]));
}

static void json_begins_with_what_is_known_of_the_recording(void **state)
{
	static const struct view_options functions = { .kind = VIEW_FUNCTIONS };
	static const struct export_options options = { 0 };
	static const char expected[] = "{\"schema\":2,\n\"dendro\":\"" DENDRO_VERSION "\",\n"
				       "\"command\":\"dendro \\\"x\\\"\",\n"
				       "\"machine\":{\"cpu\":\"One\",\"cpus\":8},\n"
				       "\"times\":{\"start\":\"2023-11-14T22:13:20.000000007Z\","
				       "\"start_ns\":2000000007,\"duration_ns\":100},\n"
				       "\"metrics\":";
	struct fixture *fixture = *state;
	struct profile_info *info = &fixture->profile->info;

	add_sample(fixture, "prog", 1, 1);
	assert_non_null(strstr(write_report(fixture, "json", &functions, &options),
			       "\"machine\":{},\n\"times\":{},\n\"metrics\":"));
	assert_int_equal(profile_set_string(&info->command_line, "dendro \"x\""), 0);
	assert_int_equal(profile_set_string(&info->cpu, "One"), 0);
	info->n_cpus = 8;
	info->start_ns = 2000000007;
	info->end_ns = 2000000107;
	info->has_date = true;
	info->unix_offset_ns = 1699999998000000000;
	const char *text = write_report(fixture, "json", &functions, &options);
	assert_json(text);
	assert_memory_equal(text, expected, strlen(expected));
}

static void json_of_every_view_is_well_formed(void **state)
{
	struct fixture *fixture = *state;

	assert_json(write_report(fixture, "json", &(struct view_options){ .kind = VIEW_TREE },
				 &(struct export_options){ 0 }));
	add_sample(fixture, "a", 3, 1);
	add_sample(fixture, "b", 0, 1);
	for (int kind = VIEW_TREE; kind <= VIEW_PROCESSES; kind++) {
		struct view_options options = { .kind = (enum view_kind)kind };
		const char *text =
			write_report(fixture, "json", &options, &(struct export_options){ 0 });

		assert_json(text);
		assert_non_null(strstr(text, kind < VIEW_CALLGRAPH ? "\"nodes\":" : "\"rows\":"));
	}
}

static void json_strings_are_escaped_and_valid_utf8(void **state)
{
	static const struct {
		const char *comm, *json;
	} cases[] = {
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\x1b[31m\n", "\"\\u001b[31m\\u000a\"" },
		{ "caf\xc3\xa9", "\"caf\xc3\xa9\"" },
		{ "\xff\xc3(", "\"\\ufffd\\ufffd(\"" },
		{ "\xc0\x80", "\"\\ufffd\\ufffd\"" },            /* overlong */
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" }, /* a surrogate */
		{ "\xc2\x9b"
		  "31m",
		  "\"\\u009b31m\"" }, /* CSI of eight bits */
		{ "\xe2\x80\xae"
		  "x",
		  "\"\\u202ex\"" }, /* right to left */
		{ "\x7f", "\"\\u007f\"" },
		{ "\xf0\x9f\x8c\xb2", "\"\xf0\x9f\x8c\xb2\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" }, /* cut */
	};
	struct fixture *fixture = *state;
	const char *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		add_sample(fixture, cases[i].comm, 0, 1);
	text = write_report(fixture, "json", &(struct view_options){ .kind = VIEW_PROCESSES },
			    &(struct export_options){ 0 });
	assert_json(text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_non_null(strstr(text, cases[i].json));
}

static void json_nodes_have_the_indexes_of_their_parent_and_of_their_frame(void **state)
{
	static const char expected[] = "\"frames\":[\n"
				       "{\"name\":\"all\",\"module\":\"\",\"kind\":\"root\"},\n"
				       "{\"name\":\"left\",\"module\":\"\",\"kind\":\"process\"},\n"
				       "{\"name\":\"0x1000\",\"module\":\"\",\"kind\":\"user\"},\n"
				       "{\"name\":\"0x1001\",\"module\":\"\",\"kind\":\"user\"},\n"
				       "{\"name\":\"right\",\"module\":\"\",\"kind\":\"process\"}\n"
				       "],\n\"nodes\":[\n"
				       "[-1,0,[0],[10]],\n"
				       "[0,1,[0],[9]],\n"
				       "[1,2,[0],[9]],\n"
				       "[2,3,[9],[9]],\n"
				       "[0,4,[0],[1]],\n"
				       "[4,2,[1],[1]]\n"
				       "]}\n";
	struct fixture *fixture = *state;

	add_sample(fixture, "left", 2, 9);
	add_sample(fixture, "right", 1, 1);
	const char *text =
		write_report(fixture, "json", &(struct view_options){ .kind = VIEW_TREE },
			     &(struct export_options){ 0 });
	text = strstr(text, "\"frames\":");
	assert_non_null(text);
	assert_string_equal(text, expected);
}

static void json_frames_are_those_of_nodes_that_are_written(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, "prog", 3, 1);
	const char *text =
		write_report(fixture, "json", &(struct view_options){ .kind = VIEW_TREE },
			     &(struct export_options){ .max_depth = 2 });
	assert_json(text);
	assert_non_null(
		strstr(text, "\"name\":\"0x1000\",\"module\":\"\",\"kind\":\"user\"}\n],\n"));
	assert_non_null(strstr(text, "\n[1,2,[0],[1]]\n]}\n"));
}

static void json_callers_share_the_frames_of_functions(void **state)
{
	static const char expected[] = "[-1,0,[0],[5]],\n"
				       "[0,1,[5],[5]],\n"
				       "[1,2,[0],[5]],\n"
				       "[2,3,[0],[5]]\n"
				       "]}\n";
	struct fixture *fixture = *state;

	add_sample(fixture, "prog", 3, 5);
	const char *text =
		write_report(fixture, "json", &(struct view_options){ .kind = VIEW_CALLERS },
			     &(struct export_options){ 0 });
	assert_non_null(strstr(text, "},\n{\"name\":\"0x1002\","));
	assert_non_null(strstr(text, expected));
}

static void json_nodes_end_with_what_only_some_have(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, "prog", 1, 5);
	assert_int_equal(path_marks_add(&fixture->profile->cct->marks, 2, PATH_GUESSED, 1), 0);
	const char *text =
		write_report(fixture, "json", &(struct view_options){ .kind = VIEW_TREE },
			     &(struct export_options){ 0 });
	assert_json(text);
	assert_non_null(strstr(text, "[0,1,[0],[5]],\n[1,2,[5],[5],{\"mark\":{\"guessed\":1}}]\n"));
}

static void json_goes_as_deep_as_the_tree_or_as_asked(void **state)
{
	struct fixture *fixture = *state;
	struct view_options options = { .kind = VIEW_TREE };
	const char *text;

	add_sample(fixture, "deep", 5000, 1);
	text = write_report(fixture, "json", &options, &(struct export_options){ 0 });
	assert_json(text);
	assert_non_null(strstr(text, "0x2387")); /* the 5000th */
	text = write_report(fixture, "json", &options, &(struct export_options){ .max_depth = 2 });
	assert_json(text);
	assert_non_null(strstr(text, "0x1000"));
	assert_null(strstr(text, "0x1001"));
}

static void csv_is_quoted_and_ends_lines_as_the_rfc_says(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	add_sample(fixture, "a,\"b\"\n", 1, 9);
	text = write_report(fixture, "csv", &(struct view_options){ .kind = VIEW_TREE },
			    &(struct export_options){ 0 });
	assert_string_equal(text, "depth,name,module,kind,id,\"cycles:u self\",\"cycles:u total\","
				  "\"cycles:u samples\"\r\n"
				  "0,\"all\",\"\",root,,0,9,1\r\n"
				  "1,\"a,\"\"b\"\"\\x0a\",\"\",process,7,0,9,1\r\n"
				  "2,\"0x1000\",\"\",user,,9,9,1\r\n");
}

/* The metric is of waits, whose unit is time. */
static void count_waits(struct fixture *fixture)
{
	struct metric *metric = &fixture->profile->metrics[0];

	free(metric->name);
	metric->name = strdup("off-cpu");
	assert_int_equal(profile_set_string(&metric->unit, "ns"), 0);
	metric->is_waits = true;
	assert_int_equal(cct_keep_longest(fixture->profile->cct, 0), 0);
}

static void waits_have_a_number_and_a_longest(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	const struct export_options options = { .width = 100 };
	const char *text;

	count_waits(fixture);
	add_sample(fixture, "prog", 1, 3000);
	add_sample(fixture, "prog", 2, 7000);
	add_sample(fixture, "prog", 2, 1000);
	text = write_report(fixture, "csv", &view, &options);
	assert_non_null(strstr(text, "\"off-cpu samples\",\"off-cpu longest\"\r\n"
				     "0,\"all\",\"\",root,,0,11000,3,7000\r\n"
				     "1,\"prog\",\"\",process,7,0,11000,3,7000\r\n"
				     "2,\"0x1000\",\"\",user,,3000,11000,3,7000\r\n"
				     "3,\"0x1001\",\"\",user,,8000,8000,2,7000\r\n"));
	text = write_report(fixture, "json", &view, &options);
	assert_json(text);
	assert_non_null(strstr(text, "[8000],{\"waits\":2,\"longest\":7000}]"));
	view.kind = VIEW_CALLERS;
	text = write_report(fixture, "json", &view, &options);
	assert_non_null(strstr(text, "[3000],{\"waits\":1,\"longest\":3000}]"));
	view.kind = VIEW_FUNCTIONS;
	text = write_report(fixture, "json", &view, &options);
	assert_non_null(strstr(text, "\"total\":[11000],\"waits\":3,\"longest\":7000"));
}

static void text_shows_how_many_waits_there_were_and_how_long(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	const struct export_options options = { .width = 100, .min_percent = 5 };

	count_waits(fixture);
	add_sample(fixture, "prog", 1, 3000000);
	add_sample(fixture, "prog", 2, 7000000);
	add_sample(fixture, "prog", 2, 1000000);
	add_sample(fixture, "other", 1, 100000);
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "  total    time   waits    mean longest  call path\n"
			       " 99.10% 11.0 ms       3 3.67 ms 7.00 ms  prog (pid 7)\n"
			       " 99.10% 11.0 ms       3 3.67 ms 7.00 ms    0x1000\n"
			       " 72.07% 8.00 ms       2 4.00 ms 7.00 ms    0x1001\n"
			       "  0.90%  100 us       1  100 us  100 us  ... 1 more below 5 %\n"));
	view.kind = VIEW_FUNCTIONS;
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "  total    time    self   waits    mean longest  function\n"
			       "100.00% 11.1 ms  27.93%       4 2.77 ms 7.00 ms  0x1000\n"
			       " 72.07% 8.00 ms  72.07%       2 4.00 ms 7.00 ms  0x1001\n"));
}

static unsigned longest_line(const char *text)
{
	unsigned longest = 0;

	while (*text) {
		size_t size = strcspn(text, "\n");
		char *line = strndup(text, size);
		unsigned width = printable_width(line, true);

		longest = width > longest ? width : longest;
		free(line);
		text += size + (text[size] == '\n');
	}
	return longest;
}

/* Where enough samples stand for all shares, text shows no errors. */
static void repeat_samples(const struct fixture *fixture)
{
	struct profile *profile = fixture->profile;
	struct cct *cct = profile->cct;

	for (uint32_t i = 0; i < cct->n_nodes * cct->n_metrics; i++)
		cct->costs[i].samples *= SHARE_FEW_SAMPLES;
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		profile->metrics[i].samples *= SHARE_FEW_SAMPLES;
}

static void text_shows_the_errors_of_shares_with_few_samples(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100, .marks_few = true };

	for (unsigned i = 0; i < 90; i++)
		add_sample(fixture, "prog", i < 80 ? 1 : 2, 10);
	const char *text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "  total  error    self  call path\n"
				     "100.00%              -  prog (pid 7)\n"
				     "100.00%         88.89%    0x1000\n"
				     " 11.11% +-3.34  11.11%    0x1001\n"));
	assert_non_null(strstr(text, "\n+-: the standard error of sampling, of shares with"));
	view.errors = true;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "  total  error    self  error  call path\n"
				     "100.00% +-1.04       -         prog (pid 7)\n"
				     "100.00% +-1.04  88.89% +-3.34    0x1000\n"
				     " 11.11% +-3.34  11.11% +-3.34    0x1001\n"));
	view.errors = false;
	repeat_samples(fixture);
	text = write_report(fixture, "text", &view, &options);
	assert_null(strstr(text, "error"));
}

static void text_fits_the_width_at_any_depth(void **state)
{
	static const unsigned widths[] = { 60, 80, 100, 200 };
	struct fixture *fixture = *state;

	/* Each level branches: the deepest indentation that there can be. */
	for (unsigned depth = 0; depth < 300; depth++)
		add_sample(fixture, "a long name of a process", depth, 1);
	profile_set_string(&fixture->profile->info.command_line,
			   "a command line that is long, much longer than any terminal is wide, so "
			   "that it has to be cut somewhere in the middle, which shows both ends");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		for (int kind = VIEW_TREE; kind <= VIEW_PROCESSES; kind++) {
			struct export_options options = { .width = widths[i] };
			struct view_options view = { .kind = (enum view_kind)kind };

			assert_true(longest_line(write_report(fixture, "text", &view, &options)) <=
				    widths[i]);
		}
	}
}

/* Makes it a profile of several events, each function with a cost in some of them. */
static void add_events(struct fixture *fixture, const char *const *names, uint32_t n_names)
{
	struct profile *profile = fixture->profile;
	struct frame frame = { .kind = FRAME_PROCESS,
			       .offset = profile_add_process(profile, 7, "prog") };

	for (uint32_t i = 0; i < n_names; i++)
		profile_add_metric(profile, names[i], "events");
	cct_destroy(profile->cct);
	profile->cct = cct_create(1 + n_names);
	uint32_t node = cct_child(profile->cct, CCT_ROOT, &frame);
	for (uint32_t i = 0; i <= n_names; i++) {
		frame = (struct frame){ .kind = FRAME_USER, .offset = 0x1000 + i };
		node = cct_child(profile->cct, node, &frame);
		for (uint32_t metric = 0; metric <= i; metric++) {
			uint64_t weight = 1000 + 100 * (i + metric);

			cct_add_cost(profile->cct, node, metric, weight);
			profile->metrics[metric].samples++;
			profile->metrics[metric].total += weight;
			profile->quality.counts[QUALITY_SAMPLES]++;
		}
	}
}

static void four_events_stand_side_by_side_in_100_columns(void **state)
{
	static const char *const names[] = { "instructions", "cache-misses", "branch-misses" };
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100 };
	const char *text;

	add_events(fixture, names, 3);
	repeat_samples(fixture);
	for (int kind = VIEW_TREE; kind <= VIEW_PROCESSES; kind++) {
		view.kind = (enum view_kind)kind;
		text = write_report(fixture, "text", &view, &options);
		assert_null(strstr(text, "do not fit"));
		assert_true(longest_line(text) <= 100);
	}
	view.kind = VIEW_TREE;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(
		text, "\n     cycles:u   instructions   cache-misses  branch-misses\n"
		      " total   self   total   self   total   self   total   self  call path\n"
		      "100.0%      -  100.0%      -  100.0%      -  100.0%      -  prog (pid 7)\n"
		      "100.0%  21.7%  100.0%      -  100.0%      -  100.0%      -    0x1000\n"
		      " 78.3%  23.9%  100.0%  30.8%  100.0%      -  100.0%      -    0x1001\n"));
	options.width = 200; /* room for the second decimal */
	assert_non_null(strstr(write_report(fixture, "text", &view, &options), "100.00%  21.74%"));
}

static void ratios_stand_behind_the_events_and_a_dash_for_none(void **state)
{
	static const char *const names[] = { "instructions" };
	static const struct ratio ratios[] = {
		{ .name = "instructions/cycles", .numerator = 1, .denominator = 0, .factor = 1 },
		{ .name = "big", .numerator = 0, .denominator = 1, .factor = 1e6 },
	};
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100, .ratios = ratios, .n_ratios = 2 };
	const char *text;

	add_events(fixture, names, 1);
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "ratios           0.571 of instructions/cycles\n"
				     "                 1750k of big\n"));
	assert_non_null(strstr(text, "  0.571      -   1750k      -  prog (pid 7)\n"));
	assert_non_null(strstr(text, "  0.571  0.000   1750k      -    0x1000\n"));
	assert_non_null(strstr(text, "  1.091  1.091  916.7k 916.7k    0x1001\n"));
	text = write_report(fixture, "json", &view, &options);
	assert_json(text);
	assert_non_null(strstr(text,
			       "\"ratios\":[{\"name\":\"instructions/cycles\",\"numerator\":1,"
			       "\"denominator\":0,\"factor\":1},{\"name\":\"big\","));
	assert_non_null(strstr(text, "[2100,1200],{\"ratio_self\":[null,null],"
				     "\"ratio_total\":[0.571428571,1750000]"));
	text = write_report(fixture, "csv", &view, &options);
	assert_non_null(strstr(text, ",\"instructions/cycles self\",\"instructions/cycles total\","
				     "\"big self\",\"big total\"\r\n"));
	assert_non_null(strstr(text, ",user,,1000,2100,2,0,1200,1,0,0.571428571,,1750000\r\n"));
}

static void ratios_are_short_enough_for_their_column(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0.000" },        { 0.0004, "0.000" },  { 9.9994, "9.999" },
		{ 9.9996, "10.00" },   { 99.994, "99.99" },  { 99.996, "100.0" },
		{ 999.94, "999.9" },   { 999.96, "1000" },   { 99999.4, "99999" },
		{ 99999.6, "100.0k" }, { 1234567, "1235k" }, { 1e9, "1000M" },
		{ 1.5e18, "1500P" },   { 1.8e22, "18000E" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buffer[32];

		text_format_ratio(buffer, sizeof(buffer), cases[i].value);
		assert_string_equal(buffer, cases[i].text);
	}
}

static void a_multiplexed_event_is_said_to_be_scaled(void **state)
{
	struct fixture *fixture = *state;
	struct metric *metric = &fixture->profile->metrics[0];
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100 };
	const char *text;

	add_sample(fixture, "prog", 1, 2000);
	metric->has_counted = true;
	metric->counted = 2100;
	metric->time_enabled_ns = metric->time_running_ns = 1000;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "1 sample of cycles:u   2000 events of 2100 counted\n"));
	metric->time_running_ns = 250;
	metric->is_scaled = true;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "1 sample of cycles:u   2000 events\n"));
	assert_non_null(strstr(
		text, "cycles:u: counted 2100 events, running 25.0% of the time: scaled by 4\n"));
	text = write_report(fixture, "json", &view, &options);
	assert_json(text);
	assert_non_null(strstr(text, "\"counted\":2100,\"time_enabled\":1000,"
				     "\"time_running\":250,\"scaled\":4}"));
	metric->time_running_ns = 0;
	metric->is_scaled = false;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "other events used its counter all the time"));
}

static void text_says_how_good_the_data_is(void **state)
{
	static const char *const expected[] = {
		"gcc -O2",
		"host1",
		"2 received, 3 lost; throttled 4 times",
		"50.00%  complete",
		"50.00%  [stack deeper than the copy]",
		"  not read: 1 was too fast, 2 were too slow for words,\n",
		"  3 were neither\n",
		"cut at offset 99",
	};
	struct fixture *fixture = *state;
	struct profile_info *info = &fixture->profile->info;
	const char *text;

	add_sample(fixture, "prog", 1, 1);
	fixture->profile->quality.counts[QUALITY_LOST] = 3;
	fixture->profile->quality.counts[QUALITY_THROTTLED] = 4;
	fixture->profile->quality.counts[QUALITY_SAMPLES] = 2;
	fixture->profile->quality.incomplete[MARKER_STACK_CUT] = 1;
	profile_set_string(&info->command_line, "gcc -O2");
	profile_set_string(&info->hostname, "host1");
	profile_set_string(&info->truncated, "cut at offset 99");
	profile_set_string(&info->why[MARKER_STACK_CUT],
			   "not read: 1 was too fast, 2 were too slow for words, 3 were neither");
	text = write_report(fixture, "text", &(struct view_options){ 0 },
			    &(struct export_options){ .source = "x.data", .width = 70 });
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_non_null(strstr(text, expected[i]));
}

static void text_begins_with_the_hottest_functions_and_the_largest_processes(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .min_percent = 10 };

	/* The functions are 0x1000 and 0x1001: the first one in two processes. */
	add_sample(fixture, "large", 1, 50000);
	add_sample(fixture, "larger", 2, 60000);
	add_sample(fixture, "small", 1, 15000);
	add_sample(fixture, "smaller", 1, 5000);
	repeat_samples(fixture);
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "   self   count  hottest functions\n"
			       " 53.85%   70000  0x1000\n"
			       " 46.15%   60000  0x1001\n"
			       "\n"
			       "  total   count  largest processes\n"
			       " 46.15%   60000  larger (pid 7)\n"
			       " 38.46%   50000  large (pid 7)\n"
			       " 11.54%   15000  small (pid 7)\n"
			       "\n"
			       "  total    self  call path\n"
			       " 46.15%       -  larger (pid 7)\n"));
}

static void text_of_one_process_begins_with_its_functions_only(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	const char *text;

	for (unsigned depth = 1; depth < 10; depth++)
		add_sample(fixture, "alone", depth, depth);
	repeat_samples(fixture);
	text = write_report(fixture, "text", &view, &(struct export_options){ 0 });
	assert_non_null(strstr(text, "   self   count  hottest functions\n"
				     " 20.00%       9  0x1008\n"
				     " 17.78%       8  0x1007\n"
				     " 15.56%       7  0x1006\n"
				     " 13.33%       6  0x1005\n"
				     " 11.11%       5  0x1004\n"
				     "\n"
				     "  total    self  call path\n"));
}

static void values_stand_beside_the_shares_of_resources(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100 };
	struct metric *metric = &fixture->profile->metrics[0];

	add_sample(fixture, "prog", 1, 3 << 20);
	add_sample(fixture, "prog", 2, 1 << 20);
	repeat_samples(fixture);
	assert_null(strstr(write_report(fixture, "text", &view, &options), "total   count"));
	options.values = true;
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "  total   count    self   count  call path\n"
			       "100.00%   4.19M       -       -  prog (pid 7)\n"
			       "100.00%   4.19M  75.00%   3.15M    0x1000\n"
			       " 25.00%   1.05M  25.00%   1.05M    0x1001\n"));
	options.values = false;
	free(metric->name);
	metric->name = strdup("read-bytes");
	assert_int_equal(profile_set_string(&metric->unit, "bytes"), 0);
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "  total   bytes    self   bytes  call path\n"
			       "100.00% 4.0 MiB       -       -  prog (pid 7)\n"
			       "100.00% 4.0 MiB  75.00% 3.0 MiB    0x1000\n"
			       " 25.00% 1.0 MiB  25.00% 1.0 MiB    0x1001\n"));
	view.kind = VIEW_PROCESSES;
	assert_non_null(strstr(write_report(fixture, "text", &view, &options),
			       "  total   bytes   samples  process\n"
			       "100.00% 4.0 MiB        60  prog (pid 7)\n"));
}

static void events_without_samples_are_counted_if_they_are_many(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_PROCESSES };
	const char *text;

	for (size_t i = 0; i < 4; i++)
		profile_add_metric(fixture->profile, names[i], "events");
	fixture->profile->metrics[4].counted = 9;
	cct_destroy(fixture->profile->cct);
	fixture->profile->cct = cct_create(5);
	add_sample(fixture, "prog", 1, 3);
	text = write_report(fixture, "text", &view, &(struct export_options){ 0 });
	assert_non_null(strstr(text, "0 samples of a "));
	profile_add_metric(fixture->profile, "e", "events");
	cct_destroy(fixture->profile->cct);
	fixture->profile->cct = cct_create(6);
	add_sample(fixture, "prog", 1, 3);
	text = write_report(fixture, "text", &view, &(struct export_options){ 0 });
	assert_null(strstr(text, "samples of a "));
	assert_non_null(strstr(text, "0 samples of d "));
	assert_non_null(strstr(text, "         4 more events without samples\n"));
}

static void values_are_short_enough_for_their_column(void **state)
{
	static const struct {
		uint64_t value;
		const char *unit, *text;
	} cases[] = {
		{ 0, "ns", "0 ns" },
		{ 999, "ns", "999 ns" },
		{ 1000, "ns", "1.00 us" },
		{ 12345678, "ns", "12.3 ms" },
		{ 999600000, "ns", "1.00 s" },
		{ 99999 * 1000000000ull, "ns", "99999 s" },
		{ 360000 * 1000000000ull, "ns", "100 h" },
		{ 1023, "bytes", "1.0 KiB" },
		{ 12 << 20, "bytes", "12 MiB" },
		{ 1000 << 20, "bytes", "1.0 GiB" },
		{ UINT64_MAX, "bytes", "16 EiB" },
		{ 99999, "events", "99999" },
		{ 100000, "events", "100k" },
		{ 1234567, "events", "1.23M" },
		{ UINT64_MAX, "events", "18.4E" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buffer[32];

		text_format_value(buffer, sizeof(buffer), cases[i].value, cases[i].unit);
		assert_string_equal(buffer, cases[i].text);
	}
}

static void text_sums_up_what_is_below_the_threshold(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };
	struct export_options options = { .min_percent = 10 };
	const char *text;

	add_sample(fixture, "large", 1, 90);
	for (unsigned i = 0; i < 5; i++)
		add_sample(fixture, (const char[]){ 's', (char)('0' + i), 0 }, 1, 2);
	repeat_samples(fixture);
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, " 10.00%       -  ... 5 more below 10 %"));
	assert_null(strstr(text, "s0"));
	options.min_percent = 0;
	text = write_report(fixture, "text", &view, &options);
	assert_non_null(strstr(text, "s0"));
	assert_null(strstr(text, "more below"));
}

static void only_branches_move_to_the_right(void **state)
{
	struct fixture *fixture = *state;
	struct cct *cct = fixture->profile->cct;
	struct frame frame;
	const char *text;

	add_sample(fixture, "prog", 3, 1);
	repeat_samples(fixture);
	text = write_report(fixture, "text", &(struct view_options){ .kind = VIEW_TREE },
			    &(struct export_options){ 0 });
	assert_non_null(strstr(text, "100.00%       -  prog (pid 7)\n"
				     "100.00%       -    0x1000\n"
				     "100.00%       -    0x1001\n"
				     "100.00% 100.00%    0x1002\n"));
	add_sample(fixture, "prog", 1, 1);
	frame = (struct frame){ .kind = FRAME_USER, .offset = 0x2000 };
	cct_add_cost(cct, cct_child(cct, 2, &frame), 0, 2);
	fixture->profile->metrics[0].total += 2;
	repeat_samples(fixture);
	text = write_report(fixture, "text", &(struct view_options){ .kind = VIEW_TREE },
			    &(struct export_options){ 0 });
	assert_non_null(strstr(text, "100.00%       -  prog (pid 7)\n"
				     "100.00%  25.00%    0x1000\n"
				     " 50.00%  50.00%    |-0x2000\n"
				     " 25.00%       -    `-0x1001\n"
				     " 25.00%  25.00%      0x1002\n"));
}

static void nothing_hostile_reaches_the_terminal(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, "\x1b]0;owned\x07\xc2\x9b\r\xff", 1, 1);
	profile_set_string(&fixture->profile->info.command_line, "\x1b[2J");
	for (int kind = VIEW_TREE; kind <= VIEW_PROCESSES; kind++) {
		struct view_options view = { .kind = (enum view_kind)kind };
		static const char *const formats[] = { "text", "json" };

		for (size_t i = 0; i < 2; i++) {
			const char *text = write_report(fixture, formats[i], &view,
							&(struct export_options){ 0 });

			assert_null(strpbrk(text, "\x1b\x07\r\xff\x9b"));
		}
	}
}

static void colour_comes_only_when_asked_for(void **state)
{
	struct fixture *fixture = *state;
	struct view_options view = { .kind = VIEW_TREE };

	add_sample(fixture, "prog", 1, 1);
	assert_null(strchr(write_report(fixture, "text", &view, &(struct export_options){ 0 }),
			   '\x1b'));
	assert_non_null(strchr(
		write_report(fixture, "text", &view, &(struct export_options){ .color = true }),
		'\x1b'));
}

static void long_names_are_cut_in_the_middle(void **state)
{
	static const struct {
		const char *name;
		unsigned width;
		const char *shown;
	} cases[] = {
		{ "short", 5, "short" },
		{ "abcdefghijkl", 10, "ab...hijkl" },
		{ "abcdef", 3, "abc" },
		{ "a\tb", 6, "a\\x09b" },
		{ "\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buffer[64] = "";
		FILE *out = fmemopen(buffer, sizeof(buffer), "w");

		assert_true(printable_write(out, cases[i].name, cases[i].width, true) <=
			    cases[i].width);
		fclose(out);
		assert_string_equal(buffer, cases[i].shown);
	}
}

static void a_full_disk_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	FILE *full = fopen("/dev/full", "w");
	struct view_options options = { .kind = VIEW_TREE };
	struct view *view;

	if (!full)
		skip();
	add_sample(fixture, "prog", 1, 1);
	assert_int_equal(view_create(fixture->profile, fixture->symbolizer, &options, &view), 0);
	assert_int_equal(export_format_find("json")->write(full, view, fixture->symbolizer,
							   &(struct export_options){ 0 }),
			 -ENOSPC);
	fclose(full);
	view_destroy(view);
}

static void rows_by_walk_are_those_of_the_whole_tree(void **state)
{
	static const char *const formats[] = { "json", "csv" };
	const struct export_options limits[] = { { 0 }, { .max_depth = 1 }, { .max_depth = 3 } };
	struct fixture *fixture = *state;

	add_sample(fixture, "one", 5, 3);
	add_sample(fixture, "two", 2, 7);
	add_sample(fixture, "three", 7, 1);
	for (size_t i = 0; i < 2 * sizeof(limits) / sizeof(limits[0]); i++) {
		struct view_options options = { .kind = VIEW_TREE };
		const char *format = formats[i % 2];
		char *whole = strdup(write_report(fixture, format, &options, &limits[i / 2]));

		options.rows_by_walk = true;
		assert_non_null(strchr(whole, '\n'));
		assert_string_equal(write_report(fixture, format, &options, &limits[i / 2]), whole);
		free(whole);
	}
}

static void formats_are_found_by_name(void **state)
{
	(void)state;
	assert_string_equal(export_format_find("json")->name, "json");
	assert_null(export_format_find("xml"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Modules whose files are missing: of the samples, one has both on its path. */
static void add_missing(struct fixture *fixture)
{
	struct module_key keys[] = {
		{ .kind = MODULE_ELF, .path = "/no/such/leaf.so", .build_id = { 2, { 0xab, 1 } } },
		{ .kind = MODULE_ELF, .path = "/no/such/caller" },
	};
	struct cct *cct = fixture->profile->cct;
	struct frame frames[] = {
		{ .kind = FRAME_PROCESS,
		  .offset = profile_add_process(fixture->profile, 7, "comm") },
		{ .kind = FRAME_USER, .offset = 0x10 },
		{ .kind = FRAME_USER, .offset = 0x20 },
		{ .kind = FRAME_USER, .offset = 0x30 },
	};

	frames[1].module = module_table_add(&fixture->profile->modules, &keys[1]);
	frames[2].module = module_table_add(&fixture->profile->modules, &keys[0]);
	frames[3].module = frames[2].module;
	cct_add_cost(cct, cct_insert_path(cct, CCT_ROOT, frames, 4), 0, 30);
	cct_add_cost(cct, cct_insert_path(cct, CCT_ROOT, frames, 2), 0, 70);
	fixture->profile->metrics[0].samples = 2;
	fixture->profile->metrics[0].total = 100;
	fixture->profile->quality.counts[QUALITY_SAMPLES] =
		fixture->profile->quality.counts[QUALITY_COMPLETE] = 2;
}

static void json_lists_what_is_missing_by_cost(void **state)
{
	struct view_options tree = { .kind = VIEW_TREE };
	struct export_options options = { 0 };
	const char *json, *caller, *leaf;

	add_missing(*state);
	json = write_report(*state, "json", &tree, &options);
	assert_non_null(skip_value(json));
	caller = strstr(json, "{\"module\":\"caller\",\"path\":\"/no/such/caller\","
			      "\"lacks\":\"names\",\"problem\":\"the file is missing\","
			      "\"self\":[70],\"total\":[100]}");
	leaf = strstr(json, "{\"module\":\"leaf.so\",\"path\":\"/no/such/leaf.so\","
			    "\"lacks\":\"names\",\"problem\":\"the file is missing\","
			    "\"build_id\":\"ab01\",\"self\":[30],\"total\":[30]}");
	assert_true(caller && leaf && caller < leaf);
}

static void text_shows_what_is_missing_above_the_threshold(void **state)
{
	struct view_options tree = { .kind = VIEW_TREE };
	struct export_options options = { .width = 100 };
	const char *text;

	add_missing(*state);
	text = write_report(*state, "text", &tree, &options);
	assert_non_null(strstr(text, "Names are missing:\n"
				     "  100.00%  caller: the file is missing\n"
				     "   30.00%  leaf.so: the file is missing; build ID ab01\n"));
	options.min_percent = 50;
	text = write_report(*state, "text", &tree, &options);
	assert_non_null(strstr(text, "  100.00%  caller: the file is missing\n"
				     "           and 1 more (--format json lists all)\n"));
	assert_null(strstr(text, "leaf.so: the"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_is_one_object_of_exact_numbers),
		TEST(json_begins_with_what_is_known_of_the_recording),
		TEST(json_of_every_view_is_well_formed),
		TEST(json_strings_are_escaped_and_valid_utf8),
		TEST(json_nodes_have_the_indexes_of_their_parent_and_of_their_frame),
		TEST(json_frames_are_those_of_nodes_that_are_written),
		TEST(json_callers_share_the_frames_of_functions),
		TEST(json_nodes_end_with_what_only_some_have),
		TEST(json_goes_as_deep_as_the_tree_or_as_asked),
		TEST(csv_is_quoted_and_ends_lines_as_the_rfc_says),
		TEST(waits_have_a_number_and_a_longest),
		TEST(text_shows_how_many_waits_there_were_and_how_long),
		TEST(text_shows_the_errors_of_shares_with_few_samples),
		TEST(text_fits_the_width_at_any_depth),
		TEST(four_events_stand_side_by_side_in_100_columns),
		TEST(ratios_stand_behind_the_events_and_a_dash_for_none),
		TEST(ratios_are_short_enough_for_their_column),
		TEST(a_multiplexed_event_is_said_to_be_scaled),
		TEST(text_says_how_good_the_data_is),
		TEST(text_begins_with_the_hottest_functions_and_the_largest_processes),
		TEST(text_of_one_process_begins_with_its_functions_only),
		TEST(values_stand_beside_the_shares_of_resources),
		TEST(events_without_samples_are_counted_if_they_are_many),
		TEST(values_are_short_enough_for_their_column),
		TEST(text_sums_up_what_is_below_the_threshold),
		TEST(only_branches_move_to_the_right),
		TEST(nothing_hostile_reaches_the_terminal),
		TEST(colour_comes_only_when_asked_for),
		TEST(a_full_disk_is_an_error),
		TEST(rows_by_walk_are_those_of_the_whole_tree),
		TEST(json_lists_what_is_missing_by_cost),
		TEST(text_shows_what_is_missing_above_the_threshold),
		cmocka_unit_test(long_names_are_cut_in_the_middle),
		cmocka_unit_test(formats_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
