/*
 * The parts of a stored profile: for each, what writes it and what reads it, side by side, so that
 * both follow one format (docs/FORMAT.md, "Profiles"). Called by profile_file.c alone.
 *
 * Reading appends to an empty profile; parts come in the order below, each at most once. What a
 * part refers to must be in it or in parts before it. 0, -ENOMEM, or -EINVAL: it is malformed.
 */
#ifndef CCT_STORE_PROFILE_PARTS_H
#define CCT_STORE_PROFILE_PARTS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/model/profile.h"
#include "cct/object/dwarf_reader.h"

/* What was recorded, metrics, processes and threads, quality. */
void info_part_write(struct byte_buffer *body, const struct profile *profile);
int info_part_read(struct dwarf_reader *body, struct profile *profile);
int info_part_read_before_3(struct dwarf_reader *body, struct profile *profile);

/* Modules are numbered from 1 on, in their order. */
void modules_part_write(struct byte_buffer *body, const struct profile *profile);
int modules_part_read(struct dwarf_reader *body, struct profile *profile);

void tree_part_write(struct byte_buffer *body, const struct profile *profile);
int tree_part_read(struct dwarf_reader *body, struct profile *profile);
/* As versions 1 and 2 of the format have it; likewise below. */
int tree_part_read_before_3(struct dwarf_reader *body, struct profile *profile);

/* They refer to the frames of the tree, which has been read. */
void names_part_write(struct byte_buffer *body, const struct profile *profile);
int names_part_read(struct dwarf_reader *body, struct profile *profile);
/* As version 1 of the format has them. */
int names_part_read_first(struct dwarf_reader *body, struct profile *profile);

/* Of a profile with ->rows of one run. */
void rows_part_write(struct byte_buffer *body, const struct profile *profile);
int rows_part_read(struct dwarf_reader *body, struct profile *profile);
int rows_part_read_3(struct dwarf_reader *body, struct profile *profile);
int rows_part_read_before_3(struct dwarf_reader *body, struct profile *profile);
/* Of a profile with ->rows that have runs: instead of the part above. */
void runs_part_write(struct byte_buffer *body, const struct profile *profile);
int runs_part_read(struct dwarf_reader *body, struct profile *profile);
int runs_part_read_4(struct dwarf_reader *body, struct profile *profile);
int runs_part_read_3(struct dwarf_reader *body, struct profile *profile);
int runs_part_read_before_3(struct dwarf_reader *body, struct profile *profile);

/* Of a profile with ->phases. */
void phases_part_write(struct byte_buffer *body, const struct profile *profile);
int phases_part_read(struct dwarf_reader *body, struct profile *profile);

/* The epochs of all processes, which have been read. */
void epochs_part_write(struct byte_buffer *body, const struct profile *profile);
int epochs_part_read(struct dwarf_reader *body, struct profile *profile);
int epochs_part_read_before_3(struct dwarf_reader *body, struct profile *profile);

/* Likewise, of a profile whose ->rows have runs, which have been read. */
void run_phases_part_write(struct byte_buffer *body, const struct profile *profile);
int run_phases_part_read(struct dwarf_reader *body, struct profile *profile);
void run_epochs_part_write(struct byte_buffer *body, const struct profile *profile);
int run_epochs_part_read(struct dwarf_reader *body, struct profile *profile);

/* Of rows that are sums, which have been read: where in their slices they begin. */
bool starts_part_is_needed(const struct sample_rows *rows);
void starts_part_write(struct byte_buffer *body, const struct profile *profile);
int starts_part_read(struct dwarf_reader *body, struct profile *profile);

/* The cgroups of rows, which have been read. */
void cgroups_part_write(struct byte_buffer *body, const struct profile *profile);
int cgroups_part_read(struct dwarf_reader *body, struct profile *profile);

/* What both parts of rows have in common: reads into profile->rows, whose runs and slices are
 * known, and does not check the numbers of samples. @version: 2 to 4, or the last one of the
 * format.
 */
int part_read_rows(struct dwarf_reader *body, struct profile *profile, unsigned version);

/* Of a profile whose tree keeps them. */
void activations_part_write(struct byte_buffer *body, const struct profile *profile);
int activations_part_read(struct dwarf_reader *body, struct profile *profile);
int activations_part_read_before_3(struct dwarf_reader *body, struct profile *profile);

/* Of a profile with ->info.losses. */
void losses_part_write(struct byte_buffer *body, const struct profile *profile);
int losses_part_read(struct dwarf_reader *body, struct profile *profile);

/* Of a profile with ->info.watched. */
void watched_part_write(struct byte_buffer *body, const struct profile *profile);
int watched_part_read(struct dwarf_reader *body, struct profile *profile);

/* Of a profile with processes that were joined. */
bool joined_part_is_needed(const struct profile *profile);
void joined_part_write(struct byte_buffer *body, const struct profile *profile);
int joined_part_read(struct dwarf_reader *body, struct profile *profile);

/* Of a profile of a part of the time. */
void window_part_write(struct byte_buffer *body, const struct profile *profile);
int window_part_read(struct dwarf_reader *body, struct profile *profile);

/*
 * A text as byte_buffer_add_text() writes it: on the heap, or NULL for none. 0, -ENOMEM, or
 * -EINVAL: it is not whole, too long, or contains a zero.
 */
int part_read_text(struct dwarf_reader *body, char **text_ret);
/* A number of elements of at least @min_size bytes each, which must have room in the rest. -1: they
 * have not, and the body is broken. */
int64_t part_read_count(struct dwarf_reader *body, size_t min_size);
void part_write_build_id(struct byte_buffer *body, const struct build_id *build_id);
void part_read_build_id(struct dwarf_reader *body, struct build_id *build_id_ret);

#endif
