/** The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion. */
public class Shares {
	private static final long UNIT_ITERATIONS = 10000;

	static long worker(long n) {
		long x = n;

		for (long i = 0; i < n * UNIT_ITERATIONS; i++)
			x = x * 6364136223846793005L + 1442695040888963407L;
		return x;
	}

	static long dispatch_1(long n) {
		return worker(n) / 3 + n;
	}

	static long dispatch_2(long n) {
		return worker(2 * n) / 3 + n;
	}

	static long descend(long depth, long n) {
		if (depth == 0)
			return worker(n) / 3 + n;
		return descend(depth - 1, n) / 3 + depth;
	}

	static long rounds(double seconds) {
		long end = System.nanoTime() + (long) (seconds * 1e9);
		int random = 1;
		long sink = 0;

		while (System.nanoTime() < end) {
			random = random * 1664525 + 1013904223;
			long n = 16 + (random >>> 26);
			sink += dispatch_1(n) + dispatch_2(n) + descend(9, n);
		}
		return sink;
	}

	public static void main(String[] arguments) {
		System.out.println(rounds(arguments.length > 0 ? Double.parseDouble(arguments[0]) : 2));
	}
}
