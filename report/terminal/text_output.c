#include "report/terminal/text_output.h"

#include "report/terminal/character_set.h"

void text_output_init(struct text_output *output, FILE *file, bool color, unsigned width)
{
	*output = (struct text_output){
		.file = file,
		.color = color,
		.utf8 = character_set_is_utf8(),
		.width = width,
	};
}

static const char *const style_codes[] = {
	[STYLE_PLAIN] = "",          [STYLE_HEADING] = "\x1b[1m", [STYLE_DIM] = "\x1b[2m",
	[STYLE_PROCESS] = "\x1b[1m", [STYLE_KERNEL] = "\x1b[36m", [STYLE_MARKER] = "\x1b[33m",
	[STYLE_HOT] = "\x1b[31m",    [STYLE_WARM] = "\x1b[32m",   [STYLE_WARNING] = "\x1b[33m",
};

void text_style_begin(const struct text_output *output, enum text_style style)
{
	if (output->color && style != STYLE_PLAIN)
		fputs(style_codes[style], output->file);
}

void text_style_end(const struct text_output *output, enum text_style style)
{
	if (output->color && style != STYLE_PLAIN)
		fputs("\x1b[0m", output->file);
}
