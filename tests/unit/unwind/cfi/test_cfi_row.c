/*
 * Rows of CFI as we read them against libdw's, row by row, for whole files of the system; and the
 * ways in which a made-up section can be wrong.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "unwind/cfi/cfi_row.h"

#define ROWS_MAX 200000 /* of one file; libdw's are slow */

static const char *const files[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/bin/python3",
	"/usr/bin/bash",
	"/usr/bin/git",
};

struct counts {
	size_t n_rows, n_expressions, n_wrong;
};

/* libdw names what it reads as operations: CFA = breg n; saved at call_frame_cfa [+ n]. */
static bool is_same_cfa(Dwarf_Frame *frame, const struct cfi_row *row)
{
	Dwarf_Op *ops;
	size_t n_ops;

	if (dwarf_frame_cfa(frame, &ops, &n_ops))
		return false;
	if (row->has_cfa_expression)
		return true; /* test_cfi.c has those */
	if (n_ops != 1)
		return false;
	if (ops[0].atom == DW_OP_bregx)
		return ops[0].number == row->cfa_reg && (int64_t)ops[0].number2 == row->cfa_offset;
	return (uint64_t)(ops[0].atom - DW_OP_breg0) == row->cfa_reg &&
	       (int64_t)ops[0].number == row->cfa_offset;
}

static bool is_same_reg(Dwarf_Frame *frame, int number, const struct row_reg *reg)
{
	Dwarf_Op memory[3], *ops;
	size_t n_ops;

	if (dwarf_frame_register(frame, number, memory, &ops, &n_ops))
		return false;
	switch (reg->how) {
	case ROW_UNSET:
		return n_ops == 0; /* its defaults are not ours */
	case ROW_UNDEFINED:
		return n_ops == 0 && ops;
	case ROW_SAME:
		return n_ops == 0 && !ops;
	case ROW_AT_CFA:
		return n_ops >= 1 && ops[0].atom == DW_OP_call_frame_cfa &&
		       (n_ops == 2 ? (int64_t)ops[1].number : 0) == reg->offset;
	case ROW_CFA_PLUS:
	case ROW_IN_REGISTER:
	case ROW_AT_EXPRESSION:
	case ROW_EXPRESSION:
		return n_ops >= 1;
	}
	return false;
}

/* After DW_CFA_restore_state libdw 0.188 takes the remembered row's start for the row's. */
static bool is_same(Dwarf_CFI *libdw, uint64_t vaddr, const struct fde *fde,
		    const struct cfi_row *row)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	Dwarf_Addr end;
	bool is_signal_frame;

	if (dwarf_cfi_addrframe(libdw, vaddr, &frame))
		return false;
	if (dwarf_frame_info(frame, NULL, &end, &is_signal_frame) != (int)fde->ra_reg ||
	    is_signal_frame != fde->is_signal_frame || end != row->end)
		return false;
	/* rsp's own rule is libdw's default: the CFA. */
	for (int reg = 0; reg <= 16; reg++)
		if (reg != 7 && !is_same_reg(frame, reg, &row->regs[reg]))
			return false;
	return is_same_cfa(frame, row);
}

static void compare_rows(Dwarf_CFI *libdw, const char *path, const struct fde *fde,
			 struct counts *counts)
{
	struct cfi_row row;

	for (uint64_t vaddr = fde->start; vaddr < fde->end; vaddr = row.end) {
		assert_int_equal(cfi_row_at(fde, vaddr, &row), 0);
		counts->n_rows++;
		counts->n_expressions += row.has_cfa_expression;
		if (is_same(libdw, vaddr, fde, &row))
			continue;
		if (counts->n_wrong++ < 5)
			print_message("# %s: 0x%lx differs\n", path, (unsigned long)vaddr);
	}
}

