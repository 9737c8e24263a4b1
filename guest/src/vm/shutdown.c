#include "vm/shutdown.h"

#include <signal.h>
#include <unistd.h>

#include "execution/execution.h"
#include "execution/table.h"
#include "process/children.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "vm/power_off.h"

/* How long killed processes may take to go, and hosts to take what is left to say; and how many killed ones are told. */
enum { KILL_MS = 2000, KILLED_MAX = 1024 };

static enum { NOT_BEGUN, TERMINATING, KILLING } state;
static int64_t deadline = INT64_MAX;
static struct last_words words;
static unsigned killed_before;
static bool rest_is_unasked;

bool shutdown_begun(void) { return state != NOT_BEGUN; }

int64_t shutdown_deadline(void) { return deadline; }

static bool runs(const struct execution *e) { return e != NULL && !e->ended; }

/* What is stopped would not hear of it otherwise. */
static bool ask_by(pid_t pid, int number) {
    if (kill(pid, number) != 0) return false;
    kill(pid, SIGCONT);
    return true;
}

static bool ask(pid_t pid) { return ask_by(pid, SIGTERM); }

/* One that has a signal of its own ends by itself, in its own order, what it has started. */
static bool one_leads(void) {
    for (int i = 0; i < table_end(); i++) {
        if (runs(table_at(i)) && table_at(i)->stop_signal != 0) return true;
    }
    return false;
}

static void ask_beside_leaders(const struct execution *e) {
    if (e->stop_signal != 0) {
        ask_by(e->pid, e->stop_signal);
    } else if (!ask(-e->pid)) {
        ask(e->pid); /* before its setsid a child is in no group of its own */
    }
}

/* An interactive shell ignores SIGTERM, and ends when its terminal is hung up. Others are to end by SIGTERM in peace. */
static void hang_up(void) {
    for (int i = 0; i < table_end(); i++) {
        const struct execution *e = table_at(i);
        bool deaf_shell = runs(e) && e->terminal >= 0 && e->stop_signal == 0 && proc_ignores(e->pid, SIGTERM);
        if (deaf_shell) ask_by(e->pid, SIGHUP);
    }
}

static void ask_all(void) {
    rest_is_unasked = one_leads();
    if (!rest_is_unasked) ask(-1);
    for (int i = 0; rest_is_unasked && i < table_end(); i++) {
        if (runs(table_at(i))) ask_beside_leaders(table_at(i));
    }
    hang_up();
}

/* What those have left behind that had a signal of their own. */
static void ask_the_rest(void) {
    rest_is_unasked = false;
    ask(-1);
}

static void begin_killing(void) {
    state = KILLING;
    deadline = now_ms() + KILL_MS;
    killed_before = children_killed();
    kill(-1, SIGKILL);
}

void shutdown_requested(uint32_t grace_ms) {
    int64_t until = now_ms() + grace_ms;
    if (state == NOT_BEGUN) {
        words.reason = REASON_REQUESTED;
        state = TERMINATING;
        ask_all();
    }
    if (state == TERMINATING && until < deadline) deadline = until;
}

/* Its end is not why the VM ends, but is told with it. */
static void main_ended_too(uint32_t kind, uint32_t value) {
    if (words.reason == REASON_REQUESTED) words = (struct last_words){REASON_REQUESTED_WITH_MAIN, kind, value, 0};
}

void shutdown_main_ended(uint32_t kind, uint32_t value) {
    if (state != NOT_BEGUN) {
        main_ended_too(kind, value);
        return;
    }
    words = (struct last_words){.reason = REASON_MAIN_ENDED, .kind = kind, .value = value};
    begin_killing();
}

/* What not even SIGKILL has ended, because it is stuck in the kernel, counts as one, for the kernel does not
 * tell how many they are. */
static uint32_t killed(void) {
    unsigned count = children_killed() - killed_before + !children_none();
    return count > KILLED_MAX ? KILLED_MAX : count;
}

/* The end of a main execution of which no host has taken all that it wrote. */
static void look_for_main(void) {
    for (int i = 0; i < table_end(); i++) {
        const struct execution *e = table_at(i);
        bool main = e != NULL && (e->flags & EXEC_MAIN) != 0 && !execution_is_init(e);
        if (main && e->ended && e->failure.code == 0) main_ended_too(exit_kind(e->status), exit_value(e->status));
    }
}

static void end(void) {
    look_for_main();
    if (words.reason != REASON_MAIN_ENDED) words.killed = killed();
    power_off(&words);
}

void shutdown_step(void) {
    if (state == TERMINATING && rest_is_unasked && !one_leads()) ask_the_rest();
    if (state == TERMINATING && (children_none() || now_ms() >= deadline)) begin_killing();
    if (state == KILLING && ((children_none() && !executions_pending()) || now_ms() >= deadline)) end();
}
