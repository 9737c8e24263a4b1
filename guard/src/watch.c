#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker.h"
#include "capture.h"
#include "limit.h"
#include "owner.h"
#include "timers.h"

/* In the order in which they count when several are ready at once: an end that came by itself before a deadline, a
 * claim before the pool's deadline. A negative descriptor is not watched. */
enum { PROGRAM, OWNER, ALARM, TERMINATION, MAX_DURATION, NEW_LIMIT, POOL_AGE, OWNER_GRACE, PASST, RELAY, FORWARDER, BINDER,
       NEW_PORTS, MONITOR, LOOK, CONSOLE, GOODBYE, OUTPUT, NETWORK_LOG, WATCHED };

enum { CONSOLE_FILE_MAX = 128 * 1024 };

/* How long the program may take to halt at its limit, also if a process captures it meanwhile; and how long it is then held. */
#ifndef HALT_PATIENCE_MS
#define HALT_PATIENCE_MS (60 * 1000)
#endif
#ifndef HELD_MS
#define HELD_MS (24LL * 60 * 60 * 1000)
#endif

/* What is counted until the next end of a limit. */
enum phase { RUNNING, HALTING, HALTED };

/* The program tried what it never does: its guest has broken out into it. */
static const char ISOLATION[] = "isolation";

struct watching {
    const struct options *options;
    const struct program *program;
    const struct network *network;
    struct ports *ports;
    struct health *health;
    struct announcement *announcement;
    int directory;
    struct capture console;
    struct capture output;
    struct capture network_log;
    bool sealed;
    bool owned; /* at the last look */
    enum phase phase;
    struct pollfd events[WATCHED];
    struct ending ending;
};

/* The first cause counts. The kill is by pidfd and the program is not reaped before `watch` ends, so it never meets
 * another process. */
static void kill_because(struct watching *w, const char *cause) {
    if (w->ending.cause != NULL) return;
    w->ending.cause = cause;
    syscall(SYS_pidfd_send_signal, w->program->pidfd, SIGKILL, NULL, 0);
    for (int i = OWNER; i <= LOOK; i++) w->events[i].fd = -1;
}

static void hear_owner(struct watching *w) {
    if (owner_there(w->events[OWNER].fd)) return;
    w->events[OWNER].fd = -1;
    timer_set(w->events[OWNER_GRACE].fd, w->options->owner_grace_ms);
}

/* The owner that was there at the last look may have ended just now, and the next one gets a whole grace. */
static void end_of_grace(struct watching *w) {
    bool was_owned = w->owned;
    enum ownership now = ownership(w->directory, !was_owned);
    w->owned = now == OWNED;
    if (now == ABANDONED && was_owned) now = OWNED;
    switch (now) {
        case OWNED:
        case POOLED: timer_set(w->events[OWNER_GRACE].fd, w->options->owner_grace_ms); return;
        case DETACHED: w->events[OWNER_GRACE].fd = -1; return; /* for good */
        case ABANDONED: kill_because(w, "owner-gone"); return;
    }
}

static void end_of_pool_age(struct watching *w) {
    switch (retire(w->directory)) {
        case RETIRED: kill_because(w, "pool-age"); return;
        case CLAIMED: w->events[POOL_AGE].fd = -1; return;
        case NOT_POOLED: timer_set(w->events[POOL_AGE].fd, w->options->pool_age_ms); return; /* it is still being made */
    }
}

static void forget_signals(int fd) {
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) > 0) continue;
}

static void hear_ports(struct watching *w) {
    forget_signals(w->events[NEW_PORTS].fd);
    ports_hear(w->ports, w->directory);
}

static void limit_to(struct watching *w, enum phase phase, int64_t milliseconds) {
    w->phase = phase;
    timer_set(w->events[MAX_DURATION].fd, milliseconds);
}

