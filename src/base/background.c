#include "base/background.h"

#include <signal.h>
#include <stdio.h>

#include "base/memory.h"

struct background {
    ruga_context *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    background_job *job; /* NULL: none is running */
    void *argument;
    ruga_status status;                               /* of the last */
    char message[sizeof((ruga_context *)0)->message]; /* of its failure: the caller may leave another meanwhile */
    int ends;
};

static void keep_message(background *b) {
    pthread_mutex_lock(&b->context->message_lock);
    snprintf(b->message, sizeof b->message, "%s", b->context->message);
    pthread_mutex_unlock(&b->context->message_lock);
}

static void *work(void *argument) {
    background *b = argument;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->job && !b->ends) pthread_cond_wait(&b->changed, &b->lock);
        if (!b->job) break;
        pthread_mutex_unlock(&b->lock);
        ruga_status status = b->job(b->argument);
        if (RUGA_FAILED(status)) keep_message(b);
        pthread_mutex_lock(&b->lock);
        b->status = status;
        b->job = NULL;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* Signals are left to the caller's threads. */
static int start_thread(background *b) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&b->thread, NULL, work, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void release(background *b) {
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    memory_release(b->context, b);
}

ruga_status background_create(ruga_context *context, background **out) {
    background *b;
    TRY(NEW_ZEROED(context, &b, 1));
    b->context = context;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    *out = b;
    if (start_thread(b) == 0) return RUGA_OK;
    release(b);
    *out = NULL;
    return RUGA_OK;
}

void background_destroy(background *b) {
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->ends = 1;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    release(b);
}

void background_start(background *b, background_job *job, void *argument) {
    pthread_mutex_lock(&b->lock);
    b->argument = argument;
    b->job = job;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

ruga_status background_wait(background *b) {
    if (!b) return RUGA_OK;
    pthread_mutex_lock(&b->lock);
    while (b->job) pthread_cond_wait(&b->changed, &b->lock);
    ruga_status status = b->status;
    b->status = RUGA_OK;
    pthread_mutex_unlock(&b->lock);
    return RUGA_FAILED(status) ? fail_with(b->context, status, "%s", b->message) : status;
}
