/*
 * dendro-send: sends the requests in a spool for one URL, the oldest first, and removes those that
 * the server has taken. dendro push runs it, and says what its options mean. With --query, it sends
 * queries to a database instead, for commands that read profiles from there.
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
#include "cct/base/sentence.h"
#include "collector/command-line/messages.h"
#include "collector/push/known_keys.h"
#include "collector/push/request_body.h"
#include "collector/push/send_program.h"
#include "collector/push/spool.h"
#include "collector/send/database.h"
#include "collector/send/fetch.h"

#define TOKEN_MAX    8192
#define FIRST_WAIT   (NSEC_PER_SEC / 2)
#define LONGEST_WAIT (30 * NSEC_PER_SEC)
#define FAILED_MAX   2

/* What it was run for. */
enum purpose { TO_SEND, TO_CHECK, TO_CREATE, TO_ASK };

struct sender {
	const char *command; /* which messages name */
	enum purpose purpose;
	const char *spool_path, *url, *token_file;
	struct database database; /* ->name NULL: the server is not a database */
	bool is_checked;          /* the database has the tables */
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
/* Where the text of an option goes; NULL: it has none. */
static const char **text_of(struct sender *sender, int letter)
{
	switch (letter) {
	case 'w':
		return &sender->command;
	case 's':
		return &sender->spool_path;
	case 'u':
		return &sender->url;
	case 'n':
		return &sender->options.user;
	case 't':
		return &sender->token_file;
	case 'c':
		return &sender->options.ca_file;
	case 'o':
		return &sender->options.tenant;
	case 'd':
		return &sender->database.name;
	case 'l':
		return &sender->database.cluster;
	default:
		return NULL;
	}
}

/* An option without a text. false: it is unknown, or its number is malformed. */
static bool take_option(struct sender *sender, int letter)
{
	switch (letter) {
	case 'q':
		sender->purpose = TO_ASK;
		return true;
	case 'k':
		sender->purpose = TO_CHECK;
		return true;
	case 'm':
		sender->purpose = TO_CREATE;
		return true;
	case 'i':
		sender->is_quiet = true;
		return true;
	case 'r':
		return numbers_parse(optarg, UINT64_MAX, &sender->retry_ns) == 0;
	default:
		return false;
	}
}

static bool take_options(struct sender *sender, int argc, char **argv)
{
	static const struct option options[] = {
		{ "command", required_argument, NULL, 'w' },
		{ "query", no_argument, NULL, 'q' },
		{ "spool", required_argument, NULL, 's' },
		{ "url", required_argument, NULL, 'u' },
		{ "user", required_argument, NULL, 'n' },
		{ "token-file", required_argument, NULL, 't' },
		{ "ca-file", required_argument, NULL, 'c' },
		{ "tenant", required_argument, NULL, 'o' },
		{ "retry-ns", required_argument, NULL, 'r' },
		{ "quiet", required_argument, NULL, 'i' },
		{ "database", required_argument, NULL, 'd' },
		{ "cluster", required_argument, NULL, 'l' },
		{ "check", no_argument, NULL, 'k' },
		{ "create-tables", no_argument, NULL, 'm' },
		{ 0 },
	};
	bool is_right = true;
	int letter;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		const char **text = text_of(sender, letter);

		if (text)
			*text = optarg;
		else
			is_right &= take_option(sender, letter);
	}
	sender->database.url = sender->url;
	if (sender->purpose == TO_SEND && !sender->spool_path)
		is_right = false;
	if ((sender->purpose == TO_CHECK || sender->purpose == TO_CREATE) && !sender->database.name)
		is_right = false;
	if (is_right && sender->url && optind == argc)
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
		return message_error_of_file(sender->command, path, strerror(errno));
	token[size] = '\0';
	token[strcspn(token, "\r\n")] = '\0';
	if (!token[0] || !is_header_text(token))
		return message_error_of_file(sender->command, path,
					     "its first line is no token: letters, digits and "
					     "signs, no spaces of other kinds");
	if (st.st_mode & 0077)
		message_note(sender->command, "others may read the token in '%s': chmod 600 it.",
			     path);
	if (strncmp(sender->url, "http://", strlen("http://")) == 0 &&
	    strncmp(sender->url, "http://127.", strlen("http://127.")) != 0 &&
	    strncmp(sender->url, "http://localhost", strlen("http://localhost")) != 0)
		message_note(sender->command,
			     "the token is not encrypted on its way: https would do it.");
	return 0;
}

