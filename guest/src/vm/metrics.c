#include "vm/metrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "execution/execution.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "sys/proc_text.h"
#include "vm/network.h"
#include "wire/bytes.h"
#include "wire/port.h"

enum tag {
    UPTIME = 1, PROCESSORS, BUSY, MEMORY, MEMORY_AVAILABLE, PROCESSES, LAYER, LAYER_FREE, LAYER_INODES,
    LAYER_INODES_FREE, EXECUTIONS, RECEIVED, SENT, TAGS,
};
enum { TICK_NS = 10000000 }; /* of /proc/stat: USER_HZ is 100 */

static int proc = -1, layer = -1;

/* The links of procfs' root count its directories, those of processes included (proc_root_getattr), which costs
 * nothing however many there are. */
static uint64_t other_directories;

struct measured {
    uint8_t bytes[TAGS * 12];
    size_t length;
};

static void add(struct measured *measured, enum tag tag, uint64_t value) {
    put32(measured->bytes + measured->length, tag);
    put64(measured->bytes + measured->length + 4, value);
    measured->length += 12;
}

static uint64_t directories(void) {
    struct stat status;
    return proc >= 0 && fstat(proc, &status) == 0 ? status.st_nlink : 0;
}

void metrics_open(int layer_directory) {
    layer = layer_directory;
    proc = proc_open();
    int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) return;
    uint64_t processes = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        processes += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    }
    closedir(directory);
    other_directories = directories() - processes;
}

static void measure_processors(struct measured *measured) {
    uint64_t ticks[8]; /* user nice system idle iowait irq softirq steal */
    const char *text = proc_text("stat");
    if (proc_numbers(text, "cpu ", ticks, 8) < 8) return;
    add(measured, PROCESSORS, proc_lines(text, "cpu"));
    add(measured, BUSY, (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) * TICK_NS);
}

static void measure_memory(struct measured *measured) {
    uint64_t kib;
    const char *text = proc_text("meminfo");
    if (proc_numbers(text, "MemTotal:", &kib, 1) == 1) add(measured, MEMORY, kib * 1024);
    if (proc_numbers(text, "MemAvailable:", &kib, 1) == 1) add(measured, MEMORY_AVAILABLE, kib * 1024);
}

static void measure_layer(struct measured *measured) {
    struct statfs status;
    if (layer < 0 || fstatfs(layer, &status) != 0) return;
    add(measured, LAYER, status.f_blocks * (uint64_t)status.f_bsize);
    add(measured, LAYER_FREE, status.f_bavail * (uint64_t)status.f_bsize);
    add(measured, LAYER_INODES, status.f_files);
    add(measured, LAYER_INODES_FREE, status.f_ffree);
}

static void measure_network(struct measured *measured) {
    char name[IF_NAMESIZE], label[IF_NAMESIZE + 1];
    uint64_t numbers[16];
    if (network_interface(name) == 0) return;
    snprintf(label, sizeof label, "%s:", name);
    if (proc_numbers(proc_text("1/net/dev"), label, numbers, 16) < 9) return;
    add(measured, RECEIVED, numbers[0]);
    add(measured, SENT, numbers[8]);
}

void metrics_send(int port, uint32_t request) {
    struct measured measured = {.length = 0};
    add(&measured, UPTIME, clock_ns(CLOCK_BOOTTIME));
    measure_processors(&measured);
    measure_memory(&measured);
    if (other_directories != 0) add(&measured, PROCESSES, directories() - other_directories);
    measure_layer(&measured);
    add(&measured, EXECUTIONS, executions_running());
    measure_network(&measured);
    struct frame frame = {
        .type = MEASURED, .request = request, .length = (uint32_t)measured.length, .payload = measured.bytes};
    port_send(port, &frame, NULL, 0);
}