/* Every FDE, found where libdw says that one begins. */
static void compare_file(Elf *elf, const char *path, struct counts *counts)
{
	struct fde_table *table;
	Dwarf_CFI *libdw = dwarf_getcfi_elf(elf);
	uint64_t vaddr = 0, end = 0;

	assert_non_null(libdw);
	assert_int_equal(fde_table_create(elf, EH_FRAME, &table), 0);
	for (size_t i = 0; i < 64; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			break;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		vaddr = phdr.p_vaddr;
		end = vaddr + phdr.p_filesz;
		while (vaddr < end && counts->n_rows < ROWS_MAX) {
			struct fde fde;

			if (fde_find(table, vaddr, &fde)) {
				vaddr++;
				continue;
			}
			compare_rows(libdw, path, &fde, counts);
			vaddr = fde.end;
		}
	}
	fde_table_destroy(table);
	dwarf_cfi_end(libdw);
}

static void rows_are_those_of_libdw(void **state)
{
	size_t n_files = 0;

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct counts counts = { 0 };
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
		GElf_Ehdr header;

		if (elf && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64) {
			compare_file(elf, files[i], &counts);
			print_message("# %s: %zu rows, %zu with a CFA expression, %zu differ\n",
				      files[i], counts.n_rows, counts.n_expressions,
				      counts.n_wrong);
			assert_int_equal(counts.n_wrong, 0);
			n_files++;
		}
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	if (!n_files) {
		print_message("no x86-64 programs here\n");
		skip();
	}
}

/* An FDE of 64 bytes of code at 0x1000, as the instructions say. */
static int row_of(const uint8_t *instructions, size_t size, struct cfi_row *row)
{
	static const uint8_t initial[] = { DW_CFA_def_cfa, 7, 8 };
	struct fde fde = { .start = 0x1000,
			   .end = 0x1040,
			   .initial_instructions = initial,
			   .n_initial_instructions = sizeof(initial),
			   .instructions = instructions,
			   .n_instructions = size,
			   .code_alignment = 1,
			   .data_alignment = -8 };

	return cfi_row_at(&fde, 0x1020, row);
}

static void what_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *what;
		uint8_t instructions[16];
		size_t size;
	} wrong[] = {
		{ "a register beyond reason",
		  { DW_CFA_undefined, 0xff, 0xff, 0xff, 0xff, 0x07 },
		  6 },
		{ "restore without remember", { DW_CFA_restore_state }, 1 },
		{ "an unknown instruction", { 0x3a }, 1 },
		{ "a distance cut off", { DW_CFA_advance_loc4, 1, 0 }, 3 },
		{ "an expression longer than the rest", { DW_CFA_expression, 6, 9, 0x50 }, 4 },
		{ "remembered too often",
		  { DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		    DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		    DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state },
		  9 },
	};
	struct cfi_row row;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!row_of(wrong[i].instructions, wrong[i].size, &row))
			print_error("accepted: %s\n", wrong[i].what);
		assert_int_not_equal(row_of(wrong[i].instructions, wrong[i].size, &row), 0);
	}
}

static void rows_end_where_the_next_begins(void **state)
{
	static const uint8_t instructions[] = {
		DW_CFA_def_cfa,
		7,
		8,
		DW_CFA_advance_loc | 0x10,
		DW_CFA_def_cfa_offset,
		16,
		DW_CFA_offset | 6,
		2,
		DW_CFA_advance_loc1,
		0x20,
		DW_CFA_restore | 6,
	};
	struct cfi_row row;

	(void)state;
	assert_int_equal(row_of(instructions, sizeof(instructions), &row), 0);
	assert_int_equal(row.start, 0x1010);
	assert_int_equal(row.end, 0x1030);
	assert_int_equal(row.cfa_reg, 7);
	assert_int_equal(row.cfa_offset, 16);
	assert_int_equal(row.regs[6].how, ROW_AT_CFA);
	assert_int_equal(row.regs[6].offset, -16);
	assert_int_equal(row.regs[3].how, ROW_UNSET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_libdw),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(rows_end_where_the_next_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
