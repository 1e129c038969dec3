/*
 * A made-up profile with as many nodes as one wants, each sampled about once, at times of ten
 * seconds, on 8 CPUs and in 64 threads. Its functions have names like those of a C++ program.
 */
#ifndef TESTS_BENCH_LARGE_PROFILE_H
#define TESTS_BENCH_LARGE_PROFILE_H

#include "cct/model/profile.h"

/* Runs, numbered from 0 on, have the same paths, and other samples. profile_destroy() frees it. */
struct profile *large_profile_create(uint32_t n_nodes, uint64_t run);

#endif
