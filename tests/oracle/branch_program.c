/*
 * Loops, a switch, recursion and calls, for tests/oracle/branch_paths.py, which executes it step by
 * step. It has no library, so that every instruction is in its file.
 */
static volatile unsigned sink;

static __attribute__((noinline)) unsigned mix(unsigned x)
{
	if (x & 1)
		x = 3 * x + 1;
	else
		x /= 2;
	if (x % 3 == 0)
		x ^= 0x55;
	return x;
}

static __attribute__((noinline)) unsigned choose(unsigned kind, unsigned x)
{
	switch (kind) {
	case 0:
		return x + 1;
	case 1:
		return mix(x);
	case 2:
		sink += x;
		/* fall through */
	case 3:
		return x ^ sink;
	case 4:
		return x * 7;
	case 5:
		return mix(x) - mix(x + 1);
	case 6:
		sink ^= 3;
		return 6;
	default:
		return 0;
	}
}

static __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static __attribute__((noinline)) unsigned triangle(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = i; k < n; k++) {
			if ((i * k) % 5 == 2)
				continue;
			if (k > 7 && i % 2)
				break;
			sum += mix(i + k);
		}
	}
	return sum;
}

void _start(void)
{
	unsigned x = 1;

	for (unsigned i = 0; i < 600; i++)
		x += choose((x ^ i) % 9, x);
	sink += triangle(30) + ackermann(2, 3) + x;
	__asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
