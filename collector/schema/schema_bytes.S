/* The tables' SQL as bytes of the program. The Makefile names the folder of the files. */
	.section .rodata
	.global schema_version_1
schema_version_1:
	.incbin "version_1.sql"
	.byte 0
	.section .note.GNU-stack, "", %progbits
