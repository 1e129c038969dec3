/* The file that a recording is written to. */
#ifndef COLLECTOR_RECORD_RECORDING_FILE_H
#define COLLECTOR_RECORD_RECORDING_FILE_H

#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_options.h"
#include "collector/record/start/vdso_images.h"
#include "perf/writer/data_writer.h"

struct recording_file {
	int fd; /* -1: none */
	bool is_pipe;
	bool is_in_memory;          /* it has no name */
	struct data_writer *writer; /* NULL: none */
	/* Who gets the records; ->pid 0: the file itself. Of a process for this file alone, its
	 * descriptors are the file's, too. */
	struct builder_link builder;
	bool has_own_builder;
	size_t queue_size; /* bytes that may wait to be written */
};

/* Opens options->output and writes its first part, which describes the open events of @evlist
 * and lists the build IDs of the kernel and @vdsos.
 * 0, or -errno, which the notes explain. */
int recording_file_create(struct recording_file *file, const struct recorder_options *options,
			  const struct evlist *evlist, const struct vdso_images *vdsos,
			  struct recording_notes *notes);
void recording_file_deinit(struct recording_file *file);
/* Tells a process that is for this file alone that it has got all records. */
void recording_file_confirm(const struct recording_file *file);
/* Was the file removed since it was created? Its bytes are lost then. */
bool recording_file_is_gone(const struct recording_file *file);
/* Why nothing, or no more, can be written to @path, for @err: without memory or a thread, the
 * cause is not the file. No full stop. Heap; NULL without memory. */
char *recording_file_failure(const char *path, int err);

#endif
