/* One job beside the caller's own work, such as writing a frame while the next is computed. */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

#include "base/context.h"

typedef struct background background;
typedef ruga_status background_job(void *argument);

/* *out is NULL where the system grants no thread: then the caller does the job itself. */
ruga_status background_create(ruga_context *context, background **out);
void background_destroy(background *b); /* waits; NULL is fine */

/* Starts a job; the one before must have been waited for. */
void background_start(background *b, background_job *job, void *argument);
/* Waits for the job to end: its status, with its message in the context. RUGA_OK if there is none. NULL is fine. */
ruga_status background_wait(background *b);

#endif
