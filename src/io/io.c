/* The registry of formats: finds the format of a path, converts units and axes, calls readers and writers. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/gltf.h"
#include "io/io.h"

/* Formats that are read and written by the same functions. */
typedef enum format_family {
    FAMILY_NONE,
    FAMILY_OBJ,
    FAMILY_PLY,
    FAMILY_GLTF,
    FAMILY_CACHE,
    FAMILY_USD,
    FAMILY_MSH,
    FAMILY_MEDIT,
    FAMILY_TETGEN
} format_family;

static const struct format_entry {
    ruga_format format;
    format_family family;
    const char *name;
    const char *ending; /* NULL: an ending means another format of the same file type */
} formats[] = {
    {RUGA_FORMAT_OBJ, FAMILY_OBJ, "obj", ".obj"},
    {RUGA_FORMAT_PLY, FAMILY_PLY, "ply", ".ply"},
    {RUGA_FORMAT_PLY_ASCII, FAMILY_PLY, "ply-ascii", NULL},
    {RUGA_FORMAT_PLY_BIG, FAMILY_PLY, "ply-big", NULL},
    {RUGA_FORMAT_GLB, FAMILY_GLTF, "glb", ".glb"},
    {RUGA_FORMAT_GLTF, FAMILY_GLTF, "gltf", ".gltf"},
    {RUGA_FORMAT_PC2, FAMILY_CACHE, "pc2", ".pc2"},
    {RUGA_FORMAT_MDD, FAMILY_CACHE, "mdd", ".mdd"},
    {RUGA_FORMAT_USDA, FAMILY_USD, "usda", ".usda"},
    {RUGA_FORMAT_MSH, FAMILY_MSH, "msh", ".msh"},
    {RUGA_FORMAT_MSH_BINARY, FAMILY_MSH, "msh-binary", NULL},
    {RUGA_FORMAT_MSH2, FAMILY_MSH, "msh2", NULL},
    {RUGA_FORMAT_MSH2_BINARY, FAMILY_MSH, "msh2-binary", NULL},
    {RUGA_FORMAT_MEDIT, FAMILY_MEDIT, "medit", ".mesh"},
    {RUGA_FORMAT_TETGEN, FAMILY_TETGEN, "tetgen", ".node"},
    {RUGA_FORMAT_TETGEN, FAMILY_TETGEN, "tetgen", ".ele"},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static format_family family_of(ruga_format format) {
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].format == format) return formats[i].family;
    return FAMILY_NONE;
}

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
    if (def->cookie != RUGA_COOKIE) return fail_argument(context, "the file def was not made by ruga_file_def_default");
    if (!(def->unit > 0) || !isfinite(def->unit) || !isfinite(1 / def->unit))
        return fail_argument(context, "a file's unit is %g m, but must be finite and above zero", def->unit);
    if ((int)def->up < RUGA_AXIS_Y || (int)def->up > RUGA_AXIS_X)
        return fail_argument(context, "unknown up axis %d of a file; use x, y or z", (int)def->up);
    if (!(def->rate > 0) || !isfinite(def->rate))
        return fail_argument(context, "the rate is %g frames per second, but must be above zero", def->rate);
    if (!isfinite(def->start))
        return fail_argument(context, "a motion starts at %g s, but its start must be finite", def->start);
    if ((int)def->format < RUGA_FORMAT_AUTO || (int)def->format > RUGA_FORMAT_TETGEN)
        return fail_argument(context, "unknown file format %d", (int)def->format);
    return RUGA_OK;
}

/* The def's format, else that of the path's ending. */
static ruga_status choose_format(ruga_context *context, const char *path, const ruga_file_def *def,
                                 const char *format_list, ruga_format *out) {
    ruga_format format = def->format != RUGA_FORMAT_AUTO ? def->format : ruga_format_from_path(path);
    if (format == RUGA_FORMAT_AUTO)
        return fail_input(context, "%s: unknown file format; use one of the extensions %s", path, format_list);
    *out = format;
    return RUGA_OK;
}

/* The format of a file to be written. */
static ruga_status find_format(ruga_context *context, const char *path, const ruga_file_def *def, ruga_format *out) {
    return choose_format(context, path, def, "obj, ply, glb, gltf, msh, mesh, node, pc2, mdd, usda", out);
}

