#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/control/record_control.h"

static void places_are_descriptors_or_fifos(void **state)
{
	static const char *const wrong[] = { "",         "fd:",     "fd:x",          "fd:1,",
					     "fd:1,2,3", "fd:-1",   "3,4",           "fifo:",
					     "fifo:,b",  "fifo:a,", "fd:99999999999" };
	struct control_choice choice;
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		strcpy(text, wrong[i]);
		assert_int_equal(control_choice_parse(text, &choice), -EINVAL);
	}
	strcpy(text, "fd:7");
	assert_int_equal(control_choice_parse(text, &choice), 0);
	assert_int_equal(choice.fd, 7);
	assert_int_equal(choice.ack_fd, -1);
	assert_null(choice.fifo);
	strcpy(text, "fd:7,12");
	assert_int_equal(control_choice_parse(text, &choice), 0);
	assert_int_equal(choice.ack_fd, 12);
	strcpy(text, "fifo:/tmp/a,b");
	assert_int_equal(control_choice_parse(text, &choice), 0);
	assert_string_equal(choice.fifo, "/tmp/a");
	assert_string_equal(choice.ack_fifo, "b");
}

static void words_are_whole_and_only_phases_have_an_argument(void **state)
{
	static const struct {
		const char *line;
		enum control_word word;
		const char *argument;
	} rows[] = {
		{ "enable", CONTROL_ENABLE, "" },
		{ "disable", CONTROL_DISABLE, "" },
		{ "stop", CONTROL_STOP, "" },
		{ "ping ", CONTROL_PING, "" },
		{ "evlist", CONTROL_EVLIST, "" },
		{ "snapshot", CONTROL_SNAPSHOT, "" },
		{ "dump", CONTROL_SNAPSHOT, "" },
		{ "phase", CONTROL_PHASE, "" },
		{ "phase a b", CONTROL_PHASE, "a b" },
		{ "phases", CONTROL_UNKNOWN, "" },
		{ "enable cycles", CONTROL_UNKNOWN, "cycles" },
		{ "", CONTROL_UNKNOWN, "" },
		{ "stopp", CONTROL_UNKNOWN, "" },
		{ "sto", CONTROL_UNKNOWN, "" },
	};
	const char *argument;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(control_word_parse(rows[i].line, &argument), rows[i].word);
		assert_string_equal(argument, rows[i].argument);
	}
}

static void lines_of_a_pipe_are_read_until_its_writers_are_gone(void **state)
{
	struct line_channel channel;
	char text[3 * LINE_CHANNEL_MAX];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	line_channel_init(&channel, fds[0]);
	assert_false(line_channel_look(&channel));
	assert_int_equal(write(fds[1], "one\ntw", 6), 6);
	assert_true(line_channel_look(&channel));
	assert_int_equal(write(fds[1], "o\n", 2), 2); /* is for the next look */
	assert_string_equal(line_channel_next(&channel), "one");
	assert_null(line_channel_next(&channel));
	assert_true(line_channel_look(&channel));
	assert_string_equal(line_channel_next(&channel), "two");
	assert_null(line_channel_next(&channel));
	memset(text, 'x', sizeof(text));
	text[1] = '\0';
	text[sizeof(text) - 2] = '\n';
	assert_int_equal(write(fds[1], text, sizeof(text)), sizeof(text));
	close(fds[1]);
	assert_true(line_channel_look(&channel));
	const char *line = line_channel_next(&channel);
	assert_int_equal(strlen(line), LINE_CHANNEL_MAX);
	assert_int_equal(line[1], '?');
	assert_null(line_channel_next(&channel));
	assert_false(channel.has_ended);
	assert_false(line_channel_look(&channel));
	assert_true(channel.has_ended);
	close(fds[0]);
}

static void answers_end_as_those_of_perf_and_never_block(void **state)
{
	struct record_control control;
	struct recording_notes notes = { 0 };
	int lines[2], answers[2];
	char text[256];

	(void)state;
	assert_int_equal(pipe(lines), 0);
	assert_int_equal(pipe(answers), 0);
	record_control_init(&control);
	const struct control_choice choice = { .is_given = true,
					       .fd = lines[0],
					       .ack_fd = answers[1] };
	assert_int_equal(record_control_open(&control, &choice, &notes), 0);
	record_control_list(&control, "cycles");
	record_control_answer(&control, NULL);
	assert_int_equal(read(answers[0], text, sizeof(text)), 12);
	assert_memory_equal(text, "cycles\nack\n", 12);
	record_control_answer(&control, "no");
	assert_int_equal(read(answers[0], text, sizeof(text)), 11);
	assert_string_equal(text, "error: no\n");
	while (!control.n_unanswered)
		record_control_answer(&control, NULL);
	record_control_describe(&control, &notes);
	assert_int_equal(notes.n, 1);
	record_control_close(&control);
	for (int i = 0; i < 2; i++) {
		close(lines[i]);
		close(answers[i]);
	}
	record_control_init(&control);
	assert_int_equal(record_control_open(&control, &choice, &notes), -EBADF);
	assert_non_null(strstr(notes.error, "is not open"));
	record_control_close(&control);
	recording_notes_deinit(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_descriptors_or_fifos),
		cmocka_unit_test(words_are_whole_and_only_phases_have_an_argument),
		cmocka_unit_test(lines_of_a_pipe_are_read_until_its_writers_are_gone),
		cmocka_unit_test(answers_end_as_those_of_perf_and_never_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
