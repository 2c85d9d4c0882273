/* The motion of a glTF mesh: one animation drives nodes and morph weights, these pose the rig. */
#include <math.h>

#include "io/gltf.h"

typedef struct gltf_motion {
    ruga_motion base;
    gltf_rig rig;
    gltf_animation animation;
    gltf_stream *stream; /* NULL: all morph targets are in memory */
    io_conversion conversion;
    double *weights;            /* (target_count) at the current time */
    gltf_transform *transforms; /* (node_count) at the current time */
} gltf_motion;

static ruga_status motion_sample(ruga_motion *base, double time, ruga_vec3 *positions) {
    gltf_motion *motion = (gltf_motion *)base;
    gltf_animation_pose(&motion->animation, time, &motion->rig, motion->transforms, motion->weights);
    if (motion->stream) TRY(gltf_stream_load(motion->stream, &motion->rig, motion->weights));
    gltf_rig_pose(&motion->rig, motion->weights, positions);
    for (size_t v = 0; !motion->conversion.identity && v < base->info.vertex_count; v++)
        positions[v] = io_convert_point_in(&motion->conversion, positions[v]);
    return RUGA_OK;
}

static void motion_destroy(ruga_motion *base) {
    gltf_motion *motion = (gltf_motion *)base;
    gltf_stream_close(motion->stream);
    gltf_rig_close(&motion->rig);
    gltf_animation_close(&motion->animation);
    RELEASE_ALL(base->context, motion->weights, motion->transforms, motion);
}

/* Only the keys of a single channel are samples: see describe. */
static double motion_sample_time(const ruga_motion *base, size_t sample) {
    return (double)((const gltf_motion *)base)->animation.channels[0].times[sample];
}

static const motion_interface interface = {motion_sample, motion_destroy, motion_sample_time};

/* Keys evenly apart, but for a thousandth, have a rate; times are floats, so that it is rounded to what was meant. */
static double even_rate(const float *times, size_t count) {
    double length = (double)times[count - 1] - (double)times[0];
    double rate = (double)(count - 1) / length, rounded = round(rate * 1000) / 1000;
    if (rounded > 0 && fabs(rounded - rate) <= 1e-5 * rate) rate = rounded;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)times[i] - ((double)times[0] + (double)i / rate)) > 1e-3 / rate) return 0;
    return rate;
}

/* Whether every key of the animation is a whole number of frames from its start, within 0.01 frames. */
static int keys_have_rate(const gltf_animation *animation, double rate) {
    for (size_t i = 0; i < animation->channel_count; i++)
        for (size_t k = 0; k < animation->channels[i].key_count; k++) {
            const double frame = ((double)animation->channels[i].times[k] - animation->start) * rate;
            if (fabs(frame - round(frame)) > 0.01) return 0;
        }
    return 1;
}

static double shortest_interval(const gltf_animation *animation) {
    double shortest = INFINITY;
    for (size_t i = 0; i < animation->channel_count; i++)
        for (size_t k = 1; k < animation->channels[i].key_count; k++)
            shortest =
                fmin(shortest, (double)animation->channels[i].times[k] - (double)animation->channels[i].times[k - 1]);
    return shortest;
}

/* The frame rate that the keys were made at; 0: they have none. Sparse keys are those of a usual rate. */
static double rate_of_keys(const gltf_animation *animation) {
    static const double usual[] = {24, 30, 25, 60, 50, 48, 120, 24000 / 1001.0, 30000 / 1001.0};
    const double own = 1 / shortest_interval(animation), rounded = round(own * 1000) / 1000;
    if (!(own > 0)) return 0;
    for (size_t i = 0; own < 12 && i < sizeof usual / sizeof *usual; i++)
        if (keys_have_rate(animation, usual[i])) return usual[i];
    if (own >= 12 && own <= 1000 && keys_have_rate(animation, rounded)) return rounded;
    if (own >= 12 && own <= 1000 && keys_have_rate(animation, own)) return own;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (keys_have_rate(animation, usual[i])) return usual[i];
    return 0;
}

/* Weights alone, linear between their keys, make positions linear between the keys: stored samples, in other words. */
static void describe(gltf_motion *motion) {
    const gltf_animation *animation = &motion->animation;
    ruga_motion_info *info = &motion->base.info;
    *info =
        (ruga_motion_info){.vertex_count = motion->rig.vertex_count, .start = animation->start, .end = animation->end};
    const gltf_channel *channel = animation->channels;
    info->rate = rate_of_keys(animation);
    if (animation->channel_count != 1 || channel->path != GLTF_WEIGHTS || channel->interpolation != GLTF_LINEAR) return;
    if ((double)channel->times[0] != info->start || (double)channel->times[channel->key_count - 1] != info->end) return;
    info->sample_count = channel->key_count;
    info->rate = channel->key_count > 1 ? even_rate(channel->times, channel->key_count) : 0;
}

static ruga_status check_fit(gltf_document *doc, const gltf_surface *surface, const ruga_mesh *mesh) {
    if (!mesh || mesh->vertex_count == surface->vertex_count) return RUGA_OK;
    return gltf_fail(doc, NULL,
                     "the animated mesh has %zu vertices, but the mesh that it should move has %zu; "
                     "read the mesh from this same file",
                     surface->vertex_count, mesh->vertex_count);
}

static ruga_status open_state(gltf_motion *motion) {
    ruga_context *context = motion->base.context;
    const gltf_rig *rig = &motion->rig;
    TRY(NEW_COPY(context, &motion->weights, rig->weights, rig->target_count));
    TRY(NEW(context, &motion->transforms, rig->scene.node_count));
    for (size_t i = 0; i < rig->scene.node_count; i++) motion->transforms[i] = rig->scene.nodes[i].transform;
    describe(motion);
    return RUGA_OK;
}

static ruga_status open_motion(gltf_file *f, const ruga_mesh *mesh, const ruga_file_def *def, gltf_motion *motion) {
    TRY(check_fit(&f->doc, &f->surface, mesh));
    const int streamed = gltf_stream_is_needed(f);
    TRY(gltf_file_rig(f, streamed ? GLTF_TARGETS_STREAMED : GLTF_TARGETS_ALL, 1, &motion->rig));
    TRY(gltf_animation_open(&f->doc, &motion->rig, def ? def->animation : NULL, &motion->animation));
    TRY(open_state(motion));
    return streamed ? gltf_stream_open(f, &motion->stream) : RUGA_OK;
}

ruga_status gltf_file_motion(gltf_file *f, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out) {
    gltf_motion *motion = NULL;
    TRY(NEW_ZEROED(f->doc.context, &motion, 1));
    motion->base.interface = &interface;
    motion->base.context = f->doc.context;
    motion->conversion = io_conversion_reading(def);
    RETURN_MADE(open_motion(f, mesh, def, motion), &motion->base, out, motion_destroy(&motion->base));
}