static void end_of_limit(struct watching *w) {
    if (w->phase != RUNNING || !health_may_hold(w->health)) {
        kill_because(w, "max-duration");
        return;
    }
    limit_to(w, HALTING, HALT_PATIENCE_MS);
    health_hold(w->health);
}

/* One that is halted can be told to go on by its monitor alone. */
static void look_at_phase(struct watching *w) {
    if (w->phase == RUNNING) return;
    if (w->health->monitor.fd < 0) kill_because(w, "max-duration");
    else if (w->phase == HALTING && w->health->held) limit_to(w, HALTED, HELD_MS);
}

/* A limit that cannot be read counts as passed: a process that asked for one must not get a program without it. */
static void hear_limit(struct watching *w) {
    forget_signals(w->events[NEW_LIMIT].fd);
    int64_t limit = limit_read(w->directory);
    if (limit <= 0) {
        kill_because(w, "max-duration");
        return;
    }
    bool was_at_limit = w->phase != RUNNING;
    limit_to(w, RUNNING, limit);
    if (was_at_limit) health_release(w->health);
}

/* A program whose main thread is no more, or whose guest is not, has ended by itself: it was dead before. */
static void bury(struct watching *w) {
    syscall(SYS_pidfd_send_signal, w->program->pidfd, SIGKILL, NULL, 0);
    w->events[LOOK].fd = w->events[MONITOR].fd = -1;
}

/* What it needs to begin is open when it answers, for its answers come from its main loop; its guest has executed nothing yet. */
static void complete_start(struct watching *w) {
    if (w->sealed || !w->health->begun) return;
    w->sealed = true;
    broker_seal();
    health_begin_guest(w->health);
    announce(w->announcement, w->program->pid);
}

static bool ready(const struct watching *w, int event) {
    return w->events[event].fd >= 0 && w->events[event].revents != 0;
}

static void handle(struct watching *w) {
    if (ready(w, OWNER)) hear_owner(w);
    if (ready(w, ALARM)) kill_because(w, ISOLATION);
    if (ready(w, TERMINATION)) kill_because(w, "killed");
    if (ready(w, MAX_DURATION)) end_of_limit(w);
    if (ready(w, NEW_LIMIT)) hear_limit(w);
    if (ready(w, POOL_AGE)) end_of_pool_age(w);
    if (ready(w, OWNER_GRACE)) end_of_grace(w);
    if (ready(w, PASST) || ready(w, RELAY) || ready(w, FORWARDER) || ready(w, BINDER)) kill_because(w, "network-ended");
    if (ready(w, NEW_PORTS)) hear_ports(w);
    if (ready(w, MONITOR)) {
        bool guest_lives = health_hear(w->health);
        w->events[MONITOR].fd = w->health->monitor.fd;
        complete_start(w);
        bool unheard = !w->health->begun && w->health->monitor.fd < 0;
        if (!guest_lives || unheard) bury(w);
    }
    if (ready(w, LOOK)) {
        bool program_lives = health_look(w->health);
        w->events[MONITOR].fd = w->health->monitor.fd;
        if (!program_lives) bury(w);
        /* It is for the starter to give up. */
        announce(w->announcement, w->program->pid);
    }
    look_at_phase(w);
    if (ready(w, CONSOLE) && capture_take(&w->console, w->program->console) < 0) w->events[CONSOLE].fd = -1;
    if (ready(w, GOODBYE) && goodbye_take(&w->ending.goodbye, w->program->goodbye) < 0) w->events[GOODBYE].fd = -1;
    if (ready(w, OUTPUT) && capture_take(&w->output, w->program->output) < 0) w->events[OUTPUT].fd = -1;
    if (ready(w, NETWORK_LOG) && capture_take(&w->network_log, w->network->log) < 0) w->events[NETWORK_LOG].fd = -1;
}

/* What the program wrote before its end is still in the pipes. A descendant may go on writing for ever, so no more
 * than a pipe can hold by default limits is taken. */
enum { DRAIN_MAX = 1024 * 1024 };

