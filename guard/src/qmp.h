/* What QEMU says on its monitor: one JSON object a line (docs/interop/qmp-spec of QEMU). Free of I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum qmp_kind {
    QMP_BROKEN, /* no line of QEMU's */
    QMP_GREETING,
    QMP_RETURN,  /* the command was executed */
    QMP_REFUSED, /* the command was not */
    QMP_IO_ERROR, /* a disk failed, and the guest is halted for it */
    QMP_STOP,     /* the guest is halted */
    QMP_RESUME,   /* the guest goes on */
    QMP_OTHER,
};

/* Why a disk failed. */
enum disk_trouble { DISK_FINE, DISK_FULL, DISK_QUOTA, DISK_ERROR };

struct qmp_message {
    enum qmp_kind kind;
    bool halted_by_disk; /* of QMP_RETURN: the answer to query-status says so */
    bool running;        /* likewise */
    bool waiting;        /* likewise: it has not been told to begin */
    bool lost;           /* likewise: what runs the guest could not go on with it, and never will */
    enum disk_trouble trouble; /* of QMP_IO_ERROR */
};

struct qmp_message qmp_parse(const char *line, size_t length);
