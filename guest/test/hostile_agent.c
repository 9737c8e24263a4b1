/* An agent that says a correct hello and lies when it is told to: what a guest can do to its host whose root has
 * replaced the agent. The first argument of an EXEC, or the last part of a FILE's path, names the lie (the table at the
 * end); apart from it the agent is correct, so that a test sees what one lie does. It ignores SHUTDOWN.
 *
 * make -C guest hostile OUT=… builds it, into an initramfs of its own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/bytes.h"
#include "../src/devices.h"
#include "../src/file_request.h"
#include "../src/frame.h"
#include "../src/hello.h"
#include "../src/log.h"
#include "../src/loop.h"
#include "../src/port.h"
#include "../src/record.h"
#include "../src/request.h"

struct conversation {
    int fd; /* 0: the port has not come yet */
    struct frame_parser parser;
    void (*flood)(struct conversation *); /* sends a little more each time, until the next RESET */
    uint32_t stream, request;             /* of the present EXEC or FILE */
    uint64_t offset;
    uint64_t credit;
    uint32_t file_operation; /* 0: it is an EXEC */
};

static struct conversation conversations[PORTS];

/* --- sending --- */

/* Gives up when the host is gone. */
static void raw(struct conversation *c, const void *bytes, size_t length) {
    for (const uint8_t *p = bytes; length > 0;) {
        ssize_t n = write(c->fd, p, length);
        if (n > 0) {
            p += n;
            length -= (size_t)n;
            continue;
        }
        struct pollfd room = {.fd = c->fd, .events = POLLOUT};
        if (poll(&room, 1, 1000) < 0 || (room.revents & POLLHUP) != 0) return;
    }
}

static void send_as(struct conversation *c, uint16_t type, uint16_t flags, uint32_t stream, uint32_t request,
                    const void *payload, size_t length) {
    static uint8_t bytes[FRAME_HEADER + FRAME_PAYLOAD_MAX + FRAME_SEAL];
    struct frame frame = {.type = type, .flags = flags, .stream = stream, .request = request, .length = (uint32_t)length};
    uint32_t seal = frame_header(bytes, &frame);
    if (length > 0) memcpy(bytes + FRAME_HEADER, payload, length);
    put32(bytes + FRAME_HEADER + length, seal);
    raw(c, bytes, FRAME_HEADER + length + FRAME_SEAL);
}

static void say(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, const void *payload, size_t length) {
    send_as(c, type, 0, stream, request, payload, length);
}

/* For hello.c. */
void port_send(int port, const struct frame *frame, const uint8_t *prefix, size_t prefix_length) {
    (void)prefix, (void)prefix_length;
    say(&conversations[port], frame->type, frame->stream, frame->request, frame->payload, frame->length);
}

/* For modules.c. */
void loop_once(int wait) { (void)wait; }

static void numbers(struct conversation *c, uint16_t type, uint32_t stream, uint32_t request, int count, const uint64_t *values) {
    uint8_t payload[64];
    for (int i = 0; i < count; i++) put32(payload + 4 * i, (uint32_t)values[i]);
    say(c, type, stream, request, payload, 4 * (size_t)count);
}

static void started_as(struct conversation *c, uint32_t stream, uint32_t credit) {
    numbers(c, STARTED, stream, c->request, 2, (uint64_t[]){4711, credit});
}

static void started(struct conversation *c) { started_as(c, c->stream, 65536); }

static void output_at(struct conversation *c, uint16_t type, uint32_t stream, uint64_t offset, const void *bytes, size_t length) {
    static uint8_t payload[FRAME_PAYLOAD_MAX];
    put64(payload, offset);
    memcpy(payload + 8, bytes, length);
    say(c, type, stream, 0, payload, 8 + length);
}

static void output(struct conversation *c, const void *bytes, size_t length) {
    output_at(c, STDOUT, c->stream, c->offset, bytes, length);
    c->offset += length;
}

static void exited(struct conversation *c) { numbers(c, EXITED, c->stream, 0, 2, (uint64_t[]){0, 0}); }

static const uint8_t FILL[32 * 1024] = "yes, for ever";

/* --- lies about frames --- */

static void broken_header(struct conversation *c, uint16_t flags, uint32_t length, uint32_t crc_change) {
    uint8_t header[FRAME_HEADER];
    struct frame frame = {.type = STDOUT, .flags = flags, .stream = c->stream, .length = length};
    frame_header(header, &frame);
    put32(header + 20, get32(header + 20) ^ crc_change);
    started(c);
    raw(c, header, sizeof header);
}

