#include "collector/database/db_connection.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/push/send_program.h"

static int fail(int err, char **error_ret, const char *text)
{
	*error_ret = sentence("%s", text);
	return err;
}

/* -- the program ---------------------------------------------------------------------------- */

/* Pipes to and from the program: [0] is read from. -1: not open. */
struct pipes {
	int to[2], from[2];
};

static void close_pipes(struct pipes *pipes)
{
	int *const all[] = { &pipes->to[0], &pipes->to[1], &pipes->from[0], &pipes->from[1] };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static int spawn(char *program, char **arguments, const struct pipes *pipes, pid_t *pid_ret)
{
	posix_spawn_file_actions_t actions;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	int err = posix_spawn_file_actions_adddup2(&actions, pipes->to[0], STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, pipes->from[1], STDOUT_FILENO);
	if (!err)
		err = posix_spawn(pid_ret, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Takes its ends of the pipes. */
static int open_files(struct db_connection *connection, struct pipes *pipes)
{
	connection->to = fdopen(pipes->to[1], "w");
	if (connection->to)
		pipes->to[1] = -1;
	connection->from = fdopen(pipes->from[0], "r");
	if (connection->from)
		pipes->from[0] = -1;
	return connection->to && connection->from ? 0 : -ENOMEM;
}

static int start(struct db_connection *connection, char *program, char **arguments)
{
	struct pipes pipes = { { -1, -1 }, { -1, -1 } };
	int err = pipe2(pipes.to, O_CLOEXEC) || pipe2(pipes.from, O_CLOEXEC) ? -errno : 0;

	if (!err)
		err = spawn(program, arguments, &pipes, &connection->pid);
	if (!err)
		err = open_files(connection, &pipes);
	close_pipes(&pipes);
	return err;
}

/* -- the server ----------------------------------------------------------------------------- */

int db_target_parse(const char *url, struct push_target *target_ret, const char **reason_ret)
{
	int err = push_target_parse(url, target_ret, reason_ret);

	if (err || target_ret->protocol == PUSH_CLICKHOUSE)
		return err;
	push_target_deinit(target_ret);
	*reason_ret = "does not begin with clickhouse+https:// or clickhouse+http://";
	return -EINVAL;
}

static int connect_to(struct db_connection *connection, const char *command,
		      const struct db_options *options, const struct push_target *target,
		      char **error_ret)
{
	char *arguments[16] = { (char *)"dendro-send", (char *)"--query" };
	_cleanup_free_ char *program = send_program_find();
	/* The whole answer is made before it is sent, so that an error that comes late has its
	 * status. */
	_cleanup_free_ char *url = sentence("%s&wait_end_of_query=1", target->url);

	if (!program)
		return fail(-ENOENT, error_ret,
			    "The program dendro-send, which speaks with servers, is not beside "
			    "dendro: it is built where libcurl is installed.");
	if (!url)
		return -ENOMEM;
	send_program_add(arguments, "--command", command);
	send_program_add(arguments, "--url", url);
	send_program_add(arguments, "--user", target->user);
	send_program_add(arguments, "--token-file", options->token_file);
	send_program_add(arguments, "--ca-file", options->ca_file);
	int err = start(connection, program, arguments);
	if (err)
		*error_ret = sentence("%s can't be run: %s.", program, strerror(-err));
	return err;
}

int db_connection_open(struct db_connection *connection, const char *command,
		       const struct db_options *options, char **error_ret)
{
	struct push_target target = { 0 };

	const char *reason;

	*connection = (struct db_connection){ 0 };
	*error_ret = NULL;
	int err = db_target_parse(options->url, &target, &reason);
	if (err)
		return err;
	signal(SIGPIPE, SIG_IGN); /* the program may end before it has read a query */
	err = connect_to(connection, command, options, &target, error_ret);
	push_target_deinit(&target);
	return err;
}

void db_connection_close(struct db_connection *connection)
{
	if (connection->answer)
		fclose(connection->answer);
	block_stream_deinit(&connection->blocks);
	if (connection->to)
		fclose(connection->to);
	if (connection->from)
		fclose(connection->from);
	while (connection->pid && waitpid(connection->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*connection = (struct db_connection){ 0 };
}

static void close_kept(struct db_options *options)
{
	db_connection_close(options->connection);
	free(options->connection);
	options->connection = NULL;
	options->close = NULL;
}

int db_connection_keep(struct db_options *options, const char *command, char **error_ret)
{
	*error_ret = NULL;
	options->connection = malloc(sizeof(*options->connection));
	if (!options->connection)
		return -ENOMEM;
	options->close = close_kept;
	return db_connection_open(options->connection, command, options, error_ret);
}

/* -- queries -------------------------------------------------------------------------------- */

int db_connection_ask(struct db_connection *connection, const char *query, FILE **answer_ret,
		      char **error_ret)
{
	*error_ret = NULL;
	if (!blocks_write(connection->to, query, strlen(query)) ||
	    !blocks_end(connection->to, NULL))
		return fail(-EPIPE, error_ret, "The server was not asked.");
	connection->blocks = (struct block_stream){ .from = connection->from };
	connection->answer = block_stream_open(&connection->blocks);
	*answer_ret = connection->answer;
	return connection->answer ? 0 : -ENOMEM;
}

int db_connection_end(struct db_connection *connection, char **error_ret)
{
	const bool is_whole = connection->blocks.is_whole;
	const char *words = connection->blocks.words;
	const size_t size = words ? strlen(words) : 0;

	*error_ret = NULL;
	if (!is_whole && size)
		*error_ret = sentence("%c%s%s", toupper((unsigned char)*words), words + 1,
				      strchr("?.", words[size - 1]) ? "" : ".");
	else if (!is_whole)
		*error_ret = sentence("The answer of the server is not complete.");
	fclose(steal_ptr(connection->answer));
	block_stream_deinit(&connection->blocks);
	connection->blocks = (struct block_stream){ 0 };
	return is_whole ? 0 : -EIO;
}