/* The format of a file to be read. */
static ruga_status find_readable_format(ruga_context *context, const char *path, const ruga_file_def *def,
                                        ruga_format *out) {
    TRY(choose_format(context, path, def, "obj, ply, glb, gltf, msh, mesh, node, pc2, mdd", out));
    if (*out != RUGA_FORMAT_USDA) return RUGA_OK;
    return fail_unsupported(
        context,
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

/* Rotations about x (z up) and about z (x up), so that triangles keep their orientation. A difference to zero instead
 * of the negative keeps coordinates of 0 from becoming -0. */
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
        ruga_vec3 d = {mesh_scalar_get(attribute->type, from, first), mesh_scalar_get(attribute->type, from, first + 1),
                       mesh_scalar_get(attribute->type, from, first + 2)};
        d = in ? io_convert_direction_in(c, d) : io_convert_direction_out(c, d);
        const double turned[3] = {d.x, d.y, d.z};
        for (size_t k = 0; k < 3; k++) mesh_scalar_set(attribute->type, to, first + k, turned[k]);
    }
}

/* The parts belong to the reader, so their values can be converted in place. */
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
    switch (family_of(format)) {
        case FAMILY_OBJ: return obj_read(source, parts);
        case FAMILY_PLY: return ply_read(source, parts);
        case FAMILY_GLTF: return gltf_read(source, parts);
        case FAMILY_MSH: return msh_read(source, parts);
        case FAMILY_MEDIT: return medit_read(source, parts);
        case FAMILY_TETGEN: return tetgen_read(source, parts);
        default:
            return fail_argument(source->context,
                                 "%s: a point cache has positions but no mesh; read the mesh from OBJ, PLY or glTF",
                                 source->name);
    }
}

/* Converts the parts into a mesh. Returns a warning of the reader. */
static ruga_status finish_mesh(const io_source *source, mesh_parts *parts, ruga_status status, ruga_mesh **out) {
    TRY_OR(status, mesh_parts_release(source->context, parts));
    io_conversion conversion = io_conversion_reading(source->def);
    convert_parts(&conversion, parts);
    ruga_status made = mesh_from_parts(source->context, parts, out);
    return made != RUGA_OK ? made : status;
}

static ruga_status read_source(const io_source *source, ruga_format format, ruga_mesh **out) {
    mesh_parts parts = {0};
    return finish_mesh(source, &parts, read_parts(source, format, &parts), out);
}

ruga_status io_copy_directory(ruga_context *context, const char *path, char **out) {
    const char *slash = strrchr(path, '/');
    TRY(NEW_TEXT(context, out, path));
    (*out)[slash ? slash - path + 1 : 0] = 0;
    return RUGA_OK;
}

static ruga_status open_stream(io_source *source) {
    TRY(file_open(source->context, source->name, &source->stream));
    source->size = (size_t)file_size(source->stream);
    return RUGA_OK;
}

/* PLY and glTF are read in pieces, others at once. */
static ruga_status read_file(io_source source, ruga_format format, ruga_mesh **out) {
    unsigned char *bytes = NULL;
    const format_family family = family_of(format);
    const int streams = family == FAMILY_PLY || family == FAMILY_GLTF || family == FAMILY_CACHE;
    ruga_status status =
        streams ? open_stream(&source) : file_read_whole(source.context, source.name, &bytes, &source.size);
    source.bytes = bytes;
    if (!RUGA_FAILED(status)) status = read_source(&source, format, out);
    file_close(source.stream);
    memory_release(source.context, bytes);
    return status;
}

/* ---- A file with a mesh and its motion. */

struct ruga_mesh_file {
    ruga_context *context;
    char *path, *directory;
    ruga_file_def def;
    io_source source;
    ruga_format format;
    gltf_file gltf; /* open if the format is glTF */
};

void ruga_mesh_file_close(ruga_mesh_file *f) {
    if (!f) return;
    gltf_file_close(&f->gltf);
    file_close(f->source.stream);
    RELEASE_ALL(f->context, f->path, f->directory, f);
}

