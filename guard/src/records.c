#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "io.h"

#define MAX_EXIT_RECORD 512

static void read_text(const char *path, char *text, size_t capacity) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, capacity - 1);
    if (n < 0) fail("cannot read %s: %s", path, strerror(errno));
    close(fd);
    text[n] = '\0';
}

/* Field 22 of /proc/self/stat. The second field, the name in brackets, may contain anything, so count from the last
 * bracket. */
static unsigned long long start_time(void) {
    char stat[2048];
    read_text("/proc/self/stat", stat, sizeof stat);
    char *rest = strrchr(stat, ')');
    unsigned long long ticks;
    if (rest == NULL ||
        sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1) {
        fail("/proc/self/stat is not understood");
    }
    return ticks;
}

int record_guard(int directory) {
    char boot_id[64];
    read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    boot_id[strcspn(boot_id, "\n")] = '\0';
    char json[256];
    int length = snprintf(json, sizeof json, "{\"version\":1,\"pid\":%d,\"startTime\":%llu,\"bootId\":\"%s\",\"understands\":\"ports\"}\n",
                          (int)getpid(), start_time(), boot_id);
    if (unlinkat(directory, "exit.json", 0) != 0 && errno != ENOENT) {
        fail("cannot remove the exit.json of an earlier run: %s", strerror(errno));
    }
    int file = write_whole(directory, "guard.json", json, (size_t)length);
    if (file < 0) fail("cannot write guard.json: %s", strerror(errno));
    return file;
}

int prepare_exit(int directory) {
    int file = prepare_file(directory, "exit.json", MAX_EXIT_RECORD);
    if (file < 0) fail("cannot make exit.json: %s", strerror(errno));
    return file;
}

/* A field that is there only if it is known. */
static void number_if_known(char *text, size_t size, const char *name, int64_t number) {
    text[0] = '\0';
    if (number >= 0) snprintf(text, size, ",\"%s\":%lld", name, (long long)number);
}

bool record_exit(int directory, int file, const struct ending *ending) {
    char exit_code[16] = "null";
    char signal_number[16] = "null";
    snprintf(ending->program.si_code == CLD_EXITED ? exit_code : signal_number, sizeof exit_code, "%d",
             ending->program.si_status);
    char goodbye[2 * GOODBYE_MAX + 1] = "";
    for (int i = 0; i < ending->goodbye.length; i++) snprintf(goodbye + 2 * i, 3, "%02x", ending->goodbye.bytes[i]);
    char peak[48], kills[48];
    number_if_known(peak, sizeof peak, "memoryPeak", ending->use.memory_peak);
    number_if_known(kills, sizeof kills, "oomKills", ending->use.oom_kills);
    char json[MAX_EXIT_RECORD];
    int length = snprintf(json, sizeof json,
                          "{\"version\":1,\"cause\":\"%s\",\"exitCode\":%s,\"signal\":%s,\"startedAt\":%lld,"
                          "\"endedAt\":%lld,\"goodbye\":\"%s\"%s%s}\n",
                          ending->cause, exit_code, signal_number, (long long)ending->started_at_ms,
                          (long long)ending->ended_at_ms, goodbye, peak, kills);
    return write_prepared(directory, file, "exit.json", json, (size_t)length);
}

/* Words of ours and the C library's, and paths of the host's; what is no plain character must not end the text. */
static const char *plain(char *copy, size_t size, const char *text) {
    size_t i = 0;
    for (; text[i] != '\0' && i < size - 1; i++) {
        bool is_plain = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
        copy[i] = is_plain ? text[i] : '?';
    }
    copy[i] = '\0';
    return copy;
}

static void record(int directory, const char *name, const char *json, int length) {
    int file = write_whole(directory, name, json, (size_t)length);
    if (file >= 0) close(file);
}

void record_isolation(int directory, const char *level, const char *missing) {
    char json[512], reason[200];
    int length = snprintf(json, sizeof json, "{\"version\":1,\"level\":\"%s\",\"missing\":\"%s\"}\n", level,
                          plain(reason, sizeof reason, missing));
    record(directory, "isolation.json", json, length);
}

void record_group(int directory, const char *parent, const char *name, const char *missing) {
    char json[1024], path[600] = "null", reason[200];
    if (parent != NULL) {
        char whole[sizeof path - 2];
        snprintf(whole, sizeof whole, "%s/%s", parent, name);
        /* What is not plain in it would name another one. */
        bool same = strcmp(plain(path, sizeof path, whole), whole) == 0;
        snprintf(path, sizeof path, same ? "\"%s\"" : "null", whole);
    }
    int length = snprintf(json, sizeof json, "{\"version\":1,\"path\":%s,\"missing\":\"%s\"}\n", path,
                          plain(reason, sizeof reason, missing));
    record(directory, "group.json", json, length);
}
