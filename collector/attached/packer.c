#include "collector/attached/packer.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "cct/base/array.h"

int packer_begin(struct packer *packer, int level)
{
	packer->stream = ZSTD_createCCtx();
	if (!packer->stream)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_compressionLevel, level);
	return 0;
}

void packer_deinit(struct packer *packer)
{
	ZSTD_freeCCtx(packer->stream);
	free(packer->bytes);
	*packer = (struct packer){ .size = 0 };
}

static int run(struct packer *packer, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
	size_t left;

	do {
		if (array_reserve(packer->bytes, packer->size, packer->n_allocated,
				  ZSTD_CStreamOutSize()))
			return -ENOMEM;
		ZSTD_outBuffer out = { packer->bytes, packer->n_allocated, packer->size };
		left = ZSTD_compressStream2(packer->stream, &out, in, directive);
		/* zstd allocates its tables at the first use, and fails for no other reason. */
		if (ZSTD_isError(left))
			return -ENOMEM;
		packer->size = out.pos;
	} while (directive == ZSTD_e_end ? left > 0 : in->pos < in->size);
	return 0;
}

int packer_add(struct packer *packer, const void *bytes, size_t size)
{
	return run(packer, &(ZSTD_inBuffer){ bytes, size, 0 }, ZSTD_e_continue);
}

int packer_end(struct packer *packer, const void *bytes, size_t size)
{
	return run(packer, &(ZSTD_inBuffer){ bytes, size, 0 }, ZSTD_e_end);
}

int packer_attach(struct data_writer *writer, enum attachment_kind kind, const char *key,
		  const void *bytes, size_t size, int level)
{
	struct packer packer = { .size = 0 };
	int err = packer_begin(&packer, level);

	if (!err)
		err = packer_end(&packer, bytes, size);
	if (!err)
		err = data_writer_attach(writer, kind, key, packer.bytes, packer.size);
	packer_deinit(&packer);
	return err;
}