static void more_of_it(struct conversation *c) { raw(c, FILL, sizeof FILL); }

static void too_long(struct conversation *c) { broken_header(c, 0, FRAME_PAYLOAD_MAX + 1, 0); }
static void gigabytes_long(struct conversation *c) { broken_header(c, 0, UINT32_MAX, 0); }
static void wrong_crc(struct conversation *c) { broken_header(c, 0, 100, 1); }
static void unknown_flag(struct conversation *c) { broken_header(c, 2, 100, 0); }

static void wrong_seal(struct conversation *c) {
    broken_header(c, 0, 100, 0);
    raw(c, FILL, 104);
}

static void no_seal(struct conversation *c) {
    broken_header(c, 0, FRAME_PAYLOAD_MAX, 0);
    c->flood = more_of_it;
}

static void half_a_frame(struct conversation *c) {
    broken_header(c, 0, 1000, 0);
    raw(c, FILL, 500);
}

static void garbage(struct conversation *c) { c->flood = more_of_it; }
static void continued(struct conversation *c) { send_as(c, DONE, FRAME_MORE, 0, c->request, NULL, 0); }
static void unknown_type(struct conversation *c) { say(c, 0xff, 0, 0, NULL, 0); }
static void a_hosts_type(struct conversation *c) { say(c, EXEC, 0, c->request, FILL, 100); }
static void silence(struct conversation *c) { (void)c; }

/* --- lies about requests and executions --- */

static void unasked(struct conversation *c) { say(c, DONE, 0, 0x7fffffff, NULL, 0); }
static void wrong_answer(struct conversation *c) { say(c, PONG, 0, c->request, FILL, 8); }

static void answered_twice(struct conversation *c) {
    started(c);
    started(c);
}

static void unknown_stream(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream + 1000, 0, FILL, 10);
}

static void pongs(struct conversation *c) {
    for (int i = 0; i < 100; i++) say(c, PONG, 0, 0x7fffffff, FILL, 64);
}

static void pong_flood(struct conversation *c) { c->flood = pongs; }

static void much_output(struct conversation *c) { output(c, FILL, sizeof FILL); }

static void beyond_credit(struct conversation *c) {
    started(c);
    c->flood = much_output;
}

static void allowed_output(struct conversation *c) {
    size_t length = c->credit < sizeof FILL ? (size_t)c->credit : sizeof FILL;
    c->credit -= length;
    if (length > 0) output(c, FILL, length);
}

static void endless_output(struct conversation *c) {
    started(c);
    c->flood = allowed_output;
}

static void output_again(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, 0, FILL, 10);
    output_at(c, STDOUT, c->stream, 0, FILL, 10);
}

static void offset_wraps(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, UINT64_MAX, FILL, 10);
}

static void gap(struct conversation *c) {
    started(c);
    output_at(c, STDOUT, c->stream, INT64_MAX - 100, FILL, 10);
    exited(c);
}

static void exited_twice(struct conversation *c) {
    started(c);
    exited(c);
    exited(c);
}

static void output_after_its_end(struct conversation *c) {
    started(c);
    exited(c);
    output(c, FILL, 10);
}

static void impossible_status(struct conversation *c) {
    started(c);
    numbers(c, EXITED, c->stream, 0, 2, (uint64_t[]){7, 77777});
}

static void stdin_credit_too_large(struct conversation *c) { started_as(c, c->stream, UINT32_MAX); }

static void grants(struct conversation *c) {
    for (int i = 0; i < 100; i++) numbers(c, STDIN_CREDIT, c->stream, 0, 1, (uint64_t[]){16 << 20});
}

static void stdin_credit_overflow(struct conversation *c) {
    started(c);
    c->flood = grants;
}

static void unknown_failure(struct conversation *c) { numbers(c, FAILED, 0, c->request, 2, (uint64_t[]){99, 0}); }

static void lying_text(struct conversation *c) {
    uint8_t payload[16] = {1};
    put32(payload + 4, UINT32_MAX);
    say(c, FAILED, 0, c->request, payload, sizeof payload);
}

/* --- lies about the rest --- */

static void forged_goodbye(struct conversation *c) {
    started(c);
    numbers(c, GOODBYE, 0, 0, 3, (uint64_t[]){1, 0, 0});
    output(c, "still here\n", 11);
    exited(c);
}

