#include "collector/record/stacks/guarded_rest.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define PAGE 4096u

int guarded_rest_watch(struct guarded_rest *rest, const struct stack_access *access, pid_t pid,
		       pid_t tid, size_t word, const struct guarded_walk *walk)
{
	uint64_t addrs[N_GUARDS];

	for (size_t i = 0; i < walk->n_guards; i++) {
		rest->guards[i] = walk->guards[i];
		addrs[i] = walk->guards[i].addr;
	}
	int err = access->watch_open(tid, addrs, walk->n_guards, word, &rest->watch);
	if (err)
		return err;
	rest->access = access;
	rest->pid = pid;
	rest->tid = tid;
	rest->live = access->watch_set(rest->watch);
	rest->guarded_sp = walk->first_sp;
	rest->guarded_ns = access->now_ns();
	return 0;
}

void guarded_rest_unwatch(struct guarded_rest *rest)
{
	rest->access->watch_close(steal_ptr(rest->watch));
	rest->live = 0;
}

bool guarded_rest_covers(const struct guarded_rest *rest, uint64_t sp, size_t size)
{
	bool has_moved_up = sp > rest->guarded_sp && sp - rest->guarded_sp > size / 2;

	for (size_t i = 0; i < N_GUARDS && !has_moved_up; i++) {
		if (rest->live >> i & 1 && rest->guards[i].addr - sp < size)
			return true;
	}
	return false;
}

void guarded_rest_check(struct guarded_rest *rest, uint64_t start, const uint8_t *bytes,
			size_t size)
{
	for (size_t i = 0; i < N_GUARDS; i++) {
		uint64_t value = 0;

		if (!(rest->live >> i & 1))
			continue;
		memcpy(&value, bytes + (rest->guards[i].addr - start), size);
		if (value != rest->guards[i].value || rest->access->watch_touched(rest->watch, i))
			rest->live &= ~(1u << i);
	}
}

static int write_touched(const struct guarded_rest *rest, struct stack_output *output,
			 uint64_t addr, uint64_t time_ns)
{
	const struct stack_record_header header = { .kind = STACK_RECORD_TOUCHED,
						    .pid = rest->pid,
						    .tid = rest->tid,
						    .time_ns = time_ns,
						    .start = addr };

	return stack_output_write(output, &header, NULL, NULL);
}

int guarded_rest_note_touched(struct guarded_rest *rest, struct stack_output *output,
			      uint64_t end_ns, uint64_t *lost_ns_ret)
{
	int err = 0;

	*lost_ns_ret = 0;
	for (size_t i = 0; i < N_GUARDS && !err; i++) {
		uint64_t time_ns =
			rest->live >> i & 1 ? rest->access->watch_touched(rest->watch, i) : 0;

		if (!time_ns || time_ns > end_ns)
			continue;
		err = write_touched(rest, output, rest->guards[i].addr, time_ns);
		rest->live &= ~(1u << i);
		if (!rest->live)
			*lost_ns_ret = time_ns;
	}
	return err;
}

int guarded_rest_give_up(struct guarded_rest *rest, struct stack_output *output, uint64_t time_ns)
{
	int err = 0;

	for (size_t i = 0; i < N_GUARDS && !err; i++) {
		if (rest->live >> i & 1)
			err = write_touched(rest, output, rest->guards[i].addr, time_ns);
	}
	return err;
}

/* How much of the memory at @bytes, from its start on, differs from what was written last. */
static size_t changed_size(const struct guarded_rest *rest, uint64_t start, const uint8_t *bytes,
			   size_t size)
{
	if (!rest->bytes || start + size != rest->start + rest->size)
		return size;
	while (size) {
		size_t page = size % PAGE ? size % PAGE : PAGE;
		uint64_t at = start + size - page;

		if (at < rest->start ||
		    memcmp(bytes + size - page, rest->bytes + (at - rest->start), page) != 0)
			break;
		size -= page;
	}
	return size;
}

int guarded_rest_write(const struct guarded_rest *rest, struct stack_output *output,
		       uint64_t time_ns, uint64_t start, const uint8_t *bytes, size_t size,
		       size_t *n_changed_ret)
{
	uint64_t words[2 * N_GUARDS];
	struct stack_record_header header = { .kind = STACK_RECORD_REST,
					      .pid = rest->pid,
					      .tid = rest->tid,
					      .time_ns = time_ns,
					      .start = start,
					      .end = start + size };

	for (size_t i = 0; i < N_GUARDS; i++) {
		if (!(rest->live >> i & 1))
			continue;
		words[header.n_words++] = rest->guards[i].addr;
		words[header.n_words++] = rest->guards[i].value;
	}
	*n_changed_ret = changed_size(rest, start, bytes, size);
	header.size = (uint32_t)*n_changed_ret;
	return stack_output_write(output, &header, words, bytes);
}

void guarded_rest_keep(struct guarded_rest *rest, uint64_t start, uint8_t *bytes, size_t size)
{
	free(rest->bytes);
	rest->bytes = bytes;
	rest->start = start;
	rest->size = size;
}
