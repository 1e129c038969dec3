#include "collector/command-line/list_output.h"

#include <string.h>

#include "cct/base/printable.h"
#include "cct/text/json_string.h"
#include "report/terminal/paragraph.h"

#define MAX_NAME_COLUMNS 46
#define PART_INDENT      2

static void write_wrapped(FILE *out, const struct event_listing *listing, const char *text,
			  unsigned indent)
{
	struct paragraph paragraph = paragraph_begin(out, listing->width, indent, listing->utf8);

	paragraph_add(&paragraph, text);
	putc('\n', out);
}

static unsigned name_width(const struct catalog_entry *entry, bool utf8)
{
	unsigned width = printable_width(entry->name, utf8);

	if (entry->aliases)
		width += 2 + printable_width(entry->aliases, utf8);
	return width + (entry->is_part ? PART_INDENT : 0);
}

static void write_name(FILE *out, const struct catalog_entry *entry, bool utf8)
{
	fprintf(out, "%*s", entry->is_part ? 2 + PART_INDENT : 2, "");
	paragraph_put(out, entry->name, strlen(entry->name), utf8);
	if (!entry->aliases)
		return;
	fputs(", ", out);
	paragraph_put(out, entry->aliases, strlen(entry->aliases), utf8);
}

/* @previous: the note of the previous entry. */
static void write_entry(FILE *out, const struct event_listing *listing,
			const struct catalog_entry *entry, unsigned names, const char *previous)
{
	unsigned width = name_width(entry, listing->utf8), indent = 2 + names + 2;
	bool is_missing =
		!entry->is_recordable && listing->catalog->kinds[entry->kind].is_recordable;

	write_name(out, entry, listing->utf8);
	if (!*entry->description && !is_missing) {
		putc('\n', out);
		return;
	}
	if (width > names && listing->width)
		fprintf(out, "\n%*s", (int)indent, "");
	else
		fprintf(out, "%*s", width > names ? 2 : (int)(names - width + 2), "");
	struct paragraph paragraph = paragraph_begin(out, listing->width, indent, listing->utf8);
	if (is_missing)
		paragraph_add(&paragraph, "(not here)");
	paragraph_add(&paragraph, entry->description);
	putc('\n', out);
	if (!is_missing || !entry->note || (previous && strcmp(previous, entry->note) == 0))
		return;
	fprintf(out, "%*s", (int)indent, "");
	write_wrapped(out, listing, entry->note, indent);
}

/* The column of descriptions: at most half of a terminal's width. */
static unsigned max_name_width(const struct event_listing *listing)
{
	unsigned half = listing->width / 2;

	return half && half < MAX_NAME_COLUMNS ? half : MAX_NAME_COLUMNS;
}

static unsigned widest_name(const struct event_listing *listing, enum catalog_kind kind)
{
	const struct event_catalog *catalog = listing->catalog;
	unsigned widest = 0;

	for (size_t i = 0; i < catalog->n_entries; i++) {
		if (catalog->entries[i].kind != kind || !listing->is_selected[i])
			continue;
		unsigned width = name_width(&catalog->entries[i], listing->utf8);
		if (width > widest && width <= max_name_width(listing))
			widest = width;
	}
	return widest;
}

/* Events that this processor lacks have lines only if they are requested. */
static bool is_shown(const struct event_listing *listing, size_t index)
{
	const struct catalog_entry *entry = &listing->catalog->entries[index];

	return listing->is_selected[index] &&
	       (listing->names_all || entry->is_recordable || entry->kind == CATALOG_RESOURCE);
}

static bool has_any(const struct event_listing *listing, enum catalog_kind kind)
{
	for (size_t i = 0; i < listing->catalog->n_entries; i++)
		if (listing->is_selected[i] && listing->catalog->entries[i].kind == kind)
			return true;
	return false;
}

/* The number of names. */
static size_t count(const struct event_listing *listing, enum catalog_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < listing->catalog->n_entries; i++) {
		const struct catalog_entry *entry = &listing->catalog->entries[i];

		n += listing->is_selected[i] && entry->kind == kind && !entry->is_part &&
		     !entry->is_spelling;
	}
	return n;
}

static void write_entries(FILE *out, const struct event_listing *listing, enum catalog_kind kind)
{
	unsigned names = widest_name(listing, kind);
	const char *previous = NULL;

	for (size_t i = 0; i < listing->catalog->n_entries; i++) {
		const struct catalog_entry *entry = &listing->catalog->entries[i];

		if (entry->kind != kind || !is_shown(listing, i))
			continue;
		write_entry(out, listing, entry, names, previous);
		previous = entry->note;
	}
}

static size_t count_hidden(const struct event_listing *listing, enum catalog_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < listing->catalog->n_entries; i++)
		n += listing->is_selected[i] && listing->catalog->entries[i].kind == kind &&
		     !listing->catalog->entries[i].is_part && !is_shown(listing, i);
	return n;
}

