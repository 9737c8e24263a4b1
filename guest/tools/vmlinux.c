/* Unpacks the ELF kernel from a bzImage: vmlinux BZIMAGE > vmlinux
 *
 * QEMU starts the ELF kernel directly (PVH), which saves the guest from unpacking itself under emulation. Where the
 * payload lies is told by the boot protocol (Documentation/arch/x86/boot.rst: setup_sects, payload_offset and
 * payload_length). Payloads packed by LZ4 are understood, in the legacy format that the kernel uses (lz4_Frame_format,
 * "Legacy frame"; lz4_Block_format); exit code 2 tells that the payload is packed otherwise. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 8 * 1024 * 1024, NOT_LZ4 = 2 };

struct bytes {
    const uint8_t *next;
    const uint8_t *end;
};

__attribute__((noreturn)) static void broken(void) {
    fputs("vmlinux: the kernel image is damaged\n", stderr);
    exit(1);
}

static uint32_t get32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }

static uint8_t byte(struct bytes *in) {
    if (in->next == in->end) broken();
    return *in->next++;
}

static size_t length_of(struct bytes *in, size_t nibble) {
    if (nibble != 15) return nibble;
    uint8_t more;
    do {
        more = byte(in);
        nibble += more;
    } while (more == 255);
    return nibble;
}

static size_t unpack_block(struct bytes in, uint8_t *out) {
    size_t size = 0;
    while (in.next < in.end) {
        uint8_t token = byte(&in);
        size_t literals = length_of(&in, token >> 4);
        if (literals > (size_t)(in.end - in.next) || literals > BLOCK_MAX - size) broken();
        memcpy(out + size, in.next, literals);
        in.next += literals;
        size += literals;
        if (in.next == in.end) break; /* the last sequence has no match */
        size_t back = byte(&in);
        back |= (size_t)byte(&in) << 8;
        size_t match = length_of(&in, token & 15) + 4;
        if (back == 0 || back > size || match > BLOCK_MAX - size) broken();
        for (size_t i = 0; i < match; i++, size++) out[size] = out[size - back];
    }
    return size;
}

static struct bytes read_image(const char *path) {
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    long size = ftell(in);
    rewind(in);
    uint8_t *image = malloc((size_t)size + 1);
    if (image == NULL || fread(image, 1, (size_t)size, in) != (size_t)size) broken();
    fclose(in);
    return (struct bytes){image, image + size};
}

static struct bytes payload_of(struct bytes image) {
    size_t size = (size_t)(image.end - image.next);
    if (size < 0x260 || memcmp(image.next + 0x202, "HdrS", 4) != 0) broken();
    size_t start = (size_t)(image.next[0x1f1] + 1) * 512 + get32(image.next + 0x248);
    size_t length = get32(image.next + 0x24c);
    if (start > size || length > size - start) broken();
    return (struct bytes){image.next + start, image.next + start + length};
}

int main(int argc, char **argv) {
    static const uint8_t magic[4] = {0x02, 0x21, 0x4c, 0x18};
    if (argc != 2) return 1;
    struct bytes payload = payload_of(read_image(argv[1]));
    if (payload.end - payload.next < 4 || memcmp(payload.next, magic, 4) != 0) return NOT_LZ4;
    payload.next += 4;
    uint8_t *block = malloc(BLOCK_MAX);
    if (block == NULL) return 1;
    /* The kernel's build appends the unpacked size, four bytes, which are no block. */
    while (payload.end - payload.next > 4) {
        size_t length = get32(payload.next);
        payload.next += 4;
        if (length > (size_t)(payload.end - payload.next)) broken();
        size_t size = unpack_block((struct bytes){payload.next, payload.next + length}, block);
        payload.next += length;
        if (fwrite(block, 1, size, stdout) != size) return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
