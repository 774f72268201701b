/* dso_name.h - what the file of a mapping is called where it is shown: one rule for all that show it. */
#ifndef PP_DSO_NAME_H
#define PP_DSO_NAME_H

#include <stdbool.h>

enum { PP_DSO_MODULE_ROOM = 136 };
/* Of a module of the kernel, which is mapped in that mode by its path, "/lib/modules/6.1/fs/ext4.ko.xz", what
 * perf calls it: "[ext4]".  False: it is not one, and *shown is unchanged. */
bool pp_dso_module(const char *dso, unsigned mode, char shown[PP_DSO_MODULE_ROOM]);

#endif
