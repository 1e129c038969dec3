#include "collector/sandbox/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
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
/* Nor could it look for leaks at the end, which takes another process that traces this one. */
#define MAY_FILTER_READERS false
#else
#define BOUNDS_MEMORY      true
#define MAY_FILTER_READERS true
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

/* All but @kept. */
static int drop_capabilities(const struct __user_cap_data_struct *kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	/* Before Linux 4.3 there are no ambient ones. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
		return -errno;
	return syscall(SYS_capset, &header, kept) ? -errno : 0;
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
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	int err = set_limits();

	if (!err)
		err = leave_root();
	if (!err)
		err = leave_user();
	if (!err)
		err = drop_capabilities(none);
	/* Of the same user, too, nobody may look into its memory, or stop it. */
	if (!err && (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))
		err = -errno;
	if (!err && landlock_is_here())
		err = landlock_enter(NULL, 0, NULL);
	if (!err && syscall_filter_is_here())
		err = syscall_filter_enter(SYSCALLS_WITHOUT_FILES);
	return err;
}

/* Files of other users (DAC_READ_SEARCH), and addresses of the kernel (SYSLOG), as far as they are
 * there. */
static int keep_reading(void)
{
	const unsigned wanted[] = { CAP_DAC_READ_SEARCH, CAP_SYSLOG };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3],
		kept[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	memset(kept, 0, sizeof(kept));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const uint32_t bit = CAP_TO_MASK(wanted[i]);
		const unsigned at = CAP_TO_INDEX(wanted[i]);

		kept[at].permitted |= data[at].permitted & bit;
		kept[at].effective |= data[at].effective & bit;
	}
	return drop_capabilities(kept);
}

int sandbox_enter_reading(const char *const *paths, size_t n_paths, const char *written)
{
	int err = keep_reading();

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err && landlock_is_here())
		err = landlock_enter(paths, n_paths, written);
	if (!err && MAY_FILTER_READERS && syscall_filter_is_here())
		err = syscall_filter_enter(written ? SYSCALLS_THAT_WRITE_FILES
						   : SYSCALLS_THAT_READ_FILES);
	return err;
}
