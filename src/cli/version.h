/* The version, with instruction sets and build options as JSON. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include "session.h"

/* An exit code. The session is open. */
int print_version(session *s);

#endif
