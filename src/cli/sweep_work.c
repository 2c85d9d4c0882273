/* The work of a sweep: the state of each run, one run in this process, many in processes of their own. */
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "runner.h"
#include "scenes.h"
#include "sweep.h"

const char *const sweep_state_names[] = {"waiting", "stopped", "running", "complete", "failed"};

/* ---- Results. */
static void read_result(const sweep *w, sweep_run *run) {
    sweep_path path;
    char line[1024];
    sweep_result *r = &run->result;
    *r = (sweep_result){.state = SWEEP_WAITING};
    FILE *file = sweep_read(sweep_file(w, "results/", run->name, ".txt", path));
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, ' ');
        if (!value) continue;
        *value++ = 0;
        if (strcmp(line, "state") == 0)
            for (int i = 0; i < 5; i++) r->state = strcmp(sweep_state_names[i], value) == 0 ? (sweep_state)i : r->state;
        if (strcmp(line, "exit_code") == 0) r->exit_code = atoi(value);
        if (strcmp(line, "attempts") == 0) r->attempts = atoi(value);
        if (strcmp(line, "frames") == 0) r->frames = atoi(value);
        if (strcmp(line, "frame_count") == 0) r->frame_count = atoi(value);
        if (strcmp(line, "seconds") == 0) r->seconds = strtod(value, NULL);
        if (strcmp(line, "state_hash") == 0) snprintf(r->hash, sizeof r->hash, "%.16s", value);
        if (strcmp(line, "message") == 0) snprintf(r->message, sizeof r->message, "%s", value);
    }
    if (file) fclose(file);
}

static int write_result(session *s, const sweep *w, const sweep_run *run) {
    const sweep_result *r = &run->result;
    sweep_path path;
    text_file file;
    int code = sweep_output(s, w, "results/", run->name, ".txt", path);
    if (!code) code = text_file_begin(s, &file, path);
    if (code) return code;
    fprintf(file.stream, "state %s\nexit_code %d\nattempts %d\nframes %d\nframe_count %d\nseconds %.6g\n",
            sweep_state_names[r->state], r->exit_code, r->attempts, r->frames, r->frame_count, r->seconds);
    if (r->hash[0]) fprintf(file.stream, "state_hash %s\n", r->hash);
    if (r->message[0]) fprintf(file.stream, "message %.*s\n", (int)strcspn(r->message, "\n"), r->message);
    return text_file_end(s, &file);
}

int sweep_look(session *s, const sweep *w, sweep_run *run) {
    sweep_path path;
    sweep_result *r = &run->result;
    read_result(w, run);
    const int is_run = ruga_path_is_run(sweep_file(w, "runs/", run->name, "", path));
    if (!is_run && r->state != SWEEP_FAILED) r->state = SWEEP_WAITING;
    if (!is_run || r->state == SWEEP_COMPLETE) return 0;
    /* A directory that can't be read is for its own process to report. */
    ruga_run_record *record = NULL;
    if (RUGA_FAILED(ruga_run_record_read(s->context, path, &record))) {
        if (r->state != SWEEP_FAILED) r->state = SWEEP_STOPPED;
        return 0;
    }
    r->frames = record->frames_done;
    r->frame_count = record->frames;
    if (record->running)
        r->state = SWEEP_RUNNING;
    else if (record->complete || r->state != SWEEP_FAILED)
        r->state = SWEEP_STOPPED;
    ruga_run_record_destroy(s->context, record);
    return 0;
}

int sweep_wants(const sweep_run *run, const sweep_wishes *wishes) {
    sweep_state state = run->result.state;
    return run->chosen &&
           (state == SWEEP_WAITING || state == SWEEP_STOPPED || (state == SWEEP_FAILED && wishes->retry));
}

size_t sweep_count(const sweep *w, sweep_state state) {
    size_t count = 0;
    for (size_t i = 0; i < w->run_count; i++) count += w->runs[i].chosen && w->runs[i].result.state == state;
    return count;
}

double sweep_fraction(session *s, const sweep *w) {
    double done = 0, all = 0;
    for (size_t i = 0; i < w->run_count; i++) {
        const sweep_run *run = &w->runs[i];
        const sweep_result *r = &run->result;
        if (!run->chosen) continue;
        all++;
        if (r->state == SWEEP_COMPLETE || r->state == SWEEP_FAILED) done++;
        if (r->state != SWEEP_RUNNING) continue;
        sweep_path path;
        ruga_run_record *record = NULL;
        if (RUGA_FAILED(ruga_run_record_read(s->context, sweep_file(w, "runs/", run->name, "", path), &record)))
            continue;
        if (record->frames > 0) done += (double)record->frames_done / record->frames;
        ruga_run_record_destroy(s->context, record);
    }
    return all > 0 ? done / all : 1;
}