static ruga_status open_mesh_file(ruga_mesh_file *f, const char *path) {
    TRY(find_readable_format(f->context, path, &f->def, &f->format));
    TRY(NEW_TEXT(f->context, &f->path, path));
    TRY(io_copy_directory(f->context, path, &f->directory));
    f->source = (io_source){.context = f->context, .name = f->path, .directory = f->directory, .def = &f->def};
    if (family_of(f->format) != FAMILY_GLTF) return RUGA_OK;
    TRY(open_stream(&f->source));
    return gltf_file_open(&f->source, &f->gltf);
}

ruga_status ruga_mesh_file_open(ruga_context *context, const char *path, const ruga_file_def *def,
                                ruga_mesh_file **out) {
    TRY(io_check_def(context, def));
    if (!path || !out) return fail_argument(context, "ruga_mesh_file_open needs a path and a place for the file");
    ruga_mesh_file *f = NULL;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->def = def ? *def : ruga_file_def_default();
    RETURN_MADE(open_mesh_file(f, path), f, out, ruga_mesh_file_close(f));
}

/* last: nothing else is read from the file. */
static ruga_status read_mesh(ruga_mesh_file *f, int last, ruga_mesh **out) {
    if (!f->source.stream) return read_file(f->source, f->format, out);
    mesh_parts parts = {0};
    return finish_mesh(&f->source, &parts, gltf_file_mesh(&f->gltf, last, &parts), out);
}

ruga_status ruga_mesh_file_mesh(ruga_mesh_file *f, ruga_mesh **out) { return read_mesh(f, 0, out); }

ruga_status ruga_mesh_read(ruga_context *context, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    TRY(io_check_def(context, def));
    if (!path || !out) return fail_argument(context, "ruga_mesh_read needs a path and a place for the mesh");
    ruga_mesh_file *f = NULL;
    TRY(ruga_mesh_file_open(context, path, def, &f));
    ruga_status status = read_mesh(f, 1, out);
    ruga_mesh_file_close(f);
    return status;
}

ruga_status ruga_mesh_file_motion(ruga_mesh_file *f, const ruga_mesh *mesh, const ruga_file_def *def,
                                  ruga_motion **out) {
    TRY(io_check_def(f->context, def));
    if (!def) def = &f->def;
    if (!f->source.stream) return ruga_motion_read(f->context, f->path, mesh, def, out);
    return gltf_file_motion(&f->gltf, mesh, def, out);
}

ruga_status ruga_mesh_read_memory(ruga_context *context, const char *name, const void *bytes, size_t size,
                                  const ruga_file_def *def, ruga_mesh **out) {
    TRY(io_check_def(context, def));
    if (!name || (!bytes && size > 0) || !out)
        return fail_argument(context, "ruga_mesh_read_memory needs a name, bytes and a place for the mesh");
    const ruga_file_def preset = ruga_file_def_default();
    io_source source = {.context = context, .name = name, .size = size, .def = def ? def : &preset};
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_readable_format(context, name, source.def, &format));

    /* Readers need a zero after the last byte. */
    unsigned char *copy = NULL;
    TRY(NEW(context, &copy, size + 1));
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = 0;
    source.bytes = copy;
    ruga_status status = read_source(&source, format, out);
    memory_release(context, copy);
    return status;
}

ruga_status ruga_file_list_meshes(ruga_context *context, const char *path, char **text) {
    if (!path || !text) return fail_argument(context, "ruga_file_list_meshes needs a path and a place for text");
    if (family_of(ruga_format_from_path(path)) != FAMILY_GLTF)
        return fail_unsupported(context, "%s: only .glb and .gltf files have several meshes", path);
    const ruga_file_def preset = ruga_file_def_default();
    char *directory = NULL;
    TRY(io_copy_directory(context, path, &directory));
    io_source source = {.context = context, .name = path, .directory = directory, .def = &preset};
    ruga_status status = open_stream(&source);
    if (!RUGA_FAILED(status)) status = gltf_list_meshes(&source, text);
    file_close(source.stream);
    memory_release(context, directory);
    return status;
}

