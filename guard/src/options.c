#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "fail.h"

/* Much more than a frame of the guest's output, which is the unit that a reader of the log understands. */
enum { OUTPUT_LOG_MIN = 256 * 1024 };

enum { OOM_SCORE_MAX = 1000 };

/* 2^53 - 1, what JSON and Java's doubles carry exactly; as nanoseconds it would overflow, so timers get seconds. */
static const int64_t MAX_NUMBER = 9007199254740991;

static int64_t number(const char *option, const char *text) {
    int64_t value = 0;
    if (*text == '\0') fail("%s needs a number", option);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') fail("%s is not a number: %s", option, text);
        value = value * 10 + (*c - '0');
        if (value > MAX_NUMBER) fail("%s is too large: %s", option, text);
    }
    if (value == 0) fail("%s must be positive", option);
    return value;
}

static const char *socket_path(const char *option, const char *path) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof((struct sockaddr_un *)0)->sun_path) {
        fail("%s needs a path of 1 to 107 bytes: %s", option, path);
    }
    return path;
}

static void add_listen(struct options *options, const char *path) {
    if (options->listen_count == MAX_LISTEN) fail("more than %d --listen", MAX_LISTEN);
    options->listen[options->listen_count++] = socket_path("--listen", path);
}

static void add_hold(struct options *options, const char *path) {
    if (options->hold_count == MAX_HOLD) fail("more than %d --hold", MAX_HOLD);
    options->hold[options->hold_count++] = path;
}

static void add_network(struct options *options, const char *argument) {
    if (options->network_count == MAX_NETWORK) fail("more than %d --network", MAX_NETWORK);
    options->network[options->network_count++] = argument;
}

static void add_own(struct options *options, const char *path) {
    if (options->own_count == MAX_HOLD) fail("more than %d --own", MAX_HOLD);
    options->own[options->own_count++] = path;
}

static void read_mac(struct options *options, const char *text) {
    uint8_t *m = options->network_mac;
    int end = 0;
    if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", m, m + 1, m + 2, m + 3, m + 4, m + 5, &end) != 6 ||
        end != 17 || text[end] != '\0') {
        fail("--network-mac needs six bytes like 02:c1:0c:00:00:01: %s", text);
    }
}

static void grant(struct options *options, const char *path, enum right right) {
    if (path[0] != '/') fail("a file that is granted needs an absolute path: %s", path);
    if (!grants_add(&options->jail.grants, path, right)) fail("no memory");
}

/* Those of the jail; false if it is none. */
static bool parse_jail(struct options *options, const char *option, const char *value) {
    struct jail *jail = &options->jail;
    if (strcmp(option, "--isolation") == 0) {
        jail->least = level_of(value);
        if (jail->least == LEVEL_NONE) fail("--isolation is auto, reduced, sealed or full: %s", value);
        jail->most = strcmp(value, "reduced") == 0 ? LEVEL_REDUCED : LEVEL_FULL;
    } else if (strcmp(option, "--unknown-calls") == 0) {
        jail->recording = strcmp(value, "record") == 0;
        if (!jail->recording) fail("--unknown-calls can be record: %s", value);
    } else if (strcmp(option, "--on-alarm") == 0) {
        jail->alarm_ends = strcmp(value, "stop") == 0;
        if (!jail->alarm_ends) fail("--on-alarm can be stop: %s", value);
    } else if (strcmp(option, "--read") == 0) {
        grant(options, value, TO_READ);
    } else if (strcmp(option, "--write") == 0) {
        grant(options, value, TO_WRITE);
    } else if (strcmp(option, "--copy") == 0) {
        grant(options, value, TO_COPY);
    } else if (strcmp(option, "--begin") == 0) {
        grant(options, value, TO_BEGIN);
    } else if (strcmp(option, "--layers") == 0) {
        jail->grants.layers = value;
    } else if (strcmp(option, "--sockets") == 0) {
        jail->grants.sockets = value;
    } else if (strcmp(option, "--file-bytes") == 0) {
        jail->limits.file_bytes = (uint64_t)number(option, value);
    } else if (strcmp(option, "--address-bytes") == 0) {
        jail->limits.address_bytes = (uint64_t)number(option, value);
    } else if (strcmp(option, "--threads") == 0) {
        jail->limits.threads = (uint64_t)number(option, value);
    } else {
        return false;
    }
    return true;
}

/* Those of the control group; false if it is none. */
static bool parse_group(struct options *options, const char *option, const char *value) {
    struct group_wish *group = &options->group;
    if (strcmp(option, "--group") == 0) {
        if (value[0] != '/' && strcmp(value, "auto") != 0) fail("%s needs auto or an absolute path: %s", option, value);
        group->parent = value;
    } else if (strcmp(option, "--group-memory") == 0) {
        group->memory_bytes = number(option, value);
    } else if (strcmp(option, "--group-tasks") == 0) {
        group->tasks = number(option, value);
    } else if (strcmp(option, "--group-weight") == 0) {
        group->weight = number(option, value);
    } else {
        return false;
    }
    return true;
}

struct options parse_options(char **arguments) {
    struct options options = {.owner_grace_ms = 10000};
    char **next = arguments + 1;
    for (;;) {
        const char *option = *next;
        if (option == NULL) fail("-- and a program are missing");
        next++;
        if (strcmp(option, "--") == 0) break;
        const char *value = *next;
        if (value == NULL) fail("%s needs a value", option);
        next++;
        if (strcmp(option, "--dir") == 0) {
            options.directory = value;
        } else if (strcmp(option, "--listen") == 0) {
            add_listen(&options, value);
        } else if (strcmp(option, "--hold") == 0) {
            add_hold(&options, value);
        } else if (strcmp(option, "--network") == 0) {
            add_network(&options, value);
        } else if (strcmp(option, "--monitor") == 0) {
            options.monitor = value;
        } else if (strcmp(option, "--ports") == 0) {
            options.ports = socket_path(option, value);
        } else if (strcmp(option, "--reserve") == 0) {
            options.reserve.path = value;
        } else if (strcmp(option, "--own") == 0) {
            add_own(&options, value);
        } else if (strcmp(option, "--network-mac") == 0) {
            read_mac(&options, value);
        } else if (strcmp(option, "--max-duration-ms") == 0) {
            options.max_duration_ms = number(option, value);
        } else if (strcmp(option, "--pool-age-ms") == 0) {
            options.pool_age_ms = number(option, value);
        } else if (strcmp(option, "--owner-grace-ms") == 0) {
            options.owner_grace_ms = number(option, value);
        } else if (strcmp(option, "--oom-score") == 0) {
            options.oom_score = number(option, value);
            if (options.oom_score > OOM_SCORE_MAX) fail("%s is at most %d: %s", option, OOM_SCORE_MAX, value);
        } else if (strcmp(option, "--output-log-bytes") == 0) {
            options.output_log_bytes = number(option, value);
            if (options.output_log_bytes < OUTPUT_LOG_MIN) fail("%s is too small: %s", option, value);
        } else if (!parse_jail(&options, option, value) && !parse_group(&options, option, value)) {
            fail("unknown option %s", option);
        }
    }
    if (options.directory == NULL) fail("--dir is missing");
    if (*next == NULL) fail("a program is missing after --");
    options.program = next;
    options.jail.grants.program = realpath(next[0], NULL);
    /* Its own, the granted ones, and as many again for what it opens of itself. */
    enum { DESCRIPTORS = 256 };
    options.jail.limits.descriptors = DESCRIPTORS + (uint64_t)options.jail.grants.count * 2;
    return options;
}
