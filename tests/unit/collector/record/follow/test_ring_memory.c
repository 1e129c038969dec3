/* What the kernel reads at samples, in made-up rings; what is tested is which samples get it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/record/follow/ring_memory.h"
#include "perf/counters/follow_program.h"
#include "perf/records/memory_record.h"

enum { PID = 10, TID = 11, N_RINGS = 2 };

static uint64_t ids[N_RINGS] = { 31, 32 };

struct fixture {
	struct evlist evlist;
	struct ring_memory *memory;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->evlist.second_stacks = (struct evlist_event){
		.attr = { .size = PERF_ATTR_SIZE_VER7,
			  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_RAW },
		.ids = ids,
		.n_ids = N_RINGS,
	};
	assert_int_equal(ring_memory_create(&fixture->evlist, &fixture->memory), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	ring_memory_destroy(fixture->memory);
	free(fixture);
	return 0;
}

/* A record as the kernel writes it, of two steps; @was_read: a bit for each. */
static bool take(struct fixture *fixture, size_t ring, uint64_t kind, uint64_t was_read)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		int32_t pid, tid;
		uint64_t time_ns;
		uint32_t raw_size;
		uint8_t raw[sizeof(struct follow_bytes) + 4];
	} __attribute__((packed, aligned(8))) record = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) },
		.id = ids[ring],
		.pid = PID,
		.tid = TID,
		.raw_size = sizeof(record.raw),
	};
	const struct follow_bytes bytes = { .was_read = was_read,
					    .kind = kind,
					    .n_parts = 2,
					    .parts = { { 0x1000, 8 }, { 0x2000, 4 } },
					    .bytes = { "a word..", "four" } };

	memcpy(record.raw, &bytes, sizeof(bytes));
	return ring_memory_take(fixture->memory, ring, &record.header);
}

struct found {
	size_t n_parts;
	uint64_t last_addr;
	char bytes[32];
};

/* What the sample of this thread has. */
static struct found find(struct fixture *fixture, size_t ring, int32_t tid)
{
	const struct record sample = { .type = PERF_RECORD_SAMPLE, .pid = PID, .tid = tid };
	const struct perf_event_header *header =
		ring_memory_of_sample(fixture->memory, ring, &sample);
	struct found found = { .n_parts = 0 };
	struct memory_record memory;

	if (!header)
		return found;
	assert_true(memory_record_decode(header, &memory));
	assert_true(memory_record_is_at_sample(&memory));
	for (; found.n_parts < memory.header.n_parts; found.n_parts++)
		found.last_addr = memory.parts[found.n_parts].addr;
	assert_true(memory.n_bytes < sizeof(found.bytes));
	memcpy(found.bytes, memory.bytes, memory.n_bytes);
	return found;
}

static void expect_note(struct fixture *fixture, const char *expected)
{
	struct recording_notes notes = { .n = 0 };

	ring_memory_describe(fixture->memory, &notes);
	assert_int_equal(notes.n, expected ? 1 : 0);
	if (expected)
		assert_string_equal(notes.notes[0].text, expected);
	recording_notes_deinit(&notes);
}

static void what_was_read_is_that_of_the_next_sample_of_its_ring(void **state)
{
	struct fixture *fixture = *state;

	assert_true(take(fixture, 1, FOLLOW_KIND, 3));
	assert_int_equal(find(fixture, 0, TID).n_parts, 0);
	const struct found found = find(fixture, 1, TID);
	assert_int_equal(found.n_parts, 2);
	assert_int_equal(found.last_addr, 0x2000);
	assert_string_equal(found.bytes, "a word..four");
	assert_int_equal(find(fixture, 1, TID).n_parts, 0);
	expect_note(fixture, NULL);
}

static void what_could_not_be_read_is_no_part(void **state)
{
	struct fixture *fixture = *state;

	assert_true(take(fixture, 0, FOLLOW_KIND, 2));
	assert_string_equal(find(fixture, 0, TID).bytes, "four");
	assert_true(take(fixture, 0, FOLLOW_KIND, 0));
	assert_int_equal(find(fixture, 0, TID).n_parts, 0);
	expect_note(fixture, NULL);
}

static void second_stacks_are_no_such_memory(void **state)
{
	struct fixture *fixture = *state;

	assert_false(take(fixture, 0, 1, 3));
}

static void what_lost_its_sample_is_counted(void **state)
{
	struct fixture *fixture = *state;

	assert_true(take(fixture, 0, FOLLOW_KIND, 3));
	ring_memory_see_other(fixture->memory, 0);
	ring_memory_see_other(fixture->memory, 0);
	expect_note(fixture, "--follow: what a BPF program read at 1 sample was lost with it.");
	/* Another thread's sample, and one that the next one's memory follows. */
	assert_true(take(fixture, 0, FOLLOW_KIND, 3));
	assert_int_equal(find(fixture, 0, TID + 1).n_parts, 0);
	assert_true(take(fixture, 0, FOLLOW_KIND, 3));
	assert_true(take(fixture, 0, FOLLOW_KIND, 3));
	assert_int_equal(find(fixture, 0, TID).n_parts, 2);
	expect_note(fixture, "--follow: what a BPF program read at 3 samples was lost with them.");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_was_read_is_that_of_the_next_sample_of_its_ring),
		TEST(what_could_not_be_read_is_no_part),
		TEST(second_stacks_are_no_such_memory),
		TEST(what_lost_its_sample_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
