/*
 * dendro-send: sends the requests in a spool for one URL, the oldest first, and removes those that
 * the server has taken. dendro push runs it, and says what its options mean.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/push/spool.h"
#include "collector/send/transfer.h"

#define TOKEN_MAX    8192
#define FIRST_WAIT   (NSEC_PER_SEC / 2)
#define LONGEST_WAIT (30 * NSEC_PER_SEC)
#define FAILED_MAX   2

struct sender {
	const char *spool_path, *url, *token_file;
	struct transfer_options options;
	uint64_t retry_ns;
	bool is_quiet;
	struct transfer transfer;
	struct spool spool;
	struct file_text text; /* of the request at hand */
	uint64_t progress_ns;  /* when the server took something, or the start */
	unsigned n_failed;     /* one after the other, at which the server failed */
	/* Counted: */
	unsigned n_sent, n_refused, n_left, n_of_others, n_broken;
	uint64_t n_bytes, n_rejected;
	char *refused_words, *rejected_words, *stop_words; /* heap; what the server said first */
};

/* -- the command line ----------------------------------------------------------------------- */

static bool is_header_text(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/* false after a message. */
static bool take_options(struct sender *sender, int argc, char **argv)
{
	static const struct option options[] = {
		{ "spool", required_argument, NULL, 's' },
		{ "url", required_argument, NULL, 'u' },
		{ "user", required_argument, NULL, 'n' },
		{ "token-file", required_argument, NULL, 't' },
		{ "ca-file", required_argument, NULL, 'c' },
		{ "tenant", required_argument, NULL, 'o' },
		{ "retry-ns", required_argument, NULL, 'r' },
		{ "quiet", required_argument, NULL, 'q' },
		{ 0 },
	};
	bool is_right = true;
	int letter;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (letter) {
		case 's':
			sender->spool_path = optarg;
			break;
		case 'u':
			sender->url = optarg;
			break;
		case 'n':
			sender->options.user = optarg;
			break;
		case 't':
			sender->token_file = optarg;
			break;
		case 'c':
			sender->options.ca_file = optarg;
			break;
		case 'o':
			sender->options.tenant = optarg;
			break;
		case 'r':
			is_right &= numbers_parse(optarg, UINT64_MAX, &sender->retry_ns) == 0;
			break;
		case 'q':
			sender->is_quiet = true;
			break;
		default:
			is_right = false;
		}
	}
	if (is_right && sender->spool_path && sender->url && optind == argc)
		return true;
	message_error("push", "dendro-send is run by 'dendro push', which has the options.");
	return false;
}

/* The first line of a file. 0, or 1 after a message. */
static int read_token(const struct sender *sender, char token[static TOKEN_MAX])
{
	const char *path = sender->token_file;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t size = fd < 0 || fstat(fd, &st) ? -1 : read(fd, token, TOKEN_MAX - 1);

	if (size < 0)
		return message_error_of_file("push", path, strerror(errno));
	token[size] = '\0';
	token[strcspn(token, "\r\n")] = '\0';
	if (!token[0] || !is_header_text(token))
		return message_error_of_file("push", path,
					     "its first line is no token: letters, digits and "
					     "signs, no spaces of other kinds");
	if (st.st_mode & 0077)
		message_note("push", "others may read the token in '%s': chmod 600 it.", path);
	if (strncmp(sender->url, "http://", strlen("http://")) == 0 &&
	    strncmp(sender->url, "http://127.", strlen("http://127.")) != 0 &&
	    strncmp(sender->url, "http://localhost", strlen("http://localhost")) != 0)
		message_note("push", "the token is not encrypted on its way: https would do it.");
	return 0;
}

/* Likewise. */
static int check_options(const struct sender *sender)
{
	const struct transfer_options *options = &sender->options;

	if (options->tenant && !is_header_text(options->tenant))
		return message_error("push", "--tenant has characters that no header has.");
	if (options->user && !sender->token_file)
		return message_error("push", "the URL has a user: name the file of the password "
					     "with --token-file.");
	if (options->ca_file && access(options->ca_file, R_OK))
		return message_error_of_file("push", options->ca_file, strerror(errno));
	return 0;
}

/* -- sending -------------------------------------------------------------------------------- */

