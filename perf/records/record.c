#include "perf/records/record.h"

#include <assert.h>
#include <sys/mman.h>

#include "perf/records/read_values.h"
#include "perf/records/record_cursor.h"
#include "perf/records/record_sample.h"
#include "perf/records/record_words.h"

static_assert(sizeof(struct perf_event_header) == 8, "kernel ABI");
static_assert(sizeof(struct perf_branch_entry) == 24, "kernel ABI");

enum {
	MMAP_FIXED_WORDS = 4, /* pid and tid, addr, len, pgoff */
	MMAP2_FILE_WORDS = 3, /* device and inode, or build ID */
	BUILD_ID_OFFSET = 4,  /* after its size and padding */
	TASK_TIME_WORD = 2,   /* after pid and ppid, tid and ptid */
	THROTTLE_TIME_WORD = 0,
	NAMESPACE_WORDS = 2, /* device, inode */
	BPF_TAG_SIZE = 8,
	MINOR_END = 1 << 20, /* of device numbers (include/linux/kdev_t.h) */
};

void record_layout_init(struct record_layout *layout, const struct perf_event_attr *attr)
{
	*layout = (struct record_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.regs_user_mask = attr->sample_regs_user,
		.regs_intr_mask = attr->sample_regs_intr,
		.sample_id_all = attr->sample_id_all,
		.has_build_ids = attr->build_id,
	};
}

/* A time in the record's own fields is used if the event has no trailer. */
static void use_own_time(struct record *ret, uint64_t time_ns)
{
	if (ret->has_time || !time_ns)
		return;
	ret->time_ns = time_ns;
	ret->has_time = true;
}

/*
 * Of the three words at @at. The kernel's flag alone does not tell: perf_event_mmap_output()
 * (kernel/events/core.c) writes a mapping to one event after the other, and does not take the flag
 * back, so after an event of another recorder that has build IDs, one without has the flag, too.
 * What begins like a minor device number is one then.
 */
static bool has_build_id(const struct record_layout *layout, const struct record *record,
			 const uint64_t *at)
{
	return record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	       (layout->has_build_ids || word_second(at[0]) >= MINOR_END);
}

static enum record_error take_file_identity(const struct record_layout *layout,
					    struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, MMAP2_FILE_WORDS);

	if (!at)
		return RECORD_TOO_SMALL;
	if (!has_build_id(layout, ret, at)) {
		ret->mmap.maj = word_first(at[0]);
		ret->mmap.min = word_second(at[0]);
		ret->mmap.ino = at[1];
		ret->mmap.ino_generation = at[2];
		return RECORD_OK;
	}
	const uint8_t *bytes = (const uint8_t *)at;
	if (bytes[0] > sizeof(ret->mmap.build_id))
		return RECORD_BAD_LENGTH;
	ret->mmap.build_id_size = bytes[0];
	memcpy(ret->mmap.build_id, bytes + BUILD_ID_OFFSET, bytes[0]);
	return RECORD_OK;
}

static enum record_error take_mmap(const struct record_layout *layout, struct record_cursor *cursor,
				   struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, MMAP_FIXED_WORDS);

	if (!at)
		return RECORD_TOO_SMALL;
	ret->mmap.pid = (int32_t)word_first(at[0]);
	ret->mmap.tid = (int32_t)word_second(at[0]);
	ret->mmap.addr = at[1];
	ret->mmap.len = at[2];
	ret->mmap.pgoff = at[3];
	ret->mmap.is_data = ret->misc & PERF_RECORD_MISC_MMAP_DATA;
	ret->mmap.prot = ret->mmap.is_data ? PROT_READ : PROT_READ | PROT_EXEC;
	if (ret->type == PERF_RECORD_MMAP2) {
		enum record_error error = take_file_identity(layout, cursor, ret);
		if (error)
			return error;
		at = cursor_words(cursor, 1);
		if (!at)
			return RECORD_TOO_SMALL;
		ret->mmap.prot = word_first(at[0]);
		ret->mmap.flags = word_second(at[0]);
	}
	ret->mmap.filename = cursor_string(cursor);
	return ret->mmap.filename ? RECORD_OK : RECORD_NO_NUL;
}

