/* The page as bytes of the program. The Makefile names the folder of the file. */
	.section .rodata
	.global page_text
	.global page_text_end
page_text:
	.incbin "page.html"
page_text_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