/* ---- One run in this process. */
static int is_same_file_text(const char *a, const char *b) {
    FILE *one = sweep_read(a), *other = sweep_read(b);
    int same = one && other, x = 0;
    while (same && x != EOF) same = (x = getc(one)) == getc(other);
    if (one) fclose(one);
    if (other) fclose(other);
    return same;
}

/* Continues a run of this very scene, or begins it. */
static int begin(session *s, const sweep *w, const sweep_run *run, int retry, ruga_run **out) {
    sweep_path directory, scene, former;
    sweep_file(w, "runs/", run->name, "", directory);
    sweep_file(w, "scenes/", run->name, ".json", scene);
    sweep_file(w, "runs/", run->name, "/scene.json", former);
    int replace = ruga_path_is_run(directory);
    if (replace && is_same_file_text(scene, former)) {
        ruga_status status = ruga_run_resume(s->context, directory, out);
        if (status != RUGA_ERROR_INPUT || !retry) return output_code(s, status);
        session_note(s, "%s; starting over", ruga_context_message(s->context));
    }
    ruga_description *description = NULL;
    ruga_status status = ruga_description_read(s->context, scene, &description);
    int code = description ? scene_check(s, description) : input_code(s, status);
    if (!code) code = report_findings(s, scene, description);
    if (!code) code = output_code(s, ruga_run_create(s->context, description, directory, replace, out));
    ruga_description_destroy(description);
    return code;
}

/* Whether a process holds the run directory. */
static int is_at_work(session *s, const char *directory) {
    ruga_run_record *record = NULL;
    if (!ruga_path_is_run(directory) || RUGA_FAILED(ruga_run_record_read(s->context, directory, &record))) return 0;
    int running = record->running;
    ruga_run_record_destroy(s->context, record);
    return running;
}

/* Locks a run for this process until the descriptor is closed, by its scene. -1: the file system has no locks, or the
 * file can't be opened, which is reported when it is read; `elsewhere`: another process has it. */
