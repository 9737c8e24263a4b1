#include "qmp.h"

#include <string.h>

#include "json.h"

struct seen {
    bool greeting, returned, refused, no_space, quota, stops;
    bool io_error, stop, resume, event;
    bool halted_by_disk, running, waiting, lost;
};

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static void see(void *context, const char *path, enum json_kind kind, const char *text) {
    struct seen *seen = context;
    if (is(path, "QMP")) seen->greeting = true;
    if (is(path, "return")) seen->returned = true;
    if (is(path, "error")) seen->refused = true;
    if (is(path, "data.nospace")) seen->no_space = kind == JSON_TRUE;
    if (kind != JSON_STRING) return;
    if (is(path, "event")) {
        seen->event = true;
        seen->io_error = is(text, "BLOCK_IO_ERROR");
        seen->stop = is(text, "STOP");
        seen->resume = is(text, "RESUME");
    }
    if (is(path, "data.action")) seen->stops = is(text, "stop");
    /* glibc's words for EDQUOT; QEMU runs in the C locale, because it has no environment. */
    if (is(path, "data.reason")) seen->quota = is(text, "Disk quota exceeded");
    if (is(path, "return.status")) {
        seen->halted_by_disk = is(text, "io-error");
        seen->running = is(text, "running");
        seen->waiting = is(text, "prelaunch");
        seen->lost = is(text, "internal-error");
    }
}

static enum qmp_kind kind_of(const struct seen *seen) {
    if (seen->io_error && seen->stops) return QMP_IO_ERROR;
    if (seen->event) return seen->stop ? QMP_STOP : seen->resume ? QMP_RESUME : QMP_OTHER;
    if (seen->greeting) return QMP_GREETING;
    if (seen->refused) return QMP_REFUSED;
    return seen->returned ? QMP_RETURN : QMP_OTHER;
}

struct qmp_message qmp_parse(const char *line, size_t length) {
    struct seen seen = {0};
    if (!json_read(line, length, see, &seen)) return (struct qmp_message){.kind = QMP_BROKEN};
    struct qmp_message message = {.kind = kind_of(&seen)};
    if (message.kind == QMP_IO_ERROR) {
        message.trouble = seen.no_space ? DISK_FULL : seen.quota ? DISK_QUOTA : DISK_ERROR;
    }
    if (message.kind == QMP_RETURN) {
        message.halted_by_disk = seen.halted_by_disk;
        message.running = seen.running;
        message.waiting = seen.waiting;
        message.lost = seen.lost;
    }
    return message;
}
