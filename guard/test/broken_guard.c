/* In the place of a guard that QEMU has broken: linked into it, it tries in each of its threads, once they are confined, what must
 * be shut, and says in the file of the environment's BROKEN_LOG what was OPEN, and "tried" for each thread. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../src/holds.h"
#include "../src/names.h"
#include "../src/watch.h"

struct ending __real_watch(const struct options *, const struct program *, const struct network *, struct ports *,
                           struct health *, struct announcement *, const struct orders *);
struct ending __wrap_watch(const struct options *, const struct program *, const struct network *, struct ports *,
                           struct health *, struct announcement *, const struct orders *);
void __real_hold_all(const struct options *);
void __wrap_hold_all(const struct options *);
int __real_socket_named(const struct socket_name *, bool);
int __wrap_socket_named(const struct socket_name *, bool);

static int says = -1;
static char base[4096], vm[4096];
static pid_t jailed;

/* Not before: at its start it closes what it has got. */
void __wrap_hold_all(const struct options *options) {
    says = open(getenv("BROKEN_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    __real_hold_all(options);
}

static void say(const char *kind, const char *what) { dprintf(says, "%s: %s (%s)\n", kind, what, strerror(errno)); }

static void shut(const char *what, long result) {
    if (result >= 0) say("OPEN", what);
}

static void works(const char *what, bool done) {
    if (!done) say("BROKEN", what);
}

static const char *in(const char *directory, const char *name) {
    static _Thread_local char path[2][8192];
    static _Thread_local int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static void attack(const char *thread) {
    struct sockaddr_un elsewhere = {.sun_family = AF_UNIX};
    char memory[64];
    shut("a file of the host", open("/etc/passwd", O_RDONLY));
    shut("the directory of the host", open("/", O_RDONLY | O_DIRECTORY));
    shut("a file of the user", open(in(base, "secret"), O_RDONLY));
    shut("a file of another VM", open(in(base, "other/disk.0"), O_RDONLY));
    shut("a name with ..", open(in(vm, "../secret"), O_RDONLY));
    shut("a link out of its directory", open(in(vm, "disk.3"), O_RDONLY));
    shut("what is granted to read, to write", open(in(base, "image"), O_RDWR));
    shut("memory of a template, to write", open(in(base, "memory"), O_RDWR));
    shut("memory of a template, cut off", truncate(in(base, "memory"), 0));
    shut("a new file elsewhere", open(in(base, "new"), O_RDWR | O_CREAT, 0600));
    shut("a new file beside another VM's", open(in(base, "other/new"), O_RDWR | O_CREAT, 0600));
    shut("to remove", unlink(in(base, "secret")));
    shut("to rename what is not its own", rename(in(base, "secret"), in(vm, "disk.5")));
    shut("to rename out of its directory", rename(in(vm, "disk.1"), in(base, "disk.1")));
    shut("to link", link(in(base, "secret"), in(vm, "disk.5")));
    shut("a directory in its own", mkdir(in(vm, "directory"), 0700));
    snprintf(elsewhere.sun_path, sizeof elsewhere.sun_path, "%s", in(base, "broken"));
    shut("a socket elsewhere", bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&elsewhere, sizeof elsewhere));
    snprintf(memory, sizeof memory, "/proc/%d/mem", (int)jailed);
    shut("memory of a process by its name", open(memory, O_RDONLY));
    shut("memory of its own by a name", open("/proc/self/mem", O_RDWR));
    works("what is granted to read", open(in(base, "image"), O_RDONLY) >= 0);
    works("a layer", open(in(vm, "disk.1"), O_RDWR) >= 0);
    works("memory of a template", open(in(base, "memory"), O_RDONLY) >= 0);
    works("its own notes", close(open(in(vm, "note"), O_WRONLY | O_CREAT, 0600)) == 0);
    works("to rename them", rename(in(vm, "note"), in(vm, "noted")) == 0);
    works("to remove them", unlink(in(vm, "noted")) == 0);
    dprintf(says, "tried: %s\n", thread);
}

struct ending __wrap_watch(const struct options *options, const struct program *program, const struct network *network,
                           struct ports *ports, struct health *health, struct announcement *announcement, const struct orders *orders) {
    snprintf(vm, sizeof vm, "%s", options->directory);
    snprintf(base, sizeof base, "%s", options->directory);
    dirname(base);
    jailed = program->pid;
    attack("the loop");
    return __real_watch(options, program, network, ports, health, announcement, orders);
}

/* The program asks for a socket twice: before it has begun, which may be before the guard is confined, and then. */
int __wrap_socket_named(const struct socket_name *name, bool connects) {
    if (jailed != 0 && connects) attack("the broker");
    return __real_socket_named(name, connects);
}
