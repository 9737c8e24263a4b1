/* The host's side of a file operation, for the tests: runs one in a child and speaks records with it. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/file_operation.h"
#include "wire/bytes.h"
#include "wire/record.h"
#include "check.h"

struct child {
    pid_t pid;
    int to, from;
};

/* `jail`: NULL, or the child's root, in which there is no /proc. */
static inline struct child start_in(const char *jail, const struct file_request *request) {
    int in[2], out[2];
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        umask(0);
        if (jail != NULL && (chroot(jail) != 0 || chdir("/") != 0)) abort();
        struct file_request own = *request;
        if (own.target == NULL) own.target = "";
        file_operation(&own);
    }
    close(in[0]);
    close(out[1]);
    return (struct child){.pid = pid, .to = in[1], .from = out[0]};
}

static inline struct child start(const struct file_request *request) { return start_in(NULL, request); }

static inline int wait_for(struct child *child) {
    int status;
    CHECK(waitpid(child->pid, &status, 0) == child->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static inline void put(struct child *child, const void *bytes, size_t length) {
    for (const char *p = bytes; length > 0;) {
        ssize_t n = write(child->to, p, length);
        if (n < 0 && errno == EPIPE) return; /* it has failed, and says so */
        CHECK(n > 0);
        p += n;
        length -= (size_t)n;
    }
}

static inline struct text text_of(const char *value) {
    return (struct text){.bytes = (char *)(uintptr_t)value, .length = (uint32_t)strlen(value)};
}

static inline void put_entry(struct child *child, const struct entry *entry) {
    uint8_t out[ENTRY_RECORD_MAX];
    put(child, out, entry_encode(out, entry));
}

static inline void put_kind(struct child *child, uint32_t kind, const char *name, uint64_t size) {
    struct entry entry = {.kind = kind, .mode = 0755, .size = size, .name = text_of(name)};
    if (kind == ENTRY_LINK) entry.target = text_of("/etc");
    put_entry(child, &entry);
}

static inline void put_data(struct child *child, uint64_t offset, const char *value) {
    uint8_t out[1024];
    size_t header = data_encode(out, offset, strlen(value));
    memcpy(out + header, value, strlen(value));
    put(child, out, header + strlen(value));
}

static inline void put_done(struct child *child) {
    uint8_t out[RECORD_HEADER];
    put(child, out, done_encode(out));
}

/* Reads the next record into static memory; false at the end. */
static inline bool get(struct child *child, struct record *record) {
    static uint8_t bytes[RECORD_MAX];
    for (size_t have = 0, want = RECORD_HEADER; have < want;) {
        ssize_t n = read(child->from, bytes + have, want - have);
        CHECK(n >= 0 && (n > 0 || have == 0));
        if (n == 0) return false;
        have += (size_t)n;
        if (have == RECORD_HEADER) want = RECORD_HEADER + get32(bytes + 4);
        CHECK(want <= sizeof bytes);
    }
    size_t taken;
    CHECK(record_decode(bytes, sizeof bytes, record, &taken) == RECORD_WHOLE);
    return true;
}

/* The end of an operation: 0, or the error number of FAILED. What comes before is passed over. */
static inline int finish(struct child *child) {
    struct record record = {0};
    if (child->to >= 0) close(child->to);
    do {
        CHECK(get(child, &record));
    } while (record.type != RECORD_DONE && record.type != RECORD_FAILED);
    int error = record.type == RECORD_FAILED ? record.error : 0;
    CHECK(record.type == RECORD_DONE || error > 0);
    CHECK(!get(child, &record));
    close(child->from);
    CHECK(wait_for(child) == (error == 0 ? 0 : 1));
    return error;
}

static inline int run(const struct file_request *request) {
    struct child child = start(request);
    return finish(&child);
}
