/* The end of a VM, played where the test runs: process 1 of a namespace, with real processes. */
#include "../src/shutdown.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/children.h"
#include "../src/clock.h"
#include "../src/log.h"
#include "../src/loop.h"
#include "../src/power_off.h"
#include "../src/table.h"
#include "../src/task.h"
#include "check.h"

enum { A_MOMENT = 300, LONG = 60000, REQUESTED = 1, MAIN_ENDED = 2 };

/* What a play leaves behind. */
static struct told {
    int asked;
    struct last_words words;
    int64_t took;
} *told;

static int signals, ready[2];
static int64_t began;
static pid_t task;

void loop_watch(int fd, uint32_t events, enum source source, uint32_t id) {
    CHECK(source == CHILDREN && events != 0 && id == 0);
    signals = fd;
}

void execution_ended(pid_t pid, int status) {
    for (int i = 0; i < table_end(); i++) {
        if (table_at(i) == NULL || table_at(i)->pid != pid) continue;
        table_at(i)->ended = true;
        table_at(i)->status = status;
    }
}

bool task_ended(pid_t pid, int status) {
    CHECK(pid != task || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return pid == task;
}

bool executions_pending(void) { return false; }

void die(const char *format, ...) {
    fputs(format, stderr);
    abort();
}

void power_off(const struct last_words *words) {
    told->words = *words;
    told->took = now_ms() - began;
    _exit(0);
}

static void asked(int number) {
    (void)number;
    __atomic_add_fetch(&told->asked, 1, __ATOMIC_SEQ_CST);
    _exit(0);
}

/* A program, as exec leaves it, that does this when it is asked. */
__attribute__((noreturn)) static void live(void (*handler)(int)) {
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, handler);
    sigprocmask(SIG_SETMASK, &none, NULL);
    CHECK(write(ready[1], "", 1) == 1);
    for (;;) pause();
}

static void plain(void) { live(SIG_DFL); }
static void polite(void) { live(asked); }
static void deaf(void) { live(SIG_IGN); }

/* Does as it was forked, and ends once it was asked and that did nothing to it. */
static void working(void) {
    sigset_t term;
    int number;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    CHECK(write(ready[1], "", 1) == 1);
    CHECK(sigwait(&term, &number) == 0);
    _exit(0);
}

/* In a group of its own. */
static pid_t born(void (*life)(void)) {
    char byte;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        setsid();
        life();
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    return pid;
}

/* Nobody's: its parent is gone. */
static void orphan(void (*life)(void)) {
    pid_t parent = fork();
    CHECK(parent >= 0);
    if (parent == 0) {
        born(life);
        _exit(0);
    }
    CHECK(waitpid(parent, NULL, 0) == parent);
}

static void execution(void (*life)(void), int stop_signal) {
    struct execution *e = table_add();
    e->stop_signal = stop_signal;
    e->pid = born(life);
}

/* As the loop does it: it waits for events and for nothing else. */
static void go_on(void) {
    for (;;) {
        shutdown_step();
        int64_t left = shutdown_deadline() - now_ms();
        struct pollfd event = {.fd = signals, .events = POLLIN};
        poll(&event, 1, left < 0 ? 0 : (int)left);
        children_reap();
    }
}

static void stop(uint32_t grace) {
    if (!shutdown_begun()) began = now_ms();
    shutdown_requested(grace);
    CHECK(shutdown_begun());
    go_on();
}

static void nothing_runs(void) { stop(LONG); }

static void executions_and_what_they_left_are_asked(void) {
    execution(polite, 0);
    orphan(polite);
    orphan(plain);
    stop(LONG);
}

static void what_is_stopped_is_asked(void) {
    siginfo_t ignored;
    pid_t pid = born(polite);
    CHECK(kill(pid, SIGSTOP) == 0 && waitid(P_PID, (id_t)pid, &ignored, WSTOPPED) == 0);
    stop(LONG);
}

static void the_deaf_are_killed(void) {
    execution(deaf, 0);
    orphan(deaf);
    orphan(deaf);
    orphan(polite);
    stop(A_MOMENT);
}

static void a_task_is_done(void) {
    task = born(working);
    orphan(polite);
    stop(LONG);
}

static void an_init_ends_its_own(void) {
    execution(plain, SIGUSR1);
    execution(polite, 0);
    orphan(polite); /* would be the init's in a namespace of it */
    stop(A_MOMENT);
}

static void the_end_of_the_main_execution_waits_for_nobody(void) {
    orphan(polite);
    began = now_ms();
    shutdown_main_ended(0, 7);
    stop(LONG);
}

static void a_second_request_only_shortens_the_grace(void) {
    orphan(deaf);
    began = now_ms();
    shutdown_requested(LONG);
    shutdown_requested(A_MOMENT);
    stop(LONG);
}

/* False where nobody may make a namespace. */
static bool play(void (*script)(void)) {
    memset(told, 0, sizeof *told);
    pid_t stage = fork();
    CHECK(stage >= 0);
    if (stage == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(77);
        pid_t first = fork();
        if (first == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            CHECK(pipe(ready) == 0);
            children_open();
            script();
        }
        int status;
        CHECK(first > 0 && waitpid(first, &status, 0) == first);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    int status;
    CHECK(waitpid(stage, &status, 0) == stage);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return false;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

/* None waits for the end of the long grace. */
static void expect(uint32_t reason, uint32_t value, int asked) {
    CHECK(told->took < LONG);
    CHECK(told->words.reason == reason && told->words.kind == 0);
    CHECK(told->words.value == value);
    CHECK(told->asked == asked);
}

int main(void) {
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(told != MAP_FAILED);
    if (!play(nothing_runs)) {
        puts("shutdown: skipped, no namespace of processes can be made here");
        return 0;
    }
    expect(REQUESTED, 0, 0);
    play(executions_and_what_they_left_are_asked);
    expect(REQUESTED, 0, 2);
    play(what_is_stopped_is_asked);
    expect(REQUESTED, 0, 1);
    play(the_deaf_are_killed);
    expect(REQUESTED, 3, 1);
    CHECK(told->took >= A_MOMENT);
    play(a_task_is_done);
    expect(REQUESTED, 0, 1);
    play(an_init_ends_its_own);
    expect(REQUESTED, 1, 1);
    play(the_end_of_the_main_execution_waits_for_nobody);
    expect(MAIN_ENDED, 7, 0);
    play(a_second_request_only_shortens_the_grace);
    expect(REQUESTED, 1, 0);
    CHECK(told->took >= A_MOMENT);
    puts("shutdown: ok");
}
