#include "perf/event.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/event_names.h"
#include "perf/near_names.h"
#include "perf/pfm_names.h"
#include "perf/sentence.h"

#define MAX_PRECISE_IP 3

struct modifiers {
	bool user, kernel, hypervisor;
	unsigned int precise_ip;
};

static bool add_modifiers(struct modifiers *modifiers, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case 'u':
			modifiers->user = true;
			break;
		case 'k':
			modifiers->kernel = true;
			break;
		case 'h':
			modifiers->hypervisor = true;
			break;
		case 'p':
			modifiers->precise_ip++;
			break;
		default:
			return false;
		}
	}
	return length > 0 && modifiers->precise_ip <= MAX_PRECISE_IP;
}

static void apply_modifiers(const struct modifiers *modifiers, struct perf_event_attr *attr)
{
	if (modifiers->user || modifiers->kernel || modifiers->hypervisor) {
		attr->exclude_user = !modifiers->user;
		attr->exclude_kernel = !modifiers->kernel;
		attr->exclude_hv = !modifiers->hypervisor;
	}
	if (modifiers->precise_ip)
		attr->precise_ip = modifiers->precise_ip;
}

/* Cuts ":u", ":kpp", ... off the end: what remains is the event, its unit mask maybe included. */
static size_t cut_modifiers(const char *name, size_t length, struct modifiers *modifiers)
{
	for (;;) {
		const char *colon = memrchr(name, ':', length);
		struct modifiers more = *modifiers;
		if (!colon || colon == name || colon[-1] == ':' ||
		    !add_modifiers(&more, colon + 1, name + length - colon - 1))
			return length;
		*modifiers = more;
		length = colon - name;
	}
}

