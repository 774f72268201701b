/* fleet_folder.h - the folder of a fleet, to which each recording adds files: all of one, or none of it. */
#ifndef EXPORT_FLEET_FOLDER_H
#define EXPORT_FLEET_FOLDER_H

#include <perfpipe/perfpipe.h>

/* Where the files of <perfpipe/fleet.h> go: below the folder, which is made if it is not there.  A file has
 * its name once it is complete.  It starts the process that makes them, which keeps its rights where this one
 * gives them up, and ends with it.  Exits where a path leads through another user's link. */
struct pp_fleet_files fleet_folder(const char *path);
/* Lets go of what is not complete. */
void fleet_folder_close(void);

#endif
