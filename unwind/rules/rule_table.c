/* A hash table of functions by start, and in front of it a cache of the function found last in each
 * neighbourhood. */
#include "unwind/rules/rule_table.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "cct/base/sorted.h"

#define FIRST_BITS         6
#define NEIGHBOURHOOD_BITS 8 /* of an address; most functions are larger */
#define GUESSES_PER_BUCKET 4 /* functions reach over some neighbourhoods */

struct function {
	struct function *next; /* in the same bucket */
	uint64_t start;
	uint32_t size;
	uint32_t n_rows : 31; /* with this bit, half a cache line is enough before the starts */
	uint32_t follows_stack : 1;
	const struct rule *rules; /* of rows; they follow their starts */
	uint32_t starts[];
};

struct rule_table {
	struct function **buckets; /* 1 << @bits by start */
	struct function **guesses; /* GUESSES_PER_BUCKET << @bits by neighbourhood */
	unsigned bits;
	size_t n_functions, functions_size;
};

static struct function **bucket_of(const struct rule_table *table, uint64_t start)
{
	return &table->buckets[hash_to_bits(start, table->bits)];
}

static struct function **guess_of(const struct rule_table *table, uint64_t vaddr)
{
	const unsigned more_bits = __builtin_ctz(GUESSES_PER_BUCKET);

	return &table->guesses[hash_to_bits(vaddr >> NEIGHBOURHOOD_BITS, table->bits + more_bits)];
}

/* Empty ones. false: out of memory, nothing has changed. */
static bool set_size(struct rule_table *table, unsigned bits)
{
	struct function **buckets = calloc((size_t)1 << bits, sizeof(*buckets));
	struct function **guesses = calloc((size_t)GUESSES_PER_BUCKET << bits, sizeof(*guesses));

	if (!buckets || !guesses) {
		free(buckets);
		free(guesses);
		return false;
	}
	free(table->buckets);
	free(table->guesses);
	table->buckets = buckets;
	table->guesses = guesses;
	table->bits = bits;
	return true;
}

struct rule_table *rule_table_create(void)
{
	struct rule_table *table = calloc(1, sizeof(*table));

	if (table && !set_size(table, FIRST_BITS)) {
		free(table);
		return NULL;
	}
	return table;
}

/* All functions, taken out of their buckets. */
static struct function *take_all(struct rule_table *table)
{
	struct function *all = NULL;

	for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
		struct function *function;

		while ((function = table->buckets[i])) {
			table->buckets[i] = function->next;
			function->next = all;
			all = function;
		}
	}
	return all;
}

void rule_table_destroy(struct rule_table *table)
{
	if (!table)
		return;
	for (struct function *next, *function = take_all(table); function; function = next) {
		next = function->next;
		free(function);
	}
	free(table->buckets);
	free(table->guesses);
	free(table);
}

size_t rule_table_size(const struct rule_table *table)
{
	const size_t n_pointers = (size_t)(1 + GUESSES_PER_BUCKET) << table->bits;

	return sizeof(*table) + n_pointers * sizeof(struct function *) + table->functions_size;
}

static void insert(struct rule_table *table, struct function *function)
{
	struct function **bucket = bucket_of(table, function->start);

	function->next = *bucket;
	*bucket = function;
}

static void grow(struct rule_table *table)
{
	struct function *all = take_all(table);

	/* The table may stay small: a slow table is better than none. */
	set_size(table, table->bits + 2);
	for (struct function *next; all; all = next) {
		next = all->next;
		insert(table, all);
	}
}

static const struct rule *rule_at(const struct function *function, uint32_t at)
{
	/* The first row begins with the function. */
	return &function->rules[sorted_count(function->n_rows - 1, i,
					     function->starts[i + 1] <= at)];
}

static const struct function *guess_function(const struct rule_table *table, uint64_t vaddr)
{
	const struct function *function = *guess_of(table, vaddr);

	return function && vaddr - function->start < function->size ? function : NULL;
}

const struct rule *rule_table_guess(const struct rule_table *table, uint64_t vaddr)
{
	const struct function *function = guess_function(table, vaddr);

	return function ? rule_at(function, (uint32_t)(vaddr - function->start)) : NULL;
}

bool rule_table_follows_stack(const struct rule_table *table, uint64_t vaddr)
{
	const struct function *function = guess_function(table, vaddr);

	return function && function->follows_stack;
}

const struct rule *rule_table_find(struct rule_table *table, uint64_t start, uint64_t vaddr)
{
	struct function *function = *bucket_of(table, start);

	while (function && function->start != start)
		function = function->next;
	if (!function || vaddr - start >= function->size)
		return NULL;
	*guess_of(table, vaddr) = function;
	return rule_at(function, (uint32_t)(vaddr - start));
}

static bool has_same_cfa(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && a->cfa_reg == b->cfa_reg && a->cfa_offset == b->cfa_offset &&
	       a->cfa_addend == b->cfa_addend;
}

static bool follow_stack(const struct rule_row *rows, uint32_t n_rows)
{
	const struct rule *first = &rows[0].rule;
	bool has_moved = false;

	if (first->kind != RULE_CFA_REGISTER)
		return false;
	for (uint32_t i = 1; i < n_rows; i++) {
		bool is_same = has_same_cfa(&rows[i].rule, first);

		if (is_same && has_moved)
			return true;
		has_moved |= !is_same;
	}
	return false;
}

int rule_table_add(struct rule_table *table, uint64_t start, uint32_t size,
		   const struct rule_row *rows, uint32_t n_rows)
{
	size_t starts_size = n_rows * sizeof(uint32_t);
	size_t rules_at = (sizeof(struct function) + starts_size + alignof(struct rule) - 1) &
			  ~(alignof(struct rule) - 1);
	const size_t function_size = rules_at + n_rows * sizeof(struct rule);
	struct function *function = malloc(function_size);

	if (!function)
		return -ENOMEM;
	table->functions_size += function_size;
	struct rule *rules = (struct rule *)((uint8_t *)function + rules_at);
	for (uint32_t i = 0; i < n_rows; i++) {
		function->starts[i] = rows[i].start;
		rules[i] = rows[i].rule;
	}
	function->start = start;
	function->size = size;
	function->n_rows = n_rows;
	function->follows_stack = follow_stack(rows, n_rows);
	function->rules = rules;
	if (table->n_functions++ >> table->bits)
		grow(table);
	insert(table, function);
	return 0;
}
