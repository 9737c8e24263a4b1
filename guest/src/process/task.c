#include "process/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/loop.h"
#include "process/report.h"
#include "sys/clock.h"
#include "wire/port.h"

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

bool task_begin(enum task_kind kind, int port, uint32_t request, void (*work)(void), int milliseconds,
                void (*finished)(bool good)) {
    int report[2];
    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    pid_t pid = fork();
    if (pid == 0) {
        if (dup2(report[1], SPAWN_REPORT) < 0) _exit(127);
        work();
        _exit(0);
    }
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
