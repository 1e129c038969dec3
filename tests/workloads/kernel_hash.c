/*
 * Has the kernel compute hashes, in the code of the module that knows the algorithm, and open
 * connections for that, in the module af_alg.
 *
 *   kernel_hash ALGORITHM SECONDS
 *
 * Seconds of processor time.
 */
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "hash" };
	static char data[16384];
	char hash[64];

	if (argc < 3)
		return 2;
	snprintf((char *)address.salg_name, sizeof(address.salg_name), "%s", argv[1]);
	int algorithm = socket(AF_ALG, SOCK_SEQPACKET, 0);
	if (bind(algorithm, (struct sockaddr *)&address, sizeof(address))) {
		perror(argv[1]);
		return 77;
	}
	int operation = accept(algorithm, NULL, 0);
	double end = cpu_seconds() + strtod(argv[2], NULL);
	while (cpu_seconds() < end) {
		for (int i = 0; i < 8; i++) /* work of af_alg */
			close(accept(algorithm, NULL, 0));
		if (write(operation, data, sizeof(data)) != sizeof(data) ||
		    read(operation, hash, sizeof(hash)) <= 0)
			return 1;
	}
	return 0;
}
