/* A stranger's program that reads compressed glTF: one triangle, by each decoder that this build of Ruga has. */
#include <ruga/decode.h>
#include <stdio.h>
#include <string.h>

static const char draco[] =
    "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"buffers\":[{\"byteLengt"
    "h\":61,\"uri\":\"data:;base64,RFJBQ08CAgEAAAABAwEAAQIBAQAJAwAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA=="
    "\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":61}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type"
    "\":\"VEC3\"},{\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes"
    "\":{\"POSITION\":0},\"indices\":1,\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":"
    "{\"POSITION\":0}}}}]}],\"nodes\":[{\"mesh\":0}]}";
static const char meshopt[] =
    "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"buffers\":[{\"byteLength\""
    ":67,\"uri\":\"data:;base64,oAAAATwAAAD//wE8AAAAfn0AAAEMAAAA/wEMAAAAfgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAA==\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\""
    ":0,\"byteLength\":67,\"byteStride\":12,\"count\":3,\"mode\":\"ATTRIBUTES\"}}}],\"accessors\":[{\"bufferView\":0,"
    "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":"
    "0}}]}],\"nodes\":[{\"mesh\":0}]}";

/* With a decoder, the triangle; without, the message that names what is missing. */
static int check(ruga_context *context, const char *name, const char *text, int has) {
    ruga_mesh *mesh = NULL;
    const ruga_status status = ruga_mesh_read_memory(context, name, text, strlen(text), NULL, &mesh);
    if (!has) return status == RUGA_ERROR_UNSUPPORTED ? 0 : 1;
    if (RUGA_FAILED(status)) return fprintf(stderr, "%s\n", ruga_context_message(context)), 1;
    const int right = mesh->triangle_count == 1 && mesh->positions[1].x == 1 && mesh->positions[2].y == 1;
    ruga_mesh_destroy(mesh);
    return !right;
}

int main(void) {
    ruga_context *context = NULL;
    const ruga_decoders *decoders = ruga_decode_decoders();
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    int wrong = check(context, "without.gltf", draco, 0);
    ruga_decode_use(context);
    wrong |= check(context, "draco.gltf", draco, decoders->draco != NULL);
    wrong |= check(context, "meshopt.gltf", meshopt, decoders->meshopt != NULL);
    printf("ruga %s: Draco %s, meshopt %s\n", ruga_version(), decoders->draco ? "read" : "absent",
           decoders->meshopt ? "read" : "absent");
    ruga_context_destroy(context);
    return wrong;
}