static enum record_error take_comm(struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 1);

	if (!at)
		return RECORD_TOO_SMALL;
	ret->comm.pid = (int32_t)word_first(at[0]);
	ret->comm.tid = (int32_t)word_second(at[0]);
	ret->comm.is_exec = ret->misc & PERF_RECORD_MISC_COMM_EXEC;
	ret->comm.name = cursor_string(cursor);
	return ret->comm.name ? RECORD_OK : RECORD_NO_NUL;
}

static enum record_error take_task(struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 3);

	if (!at)
		return RECORD_TOO_SMALL;
	ret->task.pid = (int32_t)word_first(at[0]);
	ret->task.ppid = (int32_t)word_second(at[0]);
	ret->task.tid = (int32_t)word_first(at[1]);
	ret->task.ptid = (int32_t)word_second(at[1]);
	ret->task.time_ns = at[TASK_TIME_WORD];
	use_own_time(ret, ret->task.time_ns);
	return RECORD_OK;
}

static enum record_error take_lost(struct record_cursor *cursor, struct record *ret)
{
	if (ret->type == PERF_RECORD_LOST && !cursor_word(cursor, &ret->lost.id))
		return RECORD_TOO_SMALL;
	return cursor_word(cursor, &ret->lost.lost) ? RECORD_OK : RECORD_TOO_SMALL;
}

static enum record_error take_throttle(struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 3);

	if (!at)
		return RECORD_TOO_SMALL;
	ret->throttle.time_ns = at[THROTTLE_TIME_WORD];
	ret->throttle.id = at[1];
	ret->throttle.stream_id = at[2];
	use_own_time(ret, ret->throttle.time_ns);
	return RECORD_OK;
}

static enum record_error take_read(const struct record_layout *layout, struct record_cursor *cursor,
				   struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 1);
	struct read_values read;

	if (!at)
		return RECORD_TOO_SMALL;
	if (!read_values_take(cursor, layout->read_format, &read))
		return RECORD_BAD_LENGTH;
	ret->read.pid = (int32_t)word_first(at[0]);
	ret->read.tid = (int32_t)word_second(at[0]);
	ret->read.time_enabled = read.time_enabled;
	ret->read.time_running = read.time_running;
	ret->read.values = read.values;
	ret->read.n_values = read.n_values;
	return RECORD_OK;
}

static enum record_error take_switch(struct record_cursor *cursor, struct record *ret)
{
	ret->context_switch.is_out = ret->misc & PERF_RECORD_MISC_SWITCH_OUT;
	ret->context_switch.is_preempt = ret->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	ret->context_switch.other_pid = -1;
	ret->context_switch.other_tid = -1;
	if (ret->type == PERF_RECORD_SWITCH)
		return RECORD_OK;
	const uint64_t *at = cursor_words(cursor, 1);
	if (!at)
		return RECORD_TOO_SMALL;
	ret->context_switch.other_pid = (int32_t)word_first(at[0]);
	ret->context_switch.other_tid = (int32_t)word_second(at[0]);
	return RECORD_OK;
}

static enum record_error take_namespaces(struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 2);

	if (!at)
		return RECORD_TOO_SMALL;
	if (at[1] > cursor_left(cursor) / (NAMESPACE_WORDS * sizeof(uint64_t)))
		return RECORD_BAD_LENGTH;
	ret->namespaces.pid = (int32_t)word_first(at[0]);
	ret->namespaces.tid = (int32_t)word_second(at[0]);
	ret->namespaces.n_namespaces = at[1];
	ret->namespaces.dev_ino = cursor_words(cursor, at[1] * NAMESPACE_WORDS);
	return RECORD_OK;
}

static enum record_error take_ksymbol(struct record_cursor *cursor, struct record *ret)
{
	const uint8_t *bytes = cursor_bytes(cursor, 16);

