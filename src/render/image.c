/* Pictures in memory, and as PNG by libpng, whose memory and bytes go through the context. */
#include "render/image.h"

#include <png.h>
#include <setjmp.h>

#include "base/file.h"
#include "base/memory.h"

ruga_status image_create(ruga_context *context, int width, int height, ruga_image **out) {
    size_t size = (size_t)width * (size_t)height * 3;
    ruga_image *image;
    uint8_t *pixels;
    TRY(NEW(context, &image, 1));
    TRY_OR(NEW(context, &pixels, size), memory_release(context, image));
    *image = (ruga_image){.width = width, .height = height, .pixels = pixels, .context = context};
    *out = image;
    return RUGA_OK;
}

void ruga_image_destroy(ruga_image *image) {
    if (!image) return;
    RELEASE_ALL(image->context, image->pixels, image);
}

/* ---- Callbacks of libpng. Its errors leave by longjmp to write_png. */

typedef struct png_output {
    file *f;
    ruga_status status; /* the first failure */
} png_output;

static png_voidp png_allocate(png_structp png, png_alloc_size_t size) {
    return memory_allocate(png_get_mem_ptr(png), size, 1);
}

static void png_release(png_structp png, png_voidp memory) { memory_release(png_get_mem_ptr(png), memory); }

static void png_write_bytes(png_structp png, png_bytep bytes, size_t size) {
    png_output *output = png_get_io_ptr(png);
    output->status = file_write(output->f, bytes, size);
    if (RUGA_FAILED(output->status)) png_error(png, "write");
}

static void png_flush_bytes(png_structp png) { (void)png; }

static void png_fails(png_structp png, png_const_charp message) {
    (void)message;
    longjmp(*(jmp_buf *)png_get_error_ptr(png), 1);
}

static void png_warns(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* The calls that may longjmp, in a function without locals that change. */
static void write_chunks(png_structp png, png_infop info, const ruga_image *image) {
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    /* By this a run knows a picture in its directory as one of ours. */
    png_set_text(png, info, &(png_text){.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Software", .text = "Ruga"},
                 1);
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++) png_write_row(png, image->pixels + (size_t)y * (size_t)image->width * 3);
    png_write_end(png, info);
}

static ruga_status write_png(const ruga_image *image, file *f) {
    ruga_context *context = image->context;
    png_output output = {f, RUGA_OK};
    jmp_buf failed;
    png_structp volatile png = NULL;
    png_infop volatile info = NULL;
    if (setjmp(failed) == 0) {
        png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &failed, png_fails, png_warns, context, png_allocate,
                                        png_release);
        info = png ? png_create_info_struct(png) : NULL;
        if (!info) longjmp(failed, 1);
        png_set_write_fn(png, &output, png_write_bytes, png_flush_bytes);
        write_chunks(png, info, image);
        png_destroy_write_struct((png_structp *)&png, (png_infop *)&info);
        return RUGA_OK;
    }
    // If the file did not fail, memory did: these calls need nothing else.
    png_destroy_write_struct((png_structp *)&png, (png_infop *)&info);
    return RUGA_FAILED(output.status) ? output.status : fail_memory(context, (size_t)image->width * 3);
}

ruga_status ruga_image_write_png(const ruga_image *image, const char *path) {
    ruga_context *context = image->context;
    if (!path || !*path) return fail_argument(context, "a picture needs a path to be written to");
    file *f;
    TRY(file_create(context, path, &f));
    ruga_status status = write_png(image, f);
    if (!RUGA_FAILED(status)) status = file_commit(f);
    file_close(f);
    return status;
}
