/* Films. Frames go as raw pixels through a socket to the ffmpeg command, which writes a temporary file that gets its
 * name at the end. A socket, because sending to it can be kept from raising SIGPIPE when ffmpeg dies; the host's
 * signals are left alone. No shell is involved. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "ruga/render.h"

typedef enum film_kind { FILM_PICTURES, FILM_MP4, FILM_GIF } film_kind;

struct ruga_film {
    ruga_context *context;
    film_kind kind;
    char *path;
    char *target; /* the path for ffmpeg: "file:" and the temporary name, which may hold anything */
    double rate;
    int width, height; /* of the first frame; 0 before it */
    size_t frame_count;
    pid_t encoder; /* 0 while there is none */
    int pipe;      /* to ffmpeg; -1 while there is none */
    FILE *words;   /* what ffmpeg has to say */
    uint8_t *row;  /* a row of pixels, padded to an even width */
    int finished;
};

#define FILE_PROTOCOL "file:"
#define MAX_TRIES 1000 /* temporary names */

static const char *film_temporary(const ruga_film *film) { return film->target + strlen(FILE_PROTOCOL); }

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && !strcmp(text + length - end_length, end);
}

/* Whether a command is on the PATH. */
static int command_exists(const char *name) {
    const char *path = getenv("PATH");
    char candidate[4096];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int written = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        if (length && written > 0 && (size_t)written < sizeof candidate && access(candidate, X_OK) == 0) return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

static ruga_status find_kind(ruga_context *context, const char *path, film_kind *out) {
    if (ends_with(path, ".png") && strchr(path, '#')) {
        *out = FILM_PICTURES;
        return RUGA_OK;
    }
    if (!ends_with(path, ".mp4") && !ends_with(path, ".gif"))
        return fail_unsupported(
            context, "%s: a film's name must end in .mp4 or .gif, or be a pattern such as frame####.png", path);
    *out = ends_with(path, ".mp4") ? FILM_MP4 : FILM_GIF;
    if (!command_exists("ffmpeg"))
        return fail_unsupported(
            context,
            "%s: films need the ffmpeg command, which was not found; install the package ffmpeg, or write "
            "single pictures with a pattern such as frame####.png",
            path);
    return RUGA_OK;
}

/* Makes the temporary file, which ffmpeg then writes: a new one, so that what others have put under its name is neither
 * followed nor replaced. Its name can't be foreseen, as ffmpeg opens it once more. Returns an errno. */
static int make_temporary(ruga_film *film, size_t size) {
    const file_system *files = film->context->file_system;
    void *handle = NULL;
    int error = EEXIST;
    for (int i = 0; error == EEXIST && i < MAX_TRIES; i++) {
        uint64_t number = 0;
        if (getentropy(&number, sizeof number) != 0) return errno;
        snprintf(film->target, size, FILE_PROTOCOL "%s.%ld-%" PRIu64 ".tmp", film->path, (long)getpid(), number);
        error = files->create(files->user, film_temporary(film), film->path, &handle);
    }
    return error ? error : files->close(files->user, handle);
}

static ruga_status film_new(ruga_context *context, const char *path, film_kind kind, double rate, ruga_film **out) {
    ruga_film *film;
    size_t size = strlen(path) + 60;
    TRY(NEW(context, &film, 1));
    *film = (ruga_film){.context = context, .kind = kind, .rate = rate, .pipe = -1};
    ruga_status status = NEW_TEXT(context, &film->path, path);
    if (!RUGA_FAILED(status)) status = NEW(context, &film->target, size);
    TRY_OR(status, RELEASE_ALL(context, film->path, film));
    const int error = kind == FILM_PICTURES ? 0 : make_temporary(film, size);
    if (error) {
        status = fail_with(context, RUGA_ERROR_FILE, "%s: can't be written: %s", path, strerror(error));
        RELEASE_ALL(context, film->target, film->path, film);
        return status;
    }
    *out = film;
    return RUGA_OK;
}

ruga_status ruga_film_create(ruga_context *context, const char *path, double rate, ruga_film **out) {
    if (!path || !*path) return fail_argument(context, "a film needs a path to be written to");
    if (!(rate >= 0.01 && rate <= 1000))
        return fail_argument(context, "%s: the film has %g pictures a second, but must have between 0.01 and 1000",
                             path, rate);
    film_kind kind = FILM_PICTURES;
    TRY(find_kind(context, path, &kind));
    return film_new(context, path, kind, rate, out);
}

/* ---- The encoder. */

#define MAX_ARGUMENTS 48

/* The arguments for ffmpeg; numbers are written into the caller's texts, without the locale's comma. */
static void make_arguments(const ruga_film *film, char size[32], char rate[32], const char *arguments[MAX_ARGUMENTS]) {
    int even = film->kind == FILM_MP4;
    snprintf(size, 32, "%dx%d", film->width + (even && film->width % 2), film->height + (even && film->height % 2));
    snprintf(rate, 32, "%ld/1000", lround(film->rate * 1000));
    const char *input[] = {"ffmpeg", "-nostdin",    "-loglevel", "error",      "-y", "-f", "rawvideo", "-pixel_format",
                           "rgb24",  "-video_size", size,        "-framerate", rate, "-i", "pipe:0"};
    const char *mp4[] = {"-vf",
                         "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                         "-c:v",
                         "libx264",
                         "-preset",
                         "medium",
                         "-crf",
                         "18",
                         "-colorspace",
                         "bt709",
                         "-color_primaries",
                         "bt709",
                         "-color_trc",
                         "iec61966-2-1",
                         "-movflags",
                         "+faststart",
                         "-f",
                         "mp4"};
    const char *gif[] = {
        "-vf",   "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
        "-loop", "0",
        "-f",    "gif"};
    size_t count = sizeof input / sizeof *input, more = even ? sizeof mp4 / sizeof *mp4 : sizeof gif / sizeof *gif;
    memcpy(arguments, input, sizeof input);
    memcpy(arguments + count, even ? mp4 : gif, more * sizeof *mp4);
    arguments[count + more] = film->target;
    arguments[count + more + 1] = NULL;
}

extern char **environ;

/* Starts ffmpeg with the socket as its standard input and a nameless file for its words. Returns an errno. */
static int spawn_encoder(ruga_film *film, int input) {
    char size[32], rate[32];
    const char *arguments[MAX_ARGUMENTS];
    make_arguments(film, size, rate, arguments);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    if ((error = posix_spawnattr_init(&attributes))) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    // The child starts with plain signals, whatever the host has blocked or ignored.
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, fileno(film->words), STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, fileno(film->words), STDERR_FILENO);
    if (!error)
        error = posix_spawnp(&film->encoder, "ffmpeg", &actions, &attributes, (char *const *)arguments, environ);
    if (error) film->encoder = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static ruga_status start_encoder(ruga_film *film) {
    int ends[2];
    TRY(NEW(film->context, &film->row, 3 * ((size_t)film->width + 1)));
    film->words = tmpfile();
    if (!film->words || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return fail_with(film->context, RUGA_ERROR_FILE, "%s: no pipe to ffmpeg: %s", film->path, strerror(errno));
    int error = spawn_encoder(film, ends[1]);
    close(ends[1]);
    film->pipe = ends[0];
    if (error) return fail_unsupported(film->context, "%s: ffmpeg can't be started: %s", film->path, strerror(error));
    return RUGA_OK;
}

/* Ends the encoder's input and waits for it; its exit code, or -1. */
static int wait_for_encoder(ruga_film *film) {
    int state = 0;
    if (film->pipe >= 0) close(film->pipe);
    film->pipe = -1;
    pid_t got;
    while ((got = waitpid(film->encoder, &state, 0)) < 0 && errno == EINTR) continue;
    film->encoder = 0;
    return got >= 0 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/* The first line of what ffmpeg said. */
static ruga_status encoder_failed(ruga_film *film) {
    char words[256] = "no reason was given";
    rewind(film->words);
    if (fgets(words, sizeof words, film->words)) words[strcspn(words, "\r\n")] = 0;
    return fail_with(film->context, RUGA_ERROR_FILE, "%s: ffmpeg failed: %s", film->path, words);
}

static ruga_status send_bytes(ruga_film *film, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = send(film->pipe, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            wait_for_encoder(film);
            return encoder_failed(film);
        }
        bytes += sent, size -= (size_t)sent;
    }
    return RUGA_OK;
}

/* Rows of an odd film for MP4, which needs even sizes, repeat their last pixel, and the last row is sent twice. */
static ruga_status send_frame(ruga_film *film, const ruga_image *image) {
    size_t bytes = 3 * (size_t)film->width;
    if (film->kind != FILM_MP4 || (film->width % 2 == 0 && film->height % 2 == 0))
        return send_bytes(film, image->pixels, bytes * (size_t)film->height);
    for (int y = 0; y < film->height + film->height % 2; y++) {
        const uint8_t *pixels = image->pixels + bytes * (size_t)(y < film->height ? y : film->height - 1);
        memcpy(film->row, pixels, bytes);
        memcpy(film->row + bytes, pixels + bytes - 3, 3);
        TRY(send_bytes(film, film->row, bytes + (film->width % 2 ? 3 : 0)));
    }
    return RUGA_OK;
}

/* ---- Single pictures: the first run of # is the number of the picture, from 0, with so many digits at least. */

static ruga_status picture_path(const ruga_film *film, size_t number, char **out) {
    const char *begin = strchr(film->path, '#');
    int digits = (int)strspn(begin, "#");
    size_t size = strlen(film->path) + 32;
    char *path;
    TRY(NEW(film->context, &path, size));
    snprintf(path, size, "%.*s%0*zu%s", (int)(begin - film->path), film->path, digits, number, begin + digits);
    *out = path;
    return RUGA_OK;
}

static ruga_status write_picture(ruga_film *film, const ruga_image *image) {
    char *path;
    TRY(picture_path(film, film->frame_count, &path));
    ruga_image same = *image;
    same.context = film->context;
    ruga_status status = ruga_image_write_png(&same, path);
    memory_release(film->context, path);
    return status;
}

static void remove_pictures(ruga_film *film) {
    for (size_t i = 0; i < film->frame_count; i++) {
        char *path;
        if (RUGA_FAILED(picture_path(film, i, &path))) return;
        film->context->file_system->remove(film->context->file_system->user, path);
        memory_release(film->context, path);
    }
}

/* ---- Appending and finishing. */

ruga_status ruga_film_append(ruga_film *film, const ruga_image *image) {
    ruga_context *context = film->context;
    if (film->finished) return fail_argument(context, "%s: the film is finished", film->path);
    if (film->frame_count && (image->width != film->width || image->height != film->height))
        return fail_argument(context, "%s: picture %zu is %d x %d pixels, but the film's first was %d x %d", film->path,
                             film->frame_count, image->width, image->height, film->width, film->height);
    film->width = image->width, film->height = image->height;
    if (film->kind == FILM_PICTURES) {
        TRY(write_picture(film, image));
    } else {
        if (!film->frame_count && !film->encoder) TRY(start_encoder(film));
        if (!film->encoder) return encoder_failed(film);
        TRY(send_frame(film, image));
    }
    film->frame_count++;
    return RUGA_OK;
}

ruga_status ruga_film_finish(ruga_film *film) {
    ruga_context *context = film->context;
    if (film->finished) return fail_argument(context, "%s: the film is finished", film->path);
    if (!film->frame_count) return fail_argument(context, "%s: the film has no pictures", film->path);
    if (film->kind != FILM_PICTURES) {
        if (!film->encoder || wait_for_encoder(film) != 0) return encoder_failed(film);
        const file_system *files = context->file_system;
        int error = files->rename(files->user, film_temporary(film), film->path);
        if (error)
            return fail_with(context, RUGA_ERROR_FILE, "%s: can't be given its name: %s", film->path, strerror(error));
    }
    film->finished = 1;
    return RUGA_OK;
}

void ruga_film_destroy(ruga_film *film) {
    if (!film) return;
    ruga_context *context = film->context;
    if (film->encoder) {
        kill(film->encoder, SIGKILL);
        wait_for_encoder(film);
    }
    if (film->pipe >= 0) close(film->pipe);
    if (film->words) fclose(film->words);
    if (!film->finished && film->kind == FILM_PICTURES) remove_pictures(film);
    if (!film->finished && film->kind != FILM_PICTURES) unlink(film_temporary(film));
    RELEASE_ALL(context, film->row, film->path, film->target, film);
}
