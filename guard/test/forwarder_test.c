/* The forwarder and the binder as the guard starts them, in their confinement, with a guest that this test plays. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "../src/binder.h"
#include "../src/forwarder.h"
#include "../src/guest_frames.h"
#include "../src/handing.h"
#include "wire/bytes.h"
#include "wire/frame.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (printf("forwarder_test.c:%d: not as expected: %s\n", __LINE__, strerror(errno)), exit(1)))

enum { ZEROS = GUEST_PAYLOAD_MAX + GUEST_FRAME_SEAL, ID = 0x80000001, CREDIT_OF_GUEST = 65536 };

static int orders, requests, guest;
static pid_t forwarding, binding;
static uint16_t port;
static uint8_t buffer[GUEST_FRAME_MAX];
static struct guest_frame frame;

static void read_all(int fd, void *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60000) == 1);
        ssize_t n = read(fd, (uint8_t *)bytes + done, length - done);
        CHECK(n > 0);
        done += (size_t)n;
    }
}

/* The next frame of the forwarder. */
static uint16_t next(void) {
    read_all(guest, buffer, GUEST_FRAME_HEADER);
    read_all(guest, buffer + GUEST_FRAME_HEADER, get32(buffer + 16) + GUEST_FRAME_SEAL);
    CHECK(guest_frame_parse(buffer, sizeof buffer, &frame) > 0);
    return frame.type;
}

static void say(uint16_t type, uint32_t stream, uint32_t request, const void *payload, size_t length) {
    static uint8_t whole[GUEST_FRAME_MAX];
    size_t size = guest_frame_write(whole, type, stream, request, payload, length);
    for (size_t done = 0; done < size;) {
        CHECK(poll(&(struct pollfd){.fd = guest, .events = POLLOUT}, 1, 60000) == 1);
        ssize_t n = write(guest, whole + done, size - done);
        CHECK(n > 0);
        done += (size_t)n;
    }
}

static void say_bytes(uint64_t offset, const char *text) {
    uint8_t payload[100];
    put64(payload, offset);
    memcpy(payload + 8, text, strlen(text));
    say(STDOUT, ID, 0, payload, 8 + strlen(text));
}

static void order(uint32_t what, int fd) {
    static uint32_t last;
    struct forwarder_message message = {.number = ++last, .order = what, .guest_port = 80};
    uint32_t number;
    CHECK(hand_over(orders, &message, sizeof message, fd));
    read_all(orders, &number, sizeof number);
    CHECK(number == last);
}

static void start(void) {
    int pair[2], other[2], channel[2];
    FILE *traffic = tmpfile();
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, other) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, channel) == 0);
    fflush(stdout);
    forwarding = fork();
    if (forwarding == 0) forwarder(pair[1], fileno(traffic));
    binding = fork();
    if (binding == 0) binder(other[1]);
    close(pair[1]);
    close(other[1]);
    fclose(traffic);
    orders = pair[0];
    requests = other[0];
    guest = channel[0];
    order(FORWARD_CHANNEL, channel[1]);
    close(channel[1]);
    struct binder_request request = {.number = 7, .address = htonl(INADDR_LOOPBACK)};
    struct binder_answer answer;
    int listener;
    CHECK(hand_over(requests, &request, sizeof request, -1) && take_over(requests, &answer, sizeof answer, &listener));
    CHECK(answer.number == 7 && answer.error == 0 && listener >= 0);
    port = answer.port;
    request.port = port;
    int none;
    CHECK(hand_over(requests, &request, sizeof request, -1) && take_over(requests, &answer, sizeof answer, &none));
    CHECK(answer.error == EADDRINUSE && none < 0);
    order(FORWARD_LISTENER, listener);
    close(listener);
}

