#ifndef TESTS_WORKLOADS_LINK_REGISTER_LIBRARY_H
#define TESTS_WORKLOADS_LINK_REGISTER_LIBRARY_H

void library_call(void (*function)(unsigned), unsigned n);
unsigned library_add(unsigned a, unsigned b);

#endif