/* Likewise. */
static int check_options(const struct sender *sender)
{
	const struct transfer_options *options = &sender->options;

	if (options->tenant && !is_header_text(options->tenant))
		return message_error(sender->command,
				     "--tenant has characters that no header has.");
	if (options->user && !sender->token_file)
		return message_error(sender->command,
				     "the URL has a user: name the file of the password "
				     "with --token-file.");
	if (options->ca_file && access(options->ca_file, R_OK))
		return message_error_of_file(sender->command, options->ca_file, strerror(errno));
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

/* -- databases ------------------------------------------------------------------------------ */

/* PUSH_TAKEN: the database's answer is the number *@n_ret. */
static enum push_verdict ask(struct sender *sender, const char *query, const char *id,
			     uint64_t *n_ret, char **words_ret)
{
	const enum push_verdict verdict =
		transfer_ask(&sender->transfer, sender->url, query, id, words_ret);
	char *answer = sender->transfer.body;

	*n_ret = 0;
	if (verdict != PUSH_TAKEN)
		return verdict == PUSH_STOP ? PUSH_STOP : PUSH_LATER;
	answer[strcspn(answer, "\n")] = '\0';
	if (numbers_parse(answer, UINT64_MAX, n_ret)) {
		*words_ret = strdup("the server's answer to a query is not a number");
		return PUSH_STOP;
	}
	return PUSH_TAKEN;
}

/* Servers know the tokens of as many insertions as a table can take in much more than this. */
#define TOKEN_NS (10 * 60 * NSEC_PER_SEC)

static uint64_t since_1970_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/*
 * Whether to ask the database for the samples themselves. @sent_ns: when the request was first
 * sent, by whatever process, without an answer; 0: never. Where a token tells the server what it
 * has, the request is sent again instead: a server that was killed may have the samples without
 * their sums, and adds what it lacks. A time that is still to come is that of a clock that was set.
 */
static bool asks_for_samples(const struct sender *sender, uint64_t sent_ns)
{
	const uint64_t now = since_1970_ns();
	const bool is_recent = sent_ns <= now && now - sent_ns < TOKEN_NS;

	return sent_ns && !(sender->transfer.has_tokens && is_recent);
}

#define HAS_A_PART 2 /* the answer of spool_request.complete */

/*
 * Whether the database has what is in the request, which may have been sent before, or be of a
 * profile that was pushed twice: PUSH_TAKEN with *@is_there_ret, or why nothing is to be sent now.
 * Queries have the id of the request, so that the server refuses them while it is still at work on
 * that one.
 */
static enum push_verdict look_for(struct sender *sender, const struct spool_request *request,
				  uint64_t sent_ns, bool *is_there_ret, char **words_ret)
{
	enum push_verdict verdict = PUSH_TAKEN;
	uint64_t n = 0;

	if (request->complete)
		verdict = ask(sender, request->complete, request->id, &n, words_ret);
	if (verdict == PUSH_TAKEN && request->complete && n == HAS_A_PART) {
		*words_ret = strdup("a part of its time is there, from other files of the agent, "
				    "and would count twice");
		return PUSH_REFUSED;
	}
	if (verdict == PUSH_TAKEN && !n && request->ask && asks_for_samples(sender, sent_ns))
		verdict = ask(sender, request->ask, request->id, &n, words_ret);
	*is_there_ret = n > 0;
	return verdict;
}

/* Sends it as the server takes it: rows are compressed by zstd, which servers of before 2021 don't
 * know. */
static enum push_verdict transfer(struct sender *sender, const struct spool_request *request,
				  uint64_t *wait_s_ret, char **words_ret)
{
	const bool is_known = !request->encoding || strcmp(request->encoding, REQUEST_ZSTD) != 0 ||
			      sender->transfer.takes_zstd;
	struct spool_request sent = *request;
	struct request_body body = { 0 };
	enum push_verdict verdict = PUSH_REFUSED;
	uint64_t n_rejected = 0;
	const int err = is_known ? 0 : request_body_repack(&body, request->body, request->size);

	if (!is_known) {
		sent.encoding = REQUEST_GZIP;
		sent.body = body.bytes;
		sent.size = body.size;
	}
	if (err)
		*words_ret = sentence("its rows can't be read: %s", strerror(-err));
	else
		verdict =
			transfer_run(&sender->transfer, &sent, wait_s_ret, words_ret, &n_rejected);
	free(body.bytes);
	sender->n_bytes += verdict == PUSH_TAKEN ? sent.size : 0;
	sender->n_rejected += n_rejected;
	return verdict;
}

/* *@sent_ns: as of asks_for_samples(). */
static enum push_verdict try_request(struct sender *sender, const struct spool_request *request,
				     uint64_t *sent_ns, uint64_t *wait_s_ret, char **words_ret)
{
	enum push_verdict verdict = PUSH_TAKEN;
	bool is_there = false;

	*wait_s_ret = 0;
	*words_ret = NULL;
	if (sender->database.name && !sender->is_checked)
		verdict = database_check(&sender->database, &sender->transfer, words_ret);
	if (verdict != PUSH_TAKEN)
		return verdict;
	sender->is_checked = true;
	verdict = look_for(sender, request, *sent_ns, &is_there, words_ret);
	if (verdict != PUSH_TAKEN || is_there)
		return verdict;
	const uint64_t begin_ns = since_1970_ns();
	verdict = transfer(sender, request, wait_s_ret, words_ret);
	if ((verdict == PUSH_LATER || verdict == PUSH_FAILED) && !*sent_ns)
		*sent_ns = begin_ns;
	return verdict;
}

/* Until the server has decided, or there is no more time. */
static enum push_verdict send_request(struct sender *sender, const struct spool_file *file,
				      const struct spool_request *request, char **words_ret)
{
	uint64_t sent_ns = spool_sent_ns(&sender->spool, file), wait_s;

	if (request->ask && !sent_ns && spool_note_sent(&sender->spool, file)) {
		*words_ret = strdup("the spool can't be written to");
		return PUSH_STOP;
	}
	for (unsigned n_tries = 0;; n_tries++) {
		const enum push_verdict verdict =
			try_request(sender, request, &sent_ns, &wait_s, words_ret);
		const uint64_t asked = wait_s < UINT32_MAX ? wait_s * NSEC_PER_SEC : UINT64_MAX / 2;
		const uint64_t own = backoff(n_tries), wait = asked > own ? asked : own;

		if ((verdict != PUSH_LATER && verdict != PUSH_FAILED) ||
		    now_ns() + wait > sender->progress_ns + sender->retry_ns)
			return verdict;
		free(*words_ret);
		sleep_for(wait);
	}
}

/* What is in the request is known to be in the database from now on. */
static void note_keys(const struct sender *sender, const struct spool_request *request)
{
	if (request->n_keys && sender->database.name)
		known_keys_note(sender->spool.fd, sender->database.id, request->keys,
				request->n_keys);
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
	const enum push_verdict verdict = send_request(sender, file, &request, &words);
	if (verdict == PUSH_TAKEN)
		note_keys(sender, &request);
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

static int send_spool(struct sender *sender)
{
	_cleanup_free_ char *error = NULL;
	int status;

	if (spool_open(&sender->spool, sender->spool_path, SPOOL_SEND, &error)) {
		status = message_error("push", "%s", error ? error : "there is not enough memory.");
	} else {
		send_files(sender);
		status = tell(sender);
	}
	spool_close(&sender->spool);
	return status;
}

/* Prints the database's identity. SEND_EXIT_AGAIN: the server can't say now. */
static int check_tables(struct sender *sender)
{
	_cleanup_free_ char *words = NULL;
	const enum push_verdict verdict =
		database_check(&sender->database, &sender->transfer, &words);

	if (verdict == PUSH_LATER || verdict == PUSH_FAILED)
		return SEND_EXIT_AGAIN;
	if (verdict != PUSH_TAKEN)
		return message_error("push", "%s.", or_nothing(words));
	printf("%s\n", sender->database.id);
	return fflush(stdout) ? 1 : 0;
}

static int create_tables(struct sender *sender)
{
	_cleanup_free_ char *words = NULL;
	unsigned n;

	if (database_create(&sender->database, &sender->transfer, &n, &words) != PUSH_TAKEN)
		return message_error("push", "cannot make the tables in database '%s': %s.",
				     sender->database.name, or_nothing(words));
	message_note("push",
		     n ? "database '%s' has the tables now." : "database '%s' has the tables.",
		     sender->database.name);
	return 0;
}

static int run(struct sender *sender)
{
	int status = transfer_init(&sender->transfer, &sender->options)
			     ? message_error_of_memory(sender->command)
			     : 0;

	if (!status)
		status = sender->purpose == TO_SEND    ? send_spool(sender)
			 : sender->purpose == TO_CHECK ? check_tables(sender)
			 : sender->purpose == TO_ASK   ? fetch_run(&sender->transfer, sender->url)
						       : create_tables(sender);
	transfer_deinit(&sender->transfer);
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

	prctl(PR_SET_PDEATHSIG, SIGTERM); /* with dendro */
	sender.command = "push";
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
