// KHR_draco_mesh_compression, by Draco, whose interface is C++. Nothing is thrown to callers.
//
// Draco takes memory by the numbers of vertices and triangles in the data's header. They are read before it and must be
// those of the glTF file, whose own limits hold, so that a few bytes can't ask for all memory.
#include <draco/compression/decode.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>

#include <cstdio>
#include <new>

#include "decode/decoders.h"

namespace {

ruga_status refuse(char *message, const char *text) {
    std::snprintf(message, RUGA_DECODER_MESSAGE, "%s", text);
    return RUGA_ERROR_INPUT;
}

const std::uint16_t version_2_2 = 2 << 8 | 2;  // of the bitstream, which the extension requires
const std::uint16_t has_metadata = 0x8000;

// The numbers in the header. The edgebreaker has fewer points there than in the mesh, where seams split some; Draco
// itself limits them by the faces.
struct sizes {
    std::uint32_t points, faces;
    bool sequential;
};

// "DRACO", version (2 bytes), encoder, method, flags (2 bytes), metadata; then the numbers, which the method orders.
bool read_sizes(const ruga_draco_mesh *mesh, sizes *out) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(mesh->bytes), mesh->size, version_2_2);
    if (mesh->size < 12 || mesh->bytes[5] != 2 || mesh->bytes[6] != 2) return false;
    const std::uint16_t flags = static_cast<std::uint16_t>(mesh->bytes[9] | mesh->bytes[10] << 8);
    buffer.Advance(11);
    if (flags & has_metadata) {
        draco::GeometryMetadata metadata;
        draco::MetadataDecoder decoder;
        if (!decoder.DecodeGeometryMetadata(&buffer, &metadata)) return false;
    }
    out->sequential = mesh->bytes[8] == draco::MESH_SEQUENTIAL_ENCODING;
    std::uint8_t traversal;
    if (!out->sequential && !buffer.Decode(&traversal)) return false;
    std::uint32_t first, second;
    if (!draco::DecodeVarint(&first, &buffer) || !draco::DecodeVarint(&second, &buffer)) return false;
    out->faces = out->sequential ? first : second;
    out->points = out->sequential ? second : first;
    return true;
}

template <typename T>
bool fill(const draco::PointAttribute &attribute, std::size_t count, const ruga_draco_array &array) {
    T *to = static_cast<T *>(array.values);
    for (std::size_t i = 0; i < count; i++, to += array.components) {
        const draco::AttributeValueIndex value =
            attribute.mapped_index(draco::PointIndex(static_cast<std::uint32_t>(i)));
        if (value.value() >= attribute.size() ||
            !attribute.ConvertValue<T>(value, static_cast<std::int8_t>(array.components), to))
            return false;
    }
    return true;
}

bool fill_any(const draco::PointAttribute &attribute, std::size_t count, const ruga_draco_array &array) {
    switch (array.type) {
        case RUGA_I8: return fill<std::int8_t>(attribute, count, array);
        case RUGA_U8: return fill<std::uint8_t>(attribute, count, array);
        case RUGA_I16: return fill<std::int16_t>(attribute, count, array);
        case RUGA_U16: return fill<std::uint16_t>(attribute, count, array);
        case RUGA_U32: return fill<std::uint32_t>(attribute, count, array);
        case RUGA_F32: return fill<float>(attribute, count, array);
        default: return false;
    }
}

ruga_status copy_out(const draco::Mesh &from, const ruga_draco_mesh *mesh, char *message) {
    if (from.num_points() != mesh->vertex_count || from.num_faces() != mesh->triangle_count) {
        std::snprintf(message, RUGA_DECODER_MESSAGE,
                      "it has %u vertices and %u triangles, but the file says %zu and %zu", from.num_points(),
                      from.num_faces(), mesh->vertex_count, mesh->triangle_count);
        return RUGA_ERROR_INPUT;
    }
    for (std::uint32_t f = 0; f < from.num_faces(); f++)
        for (std::uint32_t k = 0; k < 3; k++) mesh->corners[3 * f + k] = from.face(draco::FaceIndex(f))[k].value();
    for (std::size_t i = 0; i < mesh->array_count; i++) {
        const ruga_draco_array &array = mesh->arrays[i];
        const draco::PointAttribute *attribute = from.GetAttributeByUniqueId(array.id);
        if (attribute && attribute->num_components() == static_cast<int>(array.components) &&
            fill_any(*attribute, mesh->vertex_count, array))
            continue;
        std::snprintf(message, RUGA_DECODER_MESSAGE, "it has no attribute %u of %u components in the accessor's type",
                      array.id, array.components);
        return RUGA_ERROR_INPUT;
    }
    return RUGA_OK;
}

ruga_status decode(const ruga_draco_mesh *mesh, char *message) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(mesh->bytes), mesh->size);
    const auto type = draco::Decoder::GetEncodedGeometryType(&buffer);
    if (!type.ok() || type.value() != draco::TRIANGULAR_MESH) return refuse(message, "it is no Draco mesh");
    sizes found;
    if (!read_sizes(mesh, &found)) return refuse(message, "its header is damaged, or not of version 2.2");
    if (found.faces != mesh->triangle_count || (found.sequential && found.points != mesh->vertex_count)) {
        std::snprintf(message, RUGA_DECODER_MESSAGE,
                      "its header says %u vertices and %u triangles, the file %zu and %zu", found.points, found.faces,
                      mesh->vertex_count, mesh->triangle_count);
        return RUGA_ERROR_INPUT;
    }
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) return refuse(message, decoded.status().error_msg());
    return copy_out(*decoded.value(), mesh, message);
}

}  // namespace

extern "C" ruga_status decode_draco(const ruga_draco_mesh *mesh, char *message) {
    try {
        return decode(mesh, message);
    } catch (const std::bad_alloc &) {
        return RUGA_ERROR_MEMORY;
    } catch (...) {
        return refuse(message, "it is damaged");
    }
}
