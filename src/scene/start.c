#include "scene/start.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "field/rows.h"
#include "math/vec3.h"
#include "ruga/run.h"

static const ruga_field start_fields[] = {
    {"file", RUGA_FIELD_PATH, AT(ruga_start_def, file), .preset = "null",
     .help = "a run, or a cache (PC2, MDD, animated glTF, a sequence such as drape.####.obj) with as many points as "
             "the mesh has vertices, in their order; if absent, it begins at rest"},
    {"object", RUGA_FIELD_TEXT, AT(ruga_start_def, object), .preset = "null",
     .help = "for a run, the object; if absent, the one of the same name, or the only one"},
    {"frame", RUGA_FIELD_NUMBER, AT(ruga_start_def, frame), .unit = "1", .preset = "null", RANGE(-2000000, 2000000),
     .help = "number of the frame: as a run numbers them, from 0 in a cache; if absent, the last"},
    {"velocities", RUGA_FIELD_FLAG, AT(ruga_start_def, velocities), .preset = "true",
     .help = "continue with the velocity between that frame and the one before; else it begins without velocity"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_start_def, unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of the cache; if absent, that of the mesh's file"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_start_def, up), .preset = "null", .choices = axis_choices,
     .help = "axis that points up in the cache; if absent, that of the mesh's file"},
    {"rate", RUGA_FIELD_NUMBER, AT(ruga_start_def, rate), .unit = "1/s", .preset = "null", RANGE(0.001, 1000000),
     .help = "samples per second of files that do not state it (PC2, sequences); if absent, the scene's fps"},
};
static const ruga_section start_section =
    SECTION("start", ruga_start_def, start_fields, .shorthand = "file",
            .help =
                "Where the object is before the first frame: as a run or a cache left it, so that draped cloth is "
                "the start of the next shot. Rest lengths stay those of the mesh. A bare text is the file.");
const ruga_section *const start_sections[] = {&start_section, NULL};

/* The object that a run has it under; NULL: the only one. */
static ruga_status find_object(const build *b, const ruga_start_def *def, const char **out, int *first_frame) {
    ruga_run_record *record = NULL;
    TRY(ruga_run_record_read(b->context, def->file, &record));
    *out = def->object;
    *first_frame = record->start_frame;
    for (size_t i = 0; !def->object && i < record->object_count; i++)
        if (strcmp(record->objects[i].name, b->object->name) == 0) *out = b->object->name;
    ruga_run_record_destroy(b->context, record);
    return RUGA_OK;
}

static ruga_status read_start(const build *b, const ruga_start_def *def, ruga_motion **out, int *first_frame) {
    *first_frame = 0;
    if (ruga_path_is_run(def->file)) {
        const char *object = NULL;
        TRY(find_object(b, def, &object, first_frame));
        return ruga_run_motion_read(b->context, def->file, object, b->mesh, out);
    }
    if (ruga_format_from_path(def->file) == RUGA_FORMAT_AUTO && !strchr(def->file, '#'))
        return fail_input(b->context,
                          "%s: neither a run nor a cache; give the directory of a run, or a .pc2, .mdd or .glb file",
                          def->file);
    ruga_file_def file = b->file;
    file.mesh = NULL;
    if (!isnan(def->unit)) file.unit = def->unit;
    if (def->up >= 0) file.up = (ruga_axis)def->up;
    file.rate = isnan(def->rate) ? b->scene->time.fps : def->rate;
    return ruga_motion_read(b->context, def->file, b->mesh, &file, out);
}

/* The number of the sample that is meant. */
static ruga_status find_sample(const build *b, const ruga_start_def *def, const ruga_motion_info *info, int first_frame,
                               size_t *out) {
    if (info->sample_count == 0)
        return fail_input(b->context,
                          "%s has a motion without frames of its own; convert it to a cache first: ruga convert %s -o "
                          "start.pc2",
                          def->file, def->file);
    *out = info->sample_count - 1;
    if (isnan(def->frame)) return RUGA_OK;
    const double sample = def->frame - first_frame, last = (double)(info->sample_count - 1);
    if (!(sample >= 0 && sample <= last) || sample != floor(sample))
        return fail_input(b->context, "%s has the frames %d to %.0f, but the start is frame %g", def->file, first_frame,
                          first_frame + last, def->frame);
    *out = (size_t)sample;
    return RUGA_OK;
}

static ruga_status take_sample(const build *b, const ruga_start_def *def, ruga_motion *motion, int first_frame) {
    body *to = b->body;
    const ruga_motion_info info = ruga_motion_get_info(motion);
    size_t sample = 0;
    TRY(find_sample(b, def, &info, first_frame, &sample));
    const double time = ruga_motion_sample_time(motion, sample);
    if (def->velocities && sample > 0) {
        const double before = ruga_motion_sample_time(motion, sample - 1);
        TRY(ruga_motion_sample(motion, before, to->velocities));
        TRY(ruga_motion_sample(motion, time, to->positions));
        for (size_t i = 0; i < to->point_count; i++)
            to->velocities[i] = vec3_scale(vec3_sub(to->positions[i], to->velocities[i]), 1 / (time - before));
    } else {
        TRY(ruga_motion_sample(motion, time, to->positions));
    }
    memcpy(to->candidate_positions, to->positions, to->point_count * sizeof *to->positions);
    memcpy(to->candidate_velocities, to->velocities, to->point_count * sizeof *to->velocities);
    return RUGA_OK;
}

ruga_status start_place(build *b, int has_dynamics) {
    const ruga_start_def *def = &b->object->start;
    if (!def->file) return RUGA_OK;
    if (!has_dynamics)
        return build_found(b, &def->file, RUGA_WARNING_INPUT,
                           "it has a start, but its body does not move by forces: the start has no effect");
    if (b->body->simulated != b->body->mesh)
        return build_found(b, &def->file, RUGA_ERROR_UNSUPPORTED,
                           "it has a start, but the mesh that is simulated is not the one that is seen");
    ruga_motion *motion = NULL;
    int first_frame = 0;
    ruga_status status = read_start(b, def, &motion, &first_frame);
    if (!RUGA_FAILED(status)) status = take_sample(b, def, motion, first_frame);
    ruga_motion_destroy(motion);
    return build_about(b, &def->file, status);
}
