#include "collector/fleet/fleet_moved.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/text/string_ids.h"

#define DAYS_MAX (1u << 24) /* of hosts, of all services */
#define ROWS_MAX (1u << 24)
/* A day of a host counts if it has so much of the samples that half of the days have. */
#define SHORT_DAY 0.1

/* A day of a host with a build. Texts are owned. */
struct fleet_day {
	uint64_t key;
	char *host, *build;
	uint32_t day; /* since 1970 */
	struct diff_cost cost, per;
};

static void service_deinit(struct fleet_service *service)
{
	for (size_t i = 0; i < service->n_all; i++) {
		free(service->all[i].host);
		free(service->all[i].build);
	}
	free(service->all);
	free(service->service);
	free(service->process);
	free(service->before);
	free(service->after);
	free(service->units);
	host_days_deinit(&service->days);
}

void fleet_moved_deinit(struct fleet_moved *moved)
{
	for (size_t i = 0; i < moved->n_services; i++)
		service_deinit(&moved->services[i]);
	free(moved->services);
	for (size_t i = 0; i < moved->n_rows; i++) {
		free(moved->rows[i].function);
		free(moved->rows[i].module);
	}
	free(moved->rows);
	pair_map_deinit(&moved->units);
}

static int refuse(struct row_binary *rows, const char *wrong)
{
	if (!rows->wrong)
		rows->wrong = wrong;
	return row_binary_err(rows);
}

/* -- days of hosts -------------------------------------------------------------------------- */

static char *copy_text(struct row_binary *rows)
{
	char *copy = strdup(row_binary_text(rows));

	rows->lacks_memory |= !copy;
	return copy;
}

/* The service that the row is of, which is the last one or a new one. NULL: no memory. */
static struct fleet_service *enter_service(struct fleet_moved *moved, uint64_t key)
{
	struct fleet_service *services = moved->services;

	if (services && services[moved->n_services - 1].key == key)
		return &services[moved->n_services - 1];
	if (array_reserve_one(services, moved->n_services) || !services)
		return NULL;
	moved->services = services;
	services[moved->n_services] = (struct fleet_service){ .key = key };
	return &services[moved->n_services++];
}

static struct diff_cost read_sum(struct row_binary *rows)
{
	struct diff_cost sum = { .samples = row_binary_u64(rows) };

	sum.weight = row_binary_u64(rows);
	sum.squares = row_binary_f64(rows);
	if (!isfinite(sum.squares) || sum.squares < 0)
		refuse(rows, "it has an invalid sum of squares");
	return sum;
}

static int read_day(struct fleet_moved *moved, struct row_binary *rows)
{
	struct fleet_service *service = enter_service(moved, row_binary_u64(rows));

	if (!service || array_reserve_one(service->all, service->n_all))
		return -ENOMEM;
	struct fleet_day *day = &service->all[service->n_all++];
	*day = (struct fleet_day){ .key = row_binary_u64(rows) };
	char *of_service = copy_text(rows), *of_process = copy_text(rows);
	day->host = copy_text(rows);
	day->day = row_binary_u32(rows);
	day->build = copy_text(rows);
	day->cost = read_sum(rows);
	day->per = read_sum(rows);
	if (service->service) {
		free(of_service);
		free(of_process);
		return row_binary_err(rows);
	}
	service->service = of_service;
	service->process = of_process;
	return row_binary_err(rows);
}

/* -- the two builds of a service ------------------------------------------------------------ */

/* When each build came, and how much of it there is. */
struct build {
	const char *name;
	uint32_t first_day;
};

/* Of the builds, by number in @ids. */
static void find_first_days(const struct fleet_service *service, const struct string_ids *ids,
			    struct build *builds)
{
	for (uint32_t i = 0; i < ids->n_strings; i++)
		builds[i] = (struct build){ .name = ids->strings[i], .first_day = UINT32_MAX };
	for (size_t i = 0; i < service->n_all; i++) {
		struct build *build = &builds[string_ids_find(ids, service->all[i].build)];

		if (service->all[i].day < build->first_day)
			build->first_day = service->all[i].day;
	}
}

