import java.lang.management.ManagementFactory;

/** even and odd call each other: a caller that an unwinder leaves out stands out. */
public class Parity {
	static int even(int n) {
		return n == 0 ? 1 : odd(n - 1) + 1;
	}

	static int odd(int n) {
		return n == 0 ? 0 : even(n - 1) - 1;
	}

	public static void main(String[] arguments) {
		double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 2;
		var threads = ManagementFactory.getThreadMXBean();
		long end = threads.getCurrentThreadCpuTime() + (long) (seconds * 1e9), sum = 0;
		while (threads.getCurrentThreadCpuTime() < end)
			for (int i = 0; i < 10000; i++)
				sum += even(20 + i % 7);
		System.out.println(sum);
	}
}
