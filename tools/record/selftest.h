/* selftest.h - pp-record --self-test. */
#ifndef RECORD_SELFTEST_H
#define RECORD_SELFTEST_H

#include <stdbool.h>

/* Tries what can be recorded here and prints it to the output; the exit status. */
int self_test(bool json);

#endif