static void end(void) {
    int status;
    CHECK(waitpid(forwarding, &status, WNOHANG) == 0);
    kill(forwarding, SIGKILL);
    kill(binding, SIGKILL);
    CHECK(waitpid(forwarding, NULL, 0) > 0 && waitpid(binding, NULL, 0) > 0);
    close(orders);
    close(requests);
    close(guest);
}

/* It ends by itself, and not by its filter. */
static void expect_end(void) {
    int status;
    CHECK(waitpid(forwarding, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    kill(binding, SIGKILL);
    CHECK(waitpid(binding, NULL, 0) > 0);
    close(orders);
    close(requests);
    close(guest);
}

static void greet(void) {
    static uint8_t zeros[ZEROS];
    read_all(guest, zeros, sizeof zeros);
    for (size_t i = 0; i < sizeof zeros; i++) CHECK(zeros[i] == 0);
    CHECK(next() == RESET && frame.length == 8);
    uint8_t nonce[8], hello[28] = {2};
    memcpy(nonce, frame.payload, sizeof nonce);
    /* What an earlier host had not read, half a frame. */
    CHECK(write(guest, "CLH1 of before", 14) == 14);
    say(RESET_ACK, 0, 0, nonce, sizeof nonce);
    say(HELLO, 0, 0, hello, sizeof hello);
}

static int client(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

/* A client, and what the guest answers to its DIAL. */
static int connected(uint32_t credit) {
    int fd = client();
    uint8_t payload[8] = {0};
    CHECK(next() == DIAL && frame.length == 24 && get32(frame.payload + 8) == 80 && get32(frame.payload) == 0);
    put32(payload + 4, credit);
    say(STARTED, ID, frame.request, payload, sizeof payload);
    return fd;
}

static void expect_reset(int fd) {
    char byte;
    CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60000) == 1);
    CHECK(read(fd, &byte, 1) < 0 && errno == ECONNRESET);
    close(fd);
}

static void both_sides_end_by_themselves(void) {
    start();
    greet();
    int fd = connected(CREDIT_OF_GUEST);
    char text[10] = {0};
    CHECK(write(fd, "hello", 5) == 5);
    CHECK(next() == STDIN && frame.stream == ID && frame.length == 5 && memcmp(frame.payload, "hello", 5) == 0);
    say_bytes(0, "well");
    say_bytes(4, "come");
    say(OUTPUT_EOF, ID, 0, NULL, 0);
    read_all(fd, text, 8);
    CHECK(strcmp(text, "wellcome") == 0 && read(fd, text, 1) == 0);
    CHECK(write(fd, "bye", 3) == 3 && next() == STDIN && frame.length == 3);
    shutdown(fd, SHUT_WR);
    CHECK(next() == STDIN_EOF);
    uint8_t nothing[8] = {0};
    say(EXITED, ID, 0, nothing, sizeof nothing);
    close(fd);
    /* Its id may come again. */
    fd = connected(1);
    CHECK(write(fd, "ab", 2) == 2 && next() == STDIN && frame.length == 1);
    say(STDIN_CREDIT, ID, 0, (uint8_t[]){5, 0, 0, 0}, 4);
    CHECK(next() == STDIN && frame.length == 1 && frame.payload[0] == 'b');
    say(RESET_BY_GUEST, ID, 0, NULL, 0);
    expect_reset(fd);
    end();
}

static void a_client_that_resets_is_told_of(void) {
    start();
    greet();
    int fd = connected(CREDIT_OF_GUEST);
    struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
    CHECK(next() == HANG_UP && frame.length == 4 && get32(frame.payload) == 0);
    /* What was on its way is not in its way. */
    say_bytes(0, "late");
    uint8_t nothing[8] = {0};
    say(EXITED, ID, 0, nothing, sizeof nothing);
    fd = client();
    CHECK(next() == DIAL);
    uint8_t refused[8] = {CONNECTION_REFUSED};
    say(FAILED, 0, frame.request, refused, sizeof refused);
    expect_reset(fd);
    end();
}

static void credit_comes_again_as_a_client_reads(void) {
    start();
    greet();
    int fd = connected(CREDIT_OF_GUEST);
    static uint8_t payload[8 + 16384], taken[16384];
    uint64_t sent = 0, granted = 65536;
    for (int i = 0; i < 64; i++) {
        while (granted < 16384) {
            CHECK(next() == CREDIT && get32(frame.payload) == 1);
            granted += get32(frame.payload + 4);
        }
        put64(payload, sent);
        memset(payload + 8, i, 16384);
        say(STDOUT, ID, 0, payload, sizeof payload);
        sent += 16384;
        granted -= 16384;
        read_all(fd, taken, sizeof taken);
        CHECK(taken[0] == i && taken[16383] == i);
    }
    close(fd);
    end();
}

static void expect_from(int fd, const char *text) {
    CHECK(write(fd, text, 4) == 4);
    CHECK(next() == STDIN && frame.stream == ID && frame.length == 4 && memcmp(frame.payload, text, 4) == 0);
}

/* An honest guest ends no stream that its client still writes to. Its id may be another stream's by now. */
static void what_a_client_writes_after_the_end_goes_nowhere(void) {
    start();
    greet();
    int fd = connected(CREDIT_OF_GUEST);
    static uint8_t payload[8 + 16384];
    uint64_t sent = 0, granted = 65536;
    /* Until it is stuck: nothing more is granted. */
    while (granted >= 16384 || poll(&(struct pollfd){.fd = guest, .events = POLLIN}, 1, 500) == 1) {
        if (granted < 16384) {
            CHECK(next() == CREDIT);
            granted += get32(frame.payload + 4);
            continue;
        }
        put64(payload, sent);
        say(STDOUT, ID, 0, payload, sizeof payload);
        sent += 16384;
        granted -= 16384;
    }
    uint8_t nothing[8] = {0};
    say(EXITED, ID, 0, nothing, sizeof nothing);
    int other = connected(CREDIT_OF_GUEST);
    /* Once this has come, the end before it was heard. */
    expect_from(other, "mine");
    CHECK(write(fd, "late", 4) == 4);
    expect_from(other, "more");
    expect_from(other, "last");
    close(fd);
    close(other);
    end();
}

/* Each of these a guest may not say; the forwarder ends, by itself. */
static void a_lie_is_the_end(int which) {
    static uint8_t much[65536];
    start();
    greet();
    int fd = connected(CREDIT_OF_GUEST);
    uint8_t started[8] = {0};
    switch (which) {
        case 0: CHECK(write(guest, "no frame at all, but some bytes", 31) == 31); break;
        case 1: say_bytes(1, "not where it goes on"); break;
        case 2: say(STARTED, ID, 999, started, sizeof started); break;
        case 3: say(OUTPUT_EOF, 0x80000077, 0, NULL, 0); break;
        case 4: say(DETACHED, ID, 0, NULL, 0); break;
        case 5:
            /* More than was granted: what the first two took is too little to be granted again. */
            say_bytes(0, "a little");
            say_bytes(8, "more");
            put64(much, 12);
            say(STDOUT, ID, 0, much, sizeof much);
            break;
        case 6:
            say(OUTPUT_EOF, ID, 0, NULL, 0);
            say_bytes(0, "after its end");
            break;
        case 7: say(STDIN_CREDIT, ID, 0, (uint8_t[]){255, 255, 255, 255}, 4); break;
        case 8: say(HELLO, 0, 0, (uint8_t[]){9, 0, 0, 0}, 4); break;
    }
    expect_end();
    close(fd);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    both_sides_end_by_themselves();
    a_client_that_resets_is_told_of();
    credit_comes_again_as_a_client_reads();
    what_a_client_writes_after_the_end_goes_nowhere();
    for (int which = 0; which <= 8; which++) {
        a_lie_is_the_end(which);
    }
    return 0;
}