static void acknowledged_again(struct conversation *c) { say(c, RESET_ACK, 0, 0, FILL, 8); }
static void hello_again(struct conversation *c) { hello_send((int)(c - conversations)); }
static void detached_unasked(struct conversation *c) { say(c, DETACHED, c->stream + 1000, 0, NULL, 0); }
static void attached_unasked(struct conversation *c) { say(c, ATTACHED, c->stream, 0x7fffffff, FILL, 36); }

static void listing_of_billions(struct conversation *c) {
    uint8_t payload[64];
    memset(payload, 0xff, sizeof payload);
    say(c, LISTING, 0, c->request, payload, sizeof payload);
}

static void measured_unasked(struct conversation *c) { say(c, MEASURED, 0, 0x7fffffff, FILL, 24); }
static void log_on_the_wrong_port(struct conversation *c) { say(c, LOG, 1, 0, FILL, 100); }

static void hello(struct conversation *c) {
    started(c);
    output(c, "hello\n", 6);
    exited(c);
}

/* --- lies in records --- */

static void record(struct conversation *c, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        size_t n = length < sizeof FILL ? length : sizeof FILL;
        output(c, bytes, n);
        bytes += n;
        length -= n;
    }
}

static void entry(struct conversation *c, uint32_t kind, const char *name, size_t length, uint64_t size, const char *target) {
    uint8_t bytes[ENTRY_RECORD_MAX];
    struct entry value = {.kind = kind, .mode = 0755, .size = size,
                          .name = {(char *)(uintptr_t)name, (uint32_t)length},
                          .target = {(char *)(uintptr_t)target, (uint32_t)strlen(target)}};
    record(c, bytes, entry_encode(bytes, &value));
}

static void done(struct conversation *c) {
    uint8_t bytes[RECORD_HEADER];
    record(c, bytes, done_encode(bytes));
    exited(c);
}

static void data(struct conversation *c, uint64_t offset, const char *content) {
    uint8_t bytes[256];
    size_t header = data_encode(bytes, offset, strlen(content));
    memcpy(bytes + header, content, strlen(content));
    record(c, bytes, header + strlen(content));
}

/* A LIST begins with the names themselves, a copy with what they are in. */
static void begin_tree(struct conversation *c) {
    started(c);
    if (c->file_operation != FILE_LIST) entry(c, ENTRY_DIRECTORY, "", 0, 0, "");
}

static void evil_file(struct conversation *c, const char *name, size_t length) {
    begin_tree(c);
    entry(c, ENTRY_FILE, name, length, 4, "");
    if (c->file_operation != FILE_LIST) data(c, 0, "evil");
    done(c);
}

static void dots(struct conversation *c) { evil_file(c, "../escaped", 10); }
static void dots_inside(struct conversation *c) { evil_file(c, "a/../../escaped", 15); }
static void absolute(struct conversation *c) { evil_file(c, "/tmp/escaped", 12); }
static void nul(struct conversation *c) { evil_file(c, "a\0b", 3); }
static void second_root(struct conversation *c) { evil_file(c, "", 0); }
static void orphan(struct conversation *c) { evil_file(c, "none/escaped", 12); }

static void below_a_link(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_LINK, "link", 4, 0, "../../../../../../tmp");
    entry(c, ENTRY_FILE, "link/escaped", 12, 4, "");
    data(c, 0, "evil");
    done(c);
}

static void below_a_file(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "file", 4, 0, "");
    entry(c, ENTRY_FILE, "file/escaped", 12, 0, "");
    done(c);
}

static void same_name_twice(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_LINK, "x", 1, 0, "/tmp");
    entry(c, ENTRY_DIRECTORY, "x", 1, 0, "");
    entry(c, ENTRY_FILE, "x/escaped", 9, 0, "");
    done(c);
}

static void huge_size(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "huge", 4, 1ULL << 63, "");
    done(c);
}

static void beyond_its_size(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "small", 5, 1, "");
    data(c, 0, "much more than one byte");
    done(c);
}

static void offset_beyond_all(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "far", 3, INT64_MAX, "");
    data(c, UINT64_MAX - 1, "evil");
    done(c);
}

static void going_back(struct conversation *c) {
    begin_tree(c);
    entry(c, ENTRY_FILE, "back", 4, 100, "");
    data(c, 50, "abc");
    data(c, 0, "abc");
    done(c);
}

static void more_entries(struct conversation *c) {
    static unsigned number;
    char name[32];
    if (c->credit < 2 * ENTRY_RECORD_MAX) return;
    int length = snprintf(name, sizeof name, "entry %u", number++);
    uint64_t before = c->offset;
    entry(c, ENTRY_FILE, name, (size_t)length, 0, "");
    c->credit -= c->offset - before;
}

