/* The pages as bytes of the program. The Makefile names the folder of the files. */
	.section .rodata
	.global page_text
	.global page_text_end
page_text:
	.incbin "page.html"
page_text_end:
	.byte 0
	.global comparison_text
	.global comparison_text_end
comparison_text:
	.incbin "comparison.html"
comparison_text_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
