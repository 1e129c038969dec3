#include "collector/fleet/from_database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "collector/agent/recorded_range.h"
#include "collector/command-line/messages.h"
#include "collector/database/db_connection.h"

#define DEFAULT_FROM "-1h"

char *from_database_title(const char *url, const char *where, const struct time_span *span)
{
	char times[RECORDED_RANGE_TITLE_SIZE];
	_cleanup_free_ char *text = printable_copy(where ? where : "all services");
	struct push_target target;
	const char *reason;

	if (!text || db_target_parse(url, &target, &reason))
		return NULL;
	recorded_range_write_title(span, times);
	char *title = sentence("%.*s%s, %s, %s", (int)strcspn(target.url, "?"), target.url,
			       target.database, text, times);
	push_target_deinit(&target);
	return title;
}

int from_database_find_time(const struct report_options *options, const char *from_option,
			    const char *from, const char *to, struct time_span *span_ret)
{
	return recorded_range_parse(options->command, from_option, from ? from : DEFAULT_FROM, to,
				    span_ret);
}

/* What samples have that a database does not keep. NULL: no option needs more. */
static const char *find_unknown(const struct report_options *options)
{
	const struct filter_options *filter = &options->filter;

	if (filter->time.is_given)
		return "--time";
	if (filter->pids.n || filter->tids.n)
		return filter->pids.n ? "--pid" : "--tid";
	if (filter->cpus.n)
		return "--cpu";
	if (filter->cgroups.n || filter->phases.n || filter->epochs.n)
		return filter->cgroups.n ? "--cgroup" : filter->phases.n ? "--phase" : "--epoch";
	if (filter->split)
		return "--split";
	if (options->view.each_cpu)
		return "--each cpu";
	if (options->files.symfs || options->files.asks_debuginfod)
		return options->files.symfs ? "--symfs" : "--debuginfod";
	if (options->has_code)
		return "--source";
	return options->follows ? "--follow" : options->symbolizer.vmlinux ? "--vmlinux" : NULL;
}

/* It is not shown: it may have a password. */
static int check_url(const struct report_options *options)
{
	struct push_target target;
	const char *reason;
	const int err = db_target_parse(options->files.db.url, &target, &reason);

	if (err == -ENOMEM)
		return message_error_of_memory(options->command);
	if (err)
		return message_wrong_use(options->command, "the URL of --from-db %s.", reason);
	push_target_deinit(&target);
	return 0;
}

static int check_view(const struct report_options *options)
{
	static const enum view_kind unknown[] = { VIEW_THREADS, VIEW_CPUS, VIEW_CGROUPS,
						  VIEW_PHASES, VIEW_EPOCHS };

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (options->view.kind == unknown[i])
			return message_wrong_use(options->command,
						 "a database has costs by process and call path, "
						 "not by thread, CPU, cgroup, phase or epoch.");
	}
	return 0;
}

int from_database_check(const struct report_options *options, const struct parsed_line *parsed)
{
	const char *unknown = find_unknown(options);

	if (parsed->n_operands || options->path != file_options_default)
		return message_wrong_use(options->command,
					 "--from-db reads a database: name no file.");
	if (unknown)
		return message_wrong_use(options->command,
					 "%s needs what a database does not keep: leave it out, or "
					 "name files.",
					 unknown);
	if (options->filter.where.n > 1)
		return message_wrong_use(options->command,
					 "of --from-db, --where is one condition in SQL: write "
					 "'and' between its parts.");
	const int status = check_url(options);
	return status ? status : check_view(options);
}

static int take_files(struct report_options *options, const struct parsed_line *parsed)
{
	const struct db_options *db = &options->files.db;

	report_options_take_operands(options, parsed);
	if (db->token_file || db->ca_file)
		return message_wrong_use(options->command, "%s needs --from-db.",
					 db->token_file ? "--token-file" : "--ca-file");
	return filter_options_take_where(options->command, &options->filter);
}

int from_database_connect(struct report_options *options, const char *title)
{
	_cleanup_free_ char *error = NULL;
	const int err = db_connection_keep(&options->files.db, options->command, &error);

	return err ? message_error_of_file(options->command, title, error ? error : strerror(-err))
		   : 0;
}

int from_database_take(struct report_options *options, const struct parsed_line *parsed)
{
	struct db_options *db = &options->files.db;

	if (!db->url)
		return take_files(options, parsed);
	int status = from_database_check(options, parsed);
	if (!status)
		status = from_database_find_time(options, "--from", options->from, options->to,
						 &db->span);
	if (status)
		return status;
	if (options->filter.where.n)
		db->where = options->filter.where.names[0];
	db->title = from_database_title(db->url, db->where, &db->span);
	if (!db->title)
		return message_error_of_memory(options->command);
	options->path = db->title;
	options->paths = &options->path;
	options->n_paths = 1;
	return from_database_connect(options, db->title);
}
