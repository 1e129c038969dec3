#include "collector/command-line/event_pattern.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_NAME 256

/* Other names that perf list has for kinds. */
static const struct {
	const char *word;
	enum catalog_kind kind;
} kind_words[] = {
	{ "hw", CATALOG_HARDWARE },
	{ "sw", CATALOG_SOFTWARE },
	{ "hwcache", CATALOG_CACHE },
	{ "pfm", CATALOG_PROCESSOR },
};

static bool is_plural_or_same(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncasecmp(word, name, length) == 0 &&
	       (!word[length] || strcasecmp(word + length, "s") == 0);
}

/* CATALOG_N_KINDS: the pattern does not name a kind. */
static enum catalog_kind find_kind(const char *word)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++)
		if (strcasecmp(word, kind_words[i].word) == 0)
			return kind_words[i].kind;
	int kind = 0;
	while (kind < CATALOG_N_KINDS && !is_plural_or_same(word, catalog_kind_name(kind)))
		kind++;
	return kind;
}

static bool name_matches(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?[") ? fnmatch(pattern, name, FNM_CASEFOLD) == 0
				       : strcasestr(name, pattern) != NULL;
}

static bool alias_matches(const char *pattern, const char *aliases)
{
	while (*aliases) {
		char name[MAX_NAME];
		size_t length = strcspn(aliases, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, aliases);
		if (name_matches(pattern, name))
			return true;
		aliases += length;
		aliases += strspn(aliases, ", ");
	}
	return false;
}

bool event_pattern_matches(const char *pattern, const struct catalog_entry *entry)
{
	enum catalog_kind kind = find_kind(pattern);

	if (kind != CATALOG_N_KINDS)
		return entry->kind == kind;
	return name_matches(pattern, entry->name) ||
	       (entry->aliases && alias_matches(pattern, entry->aliases));
}
