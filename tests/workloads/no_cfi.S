/*
 * Functions of every shape that assembly has, and not a word of CFI. All take a number of units and
 * the iterations of a unit, and work them in themselves, or in asm_leaf where they call.
 */
	.text

	.macro function name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro end name
	.size	\name, . - \name
	.endm


/* The stack is not touched. */
	function asm_leaf
1:	mov	%rsi, %rax
	.p2align 6
2:	dec	%rax
	jnz	2b
	dec	%rdi
	jnz	1b
	ret
	end	asm_leaf

/* Saved registers, and a frame of an odd size; two ways out. */
	function asm_pushes
	push	%rbx
	push	%r12
	push	%rbp
	sub	$40, %rsp
	mov	%rdi, %rbx
	mov	%rsi, %r12
	xor	%ebp, %ebp
	test	%rdi, %rdi
	jz	3f
	call	asm_leaf
	inc	%ebp
	mov	%r12, %rsi
	lea	1(%rbp), %rdi
	lea	-2(%rdi), %rdi
	test	%rdi, %rdi
	jnz	3f
	add	$40, %rsp
	pop	%rbp
	pop	%r12
	pop	%rbx
	ret
3:	mov	%ebp, %eax
	add	$40, %rsp
	pop	%rbp
	pop	%r12
	pop	%rbx
	ret
	end	asm_pushes

/* A frame pointer, a realigned stack, and space whose size is known when it runs. */
	function asm_frame
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	and	$-64, %rsp
	sub	%rdi, %rsp
	and	$-16, %rsp
	mov	%rdi, %rbx
	call	asm_leaf
	mov	-8(%rbp), %rbx
	leave
	ret
	end	asm_frame

/* More than a page, each of which it touches; registers saved by moves, as old code does. */
	function asm_big
	sub	$8216, %rsp
	mov	%rbx, 8200(%rsp)
	mov	%rbp, 8192(%rsp)
	mov	%r15, 16(%rsp)
	mov	%rdi, 4096(%rsp)
	mov	%rdi, %rbx
	mov	%rsi, %rbp
	xor	%r15d, %r15d
	call	asm_leaf
	mov	16(%rsp), %r15
	mov	8192(%rsp), %rbp
	mov	8200(%rsp), %rbx
	add	$8216, %rsp
	ret
	end	asm_big

/* Works, and ends in a jump to another function. */
	function asm_tail
	push	%rbx
	mov	%rsi, %rbx
1:	mov	%rbx, %rax
	.p2align 6
2:	dec	%rax
	jnz	2b
	dec	%rdi
	jnz	1b
	pop	%rbx
	jmp	asm_end
	end	asm_tail

/* A table of places to go on at; each pops for itself. */
	function asm_table
	push	%r13
	push	%r14
	mov	%rdi, %r13
	and	$3, %edi
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	mov	%r13, %rdi
	jmp	*%rax
4:	call	asm_leaf
	pop	%r14
	pop	%r13
	ret
5:	push	%rdi
	call	asm_leaf
	pop	%rdi
	pop	%r14
	pop	%r13
	ret
	.section .rodata
	.p2align 2
table:	.long	4b - table, 5b - table, 4b - table, 5b - table
	.text
	end	asm_table

/* A saved register lives in another one for the time being. */
	function asm_kept
	mov	%rbx, %r11
	mov	%rdi, %rbx
1:	mov	%rsi, %rax
	.p2align 6
2:	dec	%rax
	jnz	2b
	dec	%rbx
	jnz	1b
	mov	%r11, %rbx
	ret
	end	asm_kept

/* Calls what it is given. */
	function asm_pointer
	sub	$8, %rsp
	call	*%rdx
	add	$8, %rsp
	ret
	end	asm_pointer

/* Reads the pc by a call that does not enter a function. */
	function asm_odd
	push	%rbx
	call	6f
6:	pop	%rbx
	call	asm_leaf
	pop	%rbx
	ret
	end	asm_odd

	function asm_end
	xor	%eax, %eax
	ret
	end	asm_end

/* No space before the next function: what follows the call is not reached. */
	function asm_forever
	push	%rbx
	sub	$32, %rsp
	call	asm_leaf
	xor	%edi, %edi
	call	exit@PLT
	end	asm_forever

	.globl	asm_after
	.type	asm_after, @function
asm_after:
	sub	$8, %rsp
	call	asm_leaf
	add	$8, %rsp
	ret
	end	asm_after

	.section .note.GNU-stack, "", @progbits
