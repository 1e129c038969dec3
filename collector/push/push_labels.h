/*
 * What a user says of all profiles: NAME=VALUE. Names are as those of Prometheus, letters, digits
 * and underscores, and none begins with two underscores, which are the servers' own. Of one name
 * the last value counts.
 */
#ifndef COLLECTOR_PUSH_PUSH_LABELS_H
#define COLLECTOR_PUSH_PUSH_LABELS_H

#include <stddef.h>

#define PUSH_LABEL_SERVICE "service_name" /* the service of all samples */
#define PUSH_LABEL_HOST    "host"
#define PUSH_LABELS_MAX    24 /* Pyroscope takes 30, with its own */

struct push_label {
	char *name, *value; /* owned */
};

/* All zero is an empty list. */
struct push_labels {
	struct push_label labels[PUSH_LABELS_MAX];
	size_t n;
};

void push_labels_deinit(struct push_labels *labels);
/* @text: NAME=VALUE. 0; -EINVAL: it is not a label; -E2BIG: there are too many; or -ENOMEM. */
int push_labels_add(struct push_labels *labels, const char *text);
/* Lines of a file; empty ones and those that begin with # are left out. Likewise, with the number
 * of the line; or -errno of the file, with 0. */
int push_labels_read(struct push_labels *labels, const char *path, size_t *line_ret);
/* NULL: there is none. */
const char *push_labels_find(const struct push_labels *labels, const char *name);

#endif
