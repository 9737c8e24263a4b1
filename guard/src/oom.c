#include "oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Entries of pools yield to all that is in use. */
enum { POOLED = 900 };

static void set(int file, int64_t score) {
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", (long long)score);
    /* Where it may not be set, as in some containers, the kernel goes by memory alone. */
    ssize_t ignored = pwrite(file, text, (size_t)length, 0);
    (void)ignored;
}

struct oom oom_begin(pid_t program, int64_t score, bool pooled) {
    struct oom oom = {.file = -1, .score = score};
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)program);
    int file = score == 0 ? -1 : open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return oom;
    set(file, pooled ? POOLED : score);
    if (pooled) oom.file = file;
    else close(file);
    return oom;
}

void oom_look(struct oom *oom, int directory) {
    if (oom->file < 0 || faccessat(directory, "claimed", F_OK, AT_SYMLINK_NOFOLLOW) != 0) return;
    set(oom->file, oom->score);
    close(oom->file);
    oom->file = -1;
}
