#include "collector/push/push_labels.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/text/file_text.h"

#define NAME_MAX_SIZE  1024 /* as Pyroscope's limits */
#define VALUE_MAX_SIZE 2048
#define LETTERS        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

void push_labels_deinit(struct push_labels *labels)
{
	for (size_t i = 0; i < labels->n; i++) {
		free(labels->labels[i].name);
		free(labels->labels[i].value);
	}
	labels->n = 0;
}

static struct push_label *find(const struct push_labels *labels, const char *name, size_t size)
{
	for (size_t i = 0; i < labels->n; i++) {
		const struct push_label *label = &labels->labels[i];

		if (strncmp(label->name, name, size) == 0 && !label->name[size])
			return (struct push_label *)label;
	}
	return NULL;
}

const char *push_labels_find(const struct push_labels *labels, const char *name)
{
	const struct push_label *label = find(labels, name, strlen(name));

	return label ? label->value : NULL;
}

static bool is_label(const char *text, size_t name_size)
{
	const char *value = text + name_size + 1;

	return name_size && name_size <= NAME_MAX_SIZE && text[name_size] == '=' &&
	       strspn(text, LETTERS "0123456789") == name_size && strspn(text, LETTERS) &&
	       strncmp(text, "__", 2) != 0 && *value && strlen(value) <= VALUE_MAX_SIZE &&
	       printable_is_safe(value);
}

int push_labels_add(struct push_labels *labels, const char *text)
{
	const size_t name_size = strcspn(text, "=");

	if (!is_label(text, name_size))
		return -EINVAL;
	char *value = strdup(text + name_size + 1);
	struct push_label *known = find(labels, text, name_size);
	if (value && known) {
		free(known->value);
		known->value = value;
		return 0;
	}
	char *name = strndup(text, name_size);
	int err = !value || !name ? -ENOMEM : labels->n == PUSH_LABELS_MAX ? -E2BIG : 0;
	if (err) {
		free(name);
		free(value);
		return err;
	}
	labels->labels[labels->n++] = (struct push_label){ name, value };
	return 0;
}

static int add_lines(struct push_labels *labels, char *text, size_t *line_ret)
{
	int err = 0;

	for (char *line; !err && (line = strsep(&text, "\n"));) {
		++*line_ret;
		line[strcspn(line, "\r")] = '\0';
		if (line[0] && line[0] != '#')
			err = push_labels_add(labels, line);
	}
	return err;
}

int push_labels_read(struct push_labels *labels, const char *path, size_t *line_ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file_text text = { 0 };

	*line_ret = 0;
	int err = fd < 0 ? -errno : file_text_read(&text, fd);
	if (!err)
		err = add_lines(labels, text.bytes, line_ret);
	free(text.bytes);
	return err;
}