/* rNNNN: the hexadecimal digits are the processor's own encoding. */
static bool find_raw_event(const char *name, size_t length, struct perf_event_attr *attr)
{
	if (length < 2 || length > 17 || name[0] != 'r')
		return false;
	uint64_t config = 0;
	for (size_t i = 1; i < length; i++) {
		if (!isxdigit((unsigned char)name[i]))
			return false;
		int digit = tolower((unsigned char)name[i]);
		config = config << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = config;
	return true;
}

/* @text: the sentence, taken over. */
static enum event_error fail(enum event_error error, char **error_ret, char *text)
{
	*error_ret = text;
	return text ? error : EVENT_NO_MEMORY;
}

static enum event_error explain_unknown(const char *name, size_t base_length, char **error_ret)
{
	struct near_names near;
	near_names_init(&near, name, base_length);
	event_names_offer_all(&near);
	pfm_names_offer_all(&near);
	char *question = near_names_question(&near);
	if (!question)
		return EVENT_NO_MEMORY;
	enum event_error error =
		fail(EVENT_UNKNOWN, error_ret,
		     sentence("Unknown event '%s'%s%s", name,
			      question[0] ? question
					  : ": neither a generic name, nor one libpfm4 knows here",
			      question[0] ? "" : "."));
	free(question);
	return error;
}

/* A generic name before the first ':' was meant; what follows is no modifier. */
static enum event_error explain_bad_modifier(const char *name, char **error_ret)
{
	return fail(EVENT_BAD_MODIFIER, error_ret,
		    sentence("The event '%s' has an unknown modifier: u (user), k (kernel), h "
			     "(hypervisor) and up to three p (precise) may follow the ':'.",
			     name));
}

static enum event_error explain_terms(const char *name, char **error_ret)
{
	return fail(EVENT_UNKNOWN, error_ret,
		    sentence("The event '%s' is written as PMU terms; name it as "
			     "libpfm4 does, or rNNNN.",
			     name));
}

static enum event_error encode_by_pfm(const char *name, size_t base_length,
				      struct perf_event_attr *attr, char **error_ret)
{
	char *base = strndup(name, base_length);
	if (!base)
		return EVENT_NO_MEMORY;
	enum event_error error = pfm_names_encode(base, attr, error_ret);
	free(base);
	if (error == EVENT_UNKNOWN && !*error_ret)
		return explain_unknown(name, base_length, error_ret);
	return error;
}

static enum event_error encode(const char *name, struct perf_event_attr *attr, char **error_ret)
{
	if (strchr(name, '/'))
		return explain_terms(name, error_ret);
	struct modifiers modifiers = { 0 };
	size_t base_length = cut_modifiers(name, strlen(name), &modifiers);
	memset(attr, 0, sizeof(*attr));

	if (!event_names_find(name, base_length, attr) &&
	    !find_raw_event(name, base_length, attr)) {
		struct perf_event_attr ignored;
		size_t first = strcspn(name, ":");
		if (first < base_length && (event_names_find(name, first, &ignored) ||
					    find_raw_event(name, first, &ignored)))
			return explain_bad_modifier(name, error_ret);
		enum event_error error = encode_by_pfm(name, base_length, attr, error_ret);
		if (error != EVENT_OK)
			return error;
	}
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return fail(EVENT_UNKNOWN, error_ret,
			    sentence("The event '%s' is a tracepoint; counters and software events "
				     "are sampled.",
				     name));
	/* What runs in a guest has addresses that nobody here can name. */
	if (attr->type != PERF_TYPE_SOFTWARE && !attr->exclude_host)
		attr->exclude_guest = 1;
	apply_modifiers(&modifiers, attr);
	return EVENT_OK;
}

static enum event_error append_event(const char *name, size_t length, struct event **events,
				     size_t *n_events, char **error_ret)
{
	if (length == 0)
		return fail(EVENT_UNKNOWN, error_ret,
			    sentence("The list of events has an empty name."));
	struct event *grown = realloc(*events, (*n_events + 1) * sizeof(**events));
	if (!grown)
		return EVENT_NO_MEMORY;
	*events = grown;

	struct event *event = &grown[*n_events];
	*event = (struct event){ .name = strndup(name, length), .leader = *n_events };
	if (!event->name)
		return EVENT_NO_MEMORY;
	enum event_error error = encode(event->name, &event->attr, error_ret);
	if (error != EVENT_OK) {
		free(event->name);
		return error;
	}
	event->unit = event_unit(&event->attr);
	(*n_events)++;
	return EVENT_OK;
}

/* Commas between slashes belong to PMU terms, not to the list. */
static size_t name_length(const char *list)
{
	size_t length = 0;
	for (bool in_terms = false; list[length] && (list[length] != ',' || in_terms); length++)
		if (list[length] == '/')
			in_terms = !in_terms;
	return length;
}

static void event_deinit(struct event *event)
{
	free(event->name);
	free(event->filter);
}

enum event_error event_parse(const char *list, struct event **events, size_t *n_events,
			     char **error_ret)
{
	*error_ret = NULL;
	size_t n_before = *n_events;
	for (;;) {
		size_t length = name_length(list);
		enum event_error error = append_event(list, length, events, n_events, error_ret);
		if (error != EVENT_OK) {
			while (*n_events > n_before)
				event_deinit(&(*events)[--*n_events]);
			return error;
		}
		if (!list[length])
			return EVENT_OK;
		list += length + 1;
	}
}

void events_destroy(struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++)
		event_deinit(&events[i]);
	free(events);
}

/* User mode only, so that a paranoid kernel does not hide the PMU. */
static bool has_pmu(void)
{
	struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER0,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = UINT32_MAX, /* sampling needs the PMU's interrupt */
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	/* Forbidden says nothing about the PMU; sysfs does. */
	return (errno == EACCES || errno == EPERM) &&
	       (access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
		access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0 ||
		access("/sys/bus/event_source/devices/armv8_pmuv3_0", F_OK) == 0);
}

enum event_error event_default(struct event **events, size_t *n_events, bool *is_fallback_ret)
{
	bool is_fallback = !has_pmu();
	char *error_text;
	enum event_error error =
		event_parse(is_fallback ? "cpu-clock" : "cycles", events, n_events, &error_text);
	free(error_text);
	if (error == EVENT_OK)
		*is_fallback_ret = is_fallback;
	return error;
}

const char *event_unit(const struct perf_event_attr *attr)
{
	bool is_clock =
		attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						     attr->config == PERF_COUNT_SW_TASK_CLOCK);
	return is_clock ? "ns" : "events";
}
