/* The registry: which format a path has, what converts units and axes at the door, who reads and writes what. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/io.h"

typedef struct format_entry {
    ruga_format format;
    const char *name;
    const char *ending; /* NULL: an ending means another format of the same file type */
} format_entry;

static const format_entry formats[] = {
    {RUGA_FORMAT_OBJ, "obj", ".obj"},           {RUGA_FORMAT_PLY, "ply", ".ply"},
    {RUGA_FORMAT_PLY_ASCII, "ply-ascii", NULL}, {RUGA_FORMAT_PLY_BIG, "ply-big", NULL},
    {RUGA_FORMAT_GLB, "glb", ".glb"},           {RUGA_FORMAT_GLTF, "gltf", ".gltf"},
    {RUGA_FORMAT_PC2, "pc2", ".pc2"},           {RUGA_FORMAT_MDD, "mdd", ".mdd"},
    {RUGA_FORMAT_USDA, "usda", ".usda"},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static const char format_list[] = "obj, ply, glb, gltf, pc2, mdd, usda";

/* ---- Names. */

static const char part_ending[] = ".part";

int io_path_is_part(const char *path) {
    const size_t length = strlen(path), ending = strlen(part_ending);
    return length > ending && strcasecmp(path + length - ending, part_ending) == 0;
}

ruga_format ruga_format_from_path(const char *path) {
    size_t length = path ? strlen(path) : 0;
    if (length > 0 && io_path_is_part(path)) length -= strlen(part_ending);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        size_t ending = formats[i].ending ? strlen(formats[i].ending) : 0;
        if (ending > 0 && length > ending && strncasecmp(path + length - ending, formats[i].ending, ending) == 0)
            return formats[i].format;
    }
    return RUGA_FORMAT_AUTO;
}

ruga_format ruga_format_from_name(const char *name) {
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (name && strcasecmp(name, formats[i].name) == 0) return formats[i].format;
    return RUGA_FORMAT_AUTO;
}

const char *ruga_format_name(ruga_format format) {
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].format == format) return formats[i].name;
    return "auto";
}

/* ---- The def. */

ruga_file_def ruga_file_def_default(void) {
    return (ruga_file_def){.cookie = RUGA_COOKIE, .unit = 1, .up = RUGA_AXIS_Y, .rate = 24};
}

ruga_status io_check_def(ruga_context *context, const ruga_file_def *def) {
    if (!def) return RUGA_OK;
    if (def->cookie != RUGA_COOKIE)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "the file def was not made by ruga_file_def_default");
    if (!(def->unit > 0) || !isfinite(def->unit) || !isfinite(1 / def->unit))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a file's unit is %g m, but has to be finite and above zero",
                         def->unit);
    if ((int)def->up < RUGA_AXIS_Y || (int)def->up > RUGA_AXIS_X)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a file's up axis is %d, which is none of x, y, z",
                         (int)def->up);
    if (!(def->rate > 0) || !isfinite(def->rate))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a rate of %g frames a second, but it has to be above zero",
                         def->rate);
    if (!isfinite(def->start))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a motion can't start at %g s", def->start);
    if ((int)def->format < RUGA_FORMAT_AUTO || (int)def->format > RUGA_FORMAT_USDA)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "there is no file format of number %d", (int)def->format);
    return RUGA_OK;
}

/* The def's format, else that of the path's ending. */
static ruga_status find_format(ruga_context *context, const char *path, const ruga_file_def *def, ruga_format *out) {
    ruga_format format = def->format != RUGA_FORMAT_AUTO ? def->format : ruga_format_from_path(path);
    if (format == RUGA_FORMAT_AUTO)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "%s: the name's ending tells no format that Ruga knows; use one of %s", path, format_list);
    *out = format;
    return RUGA_OK;
}

