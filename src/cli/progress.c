#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FIRST_DRAWN 1.0 /* s */
#define REDRAWN 0.1     /* s */

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double used_by(int who) {
    struct rusage used;
    if (getrusage(who, &used) != 0) return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

double processor_seconds(void) { return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN); }

void progress_begin(progress_bar *bar, int enabled) {
    *bar = (progress_bar){.enabled = enabled, .begun = seconds_now()};
    bar->stage_begun = bar->begun;
}

static void format_time_left(char *text, size_t size, double seconds) {
    long s = (long)(seconds + 0.5);
    if (s < 60)
        snprintf(text, size, "%ld s left", s);
    else if (s < 3600)
        snprintf(text, size, "%ld min %02ld s left", s / 60, s % 60);
    else
        snprintf(text, size, "%ld h %02ld min left", s / 3600, s % 3600 / 60);
}

/* frame 27 of 48  [=============>          ]  55 %  12 s left */
static void draw(progress_bar *bar, double now) {
    struct winsize window;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    char left[48] = "", line[320];
    double done = bar->fraction - bar->stage_first;
    if (done > 0.0005) format_time_left(left, sizeof left, (now - bar->stage_begun) * (1 - bar->fraction) / done);

    int used = snprintf(line, sizeof line, "%s", bar->stage);
    if (bar->part_count > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, " %zu of %zu", bar->part + 1, bar->part_count);
    int width = columns - 1 - used - 34;
    if (width > 60) width = 60;
    if (width >= 8) {
        char cells[64];
        int filled = (int)(bar->fraction * width);
        memset(cells, ' ', sizeof cells);
        memset(cells, '=', (size_t)filled);
        if (filled < width) cells[filled] = '>';
        used += snprintf(line + used, sizeof line - (size_t)used, "  [%.*s]", width, cells);
    }
    snprintf(line + used, sizeof line - (size_t)used, "  %3.0f %%  %s", 100 * bar->fraction, left);
    fprintf(stderr, "\r\033[K%.*s", columns - 1, line);
    fflush(stderr);
    bar->visible = 1;
    bar->drawn = now;
}

/* Only rising percentages, so that readers see neither stages nor repetitions. */
static void print_line(progress_bar *bar, double fraction) {
    int percent = (int)(100 * fraction);
    if (percent <= bar->percent || percent > 100) return;
    bar->percent = percent;
    fprintf(stderr, "ALF_PROGRESS %d%%\n", percent);
    fflush(stderr);
}

void progress_whole(progress_bar *bar, const char *stage, double fraction) {
    if (bar->enabled && bar->lines)
        print_line(bar, fraction);
    else
        progress_report(bar, stage, fraction);
}

void progress_report(progress_bar *bar, const char *stage, double fraction) {
    if (!bar->enabled) return;
    if (bar->part_count > 0) {
        /* A run's own count is that of the parts. A part may have several stages, each from 0 to 1: the bar waits where
         * the furthest of them was. */
        if (strcmp(stage, "running") == 0) fraction = 0;
        fraction = ((double)bar->part + fraction) / (double)bar->part_count;
        if (fraction < bar->most) fraction = bar->most;
        bar->most = fraction;
        stage = bar->part_stage;
    }
    if (bar->lines) {
        if (bar->part_count > 0) print_line(bar, fraction);
        return;
    }
    double now = seconds_now();
    if (strncmp(stage, bar->stage, sizeof bar->stage - 1) != 0) {
        snprintf(bar->stage, sizeof bar->stage, "%s", stage);
        bar->stage_begun = now;
        bar->stage_first = fraction;
    }
    bar->fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    if (now - bar->begun >= FIRST_DRAWN && now - bar->drawn >= REDRAWN) draw(bar, now);
}

void progress_erase(progress_bar *bar) {
    if (!bar->visible) return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    bar->visible = 0;
}

void progress_part(progress_bar *bar, const char *stage, size_t part, size_t count) {
    if (part == 0 || count != bar->part_count) bar->most = 0;
    bar->part_stage = stage;
    bar->part = part;
    bar->part_count = count;
    if (count > 0) progress_report(bar, stage, 0);
}
