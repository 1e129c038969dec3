#include "cct/text/cgroup_name.h"

#include <stdio.h>
#include <string.h>

#include "cct/text/name_pattern.h"

#define ID_SIZE       64 /* of a container, hexadecimal */
#define ID_SIZE_SHOWN 12
#define LXC           "lxc.payload."

/* A part of a path, between slashes. */
struct part {
	const char *text;
	size_t size;
};

static bool begins_with(const struct part *part, const char *start)
{
	const size_t size = strlen(start);

	return part->size > size && memcmp(part->text, start, size) == 0;
}

static bool ends_with(const struct part *part, const char *end)
{
	const size_t size = strlen(end);

	return part->size > size && memcmp(part->text + part->size - size, end, size) == 0;
}

static bool is_id(const char *text, size_t size)
{
	return size >= ID_SIZE && strspn(text, "0123456789abcdef") >= ID_SIZE;
}

/* "docker-ID.scope", "libpod-ID" */
static bool find_runtime(const struct part *part, char name[static CGROUP_NAME_MAX])
{
	static const char *const runtimes[] = { "docker-", "libpod-", "cri-containerd-", "crio-",
						"nerdctl-" };

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		const size_t size = strlen(runtimes[i]);

		if (!begins_with(part, runtimes[i]) || !is_id(part->text + size, part->size - size))
			continue;
		snprintf(name, CGROUP_NAME_MAX, "%s%.*s", runtimes[i], ID_SIZE_SHOWN,
			 part->text + size);
		return true;
	}
	return false;
}

/* "/docker/ID", "/kubepods/burstable/podUID/ID": without systemd */
static bool find_bare(const char *path, const struct part *part, char name[static CGROUP_NAME_MAX])
{
	static const char *const folders[] = { "docker", "kubepods" };

	if (part->size != ID_SIZE || !is_id(part->text, part->size))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char wanted[16];

		snprintf(wanted, sizeof(wanted), "/%s/", folders[i]);
		const char *at = strstr(path, wanted);
		if (!at || at > part->text)
			continue;
		snprintf(name, CGROUP_NAME_MAX, "%s-%.*s", folders[i], ID_SIZE_SHOWN, part->text);
		return true;
	}
	return false;
}

static void copy(const char *text, size_t size, char name[static CGROUP_NAME_MAX])
{
	snprintf(name, CGROUP_NAME_MAX, "%.*s",
		 (int)(size < CGROUP_NAME_MAX ? size : CGROUP_NAME_MAX - 1), text);
}

static bool find_container(const char *path, const struct part *part,
			   char name[static CGROUP_NAME_MAX])
{
	if (begins_with(part, LXC)) {
		copy(part->text + strlen(LXC), part->size - strlen(LXC), name);
		return true;
	}
	return find_runtime(part, name) || find_bare(path, part, name);
}

static bool is_unit(const struct part *part)
{
	return ends_with(part, ".service") || ends_with(part, ".scope") ||
	       ends_with(part, ".slice");
}

bool cgroup_name(const char *path, char name[static CGROUP_NAME_MAX])
{
	bool has_container = false, has_unit = false;

	if (path[0] != '/')
		return false;
	for (const char *at = path; *at;) {
		const struct part part = { at + 1, strcspn(at + 1, "/") };

		if (find_container(path, &part, name)) {
			has_container = true;
		} else if (!has_container && is_unit(&part)) {
			copy(part.text, part.size, name);
			has_unit = true;
		}
		at = part.text + part.size;
	}
	return has_container || has_unit;
}

bool cgroup_matches(const char *pattern, const char *path)
{
	char name[CGROUP_NAME_MAX];

	return name_pattern_matches(pattern, path) ||
	       (cgroup_name(path, name) && name_pattern_matches(pattern, name));
}