/* The format of a file to be read. */
static ruga_status find_readable_format(ruga_context *context, const char *path, const ruga_file_def *def,
                                        ruga_format *out) {
    TRY(find_format(context, path, def, out));
    if (*out != RUGA_FORMAT_USDA) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_UNSUPPORTED,
                     "%s: USD is written but not read; export the mesh as glb, obj or ply, and a motion as glb, pc2, "
                     "mdd or a sequence",
                     path);
}

/* ---- Units and axes. */

io_conversion io_conversion_reading(const ruga_file_def *def) {
    if (!def) return (io_conversion){1, RUGA_AXIS_Y, 1};
    return (io_conversion){def->unit, def->up, def->unit == 1 && def->up == RUGA_AXIS_Y};
}

io_conversion io_conversion_writing(const ruga_file_def *def) {
    io_conversion c = io_conversion_reading(def);
    c.scale = 1 / c.scale;
    return c;
}

/* Turns about x (z up) and about z (x up): rotations, so that triangles keep their orientation. The difference to zero,
 * not the negative: what lies in a plane through the origin is to stay at 0, not at -0. */
ruga_vec3 io_convert_direction_in(const io_conversion *c, ruga_vec3 d) {
    if (c->up == RUGA_AXIS_Z) return (ruga_vec3){d.x, d.z, 0 - d.y};
    if (c->up == RUGA_AXIS_X) return (ruga_vec3){0 - d.y, d.x, d.z};
    return d;
}

ruga_vec3 io_convert_direction_out(const io_conversion *c, ruga_vec3 d) {
    if (c->up == RUGA_AXIS_Z) return (ruga_vec3){d.x, 0 - d.z, d.y};
    if (c->up == RUGA_AXIS_X) return (ruga_vec3){d.y, 0 - d.x, d.z};
    return d;
}

ruga_vec3 io_convert_point_in(const io_conversion *c, ruga_vec3 p) {
    if (c->identity) return p;
    ruga_vec3 d = io_convert_direction_in(c, p);
    return (ruga_vec3){d.x * c->scale, d.y * c->scale, d.z * c->scale};
}

ruga_vec3 io_convert_point_out(const io_conversion *c, ruga_vec3 p) {
    if (c->identity) return p;
    ruga_vec3 d = io_convert_direction_out(c, p);
    return (ruga_vec3){d.x * c->scale, d.y * c->scale, d.z * c->scale};
}

int io_attribute_is_direction(const ruga_attribute *attribute) {
    int real = attribute->type == RUGA_F32 || attribute->type == RUGA_F64;
    int named = strcmp(attribute->name, "normal") == 0 || strcmp(attribute->name, "tangent") == 0;
    return real && named && attribute->components >= 3;
}

void io_turn_values(const io_conversion *c, const ruga_attribute *attribute, const void *from, void *to, int in) {
    for (size_t i = 0; i < attribute->count; i++) {
        const size_t first = i * attribute->components;
        ruga_vec3 d;
        if (attribute->type == RUGA_F32) {
            const float *v = (const float *)from + first;
            d = (ruga_vec3){(double)v[0], (double)v[1], (double)v[2]};
        } else {
            const double *v = (const double *)from + first;
            d = (ruga_vec3){v[0], v[1], v[2]};
        }
        d = in ? io_convert_direction_in(c, d) : io_convert_direction_out(c, d);
        if (attribute->type == RUGA_F32) {
            float *v = (float *)to + first;
            v[0] = (float)d.x, v[1] = (float)d.y, v[2] = (float)d.z;
        } else {
            double *v = (double *)to + first;
            v[0] = d.x, v[1] = d.y, v[2] = d.z;
        }
    }
}

/* The parts are ours, so that their values may be turned where they are. */
static void convert_parts(const io_conversion *c, mesh_parts *parts) {
    if (c->identity) return;
    for (size_t i = 0; i < parts->vertex_count; i++) parts->positions[i] = io_convert_point_in(c, parts->positions[i]);
    for (size_t i = 0; i < parts->attributes.count; i++) {
        const ruga_attribute *attribute = &parts->attributes.items[i];
        void *values = (void *)(uintptr_t)attribute->values;
        if (io_attribute_is_direction(attribute)) io_turn_values(c, attribute, values, values, 1);
    }
}

