#include "collector/sandbox/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/sandbox/landlock.h"
#include "collector/sandbox/syscall_filter.h"

#define NOBODY 65534
/* Of the machine's memory. AddressSanitizer reserves more than any machine has. */
#define MEMORY_PART 2
#ifdef __SANITIZE_ADDRESS__
#define BOUNDS_MEMORY false
#else
#define BOUNDS_MEMORY true
#endif

const char *sandbox_lacks(void)
{
	const bool has_landlock = landlock_is_here(), has_filter = syscall_filter_is_here();

	if (has_landlock)
		return has_filter ? NULL : "seccomp filters";
	return has_filter ? "Landlock" : "Landlock and seccomp filters";
}

/* A folder of the kernel's in which there is nothing but numbers of own descriptors. Who may not
 * change the root keeps it. */
static int leave_root(void)
{
	if (chroot("/proc/self/fdinfo"))
		return 0;
	return chdir("/") ? -errno : 0;
}

/* Who may not become another user stays who he is. */
static int leave_user(void)
{
	if (geteuid() || setgroups(0, NULL))
		return 0;
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return errno == EPERM || errno == EINVAL ? 0 : -errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	/* Before Linux 4.3 there are no ambient ones. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
		return -errno;
	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

static int set_limit(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return -errno;
	if (limit.rlim_max < most)
		return 0;
	limit.rlim_max = most;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	return setrlimit(resource, &limit) ? -errno : 0;
}

/* What it may use up, and no image of its memory. */
static int set_limits(void)
{
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	int err = BOUNDS_MEMORY ? set_limit(RLIMIT_DATA, memory / MEMORY_PART) : 0;

	return err ? err : set_limit(RLIMIT_CORE, 0);
}

int sandbox_enter(void)
{
	int err = set_limits();

	if (!err)
		err = leave_root();
	if (!err)
		err = leave_user();
	if (!err)
		err = drop_capabilities();
	/* Of the same user, too, nobody may look into its memory, or stop it. */
	if (!err && (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))
		err = -errno;
	if (!err && landlock_is_here())
		err = landlock_enter();
	if (!err && syscall_filter_is_here())
		err = syscall_filter_enter();
	return err;
}
