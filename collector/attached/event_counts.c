#include "collector/attached/event_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

#define MAX_SIZE (1u << 20)

int event_counts_write(struct evlist *evlist, struct data_writer *writer)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	for (size_t i = 0; i < evlist->n_events; i++) {
		struct evlist_counts counts;

		if (!evlist_read_counts(evlist, i, &counts))
			fprintf(stream, "%zu %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i,
				counts.value, counts.time_enabled_ns, counts.time_running_ns);
	}
	if (fclose(stream))
		return -ENOMEM;
	return data_writer_attach(writer, ATTACHMENT_COUNTS, "", text, size);
}

static void take_line(const struct data_file *file, const char *line, const uint32_t *metrics,
		      size_t n_metrics, struct profile *profile)
{
	uint64_t event, counted, enabled, running;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &event, &counted, &enabled,
		   &running) != 4 ||
	    event >= n_metrics || metrics[event] >= profile->n_metrics)
		return;
	struct metric *metric = &profile->metrics[metrics[event]];

	/* A count of occurrences cannot be compared with a sum of weights. */
	if (data_file_event(file, event)->weight.kind == WEIGHT_PERIOD) {
		metric->has_counted = true;
		metric->counted += counted;
	}
	metric->time_enabled_ns += enabled;
	metric->time_running_ns += running;
}

static int take_counts(const struct data_file *file, const struct data_file_attachment *attachment,
		       const uint32_t *metrics, size_t n_metrics, struct profile *profile)
{
	_cleanup_free_ char *text = calloc(1, attachment->size + 1);
	if (!text)
		return -ENOMEM;
	if (pread(attachment->fd, text, attachment->size, 0) != (ssize_t)attachment->size)
		return 0;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		take_line(file, line, metrics, n_metrics, profile);
	return 0;
}

/* Of a recording that was joined from parts, each has its counts. */
int event_counts_take(const struct data_file *file, const uint32_t *metrics, size_t n_metrics,
		      struct profile *profile)
{
	int err = 0;

	for (size_t i = 0; i < data_file_n_attachments(file) && !err; i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind == ATTACHMENT_COUNTS && attachment->is_complete &&
		    attachment->size < MAX_SIZE)
			err = take_counts(file, attachment, metrics, n_metrics, profile);
	}
	return err;
}
