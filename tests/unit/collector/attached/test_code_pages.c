/* Which bytes code is taken to have had at a moment, by when its pages were read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/attached/code_pages.h"

#define PAGE   0x7f0000001000ull
#define SECOND 1000000000ull

static struct code_pages *pages;

static int setup(void **state)
{
	(void)state;
	pages = code_pages_create();
	return pages ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	code_pages_destroy(pages);
	return 0;
}

static const struct perf_event_header *record_of(uint64_t addr, uint64_t begin_ns, int fill)
{
	static union {
		struct perf_event_header header;
		uint8_t bytes[CODE_RECORD_SIZE_MAX];
	} record;
	const struct code_record_header header = { .pid = 7,
						   .size = fill < 0 ? 0 : CODE_PAGE_SIZE,
						   .addr = addr,
						   .begin_ns = begin_ns,
						   .end_ns = begin_ns + 10 };

	memset(code_record_bytes(&record.header), fill, CODE_PAGE_SIZE);
	code_record_encode(&header, &record.header);
	return &record.header;
}

/* @fill: of all bytes; -1: as before. */
static void page_read(uint64_t addr, uint64_t begin_ns, int fill)
{
	assert_int_equal(code_pages_add(pages, record_of(addr, begin_ns, fill)), 0);
}

static struct code_view view_of(const struct code_moment *moment, uint64_t addr)
{
	struct code_view view = { .n_pages = 0 };
	const struct code_source *source = code_moment_source(moment);

	if (source)
		source->find(source, addr, &view);
	return view;
}

static struct code_view view_at(uint64_t addr, uint64_t time_ns)
{
	struct code_moment moment = code_pages_take(pages, 7, time_ns);
	struct code_view view = view_of(&moment, addr);

	code_moment_unref(&moment);
	return view;
}

static void records_come_back_as_they_were_written(void **state)
{
	struct code_record record;

	(void)state;
	assert_true(code_record_decode(record_of(PAGE, 5, 0x90), &record));
	assert_int_equal(record.header.pid, 7);
	assert_int_equal(record.header.addr, PAGE);
	assert_int_equal(record.header.end_ns, 15);
	assert_int_equal(record.header.size, CODE_PAGE_SIZE);
	assert_int_equal(record.bytes[CODE_PAGE_SIZE - 1], 0x90);
	assert_true(code_record_decode(record_of(PAGE, 5, -1), &record));
	assert_int_equal(record.header.size, 0);
}

static void records_that_make_no_sense_are_refused(void **state)
{
	union {
		struct perf_event_header header;
		uint8_t bytes[CODE_RECORD_SIZE_MAX];
	} record;
	struct code_record_header header;
	struct code_record decoded;

	(void)state;
	for (int i = 0; i < 5; i++) {
		memcpy(&record, record_of(PAGE, 5, 0), CODE_RECORD_SIZE_MAX);
		memcpy(&header, &record.header + 1, sizeof(header));
		header.addr += i == 0;
		header.size -= i == 1;
		header.begin_ns = i == 2 ? header.end_ns + 1 : header.begin_ns;
		memcpy(&record.header + 1, &header, sizeof(header));
		record.header.size = (uint16_t)(record.header.size - (i == 3 ? 8 : 0));
		record.header.size = i == 4 ? 24 : record.header.size;
		assert_true(code_record_is_type(&record.header));
		assert_false(code_record_decode(&record.header, &decoded));
	}
	record.header.size = 8;
	assert_false(code_record_is_type(&record.header));
}

static void a_page_serves_the_samples_that_made_it_be_read(void **state)
{
	(void)state;
	page_read(PAGE, 2 * SECOND, 0x90);
	assert_int_equal(view_at(PAGE + 5, 2 * SECOND - 1000).n_pages, 1);
	assert_int_equal(view_at(PAGE + 5, 2 * SECOND - 1000).start, PAGE);
	assert_int_equal(view_at(PAGE + 5, SECOND / 2).n_pages, 0);
}

static void a_sample_after_the_last_reading_needs_two_that_agree(void **state)
{
	(void)state;
	page_read(PAGE, SECOND, 0x90);
	assert_int_equal(view_at(PAGE, SECOND + 20).n_pages, 0);
	assert_int_equal(view_at(PAGE, SECOND + 5).n_pages, 0);
	page_read(PAGE, 2 * SECOND, -1);
	assert_int_equal(view_at(PAGE, 2 * SECOND + SECOND / 10).n_pages, 1);
	assert_int_equal(view_at(PAGE, 2 * SECOND + SECOND / 2).n_pages, 0);
}

static void a_page_found_the_same_again_was_the_same_between(void **state)
{
	struct code_view view;

	(void)state;
	page_read(PAGE, SECOND, 0x90);
	page_read(PAGE, 60 * SECOND, -1);
	page_read(PAGE, 90 * SECOND, 0x90);
	view = view_at(PAGE, 75 * SECOND);
	assert_int_equal(view.n_pages, 1);
	assert_ptr_equal(view.before[0], view.after[0]);
	assert_int_equal(view_at(PAGE, 91 * SECOND).n_pages, 0);
}

