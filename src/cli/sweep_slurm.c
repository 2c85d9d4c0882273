/* Sweeps on a cluster: a job array of Slurm, one task per run. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "sweep.h"

/* Slurm's default MaxArraySize is 1001. Beyond that, each task does a chunk of the runs. */
enum { MOST_TASKS = 1000, MOST_OUTPUT = 1 << 20 };

/* ---- The script. */
/* Within single quotes of a shell. */
static void write_quoted(FILE *stream, const char *text) {
    fputc('\'', stream);
    for (; *text; text++) fprintf(stream, *text == '\'' ? "'\\''" : "%c", *text);
    fputc('\'', stream);
}

/* The log of each task. Slurm replaces %A and %a. A path with a character that ends its text can't be given: then Slurm
 * chooses. */
static void write_log_path(FILE *stream, const char *directory) {
    for (const char *at = directory; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\') return;
    fprintf(stream, "#SBATCH --output=\"");
    for (; *directory; directory++) fprintf(stream, *directory == '%' ? "%%%%" : "%c", *directory);
    fprintf(stream, "/logs/slurm-%%A_%%a.txt\"\n");
}

/* "0-3,7": the runs that are to be done. */
static size_t write_array(FILE *stream, const sweep *w, const sweep_wishes *wishes, int write) {
    size_t count = 0;
    for (size_t i = 0; i < w->run_count; i++) {
        size_t end = i;
        while (end < w->run_count && sweep_wants(&w->runs[end], wishes)) end++;
        if (end == i) continue;
        if (write) fprintf(stream, end - i > 1 ? "%s%zu-%zu" : "%s%zu", count ? "," : "", i, end - 1);
        count += end - i;
        i = end;
    }
    return count;
}

int sweep_slurm_write(session *s, const sweep *w, const sweep_wishes *wishes, const char *const *options,
                      size_t option_count, int threads) {
    sweep_path path;
    char program[SWEEP_PATH] = "ruga";
    text_file file;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = 0;
    int code = sweep_output(s, w, "sweep.sbatch", NULL, "", path);
    if (!code) code = text_file_begin(s, &file, path);
    if (code) return code;
    FILE *to = file.stream;
    size_t count = write_array(to, w, wishes, 0);
    fprintf(to,
            "#!/bin/sh\n"
            "# Written by ruga sweep. Submit it with sbatch; afterwards, 'ruga sweep DIR' collects the results.\n"
            "# A task that is killed or requeued resumes its run from the last checkpoint, on any node.\n"
            "#SBATCH --job-name=ruga-sweep\n"
            "#SBATCH --array=");
    if (count > MOST_TASKS)
        fprintf(to, "1-%d", MOST_TASKS);
    else if (count)
        write_array(to, w, wishes, 1);
    else
        fprintf(to, "0");
    fprintf(to,
            "\n#SBATCH --cpus-per-task=%d\n"
            "#SBATCH --requeue\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --signal=B:TERM@60\n",
            threads);
    write_log_path(to, w->directory);
    for (size_t i = 0; i < option_count; i++) fprintf(to, "#SBATCH %s\n", options[i]);
    fprintf(to, "export RUGA_ISA=%s\nexec ", w->isa);
    write_quoted(to, program);
    fprintf(to, " sweep ");
    write_quoted(to, w->directory);
    if (count > MOST_TASKS)
        fprintf(to, " --chunk \"$SLURM_ARRAY_TASK_ID/%d\" --jobs 1", MOST_TASKS);
    else
        fprintf(to, " --only \"$SLURM_ARRAY_TASK_ID\"");
    fprintf(to, " --threads %d --progress lines%s\n", threads, wishes->retry ? " --retry" : "");
    code = text_file_end(s, &file);
    if (!code) (void)chmod(path, 0755);
    return code;
}

/* ---- Slurm's programs. */
/* Runs a program and keeps what it prints, with its errors. Returns its exit code; 127: it is not there. */
static int capture(const char *const *list, char *out, size_t size) {
    int ends[2], status = 0;
    size_t used = 0;
    out[0] = 0;
    if (pipe(ends) != 0) return 126;
    pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0); /* Ctrl-C is ours */
        if (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(126);
        close(ends[0]);
        execvp(list[0], (char *const *)(uintptr_t)list);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got = 1; process > 0 && got != 0 && used < size - 1;) {
        got = read(ends[0], out + used, size - 1 - used);
        if (got > 0) used += (size_t)got;
        if (got < 0 && errno != EINTR) break;
    }
    out[used] = 0;
    close(ends[0]);
    if (process < 0) return 126;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERRUPTED + WTERMSIG(status);
}

/* The first line, for a message. */
static const char *first_line(char *text) {
    text[strcspn(text, "\n")] = 0;
    return text;
}

