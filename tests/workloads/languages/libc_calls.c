/* A program that works inside its C library: qsort's and regexec's callers, a thread, printf. */
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_WORDS 4000

static char words[N_WORDS][16];

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static size_t sort_words(unsigned seed)
{
	for (unsigned i = 0; i < N_WORDS; i++) {
		seed = seed * 1664525u + 1013904223u;
		snprintf(words[i], sizeof(words[i]), "%x.%u", seed, i % 97);
	}
	qsort(words, N_WORDS, sizeof(words[0]), compare);
	return strlen(words[seed % N_WORDS]);
}

static size_t match_words(const regex_t *regex)
{
	size_t n_matches = 0;

	for (unsigned i = 0; i < N_WORDS / 8; i++)
		n_matches += regexec(regex, words[i], 0, NULL, 0) == 0;
	return n_matches;
}

static void *work(void *argument)
{
	clock_t end = clock() + atoi(argument) * CLOCKS_PER_SEC;
	size_t *sum = calloc(1, sizeof(*sum));
	regex_t regex;

	if (!sum || regcomp(&regex, "^([0-9a-f]*)[bcd].*\\.([0-9]|1[0-9])$", REG_EXTENDED))
		return NULL;
	while (clock() < end)
		*sum += sort_words((unsigned)*sum) + match_words(&regex);
	regfree(&regex);
	return sum;
}

int main(int argc, char **argv)
{
	char *seconds = argc > 1 ? argv[1] : "2";
	pthread_t thread;
	void *sum;

	if (!work(seconds) || pthread_create(&thread, NULL, work, seconds) ||
	    pthread_join(thread, &sum) || !sum)
		return 1;
	printf("%zu\n", *(size_t *)sum);
	return 0;
}
