/* Animation of glTF nodes and morph weights: keys, and what is between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gltf.h"

/* ---- Sampling. */

/* The last key at or before a time. Times are floats in the file: a time that rounds to a key's is that key's. */
static size_t find_key(const gltf_channel *channel, double time, double *from_key) {
    size_t low = 0, high = channel->key_count;
    float rounded = (float)time;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (channel->times[middle] <= rounded)
            low = middle;
        else
            high = middle;
    }
    *from_key = channel->times[low] == rounded ? 0 : time - (double)channel->times[low];
    return low;
}

static void normalise4(double *q) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; length > 0 && i < 4; i++) q[i] /= length;
}

/* Spherical interpolation along the shorter arc, at constant angular speed. */
static void slerp(const float *a, const float *b, double t, double *out) {
    double p[4], q[4], dot = 0, cross = 0;
    for (int i = 0; i < 4; i++) p[i] = (double)a[i], q[i] = (double)b[i];
    normalise4(p);
    normalise4(q);
    for (int i = 0; i < 4; i++) dot += p[i] * q[i];
    double sign = dot < 0 ? -1 : 1;
    /* The angle from its sine and cosine, exact for small ones too. */
    for (int i = 0; i < 4; i++) cross += (sign * q[i] - sign * dot * p[i]) * (sign * q[i] - sign * dot * p[i]);
    double angle = atan2(sqrt(cross), sign * dot), sine = sin(angle);
    double u = sine > 1e-9 ? sin((1 - t) * angle) / sine : 1 - t;
    double v = sine > 1e-9 ? sin(t * angle) / sine : t;
    for (int i = 0; i < 4; i++) out[i] = u * p[i] + v * sign * q[i];
    normalise4(out);
}

/* Cubic Hermite spline; tangents are per second. */
static void cubic(const gltf_channel *channel, size_t key, double t, double interval, double *out) {
    size_t n = channel->components;
    const float *a = channel->values + 3 * key * n, *b = a + 3 * n;
    double t2 = t * t, t3 = t2 * t;
    for (size_t i = 0; i < n; i++)
        out[i] = (2 * t3 - 3 * t2 + 1) * (double)a[n + i] + interval * (t3 - 2 * t2 + t) * (double)a[2 * n + i] +
                 (3 * t2 - 2 * t3) * (double)b[n + i] + interval * (t3 - t2) * (double)b[i];
}

void gltf_channel_sample(const gltf_channel *channel, double time, double *out) {
    size_t n = channel->components;
    double from_key = 0;
    size_t key = find_key(channel, time, &from_key);
    int is_cubic = channel->interpolation == GLTF_CUBIC;
    const float *here = channel->values + (is_cubic ? 3 * key + 1 : key) * n;
    int held = from_key <= 0 || key + 1 == channel->key_count || channel->interpolation == GLTF_STEP;
    if (held) {
        for (size_t i = 0; i < n; i++) out[i] = (double)here[i];
    } else {
        double interval = (double)channel->times[key + 1] - (double)channel->times[key], t = from_key / interval;
        if (is_cubic)
            cubic(channel, key, t, interval, out);
        else if (channel->path == GLTF_ROTATION)
            slerp(here, here + n, t, out);
        else
            for (size_t i = 0; i < n; i++) out[i] = (1 - t) * (double)here[i] + t * (double)here[n + i];
    }
    if (channel->path == GLTF_ROTATION) normalise4(out);
}

static void set_transform(gltf_transform *transform, const gltf_channel *channel, double time) {
    double *place = channel->path == GLTF_TRANSLATION ? transform->translation
                    : channel->path == GLTF_ROTATION  ? transform->rotation
                                                      : transform->scale;
    gltf_channel_sample(channel, time, place);
}

void gltf_animation_pose(const gltf_animation *animation, double time, gltf_rig *rig, gltf_transform *transforms,
                         double *weights) {
    for (size_t i = 0; i < animation->channel_count; i++) {
        const gltf_channel *channel = &animation->channels[i];
        if (channel->path == GLTF_WEIGHTS) {
            gltf_channel_sample(channel, time, weights);
            continue;
        }
        set_transform(&transforms[channel->node], channel, time);
        rig->locals[channel->node] = gltf_matrix_from_transform(&transforms[channel->node]);
    }
}

/* ---- Opening. */

static ruga_status check_finite(gltf_document *doc, const gltf_accessor *a, const float *values) {
    for (uint64_t i = 0; i < a->count * a->components; i++)
        if (!isfinite(values[i]))
            return gltf_fail(doc, a->json,
                             "accessor %u of an animation has a number that is not finite at element %llu", a->index,
                             (unsigned long long)(i / a->components));
    return RUGA_OK;
}

static ruga_status read_floats(gltf_document *doc, const gltf_accessor *a, float **out) {
    TRY(gltf_charge(doc, a->json, a->count * a->components));
    TRY(NEW(doc->context, out, a->count * a->components));
    TRY(gltf_accessor_floats(doc, a, *out));
    return check_finite(doc, a, *out);
}