/* Tasks of a job that are in the queue; -1: the controller does not answer at the moment. */
static int tasks_in_queue(const char *job, char *text) {
    const char *const list[] = {"squeue", "--noheader", "--array", "--jobs", job, "--format=%i %T", NULL};
    int code = capture(list, text, MOST_OUTPUT), count = 0;
    if (code != 0) return strstr(text, "Invalid job id") ? 0 : -1;
    for (const char *at = text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        count += length > 0;
        at += length;
    }
    return count;
}

static void read_job(const sweep *w, char job[32]) {
    sweep_path path;
    FILE *file = sweep_read(sweep_file(w, "slurm.txt", NULL, "", path));
    job[0] = 0;
    if (file && (!fgets(job, 32, file) || strspn(job, "0123456789") == 0)) job[0] = 0;
    job[strspn(job, "0123456789")] = 0;
    if (file) fclose(file);
}

static int submit(session *s, const sweep *w, char job[32], char *text) {
    sweep_path script, path;
    sweep_file(w, "sweep.sbatch", NULL, "", script);
    const char *const list[] = {"sbatch", "--parsable", script, NULL};
    int code = capture(list, text, MOST_OUTPUT);
    if (code == 127)
        return session_error(s, EXIT_FAILED,
                             "sbatch: not found; run this on a machine of the cluster, or without --submit");
    /* "123" or "123;cluster", in its last line: warnings may come before it. */
    char *last = text + strlen(text);
    while (last > text && last[-1] == '\n') *--last = 0;
    while (last > text && last[-1] != '\n') last--;
    size_t digits = strspn(last, "0123456789");
    if (code != 0 || digits == 0 || digits > 30)
        return session_error(s, EXIT_FAILED, "sbatch %s failed: %s", script, first_line(text));
    snprintf(job, 32, "%.*s", (int)digits, last);
    char line[40];
    int size = snprintf(line, sizeof line, "%s\n", job);
    session_note(s, "submitted %s as job %s", script, job);
    code = sweep_output(s, w, "slurm.txt", NULL, "", path);
    return code ? code : write_text_file(s, path, line, (size_t)size);
}

static void rest(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL); /* a signal ends it */
}

/* Asks Slurm about the tasks that left no result: TIMEOUT, OUT_OF_MEMORY, NODE_FAIL … */
static void ask_accounting(sweep *w, const char *job, char *text) {
    const char *const list[] = {"sacct",  "--noheader", "--parsable2",          "--allocations",
                                "--jobs", job,          "--format=JobID,State", NULL};
    if (capture(list, text, MOST_OUTPUT) != 0) return;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *under = strchr(line, '_'), *bar = strchr(line, '|');
        if (!under || !bar) continue;
        size_t run = strtoul(under + 1, NULL, 10);
        if (run >= w->run_count || strncmp(bar + 1, "COMPLETED", 9) == 0) continue;
        sweep_result *r = &w->runs[run].result;
        if (r->state != SWEEP_COMPLETE && !r->message[0])
            snprintf(r->message, sizeof r->message, "Slurm: %.100s", bar + 1);
    }
}

static void look_at_all(session *s, sweep *w) {
    for (size_t i = 0; i < w->run_count; i++)
        if (w->runs[i].chosen && w->runs[i].result.state != SWEEP_COMPLETE) sweep_look(s, w, &w->runs[i]);
}

static int follow(session *s, sweep *w, const char *job, double interval, char *text) {
    int silent = 0;
    for (;;) {
        int code = session_interrupt_code();
        if (code)
            return session_error(s, code,
                                 "stopped following; job %s continues. Follow it again: ruga sweep %s --submit; cancel "
                                 "it: scancel %s",
                                 job, w->directory, job);
        int left = tasks_in_queue(job, text);
        look_at_all(s, w);
        progress_whole(&s->bar, "sweep", sweep_fraction(s, w));
        if (left == 0) return 0;
        if (left < 0 && !silent++) session_note(s, "squeue: %s; asking again", first_line(text));
        rest(interval);
    }
}

int sweep_slurm_submit(session *s, sweep *w, const sweep_wishes *wishes, double interval) {
    char job[32], *text = malloc(MOST_OUTPUT);
    if (!text) return session_no_memory(s);
    read_job(w, job);
    int code = 0, following = job[0] && tasks_in_queue(job, text) > 0;
    if (following)
        session_note(s, "job %s of this sweep is in the queue; following it", job);
    else
        code = write_array(NULL, w, wishes, 0) ? submit(s, w, job, text) : 0;
    if (!code && job[0]) code = follow(s, w, job, interval, text);
    if (!code && job[0] && sweep_count(w, SWEEP_COMPLETE) < w->run_count) {
        rest(interval < 2 ? interval : 2); /* shared file systems show new files late */
        look_at_all(s, w);
        ask_accounting(w, job, text);
    }
    free(text);
    return code;
}
