/* What a guest's root may send, for QemuNetworkIT: no kernel of the guest decides which packets go out.
 *
 * netprobe attack PORT ADDRESS...   a SYN and a datagram to the port of each address, as raw frames, three times
 * netprobe tcp PORT SECONDS ADDRESS...  connects to each, and prints what it says until it closes
 * netprobe udp-echo PORT            answers datagrams with what they bring
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint32_t sum(uint32_t start, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) start += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    return start;
}

static void put_sum(uint8_t *at, uint32_t value) {
    while (value >> 16) value = (value & 0xffff) + (value >> 16);
    at[0] = (uint8_t)(~value >> 8);
    at[1] = (uint8_t)~value;
}

static size_t transport(uint8_t *l4, int protocol, uint16_t port, uint16_t from, const char *text) {
    memset(l4, 0, 64);
    l4[0] = (uint8_t)(from >> 8), l4[1] = (uint8_t)from, l4[2] = (uint8_t)(port >> 8), l4[3] = (uint8_t)port;
    if (protocol == 6) {
        l4[7] = 1, l4[12] = 0x50, l4[13] = 2, l4[14] = 0xff;
        return 20;
    }
    size_t length = 8 + strlen(text);
    l4[5] = (uint8_t)length;
    memcpy(l4 + 8, text, strlen(text));
    return length;
}

static void send_frame(int fd, int interface, const char *destination, int protocol, uint16_t port, uint16_t from) {
    uint8_t frame[200] = {2, 0xc1, 0x0c, 0, 0, 2, 2, 0xc1, 0x0c, 0, 0, 1};
    uint8_t *ip = frame + 14;
    int six = strchr(destination, ':') != NULL;
    uint8_t *l4 = ip + (six ? 40 : 20);
    size_t length = transport(l4, protocol, port, from, destination);
    frame[12] = six ? 0x86 : 0x08, frame[13] = six ? 0xdd : 0;
    if (six) {
        ip[0] = 0x60, ip[5] = (uint8_t)length, ip[6] = (uint8_t)protocol, ip[7] = 64;
        inet_pton(AF_INET6, "fd00:c10c::15", ip + 8);
        inet_pton(AF_INET6, destination, ip + 24);
    } else {
        ip[0] = 0x45, ip[3] = (uint8_t)(20 + length), ip[8] = 64, ip[9] = (uint8_t)protocol;
        inet_pton(AF_INET, "10.203.0.15", ip + 12);
        inet_pton(AF_INET, destination, ip + 16);
        put_sum(ip + 10, sum(0, ip, 20));
    }
    uint32_t pseudo = sum((uint32_t)protocol + (uint32_t)length, six ? ip + 8 : ip + 12, six ? 32 : 8);
    put_sum(l4 + (protocol == 6 ? 16 : 6), sum(pseudo, l4, length));
    struct sockaddr_ll link = {.sll_family = AF_PACKET, .sll_ifindex = interface, .sll_halen = 6};
    if (sendto(fd, frame, (size_t)(l4 - frame) + length, 0, (struct sockaddr *)&link, sizeof link) < 0) perror("send");
}

static int attack(uint16_t port, char **addresses) {
    int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    int interface = (int)if_nametoindex("eth0");
    if (fd < 0 || interface == 0) return perror("eth0"), 1;
    for (int round = 0; round < 3; round++) {
        for (char **address = addresses; *address != NULL; address++) {
            uint16_t from = (uint16_t)(20000 + round * 100 + (address - addresses));
            send_frame(fd, interface, *address, 6, port, from);
            send_frame(fd, interface, *address, 17, port, from);
        }
        usleep(100000);
    }
    return 0;
}

static int echo(uint16_t port) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0) return perror("bind"), 1;
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        char bytes[2048];
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
        if (n >= 0) sendto(fd, bytes, (size_t)n, 0, (struct sockaddr *)&from, size);
    }
}

static void read_from(const char *address, uint16_t port, int seconds) {
    struct timeval patience = {.tv_sec = seconds};
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, address, &there.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char bytes[2048];
    if (connect(fd, (struct sockaddr *)&there, sizeof there) == 0) {
        printf("connected ");
        for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) fwrite(bytes, 1, (size_t)n, stdout);
    }
    close(fd);
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "attack") == 0) return attack((uint16_t)atoi(argv[2]), argv + 3);
    if (argc > 4 && strcmp(argv[1], "tcp") == 0) {
        for (char **address = argv + 4; *address != NULL; address++) {
            read_from(*address, (uint16_t)atoi(argv[2]), atoi(argv[3]));
        }
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "udp-echo") == 0) return echo((uint16_t)atoi(argv[2]));
    return 64;
}