static void endless_entries(struct conversation *c) {
    begin_tree(c);
    c->flood = more_entries;
}

static void deeper(struct conversation *c) {
    static char name[ENTRY_NAME_MAX + 1];
    begin_tree(c);
    for (size_t length = 1; length < ENTRY_NAME_MAX; length += 2) {
        name[length - 1] = 'd';
        entry(c, ENTRY_DIRECTORY, name, length, 0, "");
        name[length] = '/';
    }
    done(c);
}

static void record_too_long(struct conversation *c) {
    uint8_t header[RECORD_HEADER];
    put32(header, RECORD_ENTRY);
    put32(header + 4, UINT32_MAX);
    started(c);
    record(c, header, sizeof header);
    c->flood = allowed_output;
}

static void no_end(struct conversation *c) {
    begin_tree(c);
    exited(c);
}

static void after_the_end(struct conversation *c) {
    uint8_t bytes[RECORD_HEADER];
    begin_tree(c);
    record(c, bytes, done_encode(bytes));
    entry(c, ENTRY_FILE, "late", 4, 0, "");
    exited(c);
}

static void no_first_entry(struct conversation *c) {
    started(c);
    data(c, 0, "evil");
    done(c);
}

static void failed_for_no_reason(struct conversation *c) {
    uint8_t bytes[FAILED_RECORD_MAX];
    char sentence[] = "\x1b]0;evil\x07 \xff\xfe";
    started(c);
    record(c, bytes, failed_encode(bytes, INT32_MAX, (struct text){sentence, sizeof sentence - 1}, (struct text){sentence, sizeof sentence - 1}));
    exited(c);
}

static const struct lie {
    const char *name;
    void (*tell)(struct conversation *);
} LIES[] = {
    {"hello", hello},
    {"too-long", too_long},
    {"gigabytes-long", gigabytes_long},
    {"wrong-crc", wrong_crc},
    {"unknown-flag", unknown_flag},
    {"wrong-seal", wrong_seal},
    {"no-seal", no_seal},
    {"half-a-frame", half_a_frame},
    {"garbage", garbage},
    {"continued", continued},
    {"unknown-type", unknown_type},
    {"a-hosts-type", a_hosts_type},
    {"silence", silence},
    {"unasked", unasked},
    {"wrong-answer", wrong_answer},
    {"answered-twice", answered_twice},
    {"unknown-stream", unknown_stream},
    {"pong-flood", pong_flood},
    {"beyond-credit", beyond_credit},
    {"endless-output", endless_output},
    {"output-again", output_again},
    {"offset-wraps", offset_wraps},
    {"gap", gap},
    {"exited-twice", exited_twice},
    {"output-after-its-end", output_after_its_end},
    {"impossible-status", impossible_status},
    {"stdin-credit-too-large", stdin_credit_too_large},
    {"stdin-credit-overflow", stdin_credit_overflow},
    {"unknown-failure", unknown_failure},
    {"lying-text", lying_text},
    {"forged-goodbye", forged_goodbye},
    {"acknowledged-again", acknowledged_again},
    {"hello-again", hello_again},
    {"detached-unasked", detached_unasked},
    {"attached-unasked", attached_unasked},
    {"listing-of-billions", listing_of_billions},
    {"measured-unasked", measured_unasked},
    {"log-on-the-wrong-port", log_on_the_wrong_port},
    {"dots", dots},
    {"dots-inside", dots_inside},
    {"absolute", absolute},
    {"nul", nul},
    {"second-root", second_root},
    {"orphan", orphan},
    {"below-a-link", below_a_link},
    {"below-a-file", below_a_file},
    {"same-name-twice", same_name_twice},
    {"huge-size", huge_size},
    {"beyond-its-size", beyond_its_size},
    {"offset-beyond-all", offset_beyond_all},
    {"going-back", going_back},
    {"endless-entries", endless_entries},
    {"deeper", deeper},
    {"record-too-long", record_too_long},
    {"no-end", no_end},
    {"after-the-end", after_the_end},
    {"no-first-entry", no_first_entry},
    {"failed-for-no-reason", failed_for_no_reason},
};

/* --- the agent --- */

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
    for (size_t i = 0; i < sizeof LIES / sizeof *LIES; i++) {
        if (strcmp(LIES[i].name, name) != 0) continue;
        LIES[i].tell(c);
        return;
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
