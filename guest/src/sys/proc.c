#include "sys/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/nodes.h"

static int proc = -1;

int proc_open(void) {
    proc = mount_detached("proc");
    return proc;
}

const char *proc_text(const char *path) {
    static char text[32768];
    int fd = proc < 0 ? -1 : openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

bool proc_ignores(pid_t pid, int number) {
    static const char LABEL[] = "\nSigIgn:";
    char path[32];
    snprintf(path, sizeof path, "%d/status", (int)pid);
    const char *line = strstr(proc_text(path), LABEL);
    return line != NULL && (strtoull(line + sizeof LABEL - 1, NULL, 16) >> (number - 1) & 1) != 0;
}
