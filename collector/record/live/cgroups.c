#include "collector/record/live/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

#define PROCESSES "cgroup.procs"
#define SERVICE   ".service"
/* Of folders in folders: nobody's cgroups are so deep. */
#define DEPTH_MAX 64

enum rank { PERF_EVENT, VERSION_2, OTHERS, N_RANKS };

static enum rank rank_of(const struct mntent *mount)
{
	if (strcmp(mount->mnt_type, "cgroup2") == 0)
		return VERSION_2;
	if (strcmp(mount->mnt_type, "cgroup") != 0)
		return N_RANKS;
	return hasmntopt(mount, "perf_event") ? PERF_EVENT : OTHERS;
}

static int add_hierarchy(struct cgroup_hierarchies *hierarchies, const char *path)
{
	if (array_reserve_one(hierarchies->paths, hierarchies->n))
		return -ENOMEM;
	char *copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	hierarchies->paths[hierarchies->n++] = copy;
	return 0;
}

static int read_rank(const char *mounts, enum rank rank, struct cgroup_hierarchies *hierarchies)
{
	FILE *file = setmntent(mounts, "re");
	struct mntent *mount;
	int err = 0;

	if (!file)
		return -errno;
	while (!err && (mount = getmntent(file))) {
		if (rank_of(mount) == rank)
			err = add_hierarchy(hierarchies, mount->mnt_dir);
	}
	endmntent(file);
	return err;
}

int cgroup_hierarchies_read(const char *mounts, struct cgroup_hierarchies *hierarchies_ret)
{
	struct cgroup_hierarchies hierarchies = { 0 };
	int err = 0;

	for (int rank = 0; rank < N_RANKS && !err; rank++)
		err = read_rank(mounts, (enum rank)rank, &hierarchies);
	if (err)
		cgroup_hierarchies_deinit(&hierarchies);
	else
		*hierarchies_ret = hierarchies;
	return err;
}

void cgroup_hierarchies_deinit(struct cgroup_hierarchies *hierarchies)
{
	for (size_t i = 0; i < hierarchies->n; i++)
		free(hierarchies->paths[i]);
	free(hierarchies->paths);
	*hierarchies = (struct cgroup_hierarchies){ 0 };
}

static bool is_cgroup(const char *path)
{
	_cleanup_free_ char *file = sentence("%s/" PROCESSES, path);

	return file && access(file, F_OK) == 0;
}

int cgroup_find(const struct cgroup_hierarchies *hierarchies, const char *name, char **path_ret)
{
	if (is_cgroup(name)) {
		*path_ret = strdup(name);
		return *path_ret ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < hierarchies->n; i++) {
		char *path = sentence("%s/%s", hierarchies->paths[i], name);

		if (!path)
			return -ENOMEM;
		if (is_cgroup(path)) {
			*path_ret = path;
			return 0;
		}
		free(path);
	}
	return -ENOENT;
}

typedef int folder_visit(void *visitor, const char *path, const char *name);

/* Visits the folders below a folder, before those below them. An error of @visit ends the walk. */
static int walk(const char *path, unsigned depth, folder_visit *visit, void *visitor)
{
	DIR *directory = depth < DEPTH_MAX ? opendir(path) : NULL;
	int err = 0;

	if (!directory)
		return 0; /* it may be removed at any time */
	for (struct dirent *entry; !err && (entry = readdir(directory));) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		_cleanup_free_ char *below = sentence("%s/%s", path, entry->d_name);
		err = below ? visit(visitor, below, entry->d_name) : -ENOMEM;
		if (!err)
			err = walk(below, depth + 1, visit, visitor);
	}
	closedir(directory);
	return err;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t size = strlen(name), suffix_size = strlen(suffix);

	return size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

static bool is_unit(const char *name)
{
	return has_suffix(name, SERVICE) || has_suffix(name, ".scope") ||
	       has_suffix(name, ".slice");
}

struct unit_search {
	const char *wanted;
	struct near_names *near;
	char *path; /* heap; NULL: not found yet */
	char *second;
};

static int visit_unit(void *visitor, const char *path, const char *name)
{
	struct unit_search *search = visitor;
	char **place = search->path ? &search->second : &search->path;
	_cleanup_free_ char *service = NULL;

	if (!is_unit(name))
		return 0;
	if (has_suffix(name, SERVICE)) {
		service = strndup(name, strlen(name) - strlen(SERVICE));
		if (!service)
			return -ENOMEM;
	}
	near_names_offer(search->near, service ? service : name);
	if (strcmp(name, search->wanted) != 0 || search->second)
		return 0;
	*place = strdup(path);
	return *place ? 0 : -ENOMEM;
}

int cgroup_find_unit(const struct cgroup_hierarchies *hierarchies, const char *name,
		     struct near_names *near, char **path_ret)
{
	_cleanup_free_ char *wanted = sentence("%s%s", name, is_unit(name) ? "" : SERVICE);
	struct unit_search search = { .wanted = wanted, .near = near };
	int err = wanted ? 0 : -ENOMEM;

	/* Services are proposed without the suffix that all have. */
	near_names_init(near, name,
			strlen(name) - (has_suffix(name, SERVICE) ? strlen(SERVICE) : 0));
	for (size_t i = 0; i < hierarchies->n && !err && !search.path; i++)
		err = walk(hierarchies->paths[i], 0, visit_unit, &search);
	if (!err && !search.path)
		err = -ENOENT;
	if (!err && !search.second) {
		*path_ret = steal_ptr(search.path);
	} else if (!err) {
		*path_ret = sentence("%s and %s", search.path, search.second);
		err = *path_ret ? -ENOTUNIQ : -ENOMEM;
	}
	free(search.path);
	free(search.second);
	return err;
}

static int add_listed(void *visitor, const char *path, const char *name)
{
	_cleanup_free_ char *list = sentence("%s/" PROCESSES, path);
	FILE *file = list ? fopen(list, "re") : NULL;
	int err = list ? 0 : -ENOMEM, pid;

	(void)name;
	if (!file)
		return err;
	while (!err && fscanf(file, "%d", &pid) == 1) {
		if (pid > 0) /* 0: of another pid namespace */
			err = int_list_insert(visitor, pid);
	}
	fclose(file);
	return err;
}

int cgroup_add_processes(const char *path, struct int_list *pids)
{
	int err = add_listed(pids, path, "");

	return err ? err : walk(path, 0, add_listed, pids);
}

struct numbered_walk {
	size_t root_size; /* of the path of the hierarchy */
	cgroup_visit *visit;
	void *visitor;
};

/* Since 5.5 the inode number of a cgroup's folder is its id. */
static int visit_numbered(void *visitor, const char *path, const char *name)
{
	const struct numbered_walk *walk = visitor;
	struct stat st;

	(void)name;
	if (stat(path, &st) != 0)
		return 0;
	return walk->visit(walk->visitor, st.st_ino,
			   path[walk->root_size] ? path + walk->root_size : "/");
}

int cgroup_visit_all(const struct cgroup_hierarchies *hierarchies, cgroup_visit *visit,
		     void *visitor)
{
	const char *root = hierarchies->n ? hierarchies->paths[0] : NULL;

	if (!root)
		return 0;
	struct numbered_walk numbered = { strlen(root), visit, visitor };
	int err = visit_numbered(&numbered, root, "");

	return err ? err : walk(root, 0, visit_numbered, &numbered);
}
