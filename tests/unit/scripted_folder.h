/* A folder of files that a shell script makes, for a group of tests. */
#ifndef TESTS_SCRIPTED_FOLDER_H
#define TESTS_SCRIPTED_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

/* @folder: a template of mkdtemp(). Without the script's tools the test is skipped; @needs names
 * them. */
static inline int scripted_folder_make(char *folder, const char *script, const char *needs)
{
	char command[8192];

	if (!mkdtemp(folder))
		return -1;
	int n = snprintf(command, sizeof(command), "cd %s && { %s } >log 2>&1", folder, script);
	if (n < 0 || (size_t)n >= sizeof(command))
		return -1;
	if (system(command) != 0) /* NOLINT(cert-env33-c): a test's own script */
		print_message("# %s is missing, or does not know what is asked\n", needs);
	return 0;
}

static inline int scripted_folder_remove(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command); /* NOLINT(cert-env33-c) */
}

#endif
