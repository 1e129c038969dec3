#include "report/html/comparison_code.h"

#include <errno.h>
#include <stdlib.h>

#include "report/html/page_string.h"

/* The events whose costs functions have, in this order. 0 or -ENOMEM. */
static int write_events(FILE *out, const struct profile *profile)
{
	int err = 0;

	fputs(",\"events\":[", out);
	for (uint32_t i = 0; i < profile->n_metrics && !err; i++)
		err = page_string_write(out, i ? "," : "", profile->metrics[i].name);
	putc(']', out);
	return err;
}

int comparison_code_add(struct comparison_code *code, enum diff_side side, const char *path,
			const struct page_code *of)
{
	if (!code->out)
		code->out = open_memstream(&code->text, &code->size);
	if (!code->out)
		return -ENOMEM;
	int err = page_string_write(code->out, code->n++ ? ",{\"file\":" : "[{\"file\":", path);
	fprintf(code->out, ",\"side\":\"%s\"", side == DIFF_BEFORE ? "before" : "after");
	if (!err)
		err = write_events(code->out, of->profile);
	fputs(",\"functions\":", code->out);
	if (!err)
		err = page_code_write(code->out, of);
	putc('}', code->out);
	return err;
}

int comparison_code_finish(struct comparison_code *code)
{
	if (!code->out)
		return 0;
	putc(']', code->out);
	const int err = fclose(code->out) ? -ENOMEM : 0;

	code->out = NULL;
	return err;
}

void comparison_code_deinit(struct comparison_code *code)
{
	if (code->out)
		fclose(code->out);
	free(code->text);
	*code = (struct comparison_code){ 0 };
}