static void sleep_for(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Twice as long each time, and less by chance, so that many machines do not come back at once. */
static uint64_t backoff(unsigned n_tries)
{
	uint64_t wait = LONGEST_WAIT, random;

	if (n_tries < 6)
		wait = FIRST_WAIT << n_tries;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = now_ns();
	return wait / 2 + random % (wait / 2);
}

/* Until the server has decided, or there is no more time. */
static enum push_verdict send_request(struct sender *sender, const struct spool_request *request,
				      char **words_ret)
{
	uint64_t wait_s, n_rejected;

	for (unsigned n_tries = 0;; n_tries++) {
		const enum push_verdict verdict =
			transfer_run(&sender->transfer, request, &wait_s, words_ret, &n_rejected);
		const uint64_t asked = wait_s < UINT32_MAX ? wait_s * NSEC_PER_SEC : UINT64_MAX / 2;
		const uint64_t own = backoff(n_tries), wait = asked > own ? asked : own;

		sender->n_rejected += n_rejected;
		if ((verdict != PUSH_LATER && verdict != PUSH_FAILED) ||
		    now_ns() + wait > sender->progress_ns + sender->retry_ns)
			return verdict;
		free(*words_ret);
		sleep_for(wait);
	}
}

static void keep_first(char **kept, char **words)
{
	if (!*kept)
		*kept = steal_ptr(*words);
}

/* false: no more is to be sent. */
static bool apply(struct sender *sender, const struct spool_file *file, enum push_verdict verdict,
		  char **words)
{
	int err = 0;

	switch (verdict) {
	case PUSH_TAKEN:
		err = spool_remove(&sender->spool, file);
		sender->n_sent++;
		sender->n_bytes += file->size;
		sender->progress_ns = now_ns();
		sender->n_failed = 0;
		keep_first(&sender->rejected_words, words);
		break;
	case PUSH_REFUSED:
		err = spool_refuse(&sender->spool, file);
		sender->n_refused++;
		keep_first(&sender->refused_words, words);
		break;
	case PUSH_FAILED: /* one that it always fails at does not keep the others back */
		keep_first(&sender->stop_words, words);
		if (++sender->n_failed == FAILED_MAX)
			return false;
		sender->n_left++;
		break;
	case PUSH_LATER:
	case PUSH_STOP:
		keep_first(&sender->stop_words, words);
		return false;
	}
	if (err)
		message_error("push", "cannot remove '%s/%s': %s: it will be sent again.",
			      sender->spool.path, file->name, strerror(-err));
	return true;
}

/* Likewise. */
static bool send_file(struct sender *sender, const struct spool_file *file)
{
	struct spool_request request;
	_cleanup_free_ char *words = NULL;
	const int err = spool_read(&sender->spool, file, &sender->text, &request);

	if (err == -ENOENT) /* dropped, to make room */
		return true;
	if (err) {
		sender->n_broken++;
		spool_refuse(&sender->spool, file);
		return true;
	}
	if (strcmp(request.url, sender->url) != 0) {
		sender->n_of_others++;
		return true;
	}
	const enum push_verdict verdict = send_request(sender, &request, &words);
	return apply(sender, file, verdict, &words);
}

/* How many of the files are for this server, from @first on. */
static unsigned count_left(struct sender *sender, size_t first)
{
	unsigned n = 0;

	for (size_t i = first; i < sender->spool.n_files; i++) {
		struct spool_request request;

		n += !spool_is_refused(&sender->spool.files[i]) &&
		     !spool_read(&sender->spool, &sender->spool.files[i], &sender->text,
				 &request) &&
		     strcmp(request.url, sender->url) == 0;
	}
	return n;
}

static void send_files(struct sender *sender)
{
	sender->progress_ns = now_ns();
	for (size_t i = 0; i < sender->spool.n_files; i++) {
		if (spool_is_refused(&sender->spool.files[i]))
			continue;
		if (send_file(sender, &sender->spool.files[i]))
			continue;
		sender->n_left += count_left(sender, i);
		return;
	}
}

/* -- what became of it ---------------------------------------------------------------------- */

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

static const char *or_nothing(const char *words)
{
	return words ? words : "nobody says why";
}

/* An exit status. */
static int tell(const struct sender *sender)
{
	const char *folder = sender->spool.path;

	if (!sender->is_quiet)
		message_note("push", "sent %u request%s, %.1f KiB.", sender->n_sent,
			     plural(sender->n_sent), (double)sender->n_bytes / 1024);
	if (sender->n_rejected)
		message_note("push", "the server has not taken %llu of their profiles: %s.",
			     (unsigned long long)sender->n_rejected,
			     or_nothing(sender->rejected_words));
	else if (sender->rejected_words)
		message_note("push", "%s.", sender->rejected_words);
	if (sender->n_of_others)
		message_note("push", "%u request%s in '%s' are for another URL, and stay there.",
			     sender->n_of_others, plural(sender->n_of_others), folder);
	if (sender->n_broken)
		message_note("push", "%u file%s in '%s' are no requests, and are kept as *%s.",
			     sender->n_broken, plural(sender->n_broken), folder, SPOOL_REFUSED);
	if (sender->n_refused)
		message_error("push", "%u request%s refused, and kept as %s/*%s: %s.",
			      sender->n_refused, sender->n_refused == 1 ? " was" : "s were", folder,
			      SPOOL_REFUSED, or_nothing(sender->refused_words));
	if (sender->n_left)
		message_error("push",
			      "%u request%s stay%s in '%s': %s. 'dendro push --to' with the same "
			      "URL, and no file, sends them later.",
			      sender->n_left, plural(sender->n_left),
			      sender->n_left == 1 ? "s" : "", folder,
			      or_nothing(sender->stop_words));
	return sender->n_refused || sender->n_left || sender->n_rejected || sender->n_broken;
}

static int run(struct sender *sender)
{
	_cleanup_free_ char *error = NULL;

	if (spool_open(&sender->spool, sender->spool_path, SPOOL_SEND, &error)) {
		spool_close(&sender->spool);
		return message_error("push", "%s", error ? error : "there is not enough memory.");
	}
	int status = transfer_init(&sender->transfer, &sender->options)
			     ? message_error_of_memory("push")
			     : 0;
	if (!status) {
		send_files(sender);
		status = tell(sender);
	}
	transfer_deinit(&sender->transfer);
	spool_close(&sender->spool);
	free(sender->text.bytes);
	free(sender->refused_words);
	free(sender->rejected_words);
	free(sender->stop_words);
	return status;
}

int main(int argc, char **argv)
{
	static struct sender sender; /* large */
	char token[TOKEN_MAX];

	prctl(PR_SET_PDEATHSIG, SIGTERM); /* with dendro push */
	if (!take_options(&sender, argc, argv))
		return EXIT_WRONG_USE;
	if (check_options(&sender))
		return 1;
	if (sender.token_file && read_token(&sender, token))
		return 1;
	if (sender.token_file)
		sender.options.token = token;
	return run(&sender);
}
