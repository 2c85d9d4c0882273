#include "support/draco_encode.h"

#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

int add(draco::Mesh &mesh, draco::GeometryAttribute::Type type, draco::DataType data, int components,
        const void *values, std::size_t size) {
    draco::GeometryAttribute attribute;
    const std::size_t element = static_cast<std::size_t>(components) * size;
    attribute.Init(type, nullptr, static_cast<std::uint8_t>(components), data, false,
                   static_cast<std::int64_t>(element), 0);
    const int id = mesh.AddAttribute(attribute, true, mesh.num_points());
    for (std::uint32_t i = 0; i < mesh.num_points(); i++)
        mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i),
                                              static_cast<const unsigned char *>(values) + i * element);
    return id;
}

}  // namespace

extern "C" unsigned char *draco_encode(const draco_input *in, std::size_t *size, std::size_t *vertex_count,
                                       std::size_t *triangle_count) {
    draco::Mesh mesh;
    mesh.set_num_points(static_cast<std::uint32_t>(in->vertex_count));
    mesh.SetNumFaces(in->triangle_count);
    for (std::uint32_t f = 0; f < in->triangle_count; f++) {
        draco::Mesh::Face face;
        for (std::size_t k = 0; k < 3; k++) face[k] = draco::PointIndex(in->corners[3 * f + k]);
        mesh.SetFace(draco::FaceIndex(f), face);
    }
    const int positions = add(mesh, draco::GeometryAttribute::POSITION, draco::DT_FLOAT32, 3, in->positions, 4);
    const int uvs = in->uvs ? add(mesh, draco::GeometryAttribute::TEX_COORD, draco::DT_FLOAT32, 2, in->uvs, 4) : -1;
    if (in->joints) add(mesh, draco::GeometryAttribute::GENERIC, draco::DT_UINT8, 4, in->joints, 1);
    if (in->metadata) {
        auto metadata = std::make_unique<draco::GeometryMetadata>();
        metadata->AddEntryString("made by", "a test");
        mesh.AddMetadata(std::move(metadata));
    }
    draco::ExpertEncoder encoder(mesh);
    encoder.SetEncodingMethod(in->sequential ? draco::MESH_SEQUENTIAL_ENCODING : draco::MESH_EDGEBREAKER_ENCODING);
    if (in->bits > 0) encoder.SetAttributeQuantization(positions, in->bits);
    if (in->bits > 0 && uvs >= 0) encoder.SetAttributeQuantization(uvs, in->bits);
    draco::EncoderBuffer buffer;
    encoder.SetTrackEncodedProperties(true);
    if (!encoder.EncodeToBuffer(&buffer).ok()) return nullptr;
    *size = buffer.size();
    *vertex_count = encoder.num_encoded_points();
    *triangle_count = encoder.num_encoded_faces();
    unsigned char *bytes = static_cast<unsigned char *>(std::malloc(buffer.size()));
    std::memcpy(bytes, buffer.data(), buffer.size());
    return bytes;
}
