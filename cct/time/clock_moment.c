#include "cct/time/clock_moment.h"

#include <errno.h>

#include "cct/base/clock.h"

#define READINGS_MAX 32
/* Nobody was in between: two readings of a clock are mostly less than a microsecond apart. */
#define GAP_GOOD_NS (20 * NSEC_PER_USEC)

static int read_clock(clockid_t clock, uint64_t *ns_ret)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return -errno;
	*ns_ret = (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
	return 0;
}

int clock_moment_read(clockid_t clock, struct clock_moment *moment_ret)
{
	uint64_t least_ns = UINT64_MAX;

	for (unsigned i = 0; i < READINGS_MAX && least_ns > GAP_GOOD_NS; i++) {
		uint64_t before_ns = 0, unix_ns = 0, after_ns = 0;
		int err = read_clock(clock, &before_ns);

		if (!err)
			err = read_clock(CLOCK_REALTIME, &unix_ns);
		if (!err)
			err = read_clock(clock, &after_ns);
		if (err)
			return err;
		if (after_ns - before_ns >= least_ns)
			continue;
		least_ns = after_ns - before_ns;
		*moment_ret = (struct clock_moment){ before_ns + least_ns / 2, unix_ns };
	}
	return 0;
}