static int compare_builds(const void *a, const void *b)
{
	const struct build *x = a, *y = b;

	if (x->first_day != y->first_day)
		return x->first_day < y->first_day ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The last one that came, and the one before. 0 or -ENOMEM. */
static int choose_builds(struct fleet_service *service)
{
	struct string_ids ids = { 0 };
	struct build *builds = NULL;
	int err = 0;
	uint32_t id;
	bool is_new;

	for (size_t i = 0; i < service->n_all && !err; i++)
		err = string_ids_add(&ids, service->all[i].build, &id, &is_new);
	if (!err)
		builds = calloc((size_t)ids.n_strings + 1, sizeof(*builds));
	if (builds) {
		find_first_days(service, &ids, builds);
		qsort(builds, ids.n_strings, sizeof(*builds), compare_builds);
	}
	if (builds && ids.n_strings > 1) {
		service->before = strdup(builds[ids.n_strings - 2].name);
		service->after = strdup(builds[ids.n_strings - 1].name);
	}
	err = builds && (ids.n_strings < 2 || (service->before && service->after)) ? 0 : -ENOMEM;
	free(builds);
	string_ids_deinit(&ids);
	return err;
}

static int compare_samples(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_of_both(const struct fleet_service *service, const struct fleet_day *day)
{
	return service->after && (strcmp(day->build, service->before) == 0 ||
				  strcmp(day->build, service->after) == 0);
}

/* The samples that half of the days have. 0 or -ENOMEM. */
static int find_median(const struct fleet_service *service, uint64_t *median_ret)
{
	_cleanup_free_ uint64_t *samples = calloc(service->n_all + 1, sizeof(*samples));
	size_t n = 0;

	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < service->n_all; i++) {
		if (is_of_both(service, &service->all[i]))
			samples[n++] = service->all[i].cost.samples;
	}
	qsort(samples, n, sizeof(*samples), compare_samples);
	*median_ret = n ? samples[n / 2] : 0;
	return 0;
}

/* A number for a host or a day that has none yet. 0 or -ENOMEM. */
static int number_of(struct pair_map *map, uint64_t a, uint32_t *n, uint32_t *number_ret)
{
	*number_ret = pair_map_find(map, a, 0);
	if (*number_ret != PAIR_MAP_NONE)
		return 0;
	*number_ret = (*n)++;
	return pair_map_add(map, a, 0, *number_ret);
}

static int add_unit(struct fleet_moved *moved, struct fleet_service *service,
		    const struct fleet_day *day, uint32_t host, uint32_t number)
{
	if (pair_map_find(&moved->units, service->key, day->key) != PAIR_MAP_NONE)
		return 0;
	if (pair_map_add(&moved->units, service->key, day->key, (uint32_t)service->n_units))
		return -ENOMEM;
	service->units[service->n_units++] = (struct host_day){
		.host = host,
		.day = number,
		.is_after = strcmp(day->build, service->after) == 0,
		.cost = day->cost,
		.per = moved->has_per ? day->per : (struct diff_cost){ 0 },
	};
	return 0;
}

static int add_units(struct fleet_moved *moved, struct fleet_service *service, uint64_t median)
{
	struct string_ids hosts = { 0 };
	struct pair_map days = { 0 };
	uint32_t n_days = 0, host, number;
	bool is_new;
	int err = 0;

	for (size_t i = 0; i < service->n_all && !err; i++) {
		const struct fleet_day *day = &service->all[i];

		if (!is_of_both(service, day))
			continue;
		if (!day->cost.weight || !day->cost.samples ||
		    (double)day->cost.samples < SHORT_DAY * (double)median) {
			service->n_short++;
			continue;
		}
		if (moved->has_per && !day->per.weight) {
			service->n_without++;
			continue;
		}
		err = string_ids_add(&hosts, day->host, &host, &is_new);
		if (!err)
			err = number_of(&days, day->day, &n_days, &number);
		if (!err)
			err = add_unit(moved, service, day, host, number);
	}
	string_ids_deinit(&hosts);
	pair_map_deinit(&days);
	return err;
}

static int prepare(struct fleet_moved *moved, struct fleet_service *service)
{
	uint64_t median;
	int err = choose_builds(service);

	service->units = calloc(service->n_all + 1, sizeof(*service->units));
	if (!err && !service->units)
		err = -ENOMEM;
	if (!err)
		err = find_median(service, &median);
	if (!err)
		err = add_units(moved, service, median);
	if (!err)
		err = host_days_init(&service->days, service->units, service->n_units);
	service->is_compared = !err;
	return err == -ENODATA ? 0 : err;
}

int fleet_moved_read_days(struct fleet_moved *moved, struct row_binary *rows)
{
	size_t n = 0;
	int err = 0;

	for (; !err && row_binary_next(rows); n++)
		err = n < DAYS_MAX ? read_day(moved, rows)
				   : refuse(rows, "it has more days of hosts than can be compared: "
						  "choose fewer services");
	if (!err)
		err = row_binary_err(rows);
	for (size_t i = 0; i < moved->n_services && !err; i++)
		err = prepare(moved, &moved->services[i]);
	return err;
}

/* -- costs of functions --------------------------------------------------------------------- */

/* The function at hand: its costs on each day of a host. */
struct measuring {
	struct fleet_moved *moved;
	size_t service;
	uint64_t key;
	bool has_costs;
	struct diff_cost *costs; /* [unit], of the service with most */
};

static int finish_function(struct measuring *measuring)
{
	struct fleet_moved *moved = measuring->moved;
	struct fleet_service *service = &moved->services[measuring->service];

	if (!measuring->has_costs)
		return 0;
	if (moved->n_rows == ROWS_MAX ||
	    array_reserve(moved->rows, moved->n_rows, moved->n_rows_allocated, 1))
		return -ENOMEM;
	struct fleet_row *row = &moved->rows[moved->n_rows++];
	*row = (struct fleet_row){ .service = (uint32_t)measuring->service,
				   .key = measuring->key,
				   .q = NAN };
	host_days_measure(&service->days, measuring->costs, &row->change);
	if (!service->n_rows)
		service->first_row = moved->n_rows - 1;
	service->n_rows++;
	memset(measuring->costs, 0, service->n_units * sizeof(*measuring->costs));
	measuring->has_costs = false;
	return 0;
}

/* Of services that are not compared, none. Rows are sorted by the services' keys, as these are. */
static struct fleet_service *find_service(struct measuring *measuring, uint64_t key)
{
	struct fleet_moved *moved = measuring->moved;

	while (measuring->service < moved->n_services &&
	       moved->services[measuring->service].key != key)
		measuring->service++;
	return measuring->service < moved->n_services ? &moved->services[measuring->service] : NULL;
}

static int read_cost(struct measuring *measuring, struct row_binary *rows)
{
	const uint64_t service_key = row_binary_u64(rows), key = row_binary_u64(rows);
	const uint64_t day_key = row_binary_u64(rows);
	struct diff_cost cost = { .samples = row_binary_u64(rows) };
	struct fleet_moved *moved = measuring->moved;

	cost.weight = row_binary_u64(rows);
	if (measuring->has_costs &&
	    (key != measuring->key || service_key != moved->services[measuring->service].key) &&
	    finish_function(measuring))
		return -ENOMEM;
	const struct fleet_service *service = find_service(measuring, service_key);
	if (!service)
		return refuse(rows, "it is not sorted, or has a service without days");
	const uint32_t unit = pair_map_find(&moved->units, service_key, day_key);
	if (!service->is_compared || unit == PAIR_MAP_NONE)
		return row_binary_err(rows);
	if (cost.weight > service->units[unit].cost.weight)
		return refuse(rows, "it has a function that costs more than its service");
	measuring->key = key;
	measuring->costs[unit] = cost;
	measuring->has_costs = true;
	return row_binary_err(rows);
}

int fleet_moved_read_costs(struct fleet_moved *moved, struct row_binary *rows)
{
	struct measuring measuring = { .moved = moved };
	size_t n_units = 0;
	int err = 0;

	for (size_t i = 0; i < moved->n_services; i++) {
		if (moved->services[i].n_units > n_units)
			n_units = moved->services[i].n_units;
	}
	measuring.costs = calloc(n_units + 1, sizeof(*measuring.costs));
	if (!measuring.costs)
		return -ENOMEM;
	while (!err && row_binary_next(rows))
		err = read_cost(&measuring, rows);
	if (!err)
		err = row_binary_err(rows);
	if (!err)
		err = finish_function(&measuring);
	free(measuring.costs);
	return err;
}

/* -- what moved ----------------------------------------------------------------------------- */

static int judge_service(struct fleet_moved *moved, const struct fleet_service *service)
{
	struct host_days_change *changes = calloc(service->n_rows + 1, sizeof(*changes));
	int err = changes ? 0 : -ENOMEM;

	for (size_t i = 0; i < service->n_rows && !err; i++)
		changes[i] = moved->rows[service->first_row + i].change;
	if (!err)
		err = host_days_judge(&service->days, changes, service->n_rows);
	for (size_t i = 0; i < service->n_rows && !err; i++) {
		moved->rows[service->first_row + i].change = changes[i];
		moved->rows[service->first_row + i].q = changes[i].p;
	}
	free(changes);
	return err;
}

/* A function and its callers have samples in common. 0 or -ENOMEM. */
static int adjust(struct fleet_moved *moved)
{
	double *p = calloc(moved->n_rows + 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < moved->n_rows; i++)
		p[i] = moved->rows[i].q;
	const int err = diff_adjust(p, moved->n_rows, true);
	for (size_t i = 0; i < moved->n_rows; i++)
		moved->rows[i].q = p[i];
	free(p);
	return err;
}

static int compare_rows(const void *a, const void *b)
{
	const struct fleet_row *x = a, *y = b;
	const double of_x = fabs(x->change.after - x->change.before);
	const double of_y = fabs(y->change.after - y->change.before);

	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

int fleet_moved_judge(struct fleet_moved *moved)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < moved->n_services && !err; i++) {
		if (moved->services[i].n_rows)
			err = judge_service(moved, &moved->services[i]);
	}
	if (!err)
		err = adjust(moved);
	if (err)
		return err;
	for (size_t i = 0; i < moved->n_rows; i++) {
		if (moved->rows[i].q <= DIFF_FALSE_RATE)
			moved->rows[n++] = moved->rows[i];
	}
	moved->n_rows = n;
	if (n)
		qsort(moved->rows, n, sizeof(*moved->rows), compare_rows);
	return 0;
}

char *fleet_moved_keys(const struct fleet_moved *moved)
{
	char *keys = NULL;
	size_t size;
	FILE *out = open_memstream(&keys, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < moved->n_rows; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", moved->rows[i].key);
	if (!fclose(out))
		return keys;
	free(keys);
	return NULL;
}

int fleet_moved_read_names(struct fleet_moved *moved, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		const uint64_t key = row_binary_u64(rows);
		_cleanup_free_ char *function = copy_text(rows);
		_cleanup_free_ char *module = copy_text(rows);

		for (size_t i = 0; i < moved->n_rows && !row_binary_err(rows); i++) {
			struct fleet_row *row = &moved->rows[i];

			if (row->key != key || row->function)
				continue;
			row->function = strdup(function);
			row->module = strdup(module);
			rows->lacks_memory |= !row->function || !row->module;
		}
	}
	return row_binary_err(rows);
}
