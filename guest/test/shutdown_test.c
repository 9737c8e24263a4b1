/* The end of a VM, played where the test runs: process 1 of a namespace, with real processes. */
#include "vm/shutdown.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "execution/table.h"
#include "loop/loop.h"
#include "process/children.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/proc.h"
#include "vm/power_off.h"
#include "check.h"

enum { A_MOMENT = 3000, LONG = 60000, REQUESTED = REASON_REQUESTED, WITH_MAIN = REASON_REQUESTED_WITH_MAIN };

/* What a play leaves behind. */
static struct told {
    int asked;
    struct last_words words;
    int64_t took;
} *told;

static int signals, ready[2];
static int64_t began;
static pid_t task, shell_pid;

void loop_watch(int fd, uint32_t events, enum source source, uint32_t id) {
    CHECK(source == CHILDREN && events != 0 && id == 0);
    signals = fd;
}

static bool child_ended(pid_t pid, int status) {
    for (int i = 0; i < table_end(); i++) {
        if (table_at(i) == NULL || table_at(i)->pid != pid) continue;
        table_at(i)->ended = true;
        table_at(i)->status = status;
    }
    CHECK(pid != task || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return pid == task;
}

bool executions_pending(void) { return false; }

bool proc_ignores(pid_t pid, int number) {
    CHECK(number == SIGTERM);
    return pid == shell_pid;
}

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

static void quit(int number) {
    (void)number;
    _exit(7);
}

/* A program that knows another way to end than SIGTERM. */
static void quitting(void) {
    signal(SIGQUIT, quit);
    live(asked);
}

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

/* An orphan: its parent is gone. */
static void orphan(void (*life)(void)) {
    pid_t parent = fork();
    CHECK(parent >= 0);
    if (parent == 0) {
        born(life);
        _exit(0);
    }
    CHECK(waitpid(parent, NULL, 0) == parent);
}

static struct execution *execution(void (*life)(void), uint32_t flags, int stop_signal) {
    struct execution *e = table_add();
    e->flags = flags;
    e->stop_signal = stop_signal;
    e->terminal = -1;
    e->pid = born(life);
    return e;
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
    execution(polite, 0, 0);
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
    execution(deaf, 0, 0);
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
    execution(deaf, EXEC_INIT | EXEC_MAIN, SIGCONT /* which does not end it */);
    execution(polite, 0, 0);
    orphan(polite); /* would be the init's in a namespace of it */
    stop(A_MOMENT);
}

static void a_main_execution_ends_as_it_likes(void) {
    execution(quitting, EXEC_MAIN | EXEC_STOP_SIGNAL, SIGQUIT);
    execution(polite, 0, 0);
    stop(LONG);
}

static void what_a_main_execution_leaves_behind_is_asked_after_it(void) {
    execution(quitting, EXEC_MAIN | EXEC_STOP_SIGNAL, SIGQUIT);
    orphan(polite);
    orphan(deaf);
    stop(A_MOMENT);
}

static void a_main_execution_that_does_not_know_its_signal_is_killed(void) {
    execution(deaf, EXEC_MAIN | EXEC_STOP_SIGNAL, SIGCONT);
    orphan(polite); /* is not asked: it may be what the main execution needs to end */
    stop(A_MOMENT);
}

/* As an interactive shell. */
static void shell(void) {
    signal(SIGHUP, SIG_DFL);
    live(SIG_IGN);
}

static void a_shell_in_a_terminal_is_hung_up(void) {
    struct execution *e = execution(shell, EXEC_TERMINAL, 0);
    e->terminal = 0;
    shell_pid = e->pid;
    execution(polite, EXEC_TERMINAL, 0)->terminal = 0;
    stop(LONG);
}

static void the_end_of_a_main_execution_by_sigterm_is_told(void) {
    execution(plain, EXEC_MAIN, 0);
    stop(LONG);
}

static void a_main_execution_that_never_was_has_no_end(void) {
    execution(plain, EXEC_MAIN, 0)->failure.code = COMMAND_NOT_FOUND;
    stop(LONG);
}

static void a_main_execution_that_is_forgotten_is_told(void) {
    began = now_ms();
    shutdown_requested(LONG);
    shutdown_main_ended(0, 9);
    stop(LONG);
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

/* False where this user may make no namespace. */
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
            children_open(child_ended);
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
static void expect(uint32_t reason, uint32_t killed, int asked) {
    CHECK(told->took < LONG);
    CHECK(told->words.reason == reason);
    CHECK(told->words.killed == killed);
    CHECK(told->asked == asked);
}

static void expect_main(uint32_t kind, uint32_t value) { CHECK(told->words.kind == kind && told->words.value == value); }

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
    expect(REQUESTED, 2, 1);
    play(a_main_execution_ends_as_it_likes);
    expect(WITH_MAIN, 0, 1);
    expect_main(0, 7);
    play(what_a_main_execution_leaves_behind_is_asked_after_it);
    expect(WITH_MAIN, 1, 1);
    expect_main(0, 7);
    play(a_main_execution_that_does_not_know_its_signal_is_killed);
    expect(WITH_MAIN, 2, 0);
    expect_main(1, SIGKILL);
    play(a_shell_in_a_terminal_is_hung_up);
    expect(REQUESTED, 0, 1);
    play(the_end_of_a_main_execution_by_sigterm_is_told);
    expect(WITH_MAIN, 0, 0);
    expect_main(1, SIGTERM);
    play(a_main_execution_that_never_was_has_no_end);
    expect(REQUESTED, 0, 0);
    play(a_main_execution_that_is_forgotten_is_told);
    expect(WITH_MAIN, 0, 0);
    expect_main(0, 9);
    play(the_end_of_the_main_execution_waits_for_nobody);
    expect(REASON_MAIN_ENDED, 0, 0);
    expect_main(0, 7);
    play(a_second_request_only_shortens_the_grace);
    expect(REQUESTED, 1, 0);
    CHECK(told->took >= A_MOMENT);
    puts("shutdown: ok");
}
