#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/builder_link.h"

static int ends[2];

static int connect_both(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

static void a_descriptor_arrives_as_the_same_file(void **state)
{
	int fd = memfd_create("output", MFD_CLOEXEC);
	char byte = 0;

	(void)state;
	assert_int_equal(builder_link_send(ends[0], fd), 0);
	int got = builder_link_receive(ends[1]);
	assert_true(got >= 0 && got != fd);
	assert_int_equal(fcntl(got, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(got, "x", 1), 1);
	assert_int_equal(pread(fd, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	close(got);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

static void a_closed_link_has_no_descriptor(void **state)
{
	(void)state;
	close(ends[0]);
	assert_int_equal(builder_link_receive(ends[1]), -EPIPE);
	assert_int_equal(builder_link_send(ends[1], 0), -EPIPE);
	close(ends[1]);
}

static void the_end_is_confirmed_or_not(void **state)
{
	(void)state;
	builder_link_confirm(ends[0]);
	close(ends[0]);
	assert_true(builder_link_is_confirmed(ends[1]));
	assert_false(builder_link_is_confirmed(ends[1]));
	builder_link_confirm(ends[1]); /* nobody listens */
	close(ends[1]);
}

static void a_message_without_descriptor_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(write(ends[0], "", 1), 1);
	assert_int_equal(builder_link_receive(ends[1]), -EPROTO);
	close(ends[0]);
	close(ends[1]);
}

static void a_recorder_hears_whether_it_may_ask(void **state)
{
	struct builder_told told;

	(void)state;
	builder_link_allow(ends[0], false);
	assert_false(builder_link_may_renew(ends[1]));
	builder_link_allow(ends[0], true);
	assert_true(builder_link_may_renew(ends[1]));
	for (int i = 0; i < 2; i++)
		assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_MAY);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_NONE);
	close(ends[0]);
	assert_true(builder_link_may_renew(ends[1])); /* nobody answers */
	close(ends[1]);
}

/* Two calls may come before the first is answered. */
static void a_recorder_is_supplied_with_processes(void **state)
{
	struct builder_link given = { .pid = 4711 }, got;
	int stream[2], control[2];
	struct builder_told told;
	char bytes[2] = "";

	(void)state;
	assert_int_equal(pipe2(stream, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control), 0);
	given.stream_fd = stream[1];
	given.control_fd = control[1];
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_NONE);
	assert_int_equal(builder_link_supply(ends[0], &given), 0);
	assert_int_equal(builder_link_renew(ends[1], &got), 0);
	builder_link_tell_begin(ends[1], 11);
	builder_link_tell_samples(ends[1], 12, UINT64_MAX);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_RENEW);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_BEGIN);
	assert_int_equal(told.time_ns, 11);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_SAMPLES);
	assert_int_equal(told.n_samples, UINT64_MAX);
	assert_int_equal(told.time_ns, 12);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_NONE);
	close(ends[1]);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_END);
	assert_int_equal(got.pid, 4711);
	assert_int_equal(fcntl(got.stream_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(got.stream_fd, "x", 1), 1);
	builder_link_confirm(got.control_fd);
	assert_int_equal(read(stream[0], bytes, 2), 1);
	assert_true(builder_link_is_confirmed(control[0]));
	close(got.stream_fd);
	close(got.control_fd);
	close(stream[1]);
	close(control[1]);
	assert_int_equal(read(stream[0], bytes, 2), 0);
	assert_false(builder_link_is_confirmed(control[0]));
	close(stream[0]);
	close(control[0]);
	close(ends[0]);
}

/* One descriptor instead of two, and then nobody. */
static void what_is_no_process_is_refused(void **state)
{
	struct builder_link got = { .pid = 1 };
	struct builder_told told;

	(void)state;
	assert_int_equal(builder_link_send(ends[0], 0), 0);
	assert_int_equal(builder_link_renew(ends[1], &got), -EPROTO);
	assert_int_equal(got.pid, 1);
	assert_int_equal(write(ends[1], "?", 1), 1);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_RENEW);
	assert_int_equal(builder_link_next_call(ends[0], &told), BUILDER_CALL_END);
	close(ends[0]);
	assert_int_equal(builder_link_renew(ends[1], &got), -EPIPE);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_descriptor_arrives_as_the_same_file, connect_both),
		cmocka_unit_test_setup(a_closed_link_has_no_descriptor, connect_both),
		cmocka_unit_test_setup(the_end_is_confirmed_or_not, connect_both),
		cmocka_unit_test_setup(a_recorder_hears_whether_it_may_ask, connect_both),
		cmocka_unit_test_setup(a_recorder_is_supplied_with_processes, connect_both),
		cmocka_unit_test_setup(what_is_no_process_is_refused, connect_both),
		cmocka_unit_test_setup(a_message_without_descriptor_is_an_error, connect_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
