#include "collector/record/observers/observer_table.h"

#include "collector/record/follow/follower.h"
#include "collector/record/observers/build_ids.h"
#include "collector/record/observers/capture.h"
#include "collector/record/observers/code_reader.h"
#include "collector/record/observers/deep_stacks.h"
#include "collector/record/observers/hotspot_reader.h"
#include "collector/record/observers/jit_maps.h"
#include "collector/record/observers/jitdump_recorder.h"
#include "collector/record/observers/kernel_modules.h"
#include "collector/record/observers/signal_contexts.h"
#include "collector/record/observers/silent_threads.h"
#include "collector/record/observers/stack_gaps.h"
#include "collector/record/observers/stack_holes.h"
#include "collector/record/observers/wakers.h"

/* Observers of files, which can wait, come first, and those of running threads last: at the end of
 * a round the last row is called first. */
const struct recording_observer *const observer_table[N_OBSERVERS] = {
	&kernel_modules_observer, &capture_observer,     &build_ids_observer,
	&jitdump_observer,        &jit_maps_observer,    &code_reader_observer,
	&hotspot_reader_observer, &wakers_observer,      &stack_gaps_observer,
	&stack_holes_observer,    &deep_stacks_observer, &signal_contexts_observer,
	&silent_threads_observer, &follower_observer,
};
