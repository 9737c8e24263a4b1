/* The loop of the hostile agent: whom it serves, and which lie it is told to tell. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/hello.h"
#include "sys/log.h"
#include "vm/modules.h"
#include "wire/bytes.h"
#include "wire/file_request.h"
#include "wire/request.h"
#include "conversation.h"

static void not_known(struct conversation *c, const char *name) {
    uint8_t payload[512];
    int length = snprintf((char *)payload + 8, sizeof payload - 8, "The hostile agent does not know the lie %.100s.", name);
    put32(payload, COMMAND_NOT_FOUND);
    put32(payload + 4, (uint32_t)length);
    say(c, FAILED, 0, c->request, payload, 8 + (size_t)length);
}

static void lie(struct conversation *c, uint32_t request, const char *name, uint32_t credit, uint32_t operation) {
    static uint32_t streams;
    c->stream = ++streams;
    c->request = request;
    c->offset = 0;
    c->credit = credit;
    c->file_operation = operation;
    static const struct lie *const all[] = {FRAME_LIES, EXECUTION_LIES, MESSAGE_LIES, RECORD_LIES};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (const struct lie *known = all[i]; known->name != NULL; known++) {
            if (strcmp(known->name, name) != 0) continue;
            known->tell(c);
            return;
        }
    }
    not_known(c, name);
}

static void exec(struct conversation *c, const struct frame *frame) {
    struct exec_request request;
    const char *sentence = "";
    if (exec_request_parse(frame->payload, frame->length, &request, &sentence) != 0) {
        log_line("no EXEC: %s", sentence);
        return;
    }
    lie(c, frame->request, request.arguments[0], request.credit, 0);
    exec_request_free(&request);
}

static void file(struct conversation *c, const struct frame *frame) {
    struct file_request request;
    const char *sentence = "";
    if (file_request_parse(frame->payload, frame->length, &request, &sentence) != 0) {
        log_line("no FILE: %s", sentence);
        return;
    }
    lie(c, frame->request, strrchr(request.path, '/') + 1, request.credit, request.operation);
}

static void handle(struct conversation *c) {
    const struct frame *frame = &c->parser.frame;
    switch (frame->type) {
        case RESET:
            c->flood = NULL;
            say(c, RESET_ACK, 0, 0, frame->payload, frame->length);
            hello_send((int)(c - conversations));
            break;
        case PING: say(c, PONG, 0, frame->request, frame->payload, frame->length); break;
        case EXEC: exec(c, frame); break;
        case FILE_OPERATION: file(c, frame); break;
        case CREDIT:
            if (frame->length == 8 && frame->stream == c->stream && get32(frame->payload) == 1) {
                c->credit += get32(frame->payload + 4);
            }
            break;
        default:
            if (frame->request != 0) say(c, DONE, 0, frame->request, NULL, 0);
    }
}

static void serve(struct conversation *c) {
    uint8_t bytes[16384];
    ssize_t n = read(c->fd, bytes, sizeof bytes);
    for (size_t taken = 0; n > 0 && taken < (size_t)n;) {
        bool complete;
        taken += frame_parse(&c->parser, bytes + taken, (size_t)n - taken, &complete);
        if (complete) handle(c);
    }
}

static void look_for_ports(void) {
    DIR *directory = opendir("/sys/class/virtio-ports");
    if (directory == NULL) return;
    for (struct dirent *found; (found = readdir(directory)) != NULL;) {
        char path[300], name[16] = "";
        snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", found->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        ssize_t n = read(fd, name, sizeof name - 1);
        close(fd);
        if (n < 8 || strncmp(name, "cloche.", 7) != 0 || name[7] < '0' || name[7] >= '0' + PORTS) continue;
        struct conversation *c = &conversations[name[7] - '0'];
        snprintf(path, sizeof path, "/dev/%s", found->d_name);
        if (c->fd <= 0) c->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    closedir(directory);
}

/* Waits a little when there is nothing to do: polling a port without a host would spin. */
static void wait_for_work(void) {
    struct pollfd fds[PORTS];
    bool flooding = false;
    for (int i = 0; i < PORTS; i++) {
        fds[i] = (struct pollfd){.fd = conversations[i].fd > 0 ? conversations[i].fd : -1, .events = POLLIN};
        flooding |= conversations[i].flood != NULL;
    }
    poll(fds, PORTS, flooding ? 0 : 20);
    bool hung_up = false;
    for (int i = 0; i < PORTS; i++) hung_up |= (fds[i].revents & POLLHUP) != 0;
    if (hung_up && !flooding) usleep(2000);
}

int main(void) {
    if (getpid() != 1) return 1;
    hello_note_start();
    mkdir("/dev", 0755);
    mkdir("/sys", 0755);
    if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) != 0 || mount("sysfs", "/sys", "sysfs", 0, NULL) != 0) die("no /dev");
    int console = open("/dev/console", O_RDWR | O_NOCTTY);
    for (int fd = 0; fd < 3; fd++) dup2(console, fd);
    modules_load(true);
    hello_note_ready();
    for (;;) {
        look_for_ports();
        wait_for_work();
        for (int i = 0; i < PORTS; i++) {
            struct conversation *c = &conversations[i];
            if (c->fd <= 0) continue;
            serve(c);
            if (c->flood != NULL) c->flood(c);
        }
    }
}
