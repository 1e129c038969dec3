/* Writes and reads when samples were lost and events throttled. */
#include <errno.h>

#include "cct/store/profile_parts.h"

#define LOSS_SIZE_MIN 5 /* bytes: a kind, a CPU, a distance, a duration, a number */

void losses_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct losses *losses = &profile->info.losses;
	uint64_t last_ns = 0;

	byte_buffer_add_unsigned(body, losses->n);
	for (size_t i = 0; i < losses->n; i++) {
		const struct loss *loss = &losses->losses[i];

		byte_buffer_add_unsigned(body, loss->kind);
		byte_buffer_add_unsigned(body, loss->cpu == LOSS_NO_CPU ? 0 : loss->cpu + 1);
		byte_buffer_add_signed(body, (int64_t)(loss->start_ns - last_ns));
		byte_buffer_add_unsigned(body, loss->end_ns - loss->start_ns);
		byte_buffer_add_unsigned(body, loss->n);
		last_ns = loss->start_ns;
	}
}

static int read_loss(struct dwarf_reader *body, uint64_t last_ns, struct loss *loss_ret)
{
	const uint64_t kind = dwarf_read_uleb(body), cpu = dwarf_read_uleb(body);
	struct loss loss = { .kind = (enum loss_kind)kind, .cpu = (uint32_t)cpu - 1 };

	loss.start_ns = last_ns + (uint64_t)dwarf_read_sleb(body);
	const uint64_t duration = dwarf_read_uleb(body);
	loss.n = dwarf_read_uleb(body);
	if (body->is_broken || kind > LOSS_BY_THROTTLING || cpu > UINT32_MAX ||
	    __builtin_add_overflow(loss.start_ns, duration, &loss.end_ns))
		return -EINVAL;
	*loss_ret = loss;
	return 0;
}

int losses_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int64_t n = part_read_count(body, LOSS_SIZE_MIN);
	int err = n < 0 || n > LOSSES_MAX ? -EINVAL : 0;
	struct loss loss = { .n = 0 };

	for (int64_t i = 0; !err && i < n; i++) {
		err = read_loss(body, loss.start_ns, &loss);
		if (!err)
			err = losses_add(&profile->info.losses, &loss);
	}
	return err;
}