	if (!bytes)
		return RECORD_TOO_SMALL;
	memcpy(&ret->ksymbol.addr, bytes, sizeof(ret->ksymbol.addr));
	memcpy(&ret->ksymbol.len, bytes + 8, sizeof(ret->ksymbol.len));
	memcpy(&ret->ksymbol.ksym_type, bytes + 12, sizeof(ret->ksymbol.ksym_type));
	memcpy(&ret->ksymbol.flags, bytes + 14, sizeof(ret->ksymbol.flags));
	ret->ksymbol.name = cursor_string(cursor);
	return ret->ksymbol.name ? RECORD_OK : RECORD_NO_NUL;
}

static enum record_error take_bpf(struct record_cursor *cursor, struct record *ret)
{
	const uint8_t *bytes = cursor_bytes(cursor, 8);

	if (!bytes)
		return RECORD_TOO_SMALL;
	memcpy(&ret->bpf.bpf_type, bytes, sizeof(ret->bpf.bpf_type));
	memcpy(&ret->bpf.flags, bytes + 2, sizeof(ret->bpf.flags));
	memcpy(&ret->bpf.bpf_id, bytes + 4, sizeof(ret->bpf.bpf_id));
	ret->bpf.tag = cursor_bytes(cursor, BPF_TAG_SIZE);
	return ret->bpf.tag ? RECORD_OK : RECORD_TOO_SMALL;
}

static enum record_error take_cgroup(struct record_cursor *cursor, struct record *ret)
{
	if (!cursor_word(cursor, &ret->cgroup.cgroup_id))
		return RECORD_TOO_SMALL;
	ret->cgroup.path = cursor_string(cursor);
	return ret->cgroup.path ? RECORD_OK : RECORD_NO_NUL;
}

static enum record_error take_text_poke(struct record_cursor *cursor, struct record *ret)
{
	const uint8_t *lengths;

	if (!cursor_word(cursor, &ret->text_poke.addr))
		return RECORD_TOO_SMALL;
	lengths = cursor_bytes(cursor, 4);
	if (!lengths)
		return RECORD_TOO_SMALL;
	memcpy(&ret->text_poke.old_len, lengths, sizeof(ret->text_poke.old_len));
	memcpy(&ret->text_poke.new_len, lengths + 2, sizeof(ret->text_poke.new_len));
	ret->text_poke.old_bytes = cursor_bytes(cursor, ret->text_poke.old_len);
	ret->text_poke.new_bytes = cursor_bytes(cursor, ret->text_poke.new_len);
	return ret->text_poke.old_bytes && ret->text_poke.new_bytes ? RECORD_OK : RECORD_BAD_LENGTH;
}

static enum record_error take_deferred(struct record_cursor *cursor, struct record *ret)
{
	const uint64_t *at = cursor_words(cursor, 2);

	if (!at)
		return RECORD_TOO_SMALL;
	ret->deferred.cookie = at[0];
	ret->deferred.n_ips = at[1];
	ret->deferred.ips = cursor_words(cursor, at[1]);
	return ret->deferred.ips ? RECORD_OK : RECORD_BAD_LENGTH;
}

static enum record_error take_body(struct record_cursor *cursor, struct record *ret)
{
	ret->body.bytes = cursor->at;
	ret->body.size = cursor_left(cursor);
	return RECORD_OK;
}

static enum record_error take_fields(const struct record_layout *layout,
				     struct record_cursor *cursor, struct record *ret)
{
	switch (ret->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_mmap(layout, cursor, ret);
	case PERF_RECORD_COMM:
		return take_comm(cursor, ret);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_task(cursor, ret);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return take_lost(cursor, ret);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return take_throttle(cursor, ret);
	case PERF_RECORD_READ:
		return take_read(layout, cursor, ret);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(cursor, ret);
	case PERF_RECORD_NAMESPACES:
		return take_namespaces(cursor, ret);
	case PERF_RECORD_KSYMBOL:
		return take_ksymbol(cursor, ret);
	case PERF_RECORD_BPF_EVENT:
		return take_bpf(cursor, ret);
	case PERF_RECORD_CGROUP:
		return take_cgroup(cursor, ret);
	case RECORD_KERNEL_TEXT_POKE:
		return take_text_poke(cursor, ret);
	case RECORD_KERNEL_CALLCHAIN_DEFERRED:
		return take_deferred(cursor, ret);
	default:
		return take_body(cursor, ret);
	}
}

