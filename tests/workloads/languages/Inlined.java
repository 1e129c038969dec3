/** Paths that the compiler is told to inline: worker, which is not, under inner under outer_1 and outer_2, 1:2. */
public class Inlined {
	private static final long UNIT_ITERATIONS = 10000;

	static long worker(long n) {
		long x = n;

		for (long i = 0; i < n * UNIT_ITERATIONS; i++)
			x = x * 6364136223846793005L + 1442695040888963407L;
		return x;
	}

	static long inner(long n) {
		return worker(n) / 3 + n;
	}

	static long outer_1(long n) {
		return inner(n) / 3 + n;
	}

	static long outer_2(long n) {
		return inner(2 * n) / 3 + n;
	}

	static long round(long n) {
		return outer_1(n) + outer_2(n);
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
		int random = 1;
		long sink = 0;

		while (System.nanoTime() < end) {
			random = random * 1664525 + 1013904223;
			sink += round(4 + (random >>> 28));
		}
		System.out.println(sink);
	}
}
