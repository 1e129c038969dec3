/* The completion scripts as bytes of the program. The Makefile names the folder of the files. */
	.section .rodata
	.global completion_bash
completion_bash:
	.incbin "dendro.bash"
	.byte 0
	.global completion_zsh
completion_zsh:
	.incbin "dendro.zsh"
	.byte 0
	.global completion_fish
completion_fish:
	.incbin "dendro.fish"
	.byte 0
	.section .note.GNU-stack, "", %progbits
