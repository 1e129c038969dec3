#include "collector/record/recording_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/record/live/cgroups.h"
#include "perf/counters/evlist.h"

static int explain_cgroup(const char *name, int err, struct recording_notes *notes)
{
	if (err == -ENOENT)
		return recording_notes_explain(
			notes, err,
			"there is no cgroup '%s' (--cgroup): neither in the file system, nor below "
			"where cgroups are mounted.",
			name);
	return recording_notes_explain(notes, err, "cannot record the cgroup '%s': %s.", name,
				       strerror(-err));
}

static int explain_unit(const char *name, int err, const struct near_names *near, const char *paths,
			struct recording_notes *notes)
{
	_cleanup_free_ char *question = err == -ENOENT ? near_names_question(near) : NULL;

	if (err == -ENOENT)
		return recording_notes_explain(notes, err, "no unit '%s' is running (--unit)%s",
					       name, question && *question ? question : ".");
	if (err == -ENOTUNIQ)
		return recording_notes_explain(
			notes, err, "several units have the name '%s': name the cgroup (%s).", name,
			paths);
	return recording_notes_explain(notes, err, "cannot find the unit '%s': %s.", name,
				       strerror(-err));
}

static int find_path(const struct recorder_options *options, struct recording_notes *notes,
		     char **path_ret)
{
	struct cgroup_hierarchies hierarchies = { 0 };
	_cleanup_free_ char *path = NULL;
	struct near_names near;

	int err = cgroup_hierarchies_read("/proc/self/mounts", &hierarchies);
	if (err)
		return recording_notes_explain(notes, err, "cannot read what is mounted: %s.",
					       strerror(-err));
	if (options->cgroup) {
		err = cgroup_find(&hierarchies, options->cgroup, &path);
		if (err)
			explain_cgroup(options->cgroup, err, notes);
	} else {
		err = cgroup_find_unit(&hierarchies, options->unit, &near, &path);
		if (err)
			explain_unit(options->unit, err, &near, path, notes);
	}
	cgroup_hierarchies_deinit(&hierarchies);
	if (!err)
		*path_ret = steal_ptr(path);
	return err;
}

/* Why the kernel does not count in a cgroup. */
static const char *reason(int err)
{
	if (err == -EOPNOTSUPP)
		return "off-cpu follows threads";
	if (err == -EACCES || err == -EPERM)
		return "to record whoever enters it takes root, CAP_PERFMON, or "
		       "kernel.perf_event_paranoid of at most 0";
	return "the kernel counts only in cgroups of the hierarchy that has perf_event";
}

int recording_cgroup_find(const struct recorder_options *options, int cpu,
			  struct recording_notes *notes, struct recording_cgroup *cgroup_ret)
{
	_cleanup_free_ char *path = NULL;

	int err = find_path(options, notes, &path);
	if (!path)
		return err;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return explain_cgroup(path, -errno, notes);
	err = recorder_options_weigh_off_cpu(options) ? -EOPNOTSUPP : evlist_try_cgroup(fd, cpu);
	if (err)
		recording_notes_add(
			notes, false,
			"only the processes that are in the cgroup %s now are recorded, "
			"with what they start: %s.",
			path, reason(err));
	else
		recording_notes_add(notes, true, "the events count in the cgroup %s.", path);
	*cgroup_ret = (struct recording_cgroup){ steal_ptr(path), fd, !err };
	return 0;
}

void recording_cgroup_deinit(struct recording_cgroup *cgroup)
{
	if (!cgroup->path)
		return;
	close(cgroup->fd);
	free(cgroup->path);
	*cgroup = (struct recording_cgroup){ 0 };
}
