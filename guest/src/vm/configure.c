#include "vm/configure.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "execution/execution.h"
#include "process/environment.h"
#include "process/report.h"
#include "process/task.h"
#include "sys/log.h"
#include "sys/raw.h"
#include "vm/freeze.h"
#include "vm/names.h"
#include "vm/network.h"
#include "vm/secrets.h"
#include "wire/configure_request.h"
#include "wire/frame.h"

enum { CONFIGURE_MS = 10000 };

static int random_device = -1;
static bool missing;
static bool secrets_given; /* by any frame, in this guest or in what it is a clone of */

/* Of the frame that is being applied; its payload is there until configure_begin returns. */
static struct configure_request wanted;
static char **new_variables;

/* As struct rand_pool_info. */
struct entropy {
    int entropy_count;
    int buf_size;
    uint8_t bytes[ENTROPY_MAX];
};

/* What it says that needs nothing but system calls. A child may read it while it is changed, but only one that was killed, and
 * is stuck in the kernel. */
static struct own {
    struct entropy entropy;
    bool has_clock;
    struct timespec clock;
    struct host_names names;
} own;

void configure_open(void) {
    random_device = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (random_device < 0) log_line("no random device: %s", strerror(errno));
}

void identity_forget(void) { missing = true; }

bool identity_is_missing(void) { return missing; }

static struct entropy entropy_of(struct text text) {
    struct entropy entropy = {.entropy_count = (int)text.length * 8, .buf_size = (int)text.length};
    if (text.length > 0) memcpy(entropy.bytes, text.bytes, text.length);
    return entropy;
}

static void must(long done, const char *what) {
    if (done < 0) child_give_up(INTERNAL, (int)-done, what, "", "");
}

/* In a child that may share the agent's memory. Clones of one snapshot share the state of the generator, so the reseed matters
 * as much as the bytes. */
static void set_own(void) {
    const struct own *o = &own;
    if (o->entropy.buf_size > 0) {
        must(raw(SYS_ioctl, random_device, RNDADDENTROPY, &o->entropy), "The entropy could not be added");
        must(raw(SYS_ioctl, random_device, RNDRESEEDCRNG), "The entropy could not be added");
    }
    if (o->has_clock) must(raw(SYS_clock_settime, CLOCK_REALTIME, &o->clock), "The clock could not be set");
    const char *what;
    long done = names_set(&o->names, &what);
    must(done, what);
}

static void must_copied(bool done, const char *what) {
    if (!done) spawn_give_up(INTERNAL, "%s: %s.", what, strerror(errno));
}

/* In a child with a copy of it: this allocates, and what it reads may be long. */
static void set_all(void) {
    const struct configure_request *w = &wanted;
    set_own();
    if (w->has_network) {
        must_copied(network_apply(&w->network), "The network could not be set up");
        must_copied(names_set_servers(&w->network), "/etc/resolv.conf could not be written");
    }
    if (w->secret_count > 0) {
        must_copied(secrets_replace(w->secrets, w->secret_count), "The secrets could not be written");
    } else if (w->remove_secrets && secrets_given) {
        must_copied(secrets_remove(), "The earlier secrets could not be removed");
    }
}

static void finished(bool good) {
    if (good && wanted.entropy.bytes != NULL) missing = false;
    if (good && new_variables != NULL) {
        environment_set_variables(new_variables);
    } else {
        free(new_variables);
    }
    new_variables = NULL;
    explicit_bzero(&own, sizeof own);
}

/* A child that shares this memory costs a fraction of one with a copy. */
static bool begin(int port, uint32_t request) {
    bool more = wanted.has_network || wanted.secret_count > 0 || (wanted.remove_secrets && secrets_given);
    return more ? task_begin(TASK_CONFIGURE, port, request, set_all, CONFIGURE_MS, finished)
                : task_begin_sharing(TASK_CONFIGURE, port, request, set_own, CONFIGURE_MS, finished);
}

/* One allocation with the array and its texts; NULL if there is no memory. */
static char **copy_variables(const struct text *texts, uint32_t count) {
    size_t size = (count + 1) * sizeof(char *);
    for (uint32_t i = 0; i < count; i++) size += texts[i].length + 1;
    char **array = calloc(1, size);
    if (array == NULL) return NULL;
    char *next = (char *)(array + count + 1);
    for (uint32_t i = 0; i < count; i++) {
        array[i] = next;
        memcpy(next, texts[i].bytes, texts[i].length);
        next += texts[i].length + 1;
    }
    return array;
}

int configure_begin(int port, uint32_t request, uint8_t *payload, size_t length, const char **sentence) {
    char name[IF_NAMESIZE];
    int code = configure_request_parse(payload, length, &wanted, sentence);
    if (code != 0) return code;
    *sentence = "The guest's disk is frozen.";
    if (freeze_is_on()) return FROZEN;
    *sentence = "The VM has no network interface.";
    if (wanted.has_network && network_interface(name) == 0) return UNSUPPORTED;
    own = (struct own){
        .entropy = entropy_of(wanted.entropy),
        .has_clock = wanted.has_clock,
        .clock = {.tv_sec = (time_t)(wanted.clock / 1000000000), .tv_nsec = (long)(wanted.clock % 1000000000)},
    };
    *sentence = "The host's name or the machine's id is too long.";
    if (!names_of(wanted.host, wanted.machine, &own.names)) return BAD_REQUEST;
    *sentence = "The agent has no memory or no process for it.";
    if (wanted.variable_count > 0) {
        new_variables = copy_variables(wanted.variables, wanted.variable_count);
        if (new_variables == NULL) return OUT_OF_RESOURCES;
    }
    if (wanted.end_all) executions_end_all();
    bool begun = begin(port, request);
    secrets_given = secrets_given || wanted.secret_count > 0;
    /* The child has a copy; this process lives on in every clone. */
    for (uint32_t i = 0; i < wanted.secret_count; i++) {
        explicit_bzero(wanted.secrets[i].value.bytes, wanted.secrets[i].value.length);
    }
    if (begun) return 0;
    free(new_variables);
    new_variables = NULL;
    return OUT_OF_RESOURCES;
}