ruga_status ruga_file_list_names(ruga_context *context, const char *path, const void *bytes, size_t size,
                                 ruga_file_names which, char **text) {
    if (!path || !text || (unsigned)which >= RUGA_FILE_NAMES_COUNT)
        return fail_argument(context, "ruga_file_list_names needs a path, a kind and a place for text");
    if (!bytes && family_of(ruga_format_from_path(path)) != FAMILY_GLTF)
        return fail_unsupported(context, "%s: only .glb and .gltf files have lists of names", path);
    const ruga_file_def preset = ruga_file_def_default();
    char *directory = NULL;
    TRY(io_copy_directory(context, path, &directory));
    io_source source = {
        .context = context, .name = path, .directory = directory, .bytes = bytes, .size = size, .def = &preset};
    ruga_status status = bytes ? RUGA_OK : open_stream(&source);
    if (!RUGA_FAILED(status)) status = gltf_list_names(&source, which, text);
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

/* Normals and tangents of the rest pose are not those of a frame. */
static int belongs_to_rest(const ruga_frame *frame, const ruga_attribute *attribute) {
    return frame && (strcmp(attribute->name, "normal") == 0 || strcmp(attribute->name, "tangent") == 0);
}

ruga_status io_target_attributes(const io_target *target, ruga_attribute **attributes, size_t *count) {
    const ruga_mesh *mesh = target->mesh;
    const ruga_frame *frame = target->frame;
    size_t most = mesh->attribute_count + (frame ? frame->attribute_count + 1 : 0), used = 0;
    ruga_attribute *list = NULL;
    TRY(NEW(target->context, &list, most));
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
        return fail_argument(mesh->context, "the frame has %zu vertices, but the mesh has %zu",
                             frame->positions ? frame->vertex_count : 0, mesh->vertex_count);
    return RUGA_OK;
}

/* path: of the file; NULL in memory. */
static ruga_status write_target(const ruga_mesh *mesh, const ruga_frame *frame, const ruga_file_def *def,
                                ruga_format format, const char *path, file *out) {
    const io_target target = {.context = mesh->context,
                              .mesh = mesh,
                              .frame = frame,
                              .conversion = io_conversion_writing(def),
                              .def = def,
                              .out = out};
    switch (family_of(format)) {
        case FAMILY_OBJ: return obj_write(&target);
        case FAMILY_PLY: return ply_write(&target, format);
        case FAMILY_GLTF: return gltf_write(&target, format);
        case FAMILY_USD: return usda_write(&target);
        case FAMILY_MSH: return msh_write(&target, format);
        case FAMILY_MEDIT: return medit_write(&target);
        case FAMILY_TETGEN: return tetgen_write(&target, path);
        default:
            return fail_argument(
                mesh->context, "a %s cache has no mesh; write the mesh as OBJ, PLY or glTF, or a motion with a writer",
                ruga_format_name(format));
    }
}

ruga_status io_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def,
                          int flush, rolling_hash *hash) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!path) return fail_argument(context, "ruga_mesh_write needs a path");
    TRY(check_frame(mesh, frame));
    const ruga_file_def preset = ruga_file_def_default();
    if (!def) def = &preset;
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_format(context, path, def, &format));
    file *out = NULL;
    TRY(file_create(context, path, &out));
    if (hash) file_hash(out, 0, hash);
    ruga_status status = write_target(mesh, frame, def, format, path, out);
    ruga_status committed = RUGA_FAILED(status) ? status : flush ? file_commit(out) : file_commit_unflushed(out);
    file_close(out);
    return RUGA_FAILED(committed) ? committed : status;
}

ruga_status ruga_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path,
                            const ruga_file_def *def) {
    return io_mesh_write(mesh, frame, path, def, 1, NULL);
}

ruga_status ruga_mesh_write_memory(const ruga_mesh *mesh, const ruga_frame *frame, const ruga_file_def *def,
                                   void **bytes, size_t *size) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!def || def->format == RUGA_FORMAT_AUTO || !bytes || !size)
        return fail_argument(context, "ruga_mesh_write_memory needs def.format and a place for the bytes");
    TRY(check_frame(mesh, frame));
    file *out = NULL;
    TRY(file_create_in_memory(context, &out));
    ruga_status status = write_target(mesh, frame, def, def->format, NULL, out);
    ruga_status taken = RUGA_FAILED(status) ? status : file_take_bytes(out, bytes, size);
    file_close(out);
    return RUGA_FAILED(taken) ? taken : status;
}

