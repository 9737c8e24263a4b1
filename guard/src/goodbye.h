/* The guest's last words: the first 64 bytes of a pipe, the rest read and dropped. */
#pragma once

enum { GOODBYE_MAX = 64 };

struct goodbye {
    unsigned char bytes[GOODBYE_MAX];
    int length;
};

/* Takes what is in the pipe now, up to one buffer; answers as console_take. */
long goodbye_take(struct goodbye *goodbye, int pipe);