/* ---- Reading a mesh. */

static ruga_status read_parts(const io_source *source, ruga_format format, mesh_parts *parts) {
    switch (format) {
        case RUGA_FORMAT_OBJ: return obj_read(source, parts);
        case RUGA_FORMAT_PLY:
        case RUGA_FORMAT_PLY_ASCII:
        case RUGA_FORMAT_PLY_BIG: return ply_read(source, parts);
        case RUGA_FORMAT_GLB:
        case RUGA_FORMAT_GLTF: return gltf_read(source, parts);
        default:
            return fail_with(source->context, RUGA_ERROR_ARGUMENT,
                             "%s: a point cache holds no mesh, only positions; read the mesh from an OBJ, PLY or glTF",
                             source->name);
    }
}

/* Reader, conversion, mesh. A warning of the reader is handed on. */
static ruga_status read_source(const io_source *source, ruga_format format, ruga_mesh **out) {
    mesh_parts parts = {0};
    ruga_status status = read_parts(source, format, &parts);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(source->context, &parts);
        return status;
    }
    io_conversion conversion = io_conversion_reading(source->def);
    convert_parts(&conversion, &parts);
    ruga_status made = mesh_from_parts(source->context, &parts, out);
    return made != RUGA_OK ? made : status;
}

/* The folder of a path, with its slash; "" for a bare name. */
static char *copy_directory(ruga_context *context, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *directory = memory_allocate(context, length + 1, 1);
    if (!directory) return NULL;
    memcpy(directory, path, length);
    directory[length] = 0;
    return directory;
}

static int is_ply(ruga_format format) {
    return format == RUGA_FORMAT_PLY || format == RUGA_FORMAT_PLY_ASCII || format == RUGA_FORMAT_PLY_BIG;
}

/* PLY and glTF read their file piece by piece; OBJ wants it whole. */
static ruga_status read_file(io_source *source, const char *path, ruga_format format, ruga_mesh **out) {
    if (format != RUGA_FORMAT_OBJ) {
        TRY(file_open(source->context, path, &source->stream));
        source->size = (size_t)file_size(source->stream);
        ruga_status status = read_source(source, format, out);
        file_close(source->stream);
        return status;
    }
    unsigned char *bytes = NULL;
    TRY(file_read_whole(source->context, path, &bytes, &source->size));
    source->bytes = bytes;
    ruga_status status = read_source(source, format, out);
    memory_release(source->context, bytes);
    return status;
}

ruga_status ruga_mesh_read(ruga_context *context, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    TRY(io_check_def(context, def));
    if (!path || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "ruga_mesh_read needs a path and a place for the mesh");
    const ruga_file_def preset = ruga_file_def_default();
    io_source source = {.context = context, .name = path, .def = def ? def : &preset};
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_readable_format(context, path, source.def, &format));
    char *directory = copy_directory(context, path);
    if (!directory) return fail_memory(context, strlen(path) + 1);
    source.directory = directory;
    ruga_status status = read_file(&source, path, format, out);
    memory_release(context, directory);
    return status;
}

ruga_status ruga_mesh_read_memory(ruga_context *context, const char *name, const void *bytes, size_t size,
                                  const ruga_file_def *def, ruga_mesh **out) {
    TRY(io_check_def(context, def));
    if (!name || (!bytes && size > 0) || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "ruga_mesh_read_memory needs a name, bytes and a place for the mesh");
    const ruga_file_def preset = ruga_file_def_default();
    io_source source = {.context = context, .name = name, .size = size, .def = def ? def : &preset};
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_readable_format(context, name, source.def, &format));

    /* Readers rely on a zero after the last byte, which the caller's memory need not have. */
    unsigned char *copy = memory_allocate(context, size + 1, 1);
    if (!copy) return fail_memory(context, size + 1);
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = 0;
    source.bytes = copy;
    ruga_status status = read_source(&source, format, out);
    memory_release(context, copy);
    return status;
}

