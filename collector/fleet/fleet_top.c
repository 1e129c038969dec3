#include "collector/fleet/fleet_top.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "collector/command-line/messages.h"
#include "collector/database/db_reading.h"

#define COSTS_MAX (1u << 20)
#define TEXTS_MAX 3

/* What a view's texts are, and whether it has days of hosts, and own costs. */
static const struct {
	const char *name, *texts[TEXTS_MAX];
	bool has_self;
} views[] = {
	[FLEET_FUNCTIONS] = { "functions", { "service", "function", "module" }, true },
	[FLEET_SERVICES] = { "services", { "service" }, false },
	[FLEET_BUILDS] = { "builds", { "service", "process", "build" }, false },
	[FLEET_KERNELS] = { "kernels", { "kernel" }, false },
	[FLEET_MOVED] = { "moved", { NULL }, false },
};

/* -- answers -------------------------------------------------------------------------------- */

static char *copy_text(struct row_binary *rows)
{
	char *copy = strdup(row_binary_text(rows));

	rows->lacks_memory |= !copy;
	return copy;
}

static int read_all(void *data, struct row_binary *rows)
{
	struct fleet_all *all = data;

	while (row_binary_next(rows)) {
		free(all->event);
		free(all->unit);
		all->event = copy_text(rows);
		all->unit = copy_text(rows);
		all->cost = row_binary_f64(rows);
		all->n_hosts = row_binary_u64(rows);
		all->n_services = row_binary_u64(rows);
		all->n_days = row_binary_u64(rows);
		if (!(all->cost >= 0) && !rows->wrong)
			rows->wrong = "it has an invalid cost";
	}
	return row_binary_err(rows);
}

static int read_costs(void *data, struct row_binary *rows)
{
	struct fleet_costs *costs = data;

	while (row_binary_next(rows)) {
		if (costs->n == COSTS_MAX || array_reserve_one(costs->rows, costs->n))
			return -ENOMEM;
		struct fleet_cost *row = &costs->rows[costs->n++];
		*row = (struct fleet_cost){ 0 };
		for (int i = 0; i < TEXTS_MAX; i++)
			row->texts[i] = copy_text(rows);
		row->self = row_binary_f64(rows);
		row->total = row_binary_f64(rows);
		row->n_hosts = row_binary_u64(rows);
		row->n_days = row_binary_u64(rows);
	}
	return row_binary_err(rows);
}

static void fleet_costs_deinit(struct fleet_costs *costs)
{
	for (size_t i = 0; i < costs->n; i++) {
		for (int k = 0; k < TEXTS_MAX; k++)
			free(costs->rows[i].texts[k]);
	}
	free(costs->rows);
}

static int read_days(void *data, struct row_binary *rows)
{
	return fleet_moved_read_days(data, rows);
}

static int read_day_costs(void *data, struct row_binary *rows)
{
	return fleet_moved_read_costs(data, rows);
}

static int read_names(void *data, struct row_binary *rows)
{
	return fleet_moved_read_names(data, rows);
}

/* -- writing -------------------------------------------------------------------------------- */