static bool has_trailer(bool sample_id_all, const struct perf_event_header *header)
{
	return sample_id_all && header->type != PERF_RECORD_SAMPLE &&
	       header->type < RECORD_HEADER_ATTR;
}

enum record_error record_decode(const struct record_layout *layout,
				const struct perf_event_header *header, struct record *ret)
{
	*ret = (struct record){
		.type = header->type,
		.misc = header->misc,
		.size = header->size,
		.cpu_mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK,
	};
	if (header->size < sizeof(*header))
		return RECORD_TOO_SMALL;
	struct record_cursor cursor = {
		.at = (const uint8_t *)(header + 1),
		.end = (const uint8_t *)header +
		       record_written_size(layout->sample_type, layout->sample_id_all, header),
	};
	if (header->type == PERF_RECORD_SAMPLE)
		return record_decode_sample(layout, &cursor, ret);
	if (has_trailer(layout->sample_id_all, header) &&
	    !record_words_take_trailer(&cursor, layout->sample_type, ret))
		return RECORD_TOO_SMALL;
	return take_fields(layout, &cursor, ret);
}

/* The word that has @position words between it and the body's start. false: the record is too
 * small. */
static bool peek_word(const struct perf_event_header *header, size_t position, uint64_t *ret)
{
	if (header->size < sizeof(*header) + (position + 1) * sizeof(*ret))
		return false;
	memcpy(ret, (const uint8_t *)(header + 1) + position * sizeof(*ret), sizeof(*ret));
	return true;
}

/* The same between it and the trailer's end. */
static bool peek_trailer_word(uint64_t sample_type, const struct perf_event_header *header,
			      size_t position, uint64_t *ret)
{
	const size_t size = record_written_size(sample_type, true, header);

	if (size < sizeof(*header) + (position + 1) * sizeof(*ret))
		return false;
	memcpy(ret, (const uint8_t *)header + size - (position + 1) * sizeof(*ret), sizeof(*ret));
	return true;
}

bool record_peek_id(uint64_t sample_type, bool sample_id_all,
		    const struct perf_event_header *header, uint64_t *id_ret)
{
	bool is_sample = header->type == PERF_RECORD_SAMPLE;
	size_t position;

	if ((!is_sample && !has_trailer(sample_id_all, header)) ||
	    !record_words_find_id(sample_type, is_sample, &position))
		return false;
	return is_sample ? peek_word(header, position, id_ret)
			 : peek_trailer_word(sample_type, header, position, id_ret);
}

/* The time in the fields of records that have one without a trailer. */
static bool peek_own_time(const struct perf_event_header *header, uint64_t *time_ns_ret)
{
	switch (header->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return peek_word(header, TASK_TIME_WORD, time_ns_ret) && *time_ns_ret;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return peek_word(header, THROTTLE_TIME_WORD, time_ns_ret) && *time_ns_ret;
	default:
		return false;
	}
}

bool record_peek_time(const struct record_layout *layout, const struct perf_event_header *header,
		      uint64_t *time_ns_ret)
{
	bool is_sample = header->type == PERF_RECORD_SAMPLE;
	size_t position;

	if ((!is_sample && !has_trailer(layout->sample_id_all, header)) ||
	    !record_words_find_time(layout->sample_type, is_sample, &position))
		return peek_own_time(header, time_ns_ret);
	return is_sample ? peek_word(header, position, time_ns_ret)
			 : peek_trailer_word(layout->sample_type, header, position, time_ns_ret);
}
