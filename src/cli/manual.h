/* Manual pages, from the tables of the commands. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "command.h"

/* Prints the page of a command (ruga-run.1), or the overview (ruga.1) if the command is NULL. */
int manual_print(session *s, const command *c);
/* Writes all pages into a folder, which is made if necessary. */
int manual_write(session *s, const char *folder);

#endif
