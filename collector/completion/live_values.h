/* Values of options that this machine has now: events, processes, CPUs, cgroups. */
#ifndef COLLECTOR_COMPLETION_LIVE_VALUES_H
#define COLLECTOR_COMPLETION_LIVE_VALUES_H

#include "collector/completion/word_list.h"

void live_values_offer_events(const struct word_list *list);
/* Processes with their names. */
void live_values_offer_processes(const struct word_list *list);
/* cgroups by path; or the names of systemd's services. */
void live_values_offer_cgroups(const struct word_list *list);
void live_values_offer_units(const struct word_list *list);

#endif
