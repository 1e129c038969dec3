/* Streams that results are written to. */
#ifndef CCT_BASE_STREAM_H
#define CCT_BASE_STREAM_H

#include <stdio.h>

/* Flushes. 0 or -errno of anything that went wrong on the stream so far. */
int stream_finish(FILE *stream);

#endif
