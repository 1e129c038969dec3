#include "collector/watch/top_screen.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"
#include "collector/command-line/terminal.h"
#include "collector/watch/snapshot.h"
#include "collector/watch/top_text.h"
#include "report/browse/browse_refresh.h"
#include "report/browse/browse_screen.h"

/* How often it is looked for the first sample. */
#define FIRST_LOOK_NS (NSEC_PER_SEC / 10)

struct top_screen {
	const struct top_options *options;
	struct growing_profile *growing;
	struct own_cost *cost;
	struct browse *browse;
	struct browse_screen *screen;
	struct snapshot shown;
	struct profile *none; /* what is shown before the first snapshot */
	char *title;
	char message[96];
	double percent;
	uint64_t next_ns, cost_ns; /* when to refresh, and to measure the own cost */
	bool is_frozen, is_complete, is_recent;
};

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
}

bool top_screen_is_wanted(const struct top_options *options)
{
	return !options->is_text && !options->n_iterations && browse_screen_is_there() &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static const struct profile *shown_profile(const struct top_screen *top)
{
	return top->shown.profile ? top->shown.profile : top->none;
}

static int make_title(struct top_screen *top)
{
	const struct profile *profile = shown_profile(top);
	const char *state = top->is_frozen ? "frozen: " : top->is_complete ? "ended: " : "";
	_cleanup_free_ char *status =
		profile->n_metrics ? top_text_status(profile, top->browse ? top->browse->metric : 0,
						     top->percent)
				   : strdup("no samples so far");
	char *title = status ? sentence("%s%s", state, status) : NULL;

	if (!title)
		return -ENOMEM;
	free(top->title);
	top->title = title;
	if (top->browse)
		top->browse->options.source = title;
	return 0;
}

static uint32_t first_metric(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].samples)
			return i;
	}
	return 0;
}

/* What is shown is replaced, if there is a sample. */
static int take_snapshot(struct top_screen *top)
{
	struct snapshot snapshot;
	int err = snapshot_take(top->growing, &top->options->report, &snapshot);

	if (err)
		return err == -EAGAIN ? 0 : err;
	top->browse->options.is_recent = snapshot.profile->info.has_window;
	if (!top->shown.profile)
		top->browse->metric = first_metric(snapshot.profile);
	err = browse_refresh(top->browse, snapshot.profile, snapshot.symbolizer, top->title);
	if (err)
		snapshot_deinit(&snapshot);
	if (err == -ENOENT) {
		top->browse->message = "No samples of this part lately: this was the last.";
		return 0;
	}
	if (err)
		return err;
	snapshot_deinit(&top->shown);
	top->shown = snapshot;
	return 0;
}

static void measure(struct top_screen *top)
{
	const uint64_t now = now_ns();

	if (now < top->cost_ns)
		return;
	top->percent = own_cost_percent(top->cost);
	top->cost_ns = now + top->options->interval_ns;
}

/* Here, and in the process that writes snapshots. */
static uint64_t used_ns(const struct top_screen *top)
{
	return own_cost_of_thread_ns() + growing_profile_cpu_ns(top->growing);
}

/* A refresh takes a tenth of a CPU's time at most. */
static int refresh(struct top_screen *top)
{
	const bool is_complete = growing_profile_has_ended(top->growing);
	const uint64_t start_ns = now_ns(), before_ns = used_ns(top);

	measure(top);
	int err = take_snapshot(top);
	top->is_complete = is_complete;
	if (!err)
		err = make_title(top);
	const uint64_t took_ns = used_ns(top) - before_ns;
	const uint64_t interval_ns = top->shown.profile ? top->options->interval_ns : FIRST_LOOK_NS;
	top->next_ns = start_ns + (10 * took_ns > interval_ns ? 10 * took_ns : interval_ns);
	return err;
}

static bool is_due(const struct top_screen *top)
{
	if (top->is_frozen || top->is_complete || !browse_screen_shows_rows(top->screen))
		return false;
	return now_ns() >= top->next_ns || growing_profile_has_ended(top->growing);
}

