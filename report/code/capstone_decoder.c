#include "report/code/capstone_decoder.h"

#include <errno.h>

#include "cct/system/late_library.h"

int capstone_load(struct capstone *library_ret, const char **reason_ret)
{
#define FUNCTION(function) { #function, (void *)&library_ret->function },
	const struct late_function functions[] = { CAPSTONE_FUNCTIONS(FUNCTION) };
#undef FUNCTION

	return late_library_open(CAPSTONE_LIBRARY, functions,
				 sizeof(functions) / sizeof(functions[0]), reason_ret);
}

int capstone_decoder_open(struct capstone_decoder *decoder, cs_arch arch, cs_mode mode)
{
	struct capstone *library = &decoder->library;
	const char *reason;

	*decoder = (struct capstone_decoder){ 0 };
	if (capstone_load(library, &reason))
		return -ELIBACC;
	if (library->cs_open(arch, mode, &decoder->handle) != CS_ERR_OK) {
		decoder->handle = 0;
		return -ENOTSUP;
	}
	library->cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->instruction = library->cs_malloc(decoder->handle);
	if (decoder->instruction)
		return 0;
	capstone_decoder_close(decoder);
	return -ENOMEM;
}

void capstone_decoder_close(struct capstone_decoder *decoder)
{
	if (decoder->instruction)
		decoder->library.cs_free(decoder->instruction, 1);
	if (decoder->handle)
		decoder->library.cs_close(&decoder->handle);
	*decoder = (struct capstone_decoder){ 0 };
}
