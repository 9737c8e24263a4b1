#include "shutdown.h"

#include <signal.h>
#include <unistd.h>

#include "children.h"
#include "clock.h"
#include "execution.h"
#include "power_off.h"
#include "table.h"

enum { REASON_REQUESTED = 1, REASON_MAIN_ENDED = 2 };

/* How long killed processes may take to go, and hosts to take what is left to say; and how many killed ones are told. */
enum { KILL_MS = 2000, KILLED_MAX = 1024 };

static enum { NOT_BEGUN, TERMINATING, KILLING } state;
static int64_t deadline = INT64_MAX;
static struct last_words words;
static unsigned killed_before;

bool shutdown_begun(void) { return state != NOT_BEGUN; }

int64_t shutdown_deadline(void) { return deadline; }

static bool runs(const struct execution *e) { return e != NULL && !e->ended; }

/* What is stopped would not hear of it otherwise. */
static bool ask(pid_t pid) {
    if (kill(pid, SIGTERM) != 0) return false;
    kill(pid, SIGCONT);
    return true;
}

static bool there_is_an_init(void) {
    for (int i = 0; i < table_end(); i++) {
        if (runs(table_at(i)) && table_at(i)->stop_signal != 0) return true;
    }
    return false;
}

static void ask_within_init(const struct execution *e) {
    if (e->stop_signal != 0) {
        kill(e->pid, e->stop_signal);
    } else if (!ask(-e->pid)) {
        ask(e->pid); /* before its setsid a child is in no group of its own */
    }
}

/* An init ends by itself, in its own order, what nobody but it has started. */
static void ask_all(void) {
    if (!there_is_an_init()) {
        ask(-1);
        return;
    }
    for (int i = 0; i < table_end(); i++) {
        if (runs(table_at(i))) ask_within_init(table_at(i));
    }
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

void shutdown_main_ended(uint32_t kind, uint32_t value) {
    if (state != NOT_BEGUN) return;
    words = (struct last_words){.reason = REASON_MAIN_ENDED, .kind = kind, .value = value};
    begin_killing();
}

/* What not even SIGKILL has ended, because it is stuck in the kernel, counts as one: how much it is nobody tells. */
static uint32_t killed(void) {
    unsigned count = children_killed() - killed_before + !children_none();
    return count > KILLED_MAX ? KILLED_MAX : count;
}

static void end(void) {
    if (words.reason == REASON_REQUESTED) words.value = killed();
    power_off(&words);
}

void shutdown_step(void) {
    if (state == TERMINATING && (children_none() || now_ms() >= deadline)) begin_killing();
    if (state == KILLING && ((children_none() && !executions_pending()) || now_ms() >= deadline)) end();
}