static ruga_status read_times(gltf_document *doc, const json_value *sampler, gltf_channel *channel) {
    gltf_accessor a;
    uint32_t index;
    TRY(gltf_index(doc, sampler, "input", "accessors", &index));
    if (index == GLTF_NONE) return gltf_fail(doc, sampler, "an animation sampler needs \"input\"");
    TRY(gltf_accessor_open(doc, index, &a));
    if (a.components != 1 || a.type != RUGA_F32 || a.count == 0)
        return gltf_fail(doc, a.json, "times of keys (accessor %u) must be SCALAR floats, at least one", index);
    TRY(read_floats(doc, &a, &channel->times));
    channel->key_count = a.count;
    for (size_t i = 1; i < channel->key_count; i++)
        if (!(channel->times[i] > channel->times[i - 1]))
            return gltf_fail(doc, a.json, "times of keys (accessor %u) do not increase at element %zu: %g after %g",
                             index, i, (double)channel->times[i], (double)channel->times[i - 1]);
    return RUGA_OK;
}

static ruga_status read_values(gltf_document *doc, const json_value *sampler, gltf_channel *channel) {
    gltf_accessor a;
    uint32_t index, wanted = channel->path == GLTF_WEIGHTS ? 1 : channel->path == GLTF_ROTATION ? 4 : 3;
    TRY(gltf_index(doc, sampler, "output", "accessors", &index));
    if (index == GLTF_NONE) return gltf_fail(doc, sampler, "an animation sampler needs \"output\"");
    TRY(gltf_accessor_open(doc, index, &a));
    uint64_t count = channel->key_count * (channel->interpolation == GLTF_CUBIC ? 3u : 1u);
    if (channel->path == GLTF_WEIGHTS) count *= channel->components;
    if (a.components != wanted || a.count != count)
        return gltf_fail(doc, a.json,
                         "values of keys (accessor %u) are %llu of %u numbers, but %llu of %u are expected", index,
                         (unsigned long long)a.count, a.components, (unsigned long long)count, wanted);
    return read_floats(doc, &a, &channel->values);
}

static ruga_status read_interpolation(gltf_document *doc, const json_value *sampler, gltf_channel *channel) {
    static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const char *text = gltf_text(sampler, "interpolation");
    channel->interpolation = GLTF_LINEAR;
    if (!text) return RUGA_OK;
    for (int i = 0; i < 3; i++) {
        channel->interpolation = (gltf_interpolation)i;
        if (strcmp(text, names[i]) == 0) return RUGA_OK;
    }
    return gltf_fail(doc, sampler, "unknown interpolation \"%.40s\"; use STEP, LINEAR or CUBICSPLINE", text);
}

/* 0: something else that moves, such as a camera's angle. */
static int read_path(const json_value *target, gltf_channel *channel) {
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    const char *text = gltf_text(target, "path");
    for (int i = 0; text && i < 4; i++) {
        channel->path = (gltf_path)i;
        if (strcmp(text, names[i]) == 0) return 1;
    }
    return 0;
}

/* Nodes whose transform matters: the joints, or the mesh's node, and all above. */
static void mark_movers(const gltf_rig *rig, char *movers) {
    size_t count = rig->joint_count > 0 ? rig->joint_count : rig->node != GLTF_NONE;
    memset(movers, 0, rig->scene.node_count);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = rig->joint_count > 0 ? rig->joints[i] : rig->node;
        for (; node != GLTF_NONE && !movers[node]; node = rig->scene.nodes[node].parent) movers[node] = 1;
    }
}

typedef struct animation_reader {
    gltf_document *doc;
    const gltf_rig *rig;
    const json_value *samplers;
    const char *movers;
} animation_reader;

static int matters(const animation_reader *r, const gltf_channel *channel) {
    if (channel->path == GLTF_WEIGHTS) return channel->node == r->rig->node && r->rig->target_count > 0;
    return r->movers[channel->node];
}

static void release_channel(ruga_context *context, gltf_channel *channel) {
    RELEASE_ALL(context, channel->times, channel->values);
    channel->times = channel->values = NULL;
}

