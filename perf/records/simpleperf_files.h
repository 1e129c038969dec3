/*
 * The files that a simpleperf recording names, each with the symbols that its samples hit: the
 * feature sections FILE and FILE2 (AOSP, system/extras/simpleperf: record_file_reader.cpp and
 * record_file.proto). Paths and names point into the section. A malformed file ends the list.
 */
#ifndef PERF_RECORDS_SIMPLEPERF_FILES_H
#define PERF_RECORDS_SIMPLEPERF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* enum DsoType of simpleperf's dso.h. */
enum simpleperf_file_type {
	SIMPLEPERF_KERNEL,        /* symbols have addresses in memory */
	SIMPLEPERF_KERNEL_MODULE, /* addresses in the file, as symbols of ELF files have */
	SIMPLEPERF_ELF,
	SIMPLEPERF_DEX, /* file offsets */
};

/* A section; all zero where the recording lacks it. */
struct simpleperf_section {
	const uint8_t *bytes;
	size_t size;
	bool is_file2; /* protobuf messages, else structs */
};

/* Text without a NUL at its end. */
struct simpleperf_text {
	const char *start;
	size_t size;
};

struct simpleperf_file {
	struct simpleperf_text path;
	uint32_t type; /* enum simpleperf_file_type, or another */
	uint64_t min_vaddr;
	/* Of min_vaddr: in an ELF file, or from the start of a kernel module's memory. */
	uint64_t min_offset;
	bool has_min_offset;
	/* Not yet read: */
	struct simpleperf_section symbols;
	uint32_t n_symbols; /* of a section of structs */
};

struct simpleperf_symbol {
	uint64_t vaddr;
	uint32_t size;
	struct simpleperf_text name;
};

/* Moves @section beyond its first file. false: it has no more. */
bool simpleperf_files_next(struct simpleperf_section *section, struct simpleperf_file *ret);
/* Likewise for the symbols of @file. */
bool simpleperf_symbols_next(struct simpleperf_file *file, struct simpleperf_symbol *ret);

#endif
