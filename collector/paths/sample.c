#include "collector/paths/sample.h"

void sample_deinit(struct sample *sample)
{
	data_block_unref(sample->raw.block);
	data_block_unref(sample->later.block);
	address_space_unref(sample->space);
	stack_memory_unref(sample->memory);
	runtime_codes_unref(sample->runtime);
	code_moment_unref(&sample->code);
	sample->raw = sample->later = (struct raw_record){ .header = NULL };
	sample->space = NULL;
	sample->memory = NULL;
	sample->runtime = NULL;
}

void sample_copy(const struct sample *from, struct sample *ret)
{
	*ret = *from;
	if (ret->raw.block)
		data_block_ref(ret->raw.block);
	if (ret->later.block)
		data_block_ref(ret->later.block);
	address_space_ref(ret->space);
	stack_memory_ref(ret->memory);
	runtime_codes_ref(ret->runtime);
	code_moment_ref(&ret->code);
}

int sample_detach(struct sample *sample)
{
	int err = raw_record_detach(&sample->raw);

	if (err)
		return err;
	record_decode(&sample->event->layout, sample->raw.header, &sample->record);
	return sample->later.header ? raw_record_detach(&sample->later) : 0;
}