/* The times count even when the values do not matter: they belong to the same animation. */
static ruga_status read_channel(const animation_reader *r, const json_value *json, gltf_animation *animation) {
    gltf_channel *channel = &animation->channels[animation->channel_count];
    const json_value *target = json_member(json, "target");
    int64_t number;
    *channel = (gltf_channel){0};
    TRY(gltf_index(r->doc, target, "node", "nodes", &channel->node));
    if (channel->node == GLTF_NONE || !read_path(target, channel)) return RUGA_OK;
    const json_value *index = json_member(json, "sampler");
    size_t sampler_count = r->samplers && r->samplers->type == JSON_ARRAY ? r->samplers->count : 0;
    if (!json_whole(index, 0, (double)sampler_count - 1, &number))
        return gltf_fail(r->doc, json, "an animation channel needs a \"sampler\", one of the %zu of its animation",
                         sampler_count);
    const json_value *sampler = json_item(r->samplers, (size_t)number);
    TRY(read_interpolation(r->doc, sampler, channel));
    TRY(read_times(r->doc, sampler, channel));
    animation->start = fmin(animation->start, (double)channel->times[0]);
    animation->end = fmax(animation->end, (double)channel->times[channel->key_count - 1]);
    if (!matters(r, channel)) {
        release_channel(r->doc->context, channel);
        return RUGA_OK;
    }
    if (channel->path != GLTF_WEIGHTS && r->rig->scene.nodes[channel->node].has_matrix)
        return gltf_fail(r->doc, target,
                         "node %u has a matrix and can't be animated; it needs translation, rotation, scale",
                         channel->node);
    channel->components = channel->path == GLTF_WEIGHTS ? r->rig->target_count : channel->path == GLTF_ROTATION ? 4 : 3;
    TRY(read_values(r->doc, sampler, channel));
    animation->channel_count++;
    return RUGA_OK;
}

static ruga_status fail_missing(const gltf_document *doc, const char *wanted, size_t count) {
    char list[400];
    size_t used = 0;
    for (uint32_t i = 0; i < count && i < 6 && used < sizeof list; i++) {
        const char *name = gltf_text(gltf_item(doc, "animations", i), "name");
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s\"%.40s\" (%u)", i ? ", " : "", name ? name : "", i);
    }
    if (count > 6 && used < sizeof list) snprintf(list + used, sizeof list - used, ", …");
    return gltf_fail(doc, NULL, "the file has no animation \"%.100s\"; it has %s", wanted, list);
}

ruga_status gltf_animation_find(gltf_document *doc, const char *wanted, uint32_t *out) {
    size_t count = gltf_count(doc, "animations");
    if (count == 0)
        return fail_unsupported(doc->context, "%s: the file has no animation: nothing in it moves", doc->name);
    for (*out = 0; *out < count; (*out)++) {
        const char *name = gltf_text(gltf_item(doc, "animations", *out), "name");
        if (!wanted || (name && strcmp(name, wanted) == 0)) return RUGA_OK;
    }
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    if (wanted[0] < '0' || wanted[0] > '9' || *end || number >= count) return fail_missing(doc, wanted, count);
    *out = (uint32_t)number;
    return RUGA_OK;
}

static ruga_status read_channels(animation_reader *r, const json_value *json, gltf_animation *animation) {
    const json_value *channels = json_member(json, "channels");
    size_t count = channels && channels->type == JSON_ARRAY ? channels->count : 0;
    r->samplers = json_member(json, "samplers");
    TRY(NEW_ZEROED(r->doc->context, &animation->channels, count));
    for (const json_value *item = count ? channels->first : NULL; item; item = item->next) {
        ruga_status status = read_channel(r, item, animation);
        /* A channel that failed half way is not counted, but is to be released. */
        if (RUGA_FAILED(status)) release_channel(r->doc->context, &animation->channels[animation->channel_count]);
        TRY(status);
    }
    if (animation->start > animation->end) animation->start = animation->end = 0;
    return RUGA_OK;
}

static void warn_still(const gltf_document *doc, const json_value *json, uint32_t number) {
    const char *name = gltf_text(json, "name");
    log_warning(
        doc->context,
        "%s: the animation \"%.80s\" (%u) moves neither the mesh nor its joints, so nothing moves; choose another "
        "animation or another mesh (--animation, --mesh)",
        doc->name, name ? name : "", number);
}

ruga_status gltf_animation_open(gltf_document *doc, const gltf_rig *rig, const char *wanted,
                                gltf_animation *animation) {
    *animation = (gltf_animation){.context = doc->context, .start = INFINITY, .end = -INFINITY};
    uint32_t number;
    TRY(gltf_animation_find(doc, wanted, &number));
    const json_value *json = gltf_item(doc, "animations", number);
    char *movers = NULL;
    TRY(NEW(doc->context, &movers, rig->scene.node_count));
    mark_movers(rig, movers);
    animation_reader reader = {.doc = doc, .rig = rig, .movers = movers};
    ruga_status status = read_channels(&reader, json, animation);
    memory_release(doc->context, movers);
    if (!RUGA_FAILED(status) && animation->channel_count == 0) warn_still(doc, json, number);
    if (RUGA_FAILED(status)) gltf_animation_close(animation);
    return status;
}

void gltf_animation_close(gltf_animation *animation) {
    for (size_t i = 0; i < animation->channel_count; i++) release_channel(animation->context, &animation->channels[i]);
    if (animation->context) memory_release(animation->context, animation->channels);
    *animation = (gltf_animation){0};
}