ruga_status ruga_file_list_meshes(ruga_context *context, const char *path, char **text) {
    if (!path || !text)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "ruga_file_list_meshes needs a path and a place for text");
    ruga_format format = ruga_format_from_path(path);
    if (format != RUGA_FORMAT_GLB && format != RUGA_FORMAT_GLTF)
        return fail_with(context, RUGA_ERROR_UNSUPPORTED, "%s: only .glb and .gltf files hold several meshes", path);
    const ruga_file_def preset = ruga_file_def_default();
    char *directory = copy_directory(context, path);
    if (!directory) return fail_memory(context, strlen(path) + 1);
    io_source source = {.context = context, .name = path, .directory = directory, .def = &preset};
    ruga_status status = file_open(context, path, &source.stream);
    if (!RUGA_FAILED(status)) {
        source.size = (size_t)file_size(source.stream);
        status = gltf_list_meshes(&source, text);
    }
    file_close(source.stream);
    memory_release(context, directory);
    return status;
}

/* ---- Writing a mesh. */

ruga_status io_report_written(const io_target *target, size_t vertices, size_t faces) {
    const size_t done = vertices + faces, all = target->mesh->vertex_count + target->mesh->face_count;
    if ((done & 0xffff) != 0xffff) return RUGA_OK;
    return report_progress(target->context, "writing", (double)done / (double)all);
}

const ruga_vec3 *io_target_positions(const io_target *target) {
    return target->frame ? target->frame->positions : target->mesh->positions;
}

static const ruga_attribute *find_attribute(const ruga_attribute *attributes, size_t count,
                                            const ruga_attribute *like) {
    for (size_t i = 0; i < count; i++)
        if (attributes[i].domain == like->domain && strcmp(attributes[i].name, like->name) == 0) return &attributes[i];
    return NULL;
}

/* Normals and tangents of the pose at rest, which a frame replaces. */
static int belongs_to_rest(const ruga_frame *frame, const ruga_attribute *attribute) {
    return frame && (strcmp(attribute->name, "normal") == 0 || strcmp(attribute->name, "tangent") == 0);
}

ruga_status io_target_attributes(const io_target *target, ruga_attribute **attributes, size_t *count) {
    const ruga_mesh *mesh = target->mesh;
    const ruga_frame *frame = target->frame;
    size_t most = mesh->attribute_count + (frame ? frame->attribute_count + 1 : 0), used = 0;
    ruga_attribute *list = ALLOCATE(target->context, ruga_attribute, most);
    if (!list) return fail_memory(target->context, most * sizeof *list);
    if (frame && frame->normals)
        list[used++] = (ruga_attribute){.name = "normal",
                                        .domain = RUGA_DOMAIN_VERTEX,
                                        .type = RUGA_F64,
                                        .components = 3,
                                        .count = frame->vertex_count,
                                        .values = frame->normals};
    const size_t own = used;
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        const ruga_attribute *newer = frame ? find_attribute(frame->attributes, frame->attribute_count, a) : NULL;
        if (!newer && belongs_to_rest(frame, a)) continue;
        list[used++] = newer ? *newer : *a;
    }
    for (size_t i = 0; frame && i < frame->attribute_count; i++) {
        const ruga_attribute *a = &frame->attributes[i];
        if (!find_attribute(mesh->attributes, mesh->attribute_count, a)) list[used++] = *a;
    }
    /* A frame's array of normals wins over an attribute of that name. */
    for (size_t i = own; own > 0 && i < used; i++)
        if (list[i].domain == RUGA_DOMAIN_VERTEX && strcmp(list[i].name, "normal") == 0)
            memmove(&list[i], &list[i + 1], (--used - i) * sizeof *list), i--;
    *attributes = list;
    *count = used;
    return RUGA_OK;
}

