#include "control/rounds.h"

#include <stddef.h>

#include "dial/dial.h"
#include "execution/execution.h"
#include "execution/log_port.h"
#include "process/children.h"
#include "process/readiness.h"
#include "process/task.h"
#include "vm/devices.h"
#include "vm/freeze.h"
#include "vm/shutdown.h"
#include "wire/port.h"

static void event(enum source source, uint32_t id) {
    switch (source) {
        case CHILDREN: children_reap(); break;
        case DEVICES: devices_event(); break;
        case PORT: port_event(id); break;
        case LOG_PORT: log_port_event(); break;
        case REPORT: execution_report(id); break;
        case INPUT: execution_input_ready(id); break;
        case OUTPUT_1: execution_output_ready(id, 0); break;
        case OUTPUT_2: execution_output_ready(id, 1); break;
        case READINESS: readiness_event(); break;
        case DIALED: dial_event(id); break;
    }
}

/* A port takes what comes first: so the two take turns at that. */
static bool pump_streams(void) {
    static bool dials_first;
    dials_first = !dials_first;
    bool more = dials_first && dials_pump();
    more |= executions_pump();
    if (!dials_first) more |= dials_pump();
    return more;
}

static bool pump(void) {
    bool more = devices_pump();
    tasks_pump();
    freeze_pump();
    more |= readiness_pump();
    more |= pump_streams();
    more |= ports_pump();
    shutdown_step();
    return more;
}

static int64_t deadline(void) {
    int64_t first = INT64_MAX, due[] = {ports_deadline(), executions_deadline(), dials_deadline(), shutdown_deadline(),
                                        tasks_deadline(), freeze_deadline()};
    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        if (due[i] < first) first = due[i];
    }
    return first;
}

const struct loop_callbacks ROUNDS = {.event = event, .pump = pump, .deadline = deadline};
