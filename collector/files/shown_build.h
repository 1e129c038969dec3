/* A recording -> a profile, while the terminal shows how far the reading has come. */
#ifndef COLLECTOR_FILES_SHOWN_BUILD_H
#define COLLECTOR_FILES_SHOWN_BUILD_H

#include <stdbool.h>

#include "collector/session/dendro.h"

/* As dendro_build_from(). @is_quiet: nothing is shown. */
int shown_build(const char *command, bool is_quiet, const struct dendro_source *source,
		const struct dendro_options *options, struct profile **profile_ret,
		char **error_ret);

#endif
