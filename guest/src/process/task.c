#include "process/task.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/loop.h"
#include "process/report.h"
#include "sys/clock.h"
#include "sys/raw.h"
#include "wire/port.h"

enum { GUARD = 4096, STACK = 16 * 1024 };

static struct task {
    pid_t pid; /* 0: none */
    bool answers; /* the answer is still to be given */
    int port;
    uint32_t connection;
    uint32_t request;
    int report;
    int64_t deadline;
    struct spawn_failure failure;
    void (*finished)(bool good);
} tasks[TASKS];

bool task_runs(enum task_kind kind) { return tasks[kind].pid != 0 || tasks[kind].answers; }

/* That of a child that shares the agent's memory, from below a page that cannot be touched. One that was killed may be stuck in the
 * kernel, and needs it until it has ended: then the next one has a copy. */
static struct {
    pid_t user; /* 0: none */
    bool guarded;
    uint8_t bytes[GUARD + STACK] __attribute__((aligned(GUARD)));
} stack;

struct child_work {
    void (*work)(void);
    int report;
};

static int child(void *argument) {
    const struct child_work *begun = argument;
    if (raw(SYS_dup2, begun->report, SPAWN_REPORT) < 0) child_end();
    begun->work();
    for (;;) raw(SYS_exit_group, 0);
}

static pid_t make_sharing(struct child_work *begun) {
    if (!stack.guarded) stack.guarded = mprotect(stack.bytes, GUARD, PROT_NONE) == 0;
    if (!stack.guarded || stack.user != 0) return -1;
    pid_t pid = clone(child, stack.bytes + sizeof stack.bytes, CLONE_VM | SIGCHLD, begun);
    if (pid > 0) stack.user = pid;
    return pid;
}

static pid_t make_copy(struct child_work *begun) {
    pid_t pid = fork();
    if (pid == 0) child(begun);
    return pid;
}

static bool begin(enum task_kind kind, int port, uint32_t request, struct child_work *begun, bool sharing, int milliseconds,
                  void (*finished)(bool good)) {
    int report[2];
    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    begun->report = report[1];
    pid_t pid = sharing ? make_sharing(begun) : -1;
    if (pid < 0) pid = make_copy(begun);
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        return false;
    }
    tasks[kind] = (struct task){
        .pid = pid,
        .port = port,
        .connection = port == NO_PORT ? 0 : port_connection(port),
        .request = request,
        .report = report[0],
        .deadline = now_ms() + milliseconds,
        .finished = finished,
    };
    return true;
}

bool task_begin(enum task_kind kind, int port, uint32_t request, void (*work)(void), int milliseconds,
                void (*finished)(bool good)) {
    return begin(kind, port, request, &(struct child_work){.work = work}, false, milliseconds, finished);
}

bool task_begin_sharing(enum task_kind kind, int port, uint32_t request, void (*work)(void), int milliseconds,
                        void (*finished)(bool good)) {
    static struct child_work begun; /* read by the child when this has returned */
    begun.work = work;
    return begin(kind, port, request, &begun, true, milliseconds, finished);
}

static void finish(struct task *task, bool good) {
    task->pid = 0;
    close(task->report);
    if (!good && task->failure.code == 0) {
        task->failure.code = INTERNAL;
        snprintf(task->failure.sentence, sizeof task->failure.sentence, "The guest did not do it in time, or was kept from it.");
    }
    task->answers = task->port != NO_PORT;
    task->finished(good);
}

bool task_ended(pid_t pid, int status) {
    if (pid == stack.user) stack.user = 0;
    for (int i = 0; i < TASKS; i++) {
        struct task *task = &tasks[i];
        if (task->pid != pid) continue;
        if (!spawn_told(task->report, &task->failure)) task->failure.code = 0;
        finish(task, WIFEXITED(status) && WEXITSTATUS(status) == 0);
        return true;
    }
    return false;
}

void tasks_pump(void) {
    for (int i = 0; i < TASKS; i++) {
        struct task *task = &tasks[i];
        if (task->pid != 0 && now_ms() >= task->deadline) {
            kill(task->pid, SIGKILL); /* and is not waited for: it may be stuck in the kernel */
            finish(task, false);
        }
        if (!task->answers) continue;
        if (port_connection(task->port) != task->connection) {
            task->answers = false;
        } else if (port_has_room(task->port)) {
            task->answers = false;
            if (task->failure.code == 0) {
                port_done(task->port, task->request);
            } else {
                port_failed(task->port, task->request, (int)task->failure.code, task->failure.sentence);
            }
        }
    }
}

int64_t tasks_deadline(void) {
    int64_t first = INT64_MAX;
    for (int i = 0; i < TASKS; i++) {
        if (tasks[i].pid != 0 && tasks[i].deadline < first) first = tasks[i].deadline;
    }
    return first;
}