static ruga_status check_frame(const ruga_mesh *mesh, const ruga_frame *frame) {
    if (frame && (frame->vertex_count != mesh->vertex_count || (!frame->positions && frame->vertex_count > 0)))
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "the frame has %zu vertices, but the mesh has %zu",
                         frame->positions ? frame->vertex_count : 0, mesh->vertex_count);
    return RUGA_OK;
}

static ruga_status write_target(const io_target *target, ruga_format format) {
    switch (format) {
        case RUGA_FORMAT_OBJ: return obj_write(target);
        case RUGA_FORMAT_PLY:
        case RUGA_FORMAT_PLY_ASCII:
        case RUGA_FORMAT_PLY_BIG: return ply_write(target, format);
        case RUGA_FORMAT_GLB:
        case RUGA_FORMAT_GLTF: return gltf_write(target, format);
        case RUGA_FORMAT_USDA: return usda_write(target);
        default:
            return fail_with(target->context, RUGA_ERROR_ARGUMENT,
                             "a %s cache holds no mesh; write the mesh as OBJ, PLY or glTF, or a motion with a writer",
                             ruga_format_name(format));
    }
}

ruga_status io_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def,
                          int flush) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!path) return fail_with(context, RUGA_ERROR_ARGUMENT, "ruga_mesh_write needs a path");
    TRY(check_frame(mesh, frame));
    const ruga_file_def preset = ruga_file_def_default();
    io_target target = {.context = context, .mesh = mesh, .frame = frame, .def = def ? def : &preset};
    target.conversion = io_conversion_writing(target.def);
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_format(context, path, target.def, &format));
    TRY(file_create(context, path, &target.out));
    ruga_status status = write_target(&target, format);
    if (!RUGA_FAILED(status)) {
        ruga_status committed = flush ? file_commit(target.out) : file_commit_unflushed(target.out);
        if (RUGA_FAILED(committed)) status = committed;
    }
    file_close(target.out);
    return status;
}

ruga_status ruga_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path,
                            const ruga_file_def *def) {
    return io_mesh_write(mesh, frame, path, def, 1);
}

ruga_status ruga_mesh_write_memory(const ruga_mesh *mesh, const ruga_frame *frame, const ruga_file_def *def,
                                   void **bytes, size_t *size) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!def || def->format == RUGA_FORMAT_AUTO || !bytes || !size)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "ruga_mesh_write_memory needs def.format and a place for the bytes");
    TRY(check_frame(mesh, frame));
    io_target target = {.context = context, .mesh = mesh, .frame = frame, .def = def};
    target.conversion = io_conversion_writing(def);
    TRY(file_create_in_memory(context, &target.out));
    ruga_status status = write_target(&target, def->format);
    if (!RUGA_FAILED(status)) {
        ruga_status taken = file_take_bytes(target.out, bytes, size);
        if (RUGA_FAILED(taken)) status = taken;
    }
    file_close(target.out);
    return status;
}

/* ---- Motions. */

int ruga_path_is_motion(const char *path) {
    if (!path) return 0;
    ruga_format format = ruga_format_from_path(path);
    return format == RUGA_FORMAT_PC2 || format == RUGA_FORMAT_MDD || sequence_is_pattern(path);
}

/* PC2 and MDD have formats of their own; a pattern is a sequence of any mesh format. */
static ruga_status find_motion_format(ruga_context *context, const char *path, const ruga_file_def *def,
                                      ruga_format *format, int *sequence) {
    TRY(find_format(context, path, def, format));
    int mesh_format = *format == RUGA_FORMAT_OBJ || is_ply(*format);
    int either = *format == RUGA_FORMAT_GLB || *format == RUGA_FORMAT_GLTF || *format == RUGA_FORMAT_USDA;
    *sequence = mesh_format || (either && sequence_is_pattern(path));
    return RUGA_OK;
}