static int timeout_ms(const struct top_screen *top)
{
	const uint64_t now = now_ns();

	if (top->is_frozen || top->is_complete || !browse_screen_shows_rows(top->screen))
		return -1;
	return now >= top->next_ns ? 0 : (int)((top->next_ns - now) / NSEC_PER_MSEC + 1);
}

static void save(struct top_screen *top)
{
	char name[SNAPSHOT_NAME_MAX];
	int err = snapshot_save(&top->shown, name);

	if (err)
		snprintf(top->message, sizeof(top->message), "Not stored: %s.",
			 err == -ENODATA ? "there are no samples so far" : strerror(-err));
	else
		snprintf(top->message, sizeof(top->message), "Stored in %s.", name);
	top->browse->message = top->message;
}

static uint64_t recent_ns(const struct top_screen *top)
{
	return top->options->report.build.recent_ns;
}

static int show_recent(struct top_screen *top)
{
	if (top->is_frozen || top->is_complete || !recent_ns(top)) {
		top->browse->message = top->is_frozen ? "x shows how it is now; then w."
						      : "All that was recorded is shown.";
		return 0;
	}
	top->is_recent = !top->is_recent;
	growing_profile_show_recent(top->growing, top->is_recent ? recent_ns(top) : 0);
	top->next_ns = 0;
	return 0;
}

static int act(struct top_screen *top, enum browse_action action)
{
	if (action == ACTION_SAVE)
		save(top);
	if (action == ACTION_RECENT)
		return show_recent(top);
	if (action != ACTION_FREEZE)
		return 0;
	top->is_frozen = !top->is_frozen;
	top->next_ns = 0;
	return make_title(top);
}

/* ^C ends the recording by the recorder, which has got it, too. */
static bool is_over(struct top_screen *top)
{
	if (browse_screen_is_done(top->screen))
		return true;
	if (!growing_profile_has_ended(top->growing))
		return is_interrupted && !top->cost->recorder;
	return is_interrupted || !growing_profile_has_begun(top->growing);
}

static int watch(struct top_screen *top)
{
	enum browse_action action;
	int err = 0;

	while (!err && !is_over(top)) {
		if (is_due(top))
			err = refresh(top);
		/* Its end is waited for as long as that is not shown. */
		const int wake_fd = top->is_complete || top->is_frozen
					    ? -1
					    : growing_profile_end_fd(top->growing);
		if (!err)
			err = browse_screen_step(top->screen, wake_fd, timeout_ms(top), &action);
		if (!err)
			err = act(top, action);
	}
	return err;
}

static int create(struct top_screen *top, struct symbolizer **symbolizer_ret)
{
	top->none = profile_create();
	if (!top->none)
		return -ENOMEM;
	top->none->cct = cct_create(0);
	*symbolizer_ret = symbolizer_create(top->none, &top->options->report.symbolizer);
	if (!top->none->cct || !*symbolizer_ret)
		return -ENOMEM;
	int err = make_title(top);
	const struct browse_options options = {
		.source = top->title,
		.is_growing = true,
		.view = top->options->report.view,
		.symbolizer = top->options->report.symbolizer,
		.min_percent = top->options->report.export.min_percent,
	};
	return err ? err : browse_create(top->none, *symbolizer_ret, &options, &top->browse);
}

static int run(struct top_screen *top)
{
	const struct sigaction action = { .sa_handler = note_interrupt };
	int err = browse_screen_open(
		top->browse, terminal_wants_color(top->options->report.color, true), &top->screen);

	if (err)
		return err;
	sigaction(SIGINT, &action, NULL);
	err = watch(top);
	browse_screen_close(top->screen);
	return err;
}

int top_screen_run(const struct top_options *options, struct growing_profile *growing,
		   struct own_cost *cost)
{
	struct top_screen top = {
		.options = options, .growing = growing, .cost = cost, .is_recent = options->last_ns
	};
	struct symbolizer *none = NULL;
	int err = create(&top, &none);

	if (!err)
		err = run(&top);
	browse_destroy(top.browse);
	symbolizer_destroy(none);
	snapshot_deinit(&top.shown);
	profile_destroy(top.none);
	free(top.title);
	return err;
}
