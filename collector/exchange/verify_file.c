#include "collector/exchange/verify_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/text/file_text.h"
#include "collector/command-line/messages.h"

#define PIECE (64u << 10)

/* 0 or -errno. */
static int read_all(FILE *file, struct file_text *text)
{
	size_t n = PIECE;
	int err = 0;

	while (!err && n) {
		err = file_text_reserve(text, PIECE);
		n = err ? 0 : fread(text->bytes + text->size, 1, PIECE, file);
		text->size += n;
	}
	return err ? err : ferror(file) ? -errno : 0;
}

static int read_file(const char *path, struct file_text *text)
{
	const bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");

	if (!file)
		return -errno;
	const int err = read_all(file, text);
	if (!is_input)
		fclose(file);
	return err;
}

int verify_file(const char *command, const struct path_format *format, const char *path)
{
	struct verification verification = { 0 };
	struct file_text text = { 0 };
	int err = read_file(path, &text);

	if (err)
		err = message_error_of_file(command, path, strerror(-err));
	else
		format->verify(&verification, (const uint8_t *)text.bytes, text.size);
	if (verification.lacks_memory)
		err = message_error_of_memory(command);
	else if (verification.problem)
		err = message_error(command, "%s is not sound %s: %s.", path, format->name,
				    verification.problem);
	free(text.bytes);
	verification_deinit(&verification);
	return err;
}
