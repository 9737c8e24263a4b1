#include "vm/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel makes the loopback first in each network namespace (loopback_net_init in drivers/net/loopback.c). */
enum { LOOPBACK = 1 };

struct request {
    struct nlmsghdr header;
    union {
        struct ifaddrmsg address;
        struct rtmsg route;
    };
    uint8_t attributes[128];
};

unsigned network_interface(char *name) {
    struct if_nameindex *all = if_nameindex();
    unsigned found = 0;
    for (struct if_nameindex *i = all; i != NULL && i->if_index != 0; i++) {
        if (strcmp(i->if_name, "lo") == 0 || (found != 0 && i->if_index > found)) continue;
        found = i->if_index;
        strcpy(name, i->if_name);
    }
    if_freenameindex(all);
    return found;
}

static void add(struct request *request, uint16_t type, const void *bytes, size_t length) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = (uint16_t)RTA_LENGTH(length);
    memcpy(RTA_DATA(attribute), bytes, length);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + (uint32_t)RTA_SPACE(length);
}

static bool ask(int netlink, struct request *request) {
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        uint8_t rest[256];
    } answer;
    request->header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
    if (send(netlink, request, request->header.nlmsg_len, 0) < 0) return false;
    if (recv(netlink, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof answer.error)) return false;
    errno = answer.header.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
    return errno == 0;
}

static size_t size_of(int family) { return family == AF_INET ? 4 : 16; }

static bool add_address(int netlink, unsigned interface, const struct address *address) {
    struct request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof request.address), .nlmsg_type = RTM_NEWADDR,
                   .nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE},
        /* A VM's address is the host's choice, so no neighbour has to be asked whether it is taken. */
        .address = {.ifa_family = (uint8_t)address->family, .ifa_prefixlen = address->prefix, .ifa_index = interface,
                    .ifa_scope = interface == LOOPBACK ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
                    .ifa_flags = address->family == AF_INET6 ? IFA_F_NODAD : 0},
    };
    add(&request, IFA_LOCAL, address->bytes, size_of(address->family));
    add(&request, IFA_ADDRESS, address->bytes, size_of(address->family));
    return ask(netlink, &request);
}

bool network_add_to_loopback(const struct address *address) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    bool good = netlink >= 0 && add_address(netlink, LOOPBACK, address);
    int error = errno;
    if (netlink >= 0) close(netlink);
    errno = error;
    return good;
}

static bool add_gateway(int netlink, unsigned interface, const struct address *gateway) {
    struct request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof request.route), .nlmsg_type = RTM_NEWROUTE,
                   .nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE},
        .route = {.rtm_family = (uint8_t)gateway->family, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_BOOT,
                  .rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = RTN_UNICAST, .rtm_flags = RTNH_F_ONLINK},
    };
    add(&request, RTA_GATEWAY, gateway->bytes, size_of(gateway->family));
    add(&request, RTA_OIF, &interface, sizeof interface);
    return ask(netlink, &request);
}

/* Without addresses the kernel removes the routes too. */
static bool remove_addresses(int netlink, unsigned interface) {
    enum { KNOWN_MAX = 64 };
    static struct request known[KNOWN_MAX];
    static uint8_t answer[32768];
    int count = 0;
    struct request dump = {.header = {.nlmsg_len = NLMSG_LENGTH(sizeof dump.address), .nlmsg_type = RTM_GETADDR,
                                      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
    if (send(netlink, &dump, dump.header.nlmsg_len, 0) < 0) return false;
    for (bool done = false; !done;) {
        ssize_t n = recv(netlink, answer, sizeof answer, 0);
        if (n <= 0) return false;
        for (struct nlmsghdr *m = (struct nlmsghdr *)answer; NLMSG_OK(m, n); m = NLMSG_NEXT(m, n)) {
            done |= m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR;
            struct ifaddrmsg *address = NLMSG_DATA(m);
            bool ours = m->nlmsg_type == RTM_NEWADDR && address->ifa_index == interface;
            if (!ours || count == KNOWN_MAX || m->nlmsg_len > sizeof *known) continue;
            memcpy(&known[count], m, m->nlmsg_len);
            known[count].header.nlmsg_type = RTM_DELADDR;
            known[count++].header.nlmsg_flags = 0;
        }
    }
    /* One that went with another, as a secondary address does with its first, is no failure. */
    for (int i = 0; i < count; i++) {
        if (!ask(netlink, &known[i]) && errno != EADDRNOTAVAIL) return false;
    }
    return true;
}

static bool set_link(const char *name, const struct network *network) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq link = {0};
    strcpy(link.ifr_name, name);
    bool good = fd >= 0;
    if (good && network->has_mac) { /* while it is down: not every driver can do otherwise */
        good = ioctl(fd, SIOCGIFFLAGS, &link) == 0;
        link.ifr_flags &= (short)~IFF_UP;
        good = good && ioctl(fd, SIOCSIFFLAGS, &link) == 0;
        link.ifr_hwaddr.sa_family = ARPHRD_ETHER;
        memcpy(link.ifr_hwaddr.sa_data, network->mac, sizeof network->mac);
        good = good && ioctl(fd, SIOCSIFHWADDR, &link) == 0;
    }
    if (good && network->mtu != 0) {
        link.ifr_mtu = (int)network->mtu;
        good = ioctl(fd, SIOCSIFMTU, &link) == 0;
    }
    link.ifr_flags = IFF_UP | IFF_RUNNING;
    good = good && ioctl(fd, SIOCSIFFLAGS, &link) == 0;
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return good;
}

/* How much a connection may have on its way to this machine: half of the last number. The program on the host that passes it on
 * (passt) writes all of it at once to a socket that by itself holds 219,264 bytes, and loses what is beyond: older ones wait two
 * seconds for each loss, and of one connection the end never came. Without this file, or where it cannot be written, connections
 * work as they would have. */
static void bound_what_is_on_its_way(void) {
    static const char bounds[] = "4096 131072 425984";
    int fd = open("/proc/sys/net/ipv4/tcp_rmem", O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t written = write(fd, bounds, sizeof bounds - 1);
    (void)written;
    close(fd);
}

bool network_apply(const struct network *network) {
    bound_what_is_on_its_way();
    char name[IF_NAMESIZE];
    unsigned interface = network_interface(name);
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    bool good = interface != 0 && netlink >= 0 && remove_addresses(netlink, interface) && set_link(name, network);
    for (uint32_t i = 0; good && i < network->address_count; i++) {
        good = add_address(netlink, interface, &network->addresses[i]);
    }
    for (uint32_t i = 0; good && i < network->gateway_count; i++) {
        good = add_gateway(netlink, interface, &network->gateways[i]);
    }
    if (netlink >= 0) close(netlink);
    return good;
}
