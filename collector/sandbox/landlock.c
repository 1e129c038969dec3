/* Documentation/userspace-api/landlock.rst */
#include "collector/sandbox/landlock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

/* struct landlock_ruleset_attr as of ABI 6; headers may be older. */
struct ruleset {
	uint64_t files, ports, scopes;
};
static_assert(sizeof(struct ruleset) == 24, "as the kernel has it");

/* From which ABI on there are so many rights: each has all of those before. */
static const struct {
	int abi;
	unsigned n_files, n_ports, n_scopes;
} versions[] = {
	{ 1, 13, 0, 0 }, { 2, 14, 0, 0 }, { 3, 15, 0, 0 },
	{ 4, 15, 2, 0 }, { 5, 16, 2, 0 }, { 6, 16, 2, 2 },
};

static int find_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool landlock_is_here(void)
{
	return find_abi() > 0;
}

#define READ_FOLDER (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define TRUNCATE    (UINT64_C(1) << 14) /* ABI 3 */
#define WRITE_FOLDER                                                                 \
	(READ_FOLDER | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | TRUNCATE)

/* What of @rights there is for such a file. 0 or -errno. */
static int allow(int ruleset_fd, const char *path, uint64_t rights)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = S_ISDIR(st.st_mode) ? rights : LANDLOCK_ACCESS_FS_READ_FILE,
		.parent_fd = fd,
	};
	return syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)
		       ? -errno
		       : 0;
}

int landlock_enter(const char *const *paths, size_t n_paths, const char *written)
{
	struct ruleset ruleset = { .files = 0 };
	const int abi = find_abi();
	size_t size = sizeof(ruleset.files);

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i].abi > abi)
			break;
		ruleset.files = (UINT64_C(1) << versions[i].n_files) - 1;
		ruleset.ports = (UINT64_C(1) << versions[i].n_ports) - 1;
		ruleset.scopes = (UINT64_C(1) << versions[i].n_scopes) - 1;
		size = versions[i].n_scopes  ? sizeof(ruleset)
		       : versions[i].n_ports ? offsetof(struct ruleset, scopes)
					     : sizeof(ruleset.files);
	}
	_cleanup_close_ int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	if (fd < 0)
		return -errno;
	int err = 0;
	for (size_t i = 0; !err && i < n_paths; i++)
		err = allow(fd, paths[i], READ_FOLDER);
	if (!err && written)
		err = allow(fd, written, WRITE_FOLDER & ruleset.files);
	if (!err && syscall(SYS_landlock_restrict_self, fd, 0))
		err = -errno;
	return err;
}
