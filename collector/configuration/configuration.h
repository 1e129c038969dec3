/*
 * The files of settings that count, from the weakest to the strongest: /etc/dendro.conf, the
 * user's, the one that DENDRO_CONFIG names, and the one that --config names. With DENDRO_CONFIG
 * set and empty, the first two are not read.
 *
 * Settings choose what root does, too. So the first two count only where they belong to root or to
 * the user who runs this, root's own alone for root, and nobody else can write them: what does not
 * hold to this is left out, with the reason in configuration_file.left_out. A file that
 * DENDRO_CONFIG names is refused then, because somebody wants it. --config is the user's word, as
 * options are.
 */
#ifndef COLLECTOR_CONFIGURATION_CONFIGURATION_H
#define COLLECTOR_CONFIGURATION_CONFIGURATION_H

#include "collector/configuration/configuration_file.h"

#define CONFIGURATION_SYSTEM_PATH "/etc/dendro.conf"
#define CONFIGURATION_VARIABLE    "DENDRO_CONFIG"
/* Its settings hold for every command that has such an option. */
#define CONFIGURATION_ALL "all"

enum configuration_source {
	CONFIGURATION_OF_SYSTEM,
	CONFIGURATION_OF_USER,
	CONFIGURATION_OF_VARIABLE,
	CONFIGURATION_OF_OPTION,
	CONFIGURATION_N_SOURCES
};

struct configuration {
	struct configuration_file files[CONFIGURATION_N_SOURCES];
	/* What is wrong with the first file that can't be read, a sentence; NULL: nothing. Owned.
	 */
	char *wrong;
	char **kept; /* owned, as each is */
	size_t n_kept;
};

/*
 * @option_path: of --config; NULL: none; borrowed. 0, -ENOMEM, or -EINVAL with the field @wrong.
 * What was read before stays readable then, too. configuration_deinit() in any case.
 */
int configuration_load(struct configuration *configuration, const char *option_path);
void configuration_deinit(struct configuration *configuration);
/* A copy that may be changed, and lives as long as the configuration; NULL: no memory. */
char *configuration_copy(struct configuration *configuration, const char *text);

#endif