ruga_status ruga_file_copy(ruga_context *context, const char *from, const char *to, const ruga_file_def *def) {
    TRY(io_check_def(context, def));
    if (!from || !to) return fail_argument(context, "ruga_file_copy needs two paths");
    const ruga_file_def preset = ruga_file_def_default();
    if (!def) def = &preset;
    ruga_format format = RUGA_FORMAT_AUTO;
    TRY(find_format(context, to, def, &format));
    if (family_of(format) != FAMILY_GLTF || family_of(ruga_format_from_path(from)) != FAMILY_GLTF)
        return fail_unsupported(context, "%s: only glTF files are copied as a whole, as .glb or .gltf", from);
    file *out = NULL;
    TRY(file_create(context, to, &out));
    ruga_status status = gltf_copy(context, from, def, format, out);
    if (!RUGA_FAILED(status)) status = file_commit(out);
    file_close(out);
    return status;
}

/* ---- Motions. */

int ruga_path_is_motion(const char *path) {
    if (!path) return 0;
    return family_of(ruga_format_from_path(path)) == FAMILY_CACHE || sequence_is_pattern(path);
}

/* PC2 and MDD have formats of their own; a pattern is a sequence of any mesh format. */
static ruga_status find_motion_format(ruga_context *context, const char *path, const ruga_file_def *def,
                                      ruga_format *format, int *sequence) {
    TRY(find_format(context, path, def, format));
    const format_family family = family_of(*format);
    const int has_motion = family == FAMILY_CACHE || family == FAMILY_GLTF || family == FAMILY_USD;
    *sequence = !has_motion || (family != FAMILY_CACHE && sequence_is_pattern(path));
    return RUGA_OK;
}

ruga_status ruga_motion_read(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                             ruga_motion **out) {
    TRY(io_check_def(context, def));
    if (!path || !out) return fail_argument(context, "ruga_motion_read needs a path and a place for the motion");
    const ruga_file_def preset = ruga_file_def_default();
    if (!def) def = &preset;
    ruga_format format = RUGA_FORMAT_AUTO;
    int sequence = 0;
    TRY(find_readable_format(context, path, def, &format));
    TRY(find_motion_format(context, path, def, &format, &sequence));
    if (!mesh && family_of(format) != FAMILY_CACHE)
        return fail_argument(context, "%s: ruga_motion_read needs the mesh that it moves", path);
    if (sequence) return sequence_open(context, path, mesh, def, out);
    if (format == RUGA_FORMAT_PC2) return pc2_open(context, path, mesh, def, out);
    if (format == RUGA_FORMAT_MDD) return mdd_open(context, path, mesh, def, out);
    ruga_mesh_file *f = NULL;
    TRY(ruga_mesh_file_open(context, path, def, &f));
    ruga_status status = ruga_mesh_file_motion(f, mesh, def, out);
    ruga_mesh_file_close(f);
    return status;
}

ruga_status ruga_motion_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                                      ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    TRY(io_check_def(context, def));
    if (!path || !out)
        return fail_argument(context, "ruga_motion_writer_create needs a path and a place for the writer");
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

ruga_status io_writer_made(ruga_status status, ruga_motion_writer *writer, ruga_motion_writer **out) {
    RETURN_MADE(status, writer, out, ruga_motion_writer_destroy(writer));
}

ruga_status ruga_motion_writer_append(ruga_motion_writer *writer, const ruga_frame *frame) {
    if (!frame) return fail_argument(writer->context, "ruga_motion_writer_append needs a frame");
    TRY(check_frame(writer->mesh, frame));
    TRY(writer->interface->append(writer, frame));
    writer->frame_count++;
    return RUGA_OK;
}

ruga_status ruga_motion_writer_finish(ruga_motion_writer *writer) {
    if (writer->frame_count == 0)
        return fail_argument(writer->context, "a motion without frames can't be written; append one first");
    return writer->interface->finish ? writer->interface->finish(writer) : RUGA_OK;
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
    switch (family_of(format)) {
        case FAMILY_CACHE: return frames + (format == RUGA_FORMAT_PC2 ? 32 : 8 + 4 * (uint64_t)frame_count);
        case FAMILY_GLTF: return gltf_written_size(mesh, frame_count, format);
        case FAMILY_USD: return usda_written_size(mesh, frame_count);
        case FAMILY_NONE: return 0;
        default: return sequence_size(mesh, frame_count, format);
    }
}
