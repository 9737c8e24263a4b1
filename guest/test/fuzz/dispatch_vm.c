/* The rest of the agent and the machine: nearly nothing happens there. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/hello.h"
#include "execution/log_port.h"
#include "loop/loop.h"
#include "process/init.h"
#include "process/readiness.h"
#include "process/task.h"
#include "process/terminal.h"
#include "sys/clock.h"
#include "vm/configure.h"
#include "vm/freeze.h"
#include "vm/grow.h"
#include "vm/metrics.h"
#include "vm/shutdown.h"
#include "wire/configure_request.h"
#include "wire/port.h"
#include "dispatch_world.h"
#include "fuzz.h"

bool missing;
int64_t now;

void init_ended(void) {}

int readiness_await(int port, uint32_t request, const char **sentence) {
    (void)port;
    *sentence = "no init";
    return request % 2 == 0 ? 0 : BAD_REQUEST;
}

bool init_asked_for_the_end(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT; }

bool shutdown_begun(void) { return false; }
void loop_watch(int fd, uint32_t events, enum source source, uint32_t id) { (void)fd, (void)events, (void)source, (void)id; }
void loop_rewatch(int fd, uint32_t events, enum source source, uint32_t id) { (void)fd, (void)events, (void)source, (void)id; }
void loop_close(int fd) { close(fd); }
int64_t now_ms(void) { return now; }
uint64_t clock_ns(clockid_t clock) { (void)clock; return 1; }
bool hello_is_ready(void) { return true; }
bool log_port_is_open(void) { return false; }
bool log_port_send(struct output *output, uint32_t channel) { (void)output, (void)channel; return false; }
void shutdown_requested(uint32_t grace) { (void)grace; }

bool task_runs(enum task_kind kind) { (void)kind; return false; }
bool terminal_resize(int master, uint16_t rows, uint16_t columns) { (void)master, (void)rows, (void)columns; return true; }
bool terminal_type_end(int master) { (void)master; return true; }
void metrics_send(int port, uint32_t request) { port_send(port, &(struct frame){.type = MEASURED, .request = request}, NULL, 0); }
void identity_forget(void) { missing = true; }
bool identity_is_missing(void) { return missing; }
int fake_kill(pid_t pid, int number) { CHECK(pid < -100 && number >= 1); return 0; }

int configure_begin(int port, uint32_t request, uint8_t *payload, size_t length, const char **sentence) {
    static struct configure_request parsed;
    int code = configure_request_parse(payload, length, &parsed, sentence);
    if (code != 0) return code;
    if (parsed.entropy.bytes != NULL) missing = false;
    port_done(port, request);
    return 0;
}

int freeze_begin(int port, uint32_t request, uint32_t milliseconds, bool *begun, const char **sentence) {
    (void)port, (void)request, (void)milliseconds, (void)sentence;
    *begun = false;
    return 0;
}

int thaw_begin(int port, uint32_t request, bool *begun, const char **sentence) {
    return freeze_begin(port, request, 1, begun, sentence);
}

int grow_begin(int port, uint32_t request, uint64_t bytes, const char **sentence) {
    (void)bytes;
    *sentence = "";
    port_done(port, request);
    return 0;
}
