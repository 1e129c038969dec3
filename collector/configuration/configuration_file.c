#include "collector/configuration/configuration_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define BLANKS " \t"

static char *skip_blanks(char *text)
{
	return text + strspn(text, BLANKS);
}

static void cut_blanks(char *text)
{
	size_t size = strlen(text);

	while (size && strchr(BLANKS, text[size - 1]))
		text[--size] = '\0';
}

/* Control characters are in no value, and would reach terminals with messages. */
static const char *check_characters(const char *line)
{
	for (; *line; line++)
		if (((unsigned char)*line < ' ' && *line != '\t') || *line == '\x7f')
			return "the line has a control character";
	return NULL;
}

static void cut_comment(char *text)
{
	for (char *at = text; (at = strchr(at, '#')); at++) {
		if (at == text || strchr(BLANKS, at[-1])) {
			*at = '\0';
			return;
		}
	}
}

static const char *parse_section(char *line, const char **section_ret)
{
	char *end = strchr(line, ']'), *name = skip_blanks(line + 1);

	if (!end)
		return "a section ends with ']'";
	*end = '\0';
	cut_comment(end + 1);
	if (*skip_blanks(end + 1))
		return "something follows the section: a setting needs a separate line";
	cut_blanks(name);
	if (!*name)
		return "the section has no name";
	*section_ret = name;
	return NULL;
}

/* "499 # Hz", "\"a # b\"" */
static const char *parse_value(char *value, const char **value_ret)
{
	if (*value == '"') {
		char *end = strchr(++value, '"');

		if (!end)
			return "the value has no second quotation mark";
		*end = '\0';
		cut_comment(end + 1);
		if (*skip_blanks(end + 1))
			return "something follows the quoted value";
	} else {
		cut_comment(value);
		cut_blanks(value);
	}
	*value_ret = value;
	return *value ? NULL : "the value is missing";
}

static const char *parse_setting(char *line, struct setting *setting)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return "a setting is 'name = value', and of an option without a value 'name = "
		       "true'";
	*equals = '\0';
	cut_blanks(line);
	setting->name = line;
	if (!*line)
		return "the name is missing before '='";
	if (*line == '-')
		return "names of options have no dashes in front";
	return parse_value(skip_blanks(equals + 1), &setting->value);
}

static int add(struct configuration_file *file, struct setting setting)
{
	int err = array_reserve_one(file->settings, file->n_settings);

	if (!err)
		file->settings[file->n_settings++] = setting;
	return err;
}

/* NULL, or what is wrong with the line. Sets the setting's name where there is one. */
static const char *parse_line(char *line, struct setting *setting)
{
	const char *wrong = check_characters(line);

	line = skip_blanks(line);
	if (wrong || !*line || *line == '#')
		return wrong;
	if (*line == '[')
		return parse_section(line, &setting->section);
	if (!setting->section)
		return "a setting needs a section above it, such as [record]";
	return parse_setting(line, setting);
}

/* The line of the first zero byte; 0: there is none. */
static unsigned find_zero(const char *text, size_t size)
{
	const char *zero = memchr(text, '\0', size);
	unsigned line = 1;

	for (; zero && text < zero; text++)
		line += *text == '\n';
	return zero ? line : 0;
}

int configuration_file_parse(struct configuration_file *file, char *text, size_t size,
			     unsigned *line_ret, const char **wrong_ret)
{
	struct setting setting = { .line = 1 };
	char *rest = text;

	file->text = text;
	*line_ret = find_zero(text, size);
	*wrong_ret = *line_ret ? "the line has a zero byte" : NULL;
	for (char *line; !*wrong_ret && (line = strsep(&rest, "\n")); setting.line++) {
		setting.name = NULL;
		*line_ret = setting.line;
		*wrong_ret = parse_line(line, &setting);
		if (!*wrong_ret && setting.name && add(file, setting))
			return -ENOMEM;
	}
	return *wrong_ret ? -EINVAL : 0;
}

void configuration_file_deinit(struct configuration_file *file)
{
	free(file->path);
	free(file->text);
	free(file->settings);
	free(file->left_out);
	*file = (struct configuration_file){ 0 };
}
