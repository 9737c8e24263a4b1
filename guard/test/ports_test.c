/* The guard's side of published ports, with a forwarder and a binder of this test that answer late. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int patience(uint32_t number);
#define ANSWER_MS patience(ports->number)
#include "../src/ports.c"

#define CHECK(condition) \
    ((condition) ? (void)0 : (printf("ports_test.c:%d: not as expected: %s\n", __LINE__, strerror(errno)), exit(1)))

enum { FIRST = 1111, SECOND = 2222, FOR_EVER = 600000, BRIEF = 50 };

/* Which of the orders or requests is answered only when the next has come; -1: none. */
static int late_order, late_request;
/* The number of that one. */
static uint32_t late_number;
static const char *awaited_orders;

static int patience(uint32_t number) { return number == late_number ? BRIEF : FOR_EVER; }

pid_t group_fork(unsigned long long flags) {
    (void)flags;
    return fork();
}

void forwarder(int orders, int traffic) {
    (void)traffic;
    uint32_t kept = 0;
    for (int i = 0;; i++) {
        struct forwarder_message message;
        int fd;
        if (!take_over(orders, &message, sizeof message, &fd)) _exit(1);
        if ((uint32_t)(awaited_orders[i] - '0') != message.order || message.id != 0) _exit(2);
        if ((message.order != FORWARD_NO_MORE) != (fd >= 0)) _exit(3);
        if (i == late_order) {
            kept = message.number;
            continue;
        }
        if (i == late_order + 1 && late_order >= 0 && write(orders, &kept, sizeof kept) < 0) _exit(4);
        if (write(orders, &message.number, sizeof message.number) < 0) _exit(5);
    }
}

static void grant(int requests, const struct binder_request *request, uint16_t port) {
    struct binder_answer answer = {.number = request->number, .port = htons(port)};
    if (!hand_over(requests, &answer, sizeof answer, requests)) _exit(1);
}

void binder(int requests) {
    struct binder_request kept;
    for (int i = 0;; i++) {
        struct binder_request request;
        if (recv(requests, &request, sizeof request, 0) != sizeof request) _exit(1);
        if (i == late_request) {
            kept = request;
            continue;
        }
        if (i == late_request + 1 && late_request >= 0) grant(requests, &kept, FIRST);
        grant(requests, &request, SECOND);
    }
}

static char path[] = "/tmp/cloche-ports-XXXXXX";
static int directory, server;
static struct sockaddr_un channel = {.sun_family = AF_UNIX};
static struct ports ports;

static int open_descriptors(void) {
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    CHECK(all != NULL);
    while (readdir(all) != NULL) count++;
    closedir(all);
    return count;
}

static void start(int order, int request, uint32_t number, const char *orders) {
    late_order = order;
    late_request = request;
    late_number = number;
    awaited_orders = orders;
    fflush(stdout);
    struct options options = {.ports = channel.sun_path};
    CHECK(ports_start(&ports, &options, directory));
}

/* Says what is wanted, and reads what is answered. */
static void expect(const char *wanted, const char *expected) {
    char text[200] = {0};
    int file = write_whole(directory, FILE_NAME, wanted, strlen(wanted));
    CHECK(file >= 0 && close(file) == 0);
    ports_hear(&ports, directory);
    file = openat(directory, ANSWER_NAME, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, text, sizeof text - 1) > 0 && close(file) == 0);
    if (strcmp(text, expected) != 0) printf("%s", text);
    CHECK(strcmp(text, expected) == 0);
}

static void end(void) {
    siginfo_t none = {0};
    struct pollfd unread[] = {{.fd = ports.orders, .events = POLLIN}, {.fd = ports.requests, .events = POLLIN}};
    CHECK(poll(unread, 2, 0) == 0);
    CHECK(waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) == 0 && none.si_pid == 0);
    ports_end(&ports);
    close(ports.orders);
    close(ports.requests);
}

/* The next request gets its own answer, and the descriptor of the late one is closed. */
static void the_answer_of_a_late_binder_is_dropped(void) {
    start(-1, 0, 2, "0121");
    expect("1\n127.0.0.1:0:80\n", "1\n110 127.0.0.1:0:80\n");
    int before = open_descriptors();
    expect("2\n127.0.0.1:0:81\n", "2\n0 127.0.0.1:2222:81\n");
    CHECK(open_descriptors() == before);
    expect("3\n", "3\n");
    expect("4\n127.0.0.1:0:80\n", "4\n0 127.0.0.1:2222:80\n");
    end();
}

static void what_a_late_forwarder_has_got_is_taken_back(void) {
    start(1, -1, 3, "0121");
    expect("1\n127.0.0.1:0:80\n", "1\n110 127.0.0.1:0:80\n");
    expect("2\n127.0.0.1:0:81\n", "2\n0 127.0.0.1:2222:81\n");
    end();
}

/* Nor is anything asked of it for the other port: the guard has more to do than wait. */
static void a_late_forwarder_gets_no_second_channel(void) {
    start(0, -1, 1, "01");
    expect("1\n127.0.0.1:0:80\n127.0.0.1:0:81\n", "1\n110 127.0.0.1:0:80\n110 127.0.0.1:0:81\n");
    expect("2\n127.0.0.1:0:82\n", "2\n0 127.0.0.1:2222:82\n");
    end();
}

int main(void) {
    CHECK(mkdtemp(path) != NULL);
    directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(channel.sun_path, sizeof channel.sun_path, "%s/channel", path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(directory >= 0 && bind(server, (struct sockaddr *)&channel, sizeof channel) == 0 && listen(server, 8) == 0);
    the_answer_of_a_late_binder_is_dropped();
    what_a_late_forwarder_has_got_is_taken_back();
    a_late_forwarder_gets_no_second_channel();
    const char *const names[] = {FILE_NAME, ANSWER_NAME, "traffic", "channel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK(unlinkat(directory, names[i], 0) == 0);
    CHECK(rmdir(path) == 0);
    return 0;
}
