/* Processes in the guest: they are pipes of ours. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "execution/execution.h"
#include "execution/table.h"
#include "process/spawn.h"
#include "dispatch_world.h"
#include "fuzz.h"

/* The processes that run: the other ends of their pipes. */
struct process processes[PROCESSES];
static pid_t last_pid = 100;

void end_process(struct process *p) {
    if (p->pid == 0) return;
    if (p->input >= 0) close(p->input);
    close(p->outputs[0]);
    close(p->outputs[1]);
    p->pid = 0;
}

static bool make_process(bool with_input, struct spawned *spawned) {
    int pipes[4][2];
    struct process *free_one = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        if (processes[i].pid == 0) free_one = &processes[i];
    }
    if (free_one == NULL) return false;
    for (int i = 0; i < 4; i++) CHECK(pipe2(pipes[i], O_NONBLOCK) == 0);
    *free_one = (struct process){.pid = ++last_pid, .input = pipes[0][0], .outputs = {pipes[1][1], pipes[2][1]}};
    close(pipes[3][1]);
    *spawned = (struct spawned){.pid = last_pid, .report = pipes[3][0], .input = pipes[0][1],
                                .outputs = {pipes[1][0], pipes[2][0]}, .terminal = -1};
    if (!with_input) {
        close(spawned->input);
        spawned->input = -1;
    }
    return true;
}

bool spawn(const struct exec_request *command, struct spawned *spawned) {
    return make_process((command->flags & EXEC_STDIN) != 0, spawned);
}

void child_memory_free(struct child_memory *memory) { CHECK(memory == NULL); }

bool spawn_file_operation(const struct file_request *request, struct spawned *spawned) {
    return make_process(file_request_has_input(request), spawned);
}

bool spawn_told(int report, struct spawn_failure *failure) {
    (void)report;
    failure->code = last_pid % 7 == 0 ? COMMAND_NOT_FOUND : 0;
    strcpy(failure->sentence, "not found");
    return true;
}

/* An execution's bytes are their offsets, modulo 256. */
void write_output(struct process *p, int channel, size_t length) {
    static uint8_t bytes[65536];
    for (int i = 0; i < table_end(); i++) {
        struct execution *e = table_at(i);
        int waiting = 0;
        if (e == NULL || e->pid != p->pid || e->ended || e->outputs[channel].fd < 0) continue;
        CHECK(ioctl(e->outputs[channel].fd, FIONREAD, &waiting) == 0);
        uint64_t offset = e->outputs[channel].window.end + (uint64_t)waiting;
        for (size_t k = 0; k < length; k++) bytes[k] = (uint8_t)(offset + k);
        ssize_t n = write(p->outputs[channel], bytes, length);
        CHECK(n > 0 || errno == EAGAIN);
        execution_output_ready(e->id, channel);
    }
}
