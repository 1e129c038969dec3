/* The text report of a tree, with drawn lines that connect parents and children. */
#ifndef REPORT_TEXT_TEXT_TREE_H
#define REPORT_TEXT_TEXT_TREE_H

#include "report/text/text.h"

/* 0 or -ENOMEM. */
int text_tree_write(struct text *text);

#endif
