#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void put_attachment_part(struct builder *b, uint32_t kind, const char *key, uint64_t total,
				uint64_t offset, const char *part)
{
	struct attachment_header header = {
		.magic = ATTACHMENT_MAGIC,
		.kind = kind,
		.key_size = (uint32_t)strlen(key),
		.total_size = total,
		.offset = offset,
		.data_size = (uint32_t)strlen(part),
	};
	size_t size = strlen(key) + strlen(part);

	begin_record(b, RECORD_ATTACHMENT, 0);
	put_bytes(b, &header, sizeof(header));
	put_bytes(b, key, strlen(key));
	put_bytes(b, part, strlen(part));
	put_zeros(b, (8 - size % 8) % 8);
	end_record(b);
}

static void check_attachment(const struct data_file *file, size_t index, uint32_t kind,
			     const char *key, const char *content)
{
	const struct data_file_attachment *attachment = data_file_attachment(file, index);
	char bytes[64];

	assert_int_equal(attachment->kind, kind);
	assert_string_equal(attachment->key, key);
	assert_int_equal(attachment->is_complete, !!content);
	if (!content)
		return;
	assert_int_equal(attachment->size, strlen(content));
	assert_int_equal(pread(attachment->fd, bytes, sizeof(bytes), 0), strlen(content));
	assert_memory_equal(bytes, content, strlen(content));
}

static void attachments_are_put_together(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	begin_record(&b, RECORD_ATTACHMENT, 0); /* perf's own, retired */
	put_zeros(&b, 72);
	end_record(&b);
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 11, 0, "hello ");
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 11, 6, "world");
	put_attachment_part(&b, ATTACHMENT_KALLSYMS, "", 0, 0, "");
	put_attachment_part(&b, ATTACHMENT_VDSO, "[vdso]", 9, 0, "ELF");
	put_attachment_part(&b, ATTACHMENT_VDSO, "[vdso]", 9, 6, "gap"); /* after a gap */
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 3, 0, "new");
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_true(data_file_info(file)->is_dendro);
	assert_int_equal(data_file_n_attachments(file), 4);
	check_attachment(file, 0, ATTACHMENT_PERF_MAP, "42", "hello world");
	check_attachment(file, 1, ATTACHMENT_KALLSYMS, "", "");
	check_attachment(file, 2, ATTACHMENT_VDSO, "[vdso]", NULL);
	check_attachment(file, 3, ATTACHMENT_PERF_MAP, "42", "new");
	data_file_close(file);
}

static bool is_in_memory(const struct data_file *file, size_t index)
{
	char path[64], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", data_file_attachment(file, index)->fd);
	assert_true(readlink(path, target, sizeof(target) - 1) > 0);
	return strncmp(target, "/memfd:", 7) == 0;
}

static void attachments_are_in_memory_while_all_of_them_are_small(void **state)
{
	static const uint64_t sizes[] = { 1, 3 << 20, 2 << 20, 1 << 20 };
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		put_attachment_part(&b, ATTACHMENT_KALLSYMS, "", sizes[i], 0, "a");
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_true(is_in_memory(file, 0));
	assert_true(is_in_memory(file, 1));
	assert_false(is_in_memory(file, 2));
	assert_false(is_in_memory(file, 3));
	check_attachment(file, 0, ATTACHMENT_KALLSYMS, "", "a");
	data_file_close(file);
}

static void put_attachment(struct builder *b, uint32_t kind, const char *key, const char *content)
{
	put_attachment_part(b, kind, key, strlen(content), 0, content);
}

static void attachments_tell_what_events_count(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	put_attachment(&b, ATTACHMENT_EVENT, "1", "unit bytes\nweight field 16 8 signed\n");
	put_attachment(&b, ATTACHMENT_EVENT, "2", "unit bytes\n"); /* no such event */
	put_attachment(&b, ATTACHMENT_EVENT, "", "unit bytes\n");
	put_attachment(&b, ATTACHMENT_EVENT, "0x", "unit bytes\n");
	put_attachment(&b, ATTACHMENT_EVENT, "18446744073709551616", "unit bytes\n");
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_int_equal(data_file_n_attachments(file), 0);
	assert_string_equal(data_file_event(file, 0)->unit, "events");
	assert_int_equal(data_file_event(file, 0)->weight.kind, WEIGHT_PERIOD);
	assert_string_equal(data_file_event(file, 1)->unit, "bytes");
	assert_int_equal(data_file_event(file, 1)->weight.kind, WEIGHT_FIELD);
	assert_int_equal(data_file_event(file, 1)->weight.offset, 16);
	data_file_close(file);
}

static void attachments_that_lie_about_their_sizes_are_left_out(void **state)
{
	static const struct attachment_header lies[] = {
		{ .key_size = UINT32_MAX },
		{ .data_size = UINT32_MAX, .total_size = UINT64_MAX },
		{ .data_size = 8, .total_size = 7 },
		{ .data_size = 8, .total_size = 8, .offset = 1 },
		{ .data_size = 8, .total_size = 8, .offset = UINT64_MAX },
	};
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct attachment_header header = lies[i];
		header.magic = ATTACHMENT_MAGIC;
		header.kind = ATTACHMENT_ELF;
		begin_record(&b, RECORD_ATTACHMENT, 0);
		put_bytes(&b, &header, sizeof(header));
		put_zeros(&b, 16);
		end_record(&b);
	}
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_int_equal(data_file_n_attachments(file), 0);
	data_file_close(file);
}

static void a_cut_file_has_its_features_from_attachments(void **state)
{
	struct builder data = { 0 }, inner = { 0 }, b;
	char hostname[8] = "\x04";

	(void)state;
	memcpy(hostname + 4, "ash", 3);
	struct attachment_header header = {
		.magic = ATTACHMENT_MAGIC,
		.kind = ATTACHMENT_FEATURE,
		.key_size = 1,
		.total_size = sizeof(hostname),
		.data_size = sizeof(hostname),
	};
	begin_record(&inner, RECORD_ATTACHMENT, 0);
	put_bytes(&inner, &header, sizeof(header));
	put_bytes(&inner, "3", 1);
	put_bytes(&inner, hostname, sizeof(hostname));
	put_zeros(&inner, 7);
	end_record(&inner);
	put_compressed(&data, &inner, 1 << 20, RECORD_COMPRESSED, ZSTD_e_end);
	free(inner.bytes);
	put_sample(&data, 1, 1);
	b = two_events_in_a_file(&data, NULL, 0);
	memset(b.bytes + 48, 0, 8);
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_cut);
	assert_string_equal(data_file_info(file)->hostname, "ash");
	assert_int_equal(data_file_n_attachments(file), 0);
	check_two_events(file, 1, 0);
	data_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attachments_are_put_together),
		cmocka_unit_test(attachments_are_in_memory_while_all_of_them_are_small),
		cmocka_unit_test(attachments_tell_what_events_count),
		cmocka_unit_test(attachments_that_lie_about_their_sizes_are_left_out),
		cmocka_unit_test(a_cut_file_has_its_features_from_attachments),
	};

	return cmocka_run_group_tests_name("attachments_in", tests, NULL, NULL);
}