static void a_page_that_changed_is_known_by_both(void **state)
{
	struct code_view view;

	(void)state;
	page_read(PAGE, SECOND, 0x90);
	page_read(PAGE, 2 * SECOND, 0xcc);
	view = view_at(PAGE, SECOND + SECOND / 2);
	assert_int_equal(view.n_pages, 1);
	assert_int_equal(view.before[0][0], 0x90);
	assert_int_equal(view.after[0][0], 0xcc);
}

static void the_next_page_follows_where_it_is_known(void **state)
{
	(void)state;
	page_read(PAGE, SECOND, 0x90);
	page_read(PAGE + CODE_PAGE_SIZE, SECOND, 0x91);
	assert_int_equal(view_at(PAGE, SECOND - 1).n_pages, 2);
	assert_int_equal(view_at(PAGE, SECOND - 1).after[1][0], 0x91);
	assert_int_equal(view_at(PAGE + CODE_PAGE_SIZE, SECOND - 1).n_pages, 1);
}

static void other_processes_have_other_pages(void **state)
{
	(void)state;
	page_read(PAGE, SECOND, 0x90);
	struct code_moment moment = code_pages_take(pages, 8, SECOND - 1);
	assert_null(code_moment_source(&moment));
	code_moment_unref(&moment);
}

static void what_was_known_at_a_moment_stays_as_it_was_then(void **state)
{
	(void)state;
	page_read(PAGE, SECOND, 0x90);
	struct code_moment before = code_pages_take(pages, 7, SECOND + SECOND / 2);
	page_read(PAGE, 2 * SECOND, -1);
	for (uint64_t i = 1; i < 100; i++)
		page_read(PAGE + i * CODE_PAGE_SIZE, 2 * SECOND, 0xcc);
	struct code_moment after = code_pages_take(pages, 7, SECOND + SECOND / 2);
	assert_int_equal(view_of(&before, PAGE).n_pages, 0);
	assert_int_equal(view_of(&after, PAGE).n_pages, 2);
	code_moment_unref(&before);
	code_moment_unref(&after);
}

/* "As before" may mean one that was not understood. */
static void nothing_is_kept_after_a_broken_record(void **state)
{
	(void)state;
	page_read(PAGE, SECOND, 0x90);
	assert_int_equal(code_pages_add(pages, record_of(PAGE + 1, 2 * SECOND, 0xcc)), -EINVAL);
	assert_int_equal(code_pages_add(pages, record_of(PAGE, 3 * SECOND, -1)), -EINVAL);
	assert_int_equal(view_at(PAGE, 2 * SECOND).n_pages, 0);
}

static void a_page_as_before_needs_one_before(void **state)
{
	(void)state;
	assert_int_equal(code_pages_add(pages, record_of(PAGE, SECOND, -1)), -EINVAL);
}

static void many_pages_are_distinguished(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		page_read(PAGE + 2 * i * CODE_PAGE_SIZE, SECOND, (int)(i % 251));
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(view_at(PAGE + 2 * i * CODE_PAGE_SIZE, SECOND - 1).after[0][9],
				 i % 251);
}

static void the_newest_bytes_of_all_pages_are_copied(void **state)
{
	struct memory_code code;
	uint16_t machine;
	size_t n;

	(void)state;
	page_read(PAGE + CODE_PAGE_SIZE, SECOND, 0x91);
	page_read(PAGE, SECOND, 0x90);
	page_read(PAGE, 2 * SECOND, 0xcc);
	code_pages_set_machine(pages, 7, 62);
	code_pages_set_machine(pages, 8, 3);
	assert_int_equal(code_pages_copy_newest(pages, &code), 0);
	const uint8_t *bytes = memory_code_find(&code, 7, PAGE + 5, UINT64_MAX, &n, &machine);
	assert_non_null(bytes);
	assert_int_equal(n, 2 * CODE_PAGE_SIZE - 5);
	assert_int_equal(machine, 62);
	assert_int_equal(bytes[0], 0xcc);
	assert_int_equal(bytes[CODE_PAGE_SIZE], 0x91);
	memory_code_deinit(&code);
}

#define with_pages(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_back_as_they_were_written),
		cmocka_unit_test(records_that_make_no_sense_are_refused),
		with_pages(a_page_serves_the_samples_that_made_it_be_read),
		with_pages(a_sample_after_the_last_reading_needs_two_that_agree),
		with_pages(a_page_found_the_same_again_was_the_same_between),
		with_pages(a_page_that_changed_is_known_by_both),
		with_pages(the_next_page_follows_where_it_is_known),
		with_pages(other_processes_have_other_pages),
		with_pages(what_was_known_at_a_moment_stays_as_it_was_then),
		with_pages(nothing_is_kept_after_a_broken_record),
		with_pages(a_page_as_before_needs_one_before),
		with_pages(many_pages_are_distinguished),
		with_pages(the_newest_bytes_of_all_pages_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