static void write_kind(FILE *out, const struct event_listing *listing, enum catalog_kind kind)
{
	const char *note = listing->catalog->kinds[kind].note;

	fprintf(out, "%s\n", catalog_kind_title(kind));
	if (note) {
		fputs("  ", out);
		write_wrapped(out, listing, note, 2);
	}
	write_entries(out, listing, kind);
	size_t n_hidden = count_hidden(listing, kind);
	if (n_hidden)
		fprintf(out, "  ... and %zu that this machine lacks or cannot sample (-a)\n",
			n_hidden);
	putc('\n', out);
}

static bool is_missing(const struct event_listing *listing, enum catalog_kind kind)
{
	return !listing->catalog->kinds[kind].is_recordable && has_any(listing, kind);
}

static bool has_note(const struct event_listing *listing, enum catalog_kind kind, const char *note)
{
	const char *own = listing->catalog->kinds[kind].note;

	return is_missing(listing, kind) && strcmp(own ? own : "", note) == 0;
}

/* All kinds that are missing for the same reason as the first one. */
static void write_missing(FILE *out, const struct event_listing *listing, enum catalog_kind first)
{
	const char *note = listing->catalog->kinds[first].note;
	char title[CATALOG_N_KINDS * 64];
	size_t length = 0;

	note = note ? note : "";
	for (int kind = 0; kind < (int)first; kind++)
		if (has_note(listing, kind, note))
			return;
	for (int kind = first; kind < CATALOG_N_KINDS; kind++) {
		size_t n = count(listing, kind);

		if (!has_note(listing, kind, note))
			continue;
		length += (size_t)snprintf(title + length, sizeof(title) - length, "%s%s",
					   length ? ", " : "Not here: ", catalog_kind_title(kind));
		if (n)
			length += (size_t)snprintf(title + length, sizeof(title) - length, " (%zu)",
						   n);
	}
	write_wrapped(out, listing, title, 0);
	fputs("  ", out);
	write_wrapped(out, listing, note, 2);
	for (int kind = first; kind < CATALOG_N_KINDS && listing->names_all; kind++)
		if (has_note(listing, kind, note))
			write_entries(out, listing, kind);
	putc('\n', out);
}

void list_write_text(FILE *out, const struct event_listing *listing)
{
	for (int kind = 0; kind < CATALOG_N_KINDS; kind++)
		if (listing->catalog->kinds[kind].is_recordable && has_any(listing, kind))
			write_kind(out, listing, kind);
	for (int kind = 0; kind < CATALOG_N_KINDS; kind++)
		if (is_missing(listing, kind))
			write_missing(out, listing, kind);
}

static void write_aliases(FILE *out, const char *aliases)
{
	fputs(",\"aliases\":[", out);
	for (const char *separator = ""; aliases && *aliases; separator = ",") {
		char name[256];
		size_t length = strcspn(aliases, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, aliases);
		fputs(separator, out);
		json_write_string(out, name);
		aliases += length;
		aliases += strspn(aliases, ", ");
	}
	putc(']', out);
}

static void write_json_part(FILE *out, const struct catalog_entry *part)
{
	fputs("{\"name\":", out);
	json_write_string(out, part->name);
	fputs(",\"description\":", out);
	json_write_string(out, part->description);
	putc('}', out);
}

/* Returns the index after the entry and its parts. */
static size_t write_json_entry(FILE *out, const struct event_catalog *catalog, size_t index)
{
	const struct catalog_entry *entry = &catalog->entries[index++];

	fprintf(out, "{\"kind\":\"%s\",\"name\":", catalog_kind_name(entry->kind));
	json_write_string(out, entry->name);
	write_aliases(out, entry->aliases);
	fputs(",\"description\":", out);
	json_write_string(out, entry->description);
	fprintf(out, ",\"recordable\":%s,\"spelling\":%s", entry->is_recordable ? "true" : "false",
		entry->is_spelling ? "true" : "false");
	if (entry->note) {
		fputs(",\"note\":", out);
		json_write_string(out, entry->note);
	}
	fputs(",\"parts\":[", out);
	for (bool first = true; index < catalog->n_entries && catalog->entries[index].is_part;
	     first = false) {
		fputs(first ? "" : ",", out);
		write_json_part(out, &catalog->entries[index++]);
	}
	fputs("]}", out);
	return index;
}

static void write_json_kind(FILE *out, const struct event_catalog *catalog, enum catalog_kind kind)
{
	const char *note = catalog->kinds[kind].note;

	fprintf(out, "{\"kind\":\"%s\",\"recordable\":%s,\"note\":", catalog_kind_name(kind),
		catalog->kinds[kind].is_recordable ? "true" : "false");
	json_write_string(out, note ? note : "");
	putc('}', out);
}

void list_write_json(FILE *out, const struct event_listing *listing)
{
	const struct event_catalog *catalog = listing->catalog;
	const char *separator = "\n";

	fputs("{\"kinds\":[", out);
	for (int kind = 0; kind < CATALOG_N_KINDS; kind++) {
		fputs(kind ? ",\n" : "\n", out);
		write_json_kind(out, catalog, kind);
	}
	fputs("],\n\"events\":[", out);
	for (size_t i = 0; i < catalog->n_entries;) {
		if (!listing->is_selected[i] || catalog->entries[i].is_part) {
			i++;
			continue;
		}
		fputs(separator, out);
		separator = ",\n";
		i = write_json_entry(out, catalog, i);
	}
	fputs("]}\n", out);
}
