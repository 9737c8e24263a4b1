#include "dial/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/network.h"

union endpoint {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static socklen_t size_of(const union endpoint *e) { return e->any.sa_family == AF_INET ? sizeof e->four : sizeof e->six; }

static union endpoint endpoint_of(const struct address *address, uint16_t port) {
    union endpoint e = {.any.sa_family = (sa_family_t)address->family};
    if (address->family == AF_INET) {
        e.four.sin_port = htons(port);
        memcpy(&e.four.sin_addr, address->bytes, 4);
    } else {
        e.six.sin6_port = htons(port);
        memcpy(&e.six.sin6_addr, address->bytes, 16);
    }
    return e;
}

/* Many programs trust a loopback peer without a password, so the agent is none. */
static const struct address PEERS[] = {
    {.family = AF_INET, .bytes = {10, 203, 0, 1}, .prefix = 32},
    {.family = AF_INET6, .bytes = {0xfd, 0x0c, 0x01, 0x0c, [15] = 1}, .prefix = 128},
};

/* Programs of the guest may have taken the address away. */
static bool bind_to_peer(int fd, int family) {
    const struct address *peer = &PEERS[family == AF_INET6];
    union endpoint from = endpoint_of(peer, 0);
    int one = 1;
    /* The port is chosen when it connects, so that ports in TIME_WAIT are no hindrance to another destination. */
    setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(fd, &from.any, size_of(&from)) == 0) return true;
    if (errno == EADDRNOTAVAIL && network_add_to_loopback(peer) && bind(fd, &from.any, size_of(&from)) == 0) return true;
    errno = EPERM;
    return false;
}

static bool own_address(struct address *address) {
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && network_interface(request.ifr_name) != 0 && ioctl(fd, SIOCGIFADDR, &request) == 0;
    if (fd >= 0) close(fd);
    *address = (struct address){.family = AF_INET};
    memcpy(address->bytes, &((struct sockaddr_in *)&request.ifr_addr)->sin_addr, 4);
    return found;
}

static bool find(unsigned candidate, struct address *address) {
    switch (candidate) {
        case 0: *address = (struct address){.family = AF_INET, .bytes = {127, 0, 0, 1}}; return true;
        case 1: return own_address(address);
        default: *address = (struct address){.family = AF_INET6, .bytes = {[15] = 1}}; return true;
    }
}

/* A socket that has met itself: where nothing listens on a port from which sockets connect, that can be. */
static bool is_its_own_peer(int fd) {
    union endpoint ends[2] = {0};
    socklen_t sizes[2] = {sizeof ends[0], sizeof ends[1]};
    return getsockname(fd, &ends[0].any, &sizes[0]) != 0 || getpeername(fd, &ends[1].any, &sizes[1]) != 0 ||
           memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0;
}

static bool is_connected(int fd) {
    if (!is_its_own_peer(fd)) return true;
    errno = ECONNREFUSED;
    return false;
}

static int give_up(int fd) {
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return -1;
}

int connect_begin(uint16_t port, unsigned candidate, bool as_loopback, bool *connected) {
    struct address address;
    if (!find(candidate, &address)) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    union endpoint to = endpoint_of(&address, port);
    int fd = socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0 || (!as_loopback && !bind_to_peer(fd, address.family))) return give_up(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    *connected = connect(fd, &to.any, size_of(&to)) == 0;
    if (*connected ? is_connected(fd) : errno == EINPROGRESS) return fd;
    return give_up(fd);
}

bool connect_ended(int fd, int *error) {
    struct pollfd now = {.fd = fd, .events = POLLOUT};
    socklen_t size = sizeof *error;
    if (poll(&now, 1, 0) == 0) return false;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, error, &size) != 0) *error = errno;
    if (*error == 0 && !is_connected(fd)) *error = errno;
    return true;
}
