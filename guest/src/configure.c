#include "configure.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "cursor.h"
#include "frame.h"
#include "log.h"
#include "names.h"

enum tag { HOSTNAME = 1, CLOCK, ENTROPY, MACHINE_ID, TAGS };
enum { ENTROPY_MIN = 16, ENTROPY_MAX = 512 };

static int random_device = -1;

void configure_open(void) {
    random_device = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (random_device < 0) log_line("no random device: %s", strerror(errno));
}

static bool is_hostname(struct text text) {
    if (text.length < 1 || text.length > 64) return false;
    for (uint32_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
        if (!good) return false;
    }
    return true;
}

static bool is_machine_id(struct text text) {
    if (text.length != 32) return false;
    for (uint32_t i = 0; i < 32; i++) {
        char c = text.bytes[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}

static bool is_valid(uint32_t tag, struct text text) {
    switch (tag) {
        case HOSTNAME: return is_hostname(text);
        case CLOCK: return text.length == 8 && get64((uint8_t *)text.bytes) <= INT64_MAX;
        case ENTROPY: return text.length >= ENTROPY_MIN && text.length <= ENTROPY_MAX;
        default: return is_machine_id(text);
    }
}

static bool set_clock(struct text text) {
    uint64_t nanoseconds = get64((uint8_t *)text.bytes);
    struct timespec now = {
        .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    return clock_settime(CLOCK_REALTIME, &now) == 0;
}

/* Clones of one snapshot share the state of the generator, so the reseed matters as much as the bytes. */
static bool add_entropy(struct text text) {
    struct {
        int entropy_count;
        int buf_size;
        uint8_t bytes[ENTROPY_MAX];
    } pool = {.entropy_count = (int)text.length * 8, .buf_size = (int)text.length};
    memcpy(pool.bytes, text.bytes, text.length);
    return ioctl(random_device, RNDADDENTROPY, &pool) == 0 && ioctl(random_device, RNDRESEEDCRNG) == 0;
}

static bool apply(enum tag tag, struct text text, const char **sentence) {
    switch (tag) {
        case HOSTNAME: *sentence = "The host name could not be set."; return names_set_host(text.bytes, text.length);
        case CLOCK: *sentence = "The clock could not be set."; return set_clock(text);
        case ENTROPY: *sentence = "The entropy could not be added."; return add_entropy(text);
        default: *sentence = "/etc/machine-id could not be written."; return names_set_machine(text.bytes);
    }
}

int configure(uint8_t *payload, size_t length, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    struct text fields[TAGS] = {0};
    while (cursor.left > 0) {
        uint32_t tag = cursor_u32(&cursor);
        struct text text = cursor_blob(&cursor);
        *sentence = "The payload of CONFIGURE is not well formed.";
        if (cursor.bad) return BAD_REQUEST;
        *sentence = "CONFIGURE has a tag that this agent does not know.";
        if (tag < HOSTNAME || tag >= TAGS) return UNSUPPORTED;
        *sentence = "CONFIGURE has the same tag twice.";
        if (fields[tag].bytes != NULL) return BAD_REQUEST;
        *sentence = "CONFIGURE has a value that is not valid for its tag.";
        if (!is_valid(tag, text)) return BAD_REQUEST;
        fields[tag] = text;
    }
    for (enum tag tag = HOSTNAME; tag < TAGS; tag++) {
        if (fields[tag].bytes != NULL && !apply(tag, fields[tag], sentence)) return INTERNAL;
    }
    return 0;
}
