/* Which files QEMU gets, by their names. Free of I/O: another part opens what is given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NAME_MAX_BYTES = 4096 };

enum right {
    TO_READ,
    TO_WRITE,
    TO_COPY, /* read, also where it is asked for to be written: what is mapped privately */
    TO_BEGIN, /* read until it has started; a device to write too */
};

struct grant {
    const char *path;
    enum right right;
};

struct grants {
    struct grant *list;
    int count;
    int room;
    const char *layers;   /* a directory whose files disk.N may be written to; NULL */
    const char *sockets;  /* what the names of its sockets begin with; NULL */
    const char *program;  /* where it really is; what is installed with it, it reads until it has started. NULL */
};

/* The path is kept. False if there is no memory. */
bool grants_add(struct grants *grants, const char *path, enum right right);

enum verdict {
    GIVEN,
    ABSENT, /* it is to find nothing there, and does without */
    REFUSED,
};

struct decision {
    enum verdict verdict;
    const char *path; /* of GIVEN: ours, or `name` itself */
    int flags;        /* likewise: O_RDONLY or O_RDWR, and O_WRONLY */
    bool device;      /* likewise: it may be a character device */
    bool layer;       /* likewise: it is no link, and to be written to only where its mode says so */
};

/* Writes the name without what means nothing: "//", "/./", and a name that is followed by "..". False if it is too long, not
 * absolute, or leads above the root. */
bool grants_normal(const char *name, char *normal, size_t size);

/* Judges the opening of a normal name. */
struct decision grants_open(const struct grants *grants, const char *normal, int flags, bool sealed);

/* Whether it is that of a device. */
bool grants_device(const struct grant *grant);

/* Whether a name is granted, or is that of a directory above such a file. */
bool grants_lead_through(const struct grants *grants, const char *normal);

/* Whether a socket of this name may be made, removed and connected to. The name is used as it is. */
bool grants_socket(const struct grants *grants, const char *name);

/* Whether it is one of the VM's sockets that others have made for it. */
bool grants_own_socket(const struct grants *grants, const char *name);