static void drain_capture(struct capture *capture, int pipe) {
    long budget = DRAIN_MAX;
    for (long n; budget > 0 && (n = capture_take(capture, pipe)) > 0; budget -= n) continue;
}

static void drain(struct watching *w) {
    drain_capture(&w->console, w->program->console);
    if (w->program->output >= 0) drain_capture(&w->output, w->program->output);
    if (w->network->log >= 0) drain_capture(&w->network_log, w->network->log);
    long budget = DRAIN_MAX;
    for (long n; budget > 0 && (n = goodbye_take(&w->ending.goodbye, w->program->goodbye)) > 0; budget -= n) continue;
}

/* Whether it ended by a call that none makes, or after too many that were refused. */
static bool broke_walls(const struct watching *w) {
    if (w->program->isolation.level == LEVEL_NONE) return false;
    const siginfo_t *how = &w->ending.program;
    bool by_filter = (how->si_code == CLD_KILLED || how->si_code == CLD_DUMPED) && how->si_status == SIGSYS;
    return by_filter || poll(&(struct pollfd){.fd = broker_alarm(), .events = POLLIN}, 1, 0) > 0;
}

/* A kill of the guard's may have met a program that was already ending: its sockets close long before its pidfd is ready, and
 * who sees that may have it killed. What it died of says which was first. */
static bool ended_by_itself(const struct watching *w) {
    return w->ending.program.si_code == CLD_EXITED || w->ending.program.si_status != SIGKILL;
}

struct ending watch(const struct options *options, const struct program *program, const struct network *network,
                    struct ports *ports, struct health *health, struct announcement *announcement, const struct orders *orders) {
    int directory = announcement->directory;
    struct watching w = {
        .options = options,
        .program = program,
        .network = network,
        .ports = ports,
        .health = health,
        .announcement = announcement,
        .directory = directory,
        .console = capture_open(directory, &options->reserve, "console.log", "console.log.1", CONSOLE_FILE_MAX),
        .ending = {.started_at_ms = now_ms()},
    };
    if (program->output >= 0) {
        w.output =
            capture_open(directory, &options->reserve, "output.log", "output.log.1", options->output_log_bytes / 2);
    }
    if (network->log >= 0) w.network_log = network_log_open(options, directory);
    const int descriptors[WATCHED] = {
        [PROGRAM] = program->pidfd,
        [OWNER] = STDIN_FILENO,
        [TERMINATION] = orders->terminate,
        [MAX_DURATION] = timer_open(options->max_duration_ms),
        [NEW_LIMIT] = orders->limit,
        [POOL_AGE] = timer_open(options->pool_age_ms),
        [OWNER_GRACE] = timer_open(0),
        [PASST] = network->passt_fd,
        [RELAY] = network->relay_fd,
        [FORWARDER] = ports->forwarder_fd,
        [BINDER] = ports->binder_fd,
        [NEW_PORTS] = orders->ports,
        [ALARM] = broker_alarm(),
        [MONITOR] = health->monitor.fd,
        [LOOK] = health->timer,
        [CONSOLE] = program->console,
        [GOODBYE] = program->goodbye,
        [OUTPUT] = program->output,
        [NETWORK_LOG] = network->log,
    };
    for (int i = 0; i < WATCHED; i++) w.events[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};

    if (health->monitor.fd < 0) announce(announcement, program->pid);
    for (;;) {
        if (poll(w.events, WATCHED, -1) < 0) continue; /* only EINTR and ENOMEM are possible */
        if (ready(&w, PROGRAM)) break;
        handle(&w);
    }
    announce(announcement, program->pid);
    w.ending.ended_at_ms = now_ms();
    while (waitid(P_PIDFD, (id_t)program->pidfd, &w.ending.program, WEXITED) != 0 && errno == EINTR) continue;
    if (w.ending.cause == NULL || ended_by_itself(&w)) w.ending.cause = broke_walls(&w) ? ISOLATION : "exited";
    drain(&w);
    health_end(health);
    return w.ending;
}
