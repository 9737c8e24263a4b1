/* The agent: PID 1 of every VM. Its contract is docs/guest-protocol.md. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "control/dispatch.h"
#include "control/hello.h"
#include "control/rounds.h"
#include "dial/connection.h"
#include "dial/dial.h"
#include "execution/attach.h"
#include "execution/execution.h"
#include "execution/table.h"
#include "loop/loop.h"
#include "memory/store.h"
#include "process/children.h"
#include "process/task.h"
#include "sys/log.h"
#include "vm/configure.h"
#include "vm/devices.h"
#include "vm/modules.h"
#include "vm/names.h"
#include "vm/root.h"
#include "vm/shutdown.h"
#include "wire/port.h"

/* Four descriptors of an execution with pipes (a terminal's are as many), one of a connection, the ports, and what is open
 * for a moment. */
static void raise_limits(void) {
    struct rlimit files = {.rlim_cur = 4 * EXECUTIONS_MAX + CONNECTIONS_MAX + 256, .rlim_max = 524288};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) log_line("cannot raise the limit of files: %s", strerror(errno));
}

/* Of the guest's memory all windows together may take an eighth. */
static void windows_limit(void) {
    struct sysinfo info;
    if (sysinfo(&info) == 0) store_set_budget((uint64_t)info.totalram * info.mem_unit / 8);
}

/* The agent has little to do and many wait for it: without this a ping waits for the turns of the processes that move
 * files, some milliseconds each. Its children begin with the usual priority. */
static void go_first(void) {
    enum { NICE = -10 };
    struct sched_param none = {0};
    if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) != 0 || setpriority(PRIO_PROCESS, 0, NICE) != 0) {
        log_line("cannot go first: %s", strerror(errno));
    }
}

static bool child_ended(pid_t pid, int status) {
    execution_ended(pid, status);
    return dial_child_ended(pid) || task_ended(pid, status);
}

static void host_gone(int port) {
    executions_detach(port);
    dials_hang_up(port);
}

static const struct port_callbacks HOSTS = {
    .connected = hello_send, .disconnected = host_gone, .waits = dispatch_waits, .handle = dispatch};

static void init_asked(void) { shutdown_requested(0); }

static const struct execution_callbacks VM = {
    .vm_is_ending = shutdown_begun, .init_asked = init_asked, .main_ended = shutdown_main_ended};

int main(void) {
    if (getpid() != 1) return 1;
    hello_note_start();
    root_prepare();
    raise_limits();
    windows_limit();
    go_first();
    loop_open(&ROUNDS);
    ports_open(&HOSTS);
    executions_open(&VM);
    children_open(child_ended);
    devices_open();
    configure_open();
    /* The ports first, so that hosts get their RESET answered while the rest goes on. */
    modules_load(true);
    loop_once(0);
    modules_load(false);
    if (!devices_wait_for_root()) die("there is no root disk");
    root_switch();
    loop_once(0);
    names_complete();
    devices_wait_for_names();
    hello_note_ready();
    ports_ready();
    for (;;) loop_once(1);
}
