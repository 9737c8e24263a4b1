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

/* Of the frame that is being applied. */
static struct configure_request wanted;
static char **new_variables;

void configure_open(void) {
    random_device = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (random_device < 0) log_line("no random device: %s", strerror(errno));
}

void identity_forget(void) { missing = true; }

bool identity_is_missing(void) { return missing; }

static bool set_clock(uint64_t nanoseconds) {
    struct timespec now = {
        .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    return clock_settime(CLOCK_REALTIME, &now) == 0;
}

/* Clones of one snapshot share the state of the generator, so the reseed matters as much as the bytes. */
static bool add_entropy(struct text text) {
    struct {
        int entropy_count;
        int buf_size;
        uint8_t bytes[ENTROPY_MAX];
    } pool = {.entropy_count = (int)text.length * 8, .buf_size = (int)text.length};
    memcpy(pool.bytes, text.bytes, text.length);
    return ioctl(random_device, RNDADDENTROPY, &pool) == 0 && ioctl(random_device, RNDRESEEDCRNG) == 0;
}

static void must(bool done, const char *what) {
    if (!done) spawn_give_up(INTERNAL, "%s: %s.", what, strerror(errno));
}

/* In the child. */
static void apply(void) {
    const struct configure_request *w = &wanted;
    if (w->entropy.bytes != NULL) must(add_entropy(w->entropy), "The entropy could not be added");
    if (w->has_clock) must(set_clock(w->clock), "The clock could not be set");
    if (w->host.bytes != NULL) must(names_set_host(w->host.bytes, w->host.length), "The host name could not be set");
    if (w->machine.bytes != NULL) must(names_set_machine(w->machine.bytes), "/etc/machine-id could not be written");
    if (w->has_network) {
        must(network_apply(&w->network), "The network could not be set up");
        must(names_set_servers(&w->network), "/etc/resolv.conf could not be written");
    }
    if (w->secret_count > 0) {
        must(secrets_replace(w->secrets, w->secret_count), "The secrets could not be written");
    } else if (w->remove_secrets && secrets_given) {
        must(secrets_remove(), "The earlier secrets could not be removed");
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
    *sentence = "The agent has no memory or no process for it.";
    if (wanted.variable_count > 0) {
        new_variables = copy_variables(wanted.variables, wanted.variable_count);
        if (new_variables == NULL) return OUT_OF_RESOURCES;
    }
    if (wanted.end_all) executions_end_all();
    bool begun = task_begin(TASK_CONFIGURE, port, request, apply, CONFIGURE_MS, finished);
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