static int lock_run(const sweep *w, const sweep_run *run, int *elsewhere) {
    sweep_path scene;
    int lock = open(sweep_file(w, "scenes/", run->name, ".json", scene), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *elsewhere = 0;
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    *elsewhere = errno == EWOULDBLOCK;
    close(lock);
    return -1;
}

static int is_locked(const sweep *w, const sweep_run *run) {
    int elsewhere, lock = lock_run(w, run, &elsewhere);
    if (lock >= 0) close(lock);
    return elsewhere;
}

/* Why a run did not get on: the first error in its scene, or what the library said last. */
static void explain(session *s, const sweep *w, sweep_run *run, int code) {
    sweep_result *r = &run->result;
    snprintf(r->message, sizeof r->message, "%.500s", ruga_context_message(s->context));
    sweep_path scene;
    ruga_description *description = NULL;
    if (code != EXIT_INPUT) return;
    (void)ruga_description_read(s->context, sweep_file(w, "scenes/", run->name, ".json", scene), &description);
    if (description) (void)ruga_description_check(description);
    for (size_t i = description ? ruga_description_finding_count(description) : 0; i-- > 0;) {
        const ruga_finding *f = ruga_description_finding(description, i);
        if (RUGA_FAILED(f->status))
            snprintf(r->message, sizeof r->message, "%.100s: %.390s", f->path ? f->path : "", f->message);
    }
    ruga_description_destroy(description);
}

static int work_here(session *s, const sweep *w, sweep_run *run, const sweep_wishes *wishes) {
    sweep_result *r = &run->result;
    sweep_path directory;
    ruga_run *at_work = NULL;
    double begun = seconds_now();
    sweep_file(w, "runs/", run->name, "", directory);
    int code = begin(s, w, run, wishes->retry, &at_work);
    /* Another process was quicker: the result is for it to write. */
    if (code && !session_interrupt_code() && is_at_work(s, directory)) return code;
    int first = 0;
    if (!code) {
        double seconds;
        first = ruga_run_frames_done(at_work);
        r->frame_count = ruga_run_frame_count(at_work);
        code = run_step_all(s, at_work, directory, &seconds);
        r->frames = ruga_run_frames_done(at_work);
    }
    r->hash[0] = r->message[0] = 0;
    if (!code) code = run_state_hash(s, at_work, directory, r->frames - first, r->hash);
    r->state = code == 0 ? SWEEP_COMPLETE : session_interrupt_code() ? SWEEP_STOPPED : SWEEP_FAILED;
    if (r->state == SWEEP_FAILED) explain(s, w, run, code);
    ruga_run_destroy(at_work);
    r->exit_code = code;
    r->attempts++;
    r->seconds += seconds_now() - begun;
    int written = write_result(s, w, run);
    return code ? code : written;
}

int sweep_work_here(session *s, sweep *w, size_t i, const sweep_wishes *wishes) {
    sweep_run *run = &w->runs[i];
    int elsewhere, lock = lock_run(w, run, &elsewhere), code = 0;
    if (elsewhere) return session_error(s, EXIT_FAILED, "another process is working on run %zu; wait for it", i);
    /* Another process may have ended it since it was looked at. */
    sweep_look(s, w, run);
    if (sweep_wants(run, wishes)) code = work_here(s, w, run, wishes);
    if (lock >= 0) close(lock);
    return code;
}

/* ---- Many runs, each in a process of its own. */
enum { MOST_JOBS = 1024 };
#define LOOK_AGAIN 0.5 /* s, at runs of other processes and at the progress */

typedef struct sweep_job {
    pid_t process;
    size_t run;
    int attempts; /* before it */
} sweep_job;

typedef struct sweep_pool {
    sweep *w;
    const sweep_wishes *wishes;
    int jobs, threads; /* at a time; of each */
    sweep_job at_work[MOST_JOBS];
    int count;      /* at work */
    int disk_full;  /* so no further runs are started */
    int forwarded;  /* the signal that the processes were sent */
    double looked;  /* s, at the progress */
    char *waits;    /* (runs) has yet to be begun here */
    sigset_t quiet; /* the signals of this process without SIGCHLD blocked */
} sweep_pool;

static void on_child(int number) { (void)number; }

static int start(session *s, sweep_pool *p, size_t i) {
    sweep_run *run = &p->w->runs[i];
    sweep_path log;
    char number[24], threads[24];
    snprintf(number, sizeof number, "%zu", i);
    snprintf(threads, sizeof threads, "%d", p->threads);
    const char *const list[] = {"ruga",      "sweep", p->w->directory, "--only", number,
                                "--threads", threads, "--progress",    "none",   p->wishes->retry ? "--retry" : NULL,
                                NULL};
    TRY_CODE(sweep_output(s, p->w, "logs/", run->name, ".txt", log));
    struct stat info;
    if (stat(log, &info) == 0 && info.st_nlink > 1)
        return session_error(s, EXIT_FAILED,
                             "%s: has several names; writing it would change a file elsewhere. Remove it", log);
    pid_t process = fork();
    if (process < 0) return session_error(s, EXIT_FAILED, "can't start another process: %s", strerror(errno));
    if (process == 0) {
        /* In a group of its own, so that Ctrl-C reaches it once, through us; and stopped if we are killed. */
        setpgid(0, 0);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
        sigprocmask(SIG_SETMASK, &p->quiet, NULL);
        int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666), null = open("/dev/null", O_RDONLY);
        if (fd < 0 || null < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) _exit(126);
        dup2(null, STDIN_FILENO);
        execv("/proc/self/exe", (char *const *)(uintptr_t)list);
        execvp("ruga", (char *const *)(uintptr_t)list);
        _exit(127);
    }
    p->at_work[p->count++] = (sweep_job){process, i, run->result.attempts};
    run->result.state = SWEEP_RUNNING;
    p->waits[i] = 0;
    return 0;
}

/* The result of a process: its own if it left one, else how it ended. */
static int finish(session *s, sweep_pool *p, sweep_job job, int status) {
    sweep_run *run = &p->w->runs[job.run];
    sweep_result *r = &run->result;
    sweep_path path;
    /* First whether another process has it: one that ends now has written its result before. */
    const int elsewhere = is_locked(p->w, run) || is_at_work(s, sweep_file(p->w, "runs/", run->name, "", path));
    read_result(p->w, run);
    if (strstr(r->message, strerror(ENOSPC)) && r->state == SWEEP_FAILED) p->disk_full = 1;
    if (WIFEXITED(status) && r->attempts > job.attempts) return 0;
    if (WIFEXITED(status) && elsewhere) {
        r->state = SWEEP_RUNNING;
        p->waits[job.run] = 1;
        return 0;
    }
    r->attempts = job.attempts + 1;
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        int resumable = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGKILL;
        r->exit_code = EXIT_INTERRUPTED + number;
        r->state = resumable ? SWEEP_STOPPED : SWEEP_FAILED;
        snprintf(r->message, sizeof r->message, "ended by signal %d (%s)", number, strsignal(number));
    } else {
        r->exit_code = WEXITSTATUS(status);
        r->state = r->exit_code > EXIT_INTERRUPTED ? SWEEP_STOPPED : SWEEP_FAILED;
        snprintf(r->message, sizeof r->message, "ended with exit code %d and left no result", r->exit_code);
    }
    return write_result(s, p->w, run);
}

