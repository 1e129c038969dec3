#include "collector/completion/live_values.h"

#include <ctype.h>
#include <dirent.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/catalog/catalog_fill.h"

#define CGROUPS     "/sys/fs/cgroup"
#define CGROUPS_MAX 4096 /* folders that are looked at */

void live_values_offer_events(const struct word_list *list)
{
	struct event_catalog *catalog = catalog_names_create();

	for (size_t i = 0; catalog && i < catalog->n_entries; i++) {
		const struct catalog_entry *entry = &catalog->entries[i];

		if (entry->is_recordable && !entry->is_spelling && !entry->is_part)
			word_list_offer(list, entry->name, entry->description);
	}
	event_catalog_destroy(catalog);
}

static void read_name(const char *pid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	FILE *file = fopen(path, "re");
	*name = '\0';
	if (file && !fgets(name, (int)size, file))
		*name = '\0';
	if (file)
		fclose(file);
}

void live_values_offer_processes(const struct word_list *list)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	char name[64];

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		read_name(entry->d_name, name, sizeof(name));
		word_list_offer(list, entry->d_name, name);
	}
	if (proc)
		closedir(proc);
}

static void offer_cgroup(const struct word_list *list, const FTSENT *folder, bool is_unit)
{
	const char *name = folder->fts_name, *end = name + folder->fts_namelen;

	if (!is_unit)
		word_list_offer(list, folder->fts_path + strlen(CGROUPS), "");
	else if (folder->fts_namelen > 8 && strcmp(end - 8, ".service") == 0)
		word_list_offer(list, name, "");
}

static void offer_cgroups(const struct word_list *list, bool is_unit)
{
	char root[] = CGROUPS, *roots[] = { root, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t n = 0;

	for (FTSENT *at; walk && n < CGROUPS_MAX && (at = fts_read(walk));) {
		if (at->fts_info != FTS_D || at->fts_level == FTS_ROOTLEVEL)
			continue;
		offer_cgroup(list, at, is_unit);
		n++;
	}
	if (walk)
		fts_close(walk);
}

void live_values_offer_cgroups(const struct word_list *list)
{
	offer_cgroups(list, false);
}

void live_values_offer_units(const struct word_list *list)
{
	offer_cgroups(list, true);
}
