#include "perf/events/event_spelling.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cct/base/sentence.h"

#define MAX_PRECISE_IP 3
#define MAX_PERIOD     INT64_MAX /* the kernel refuses periods with the highest bit set */

bool event_modifiers_add(struct event_modifiers *modifiers, const char *letters, size_t length)
{
	struct event_modifiers more = *modifiers;
	for (size_t i = 0; i < length; i++) {
		switch (letters[i]) {
		case 'u':
			more.user = true;
			break;
		case 'k':
			more.kernel = true;
			break;
		case 'h':
			more.hypervisor = true;
			break;
		case 'G':
			more.guest = true;
			break;
		case 'H':
			more.host = true;
			break;
		case 'p':
			more.precise_ip++;
			break;
		case 'P':
			more.seeks_precise = true;
			break;
		case 'D':
			more.is_pinned = true;
			break;
		case 'S':
			more.reads_group = true;
			break;
		default:
			return false;
		}
	}
	if (length == 0 || more.precise_ip > MAX_PRECISE_IP ||
	    (more.seeks_precise && more.precise_ip))
		return false;
	*modifiers = more;
	return true;
}

void event_modifiers_apply(const struct event_modifiers *modifiers, struct event *event)
{
	struct perf_event_attr *attr = &event->attr;
	if (modifiers->user || modifiers->kernel || modifiers->hypervisor) {
		attr->exclude_user = !modifiers->user;
		attr->exclude_kernel = !modifiers->kernel;
		attr->exclude_hv = !modifiers->hypervisor;
	}
	if (modifiers->guest || modifiers->host) {
		attr->exclude_guest = !modifiers->guest;
		attr->exclude_host = !modifiers->host;
	}
	if (modifiers->precise_ip)
		attr->precise_ip = modifiers->precise_ip;
	if (modifiers->seeks_precise) {
		attr->precise_ip = MAX_PRECISE_IP;
		event->seeks_precise = true;
	}
}

char *event_modifiers_join(const char *name, const char *letters, size_t length)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *last = colon > slash ? colon : slash;
	struct event_modifiers ignored = { .precise_ip = 0 };
	bool has_modifiers = last && ((last == slash && !last[1]) ||
				      event_modifiers_add(&ignored, last + 1, strlen(last + 1)));
	return sentence("%s%s%.*s", name, has_modifiers ? "" : ":", (int)length, letters);
}

enum event_error event_modifiers_explain(const char *name, char **error_ret)
{
	return event_fail(
		EVENT_BAD_MODIFIER, error_ret,
		sentence("The event '%s' has an unknown modifier: u (user), k (kernel), h "
			 "(hypervisor), up to three p or P (precise), G (guest), H "
			 "(host), D (pinned) and S (read the group) may follow the ':'.",
			 name));
}

/*
 * Finds the terms of an event. "/a=1,b:c/" are terms. In "uprobe:/usr/lib/x.so:f/a=1/" the slashes
 * before the last ':' belong to a path. Only a name with a ':' before its first '/' can have a
 * path.
 */
struct term_scan {
	bool may_have_path, is_open;
	size_t end; /* after the '/' that closed the terms; 0: no terms */
};

static struct term_scan scan_begin(const char *text)
{
	return (struct term_scan){ .may_have_path = text[strcspn(text, ":/,{}")] == ':' };
}

static void scan_next(struct term_scan *scan, const char *text, size_t i)
{
	if (text[i] == '/') {
		scan->is_open = !scan->is_open;
		scan->end = scan->is_open ? 0 : i + 1;
	} else if (text[i] == ':' && scan->may_have_path && scan->end != i) {
		scan->is_open = false;
		scan->end = 0;
	}
}

size_t event_spelling_length(const char *list)
{
	struct term_scan scan = scan_begin(list);
	size_t i = 0;
	while (list[i] && (scan.is_open || (list[i] != ',' && list[i] != '}')))
		scan_next(&scan, list, i++);
	return i;
}

static size_t terms_end(const char *text)
{
	struct term_scan scan = scan_begin(text);
	for (size_t i = 0; text[i]; i++)
		scan_next(&scan, text, i);
	return scan.end;
}

static bool take_number(const char **text, const char *end, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;
	const char *p = *text;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = *p - '0';
		if (value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (p == *text || value == 0)
		return false;
	*text = p;
	*ret = value;
	return true;
}

/* "100000", "f99" or "99Hz". */
static bool read_rate(const char *text, const char *end, struct event_spelling *spelling)
{
	bool is_frequency = text < end && *text == 'f';
	uint64_t value;
	text += is_frequency;
	if (!take_number(&text, end, MAX_PERIOD, &value))
		return false;
	if (!is_frequency && end - text == 2 && strncasecmp(text, "Hz", 2) == 0) {
		is_frequency = true;
		text = end;
	}
	if (text != end || (is_frequency && value > UINT32_MAX))
		return false;
	if (is_frequency)
		spelling->frequency = value;
	else
		spelling->period = value;
	return true;
}

static char *find_last(const char *begin, char *end, const char *letters)
{
	while (end > begin)
		if (strchr(letters, *--end))
			return end;
	return NULL;
}

/* Removes the last "@RATE". Modifiers may follow it. */
static bool cut_rate(char *text, size_t begin, struct event_spelling *spelling)
{
	char *at = find_last(text + begin, text + strlen(text), "@");
	if (!at || spelling->period || spelling->frequency)
		return false;
	char *end = at + strcspn(at, ":");
	if (!read_rate(at + 1, end, spelling))
		return false;
	memmove(at, end, strlen(end) + 1);
	return true;
}

/* ":u", ":kpp", ..., and after terms also "u" alone. */
static bool cut_modifiers(char *text, size_t begin, struct event_modifiers *modifiers)
{
	char *end = text + strlen(text);
	char *colon = find_last(text + begin, end, ":");
	char *letters = colon ? colon + 1 : text + begin;
	if (colon ? colon == text || (colon > text + begin && colon[-1] == ':') : begin == 0)
		return false;
	if (!event_modifiers_add(modifiers, letters, end - letters))
		return false;
	*(colon ? colon : letters) = '\0';
	return true;
}

bool event_spelling_read(const char *text, size_t length, struct event_spelling *spelling)
{
	*spelling = (struct event_spelling){ .name = strndup(text, length) };
	if (!spelling->name)
		return false;
	char *name = spelling->name;
	size_t end = terms_end(name);
	cut_rate(name, end, spelling);
	spelling->whole = strdup(name);
	if (!spelling->whole) {
		event_spelling_deinit(spelling);
		return false;
	}
	while (cut_modifiers(name, end, &spelling->modifiers))
		;
	spelling->has_rest = end && name[end];
	return true;
}

void event_spelling_deinit(struct event_spelling *spelling)
{
	free(spelling->name);
	free(spelling->whole);
	*spelling = (struct event_spelling){ .name = NULL };
}