static int reap(session *s, sweep_pool *p) {
    int code = 0;
    for (int k = 0; k < p->count && !code; k++) {
        int status;
        sweep_job job = p->at_work[k];
        if (waitpid(job.process, &status, WNOHANG) != job.process) continue;
        p->at_work[k--] = p->at_work[--p->count];
        code = finish(s, p, job, status);
    }
    return code;
}

/* The next run to begin; SIZE_MAX if there is none. Runs of other processes come last, once those have ended. */
static size_t choose(session *s, sweep_pool *p, int *elsewhere) {
    *elsewhere = 0;
    for (size_t i = 0; i < p->w->run_count; i++)
        if (p->waits[i] && p->w->runs[i].result.state != SWEEP_RUNNING) return i;
    for (size_t i = 0; i < p->w->run_count; i++) {
        if (!p->waits[i]) continue;
        sweep_look(s, p->w, &p->w->runs[i]);
        if (sweep_wants(&p->w->runs[i], p->wishes)) return i;
        if (p->w->runs[i].result.state == SWEEP_RUNNING)
            ++*elsewhere;
        else
            p->waits[i] = 0;
    }
    return SIZE_MAX;
}

/* Waits for a process to end, a signal or the time. */
static void rest(const sweep_pool *p, double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    pselect(0, NULL, NULL, NULL, &time, &p->quiet);
}

static void forward_signal(sweep_pool *p) {
    int code = session_interrupt_code();
    if (!code || p->forwarded) return;
    p->forwarded = code - EXIT_INTERRUPTED;
    for (int k = 0; k < p->count; k++) kill(p->at_work[k].process, p->forwarded);
}

static int work(session *s, sweep_pool *p) {
    int code = 0, noted = 0;
    for (;;) {
        int elsewhere = 0;
        if (!code) code = reap(s, p);
        forward_signal(p);
        int stopping = code || p->forwarded || p->disk_full;
        while (p->count < p->jobs && !stopping) {
            size_t next = choose(s, p, &elsewhere);
            if (next == SIZE_MAX) break;
            code = start(s, p, next);
            stopping = code != 0;
        }
        if (code && !p->forwarded) /* our own trouble: let the processes stop */
            for (p->forwarded = SIGTERM; p->count;) kill(p->at_work[--p->count].process, SIGTERM);
        if (p->count == 0 && (stopping || !elsewhere)) return code;
        if (p->count == 0 && !noted++)
            session_note(s, "%d run%s in progress in other processes; waiting for %s", elsewhere,
                         elsewhere == 1 ? " is" : "s are", elsewhere == 1 ? "it" : "them");
        double now = seconds_now();
        if (now - p->looked > LOOK_AGAIN) {
            progress_whole(&s->bar, "sweep", sweep_fraction(s, p->w));
            p->looked = now;
        }
        rest(p, LOOK_AGAIN);
    }
}

int sweep_work_locally(session *s, sweep *w, const sweep_wishes *wishes, int jobs, int threads) {
    sweep_pool *p = calloc(1, sizeof *p);
    char *waits = calloc(w->run_count + 1, 1);
    if (!p || !waits) {
        free(p);
        free(waits);
        return session_no_memory(s);
    }
    *p = (sweep_pool){.w = w, .wishes = wishes, .jobs = jobs, .threads = threads, .waits = waits};
    for (size_t i = 0; i < w->run_count; i++)
        waits[i] =
            (char)(w->runs[i].chosen && (sweep_wants(&w->runs[i], wishes) || w->runs[i].result.state == SWEEP_RUNNING));
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    struct sigaction action = {.sa_handler = on_child}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, &before);
    sigprocmask(SIG_BLOCK, &child, &p->quiet);
    sigdelset(&p->quiet, SIGCHLD);
    int code = work(s, p);
    sigprocmask(SIG_SETMASK, &p->quiet, NULL);
    sigaction(SIGCHLD, &before, NULL);
    if (!code && p->disk_full)
        code = session_error(s, EXIT_FAILED,
                             "%s: the disk is full, so no further runs were started; free some space, then: ruga sweep "
                             "%s --retry",
                             w->directory, w->directory);
    free(waits);
    free(p);
    return code;
}
