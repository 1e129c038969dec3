/* What people call a cgroup: the container or the unit of systemd that its path leads to. */
#ifndef CCT_TEXT_CGROUP_NAME_H
#define CCT_TEXT_CGROUP_NAME_H

#include <stdbool.h>

#define CGROUP_NAME_MAX 256

/*
 * The name of the innermost container on the path, else of the innermost unit: "docker-" (libpod-,
 * cri-containerd-, crio-, kubepods-) with the first 12 digits of the container's id; what follows
 * "lxc.payload."; "ssh.service", "user@1000.service", "session-2.scope", "system.slice". Containers
 * are looked for first, because a container may have units inside. false: neither is on the path.
 */
bool cgroup_name(const char *path, char name[static CGROUP_NAME_MAX]);
/* Whether a glob is about the cgroup: it matches the path, or the name. */
bool cgroup_matches(const char *pattern, const char *path);

#endif