/* Time as seconds, other costs as they are. */
static void write_cost(double cost, const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		printf("%12.6g s", cost / 1e9);
	else
		printf("%12.6g ", cost);
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static void write_head(const struct db_options *options, const struct fleet_all *all)
{
	fputs("database  ", stdout);
	printable_put(stdout, options->title);
	fputs("\nevent     ", stdout);
	printable_put(stdout, all->event);
	putchar(',');
	write_cost(all->cost, all->unit);
	if (strcmp(all->unit, "ns") != 0)
		printable_put(stdout, all->unit);
	printf("\nfleet     %" PRIu64 " hosts, %" PRIu64 " services, %" PRIu64 " days of hosts\n\n",
	       all->n_hosts, all->n_services, all->n_days);
}

static void write_texts(char *const *texts, size_t n)
{
	for (size_t i = 0; i < n && texts[i]; i++) {
		fputs(i ? "  " : "", stdout);
		printable_put(stdout, *texts[i] ? texts[i] : "-");
	}
	putchar('\n');
}

static size_t n_texts_of(enum fleet_view view)
{
	size_t n = 0;

	while (n < TEXTS_MAX && views[view].texts[n])
		n++;
	return n;
}

static void write_costs_text(enum fleet_view view, const struct fleet_all *all,
			     const struct fleet_costs *costs)
{
	const bool has_self = views[view].has_self;

	fputs(has_self ? "   total     self  " : "   total      a host's day  hosts  ", stdout);
	write_texts((char *const *)views[view].texts, n_texts_of(view));
	for (size_t i = 0; i < costs->n; i++) {
		const struct fleet_cost *row = &costs->rows[i];

		printf("%7.2f%%  ", percent(row->total, all->cost));
		if (has_self) {
			printf("%6.2f%%  ", percent(row->self, all->cost));
		} else {
			write_cost(row->n_days ? row->total / (double)row->n_days : 0, all->unit);
			printf("  %5" PRIu64 "  ", row->n_hosts);
		}
		write_texts(row->texts, n_texts_of(view));
	}
}

static void write_json_texts(enum fleet_view view, const struct fleet_cost *row)
{
	for (size_t i = 0; i < n_texts_of(view); i++) {
		printf("%s\"%s\":", i ? "," : "", views[view].texts[i]);
		json_write_string(stdout, row->texts[i]);
	}
}

static void write_json_head(enum fleet_view view, const struct fleet_all *all)
{
	printf("{\"fleet_schema\":1,\n\"view\":\"%s\",\n\"event\":", views[view].name);
	json_write_string(stdout, all->event);
	fputs(",\"unit\":", stdout);
	json_write_string(stdout, all->unit);
	printf(",\n\"total\":%.17g,\"hosts\":%" PRIu64 ",\"services\":%" PRIu64
	       ",\"host_days\":%" PRIu64 ",\n",
	       all->cost, all->n_hosts, all->n_services, all->n_days);
}

static void write_costs_json(enum fleet_view view, const struct fleet_all *all,
			     const struct fleet_costs *costs)
{
	write_json_head(view, all);
	fputs("\"rows\":[", stdout);
	for (size_t i = 0; i < costs->n; i++) {
		const struct fleet_cost *row = &costs->rows[i];

		fputs(i ? ",\n{" : "\n{", stdout);
		write_json_texts(view, row);
		printf(",\"total\":%.17g", row->total);
		if (views[view].has_self)
			printf(",\"self\":%.17g}", row->self);
		else
			printf(",\"hosts\":%" PRIu64 ",\"host_days\":%" PRIu64 "}", row->n_hosts,
			       row->n_days);
	}
	fputs("\n]}\n", stdout);
}

static const char *text_or_unknown(const char *text)
{
	return text ? text : "[unknown]";
}

static double relative_of(const struct host_days_change *change)
{
	return change->before > 0 ? change->after / change->before - 1 : INFINITY;
}

/* How values are shown: shares in percent, costs in one unit for all rows. */
struct value_scale {
	double size; /* of the unit that is shown; of times, one that has three digits and more */
	const char *unit;
};

static struct value_scale scale_of(const struct fleet_moved *moved, const char *unit)
{
	static const struct value_scale times[] = {
		{ 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" }
	};
	struct value_scale scale = times[0];
	double largest = 0;

	if (!moved->has_per)
		return (struct value_scale){ 0.01, "%" };
	if (strcmp(unit, "ns") != 0)
		return (struct value_scale){ 1, unit };
	for (size_t i = 0; i < moved->n_rows; i++)
		largest = fmax(largest, moved->rows[i].change.after);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		scale = largest >= 100 * times[i].size ? times[i] : scale;
	return scale;
}

static void write_row(const struct fleet_row *row, const struct value_scale *scale)
{
	const struct host_days_change *change = &row->change;
	const double before = change->before / scale->size, after = change->after / scale->size;
	const char *sign = strcmp(scale->unit, "%") == 0 ? "%" : "";
	const int width = 8 - (int)strlen(sign);

	printf("%*.3f%s %*.3f%s  %+7.3f %7.3f  ", width, before, sign, width, after, sign,
	       after - before, sqrt(change->variance) / scale->size);
	if (isinf(relative_of(change)))
		fputs("    new  ", stdout);
	else
		printf("%+6.2f%%  ", 100 * relative_of(change));
	printf("%8.1e  ", row->q);
	printable_put(stdout, text_or_unknown(row->function));
	fputs("  ", stdout);
	printable_put(stdout, text_or_unknown(row->module));
	putchar('\n');
}

static void write_service(const struct fleet_service *service)
{
	printable_put(stdout, service->service);
	if (strcmp(service->service, service->process) != 0) {
		fputs(", ", stdout);
		printable_put(stdout, service->process);
	}
	fputs(": build ", stdout);
	printable_put(stdout, service->after);
	fputs(" after ", stdout);
	printable_put(stdout, service->before);
	printf(", on %zu hosts\n  before    after   change   error relative         q  function  "
	       "module\n",
	       service->days.n_changed);
}

/* What costs are, where they are no shares. */
static void write_divisor(const char *unit, const char *per)
{
	printable_put(stdout, unit);
	fputs(" for each of ", stdout);
	printable_put(stdout, per);
	fputs(" of the same service on the same day of a host\n\n", stdout);
}

/* Services whose builds could not be compared, and days that were left out. */
static void write_foot(const struct fleet_moved *moved)
{
	size_t n_compared = 0, n_short = 0, n_without = 0;

	for (size_t i = 0; moved->services && i < moved->n_services; i++) {
		n_compared += moved->services[i].is_compared;
		n_short += moved->services[i].n_short;
		n_without += moved->services[i].n_without;
	}
	printf("%s%zu services got a new build, of which %zu could be compared.\n",
	       moved->n_rows ? "\n" : "No function moved by more than chance.\n", moved->n_services,
	       n_compared);
	if (n_compared < moved->n_services)
		printf("The others got it on fewer than %d hosts, or on all hosts at once, which "
		       "no "
		       "day is told from.\n",
		       HOST_DAYS_MIN_HOSTS);
	if (n_short)
		printf("%zu days of hosts with few samples beside the others are left out.\n",
		       n_short);
	if (n_without)
		printf("%zu days of hosts without the event of --per are left out.\n", n_without);
}

static void write_moved_text(const struct fleet_moved *moved, const struct value_scale *scale)
{
	const struct fleet_service *last = NULL;

	for (size_t i = 0; moved->services && moved->rows && i < moved->n_rows; i++) {
		const struct fleet_service *service = &moved->services[moved->rows[i].service];

		if (service != last) {
			fputs(last ? "\n" : "", stdout);
			write_service(service);
		}
		last = service;
		write_row(&moved->rows[i], scale);
	}
	write_foot(moved);
}

static void write_json_row(const struct fleet_service *service, const struct fleet_row *row)
{
	const struct host_days_change *change = &row->change;

	fputs("\"service\":", stdout);
	json_write_string(stdout, service->service);
	fputs(",\"process\":", stdout);
	json_write_string(stdout, service->process);
	fputs(",\"build_before\":", stdout);
	json_write_string(stdout, service->before);
	fputs(",\"build_after\":", stdout);
	json_write_string(stdout, service->after);
	fputs(",\"function\":", stdout);
	json_write_string(stdout, text_or_unknown(row->function));
	fputs(",\"module\":", stdout);
	json_write_string(stdout, text_or_unknown(row->module));
	printf(",\"hosts\":%zu,\"before\":%.9g,\"after\":%.9g,\"error\":%.9g,\"q\":%.9g}",
	       service->days.n_changed, change->before, change->after, sqrt(change->variance),
	       row->q);
}

static void write_moved_json(const struct fleet_all *all, const struct fleet_question *question,
			     const struct fleet_moved *moved)
{
	size_t n_compared = 0;

	for (size_t i = 0; moved->services && i < moved->n_services; i++)
		n_compared += moved->services[i].is_compared;
	write_json_head(FLEET_MOVED, all);
	if (question->per) {
		fputs("\"per\":", stdout);
		json_write_string(stdout, question->per);
		fputs(",\n", stdout);
	}
	printf("\"changed\":%zu,\"compared\":%zu,\n\"rows\":[", moved->n_services, n_compared);
	for (size_t i = 0; moved->services && moved->rows && i < moved->n_rows; i++) {
		fputs(i ? ",\n{" : "\n{", stdout);
		write_json_row(&moved->services[moved->rows[i].service], &moved->rows[i]);
	}
	fputs("\n]}\n", stdout);
}

/* -- views ---------------------------------------------------------------------------------- */

static int show_moved(struct db_connection *connection, const struct db_options *options,
		      const struct fleet_question *question, const struct fleet_all *all,
		      enum fleet_format format, char **error_ret)
{
	_cleanup_free_ char *days = fleet_query_of_days(question, all->event);
	_cleanup_free_ char *costs = fleet_query_of_day_costs(question, all->event);
	struct fleet_moved moved = { .has_per = question->per };
	int err = db_reading_ask(connection, days, read_days, &moved, error_ret);

	if (!err && moved.n_services)
		err = db_reading_ask(connection, costs, read_day_costs, &moved, error_ret);
	if (!err)
		err = fleet_moved_judge(&moved);
	if (!err && moved.n_rows) {
		_cleanup_free_ char *keys = fleet_moved_keys(&moved);
		_cleanup_free_ char *names =
			keys ? fleet_query_of_names(question, all->event, keys) : NULL;

		err = db_reading_ask(connection, names, read_names, &moved, error_ret);
	}
	if (!err && format == FLEET_JSON) {
		write_moved_json(all, question, &moved);
	} else if (!err) {
		const struct value_scale scale = scale_of(&moved, all->unit);

		write_head(options, all);
		if (question->per)
			write_divisor(scale.unit, question->per);
		write_moved_text(&moved, &scale);
	}
	fleet_moved_deinit(&moved);
	return err;
}

static int show_costs(struct db_connection *connection, const struct db_options *options,
		      const struct fleet_question *question, const struct fleet_all *all,
		      enum fleet_format format, char **error_ret)
{
	_cleanup_free_ char *query = fleet_query_of_rows(question, all->event);
	struct fleet_costs costs = { 0 };
	int err = db_reading_ask(connection, query, read_costs, &costs, error_ret);

	if (!err && format == FLEET_JSON) {
		write_costs_json(question->view, all, &costs);
	} else if (!err) {
		write_head(options, all);
		write_costs_text(question->view, all, &costs);
	}
	fleet_costs_deinit(&costs);
	return err;
}

static int show(struct db_connection *connection, const struct db_options *options,
		const struct fleet_question *question, enum fleet_format format, char **error_ret)
{
	_cleanup_free_ char *query = fleet_query_of_all(question);
	struct fleet_all all = { 0 };
	int err = db_reading_ask(connection, query, read_all, &all, error_ret);

	if (!err && !all.event)
		err = message_error("fleet", "the database has no such samples: it may have other "
					     "services, events or times.");
	else if (!err && question->view == FLEET_MOVED)
		err = show_moved(connection, options, question, &all, format, error_ret);
	else if (!err)
		err = show_costs(connection, options, question, &all, format, error_ret);
	free(all.event);
	free(all.unit);
	return err;
}

int fleet_top_show(const struct db_options *options, const struct fleet_question *question,
		   enum fleet_format format)
{
	_cleanup_free_ char *error = NULL;
	int err = show(options->connection, options, question, format, &error);

	if (err < 0)
		return message_error_of_file("fleet", options->title,
					     error ? error : strerror(-err));
	if (!err)
		err = stream_finish(stdout);
	return err && err != -EPIPE;
}
