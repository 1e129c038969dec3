#include "collector/replay/sample_weight.h"

#include <string.h>

bool sample_raw_string(const struct sample_record *sample, uint16_t at, const uint8_t **bytes_ret,
		       size_t *size_ret)
{
	uint32_t place;

	if (sample->raw_size < sizeof(place) || at > sample->raw_size - sizeof(place))
		return false;
	memcpy(&place, sample->raw + at, sizeof(place));
	const uint32_t offset = place & 0xffff, size = place >> 16;
	if (!size || size > sample->raw_size || offset > sample->raw_size - size)
		return false;
	*bytes_ret = sample->raw + offset;
	*size_ret = size;
	return true;
}

/* An integer of the raw data; negative ones weigh nothing. */
static bool read_field(const struct sample_record *sample, const struct event_weight *weight,
		       uint64_t *ret)
{
	unsigned unused_bits = 64 - 8u * weight->size;
	const uint8_t *checked;
	uint64_t value = 0;
	size_t size;

	if (weight->check && !sample_raw_string(sample, weight->check, &checked, &size))
		return false;
	if (weight->size > sample->raw_size || weight->offset > sample->raw_size - weight->size)
		return false;
	memcpy(&value, sample->raw + weight->offset, weight->size);
	bool is_negative = weight->is_signed && (int64_t)(value << unused_bits) < 0;
	*ret = is_negative ? 0 : value;
	return true;
}

static bool read_arguments(const struct sample_record *sample, const struct event_weight *weight,
			   const struct machine *machine, uint64_t *ret)
{
	const struct sample_regs *from = &sample->user_regs;
	const struct arch *arch = sample->has_user_regs ? machine_arch(machine, from->abi) : NULL;
	uint64_t value = 0, factor = 1, condition = 1;
	struct regs regs;

	if (!arch || !regs_from_perf(arch, from->mask, from->values, &regs))
		return false;
	const struct {
		uint8_t argument;
		uint64_t *value;
	} wanted[] = { { weight->argument, &value },
		       { weight->factor, &factor },
		       { weight->condition, &condition } };
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (wanted[i].argument &&
		    !regs_argument(arch, &regs, sample->user_stack, sample->user_stack_size,
				   wanted[i].argument, wanted[i].value))
			return false;
	}
	return !__builtin_mul_overflow(value, condition ? factor : 0, ret);
}

bool sample_weight(const struct record *record, const struct data_file_event *event,
		   const struct machine *machine, uint64_t *weight_ret)
{
	const struct sample_record *sample = &record->sample;
	uint64_t period = sample->has_period ? sample->period : event->attr.sample_period;
	uint64_t value = 1;
	bool is_there;

	switch (event->weight.kind) {
	case WEIGHT_PERIOD:
		is_there = true;
		break;
	case WEIGHT_FIELD:
		is_there = read_field(sample, &event->weight, &value);
		break;
	case WEIGHT_ARGUMENT:
		is_there = event->weight.argument &&
			   read_arguments(sample, &event->weight, machine, &value);
		break;
	default:
		is_there = false;
	}
	return is_there && !__builtin_mul_overflow(period, value, weight_ret);
}