ruga_status ruga_motion_read(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                             ruga_motion **out) {
    TRY(io_check_def(context, def));
    if (!path || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "ruga_motion_read needs a path and a place for the motion");
    const ruga_file_def preset = ruga_file_def_default();
    if (!def) def = &preset;
    ruga_format format = RUGA_FORMAT_AUTO;
    int sequence = 0;
    TRY(find_readable_format(context, path, def, &format));
    TRY(find_motion_format(context, path, def, &format, &sequence));
    if (!mesh && format != RUGA_FORMAT_PC2 && format != RUGA_FORMAT_MDD)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%s: ruga_motion_read needs the mesh that it moves", path);
    if (sequence) return sequence_open(context, path, mesh, def, out);
    if (format == RUGA_FORMAT_PC2) return pc2_open(context, path, mesh, def, out);
    if (format == RUGA_FORMAT_MDD) return mdd_open(context, path, mesh, def, out);
    return gltf_open_motion(context, path, mesh, def, out);
}

ruga_status ruga_motion_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                                      ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!path || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "ruga_motion_writer_create needs a path and a place for the writer");
    const ruga_file_def preset = ruga_file_def_default();
    if (!def) def = &preset;
    ruga_format format = RUGA_FORMAT_AUTO;
    int sequence = 0;
    TRY(find_motion_format(context, path, def, &format, &sequence));
    if (sequence) return sequence_writer_create(mesh, path, def, out);
    if (format == RUGA_FORMAT_PC2) return pc2_writer_create(mesh, path, def, out);
    if (format == RUGA_FORMAT_MDD) return mdd_writer_create(mesh, path, def, out);
    if (format == RUGA_FORMAT_USDA) return usda_writer_create(mesh, path, def, out);
    return gltf_writer_create(mesh, path, def, out);
}

void io_writer_init(ruga_motion_writer *writer, const motion_writer_interface *interface, const ruga_mesh *mesh,
                    const ruga_file_def *def) {
    *writer = (ruga_motion_writer){.interface = interface, .context = mesh->context, .mesh = mesh, .def = *def};
    writer->conversion = io_conversion_writing(def);
}

ruga_status ruga_motion_writer_append(ruga_motion_writer *writer, const ruga_frame *frame) {
    if (!frame) return fail_with(writer->context, RUGA_ERROR_ARGUMENT, "there is no frame to append");
    TRY(check_frame(writer->mesh, frame));
    TRY(writer->interface->append(writer, frame));
    writer->frame_count++;
    return RUGA_OK;
}

ruga_status ruga_motion_writer_finish(ruga_motion_writer *writer) {
    if (writer->frame_count == 0)
        return fail_with(writer->context, RUGA_ERROR_ARGUMENT,
                         "a motion without frames can't be written; append one first");
    return writer->interface->finish(writer);
}

void ruga_motion_writer_destroy(ruga_motion_writer *writer) {
    if (writer) writer->interface->destroy(writer);
}

/* A sequence: so many times the mesh at rest. 0 when there is no memory to find out. */
static uint64_t sequence_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    void *bytes = NULL;
    size_t size = 0;
    if (RUGA_FAILED(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size))) return 0;
    ruga_free(mesh->context, bytes);
    return (uint64_t)size * frame_count;
}

uint64_t ruga_motion_written_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format) {
    const uint64_t frames = (uint64_t)frame_count * mesh->vertex_count * 12;
    switch (format) {
        case RUGA_FORMAT_PC2: return 32 + frames;
        case RUGA_FORMAT_MDD: return 8 + 4 * (uint64_t)frame_count + frames;
        case RUGA_FORMAT_GLB:
        case RUGA_FORMAT_GLTF: return gltf_written_size(mesh, frame_count, format);
        case RUGA_FORMAT_USDA: return usda_written_size(mesh, frame_count);
        case RUGA_FORMAT_AUTO: return 0;
        default: return sequence_size(mesh, frame_count, format);
    }
}
