#include "local_addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

static uint8_t messages[32768] __attribute__((aligned(NLMSG_ALIGNTO)));

bool local_addresses_open(struct local_addresses *addresses) {
    struct sockaddr_nl groups = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV4_IFADDR};
    addresses->changes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    addresses->answers = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return addresses->changes >= 0 && addresses->answers >= 0 &&
           bind(addresses->changes, (struct sockaddr *)&groups, sizeof groups) == 0;
}

/* Of an interface from point to point IFA_ADDRESS is the other end's, IFA_LOCAL always ours. */
static bool add(struct filter *filter, struct nlmsghdr *message) {
    struct ifaddrmsg *interface = NLMSG_DATA(message);
    if (message->nlmsg_type != RTM_NEWADDR || interface->ifa_family != AF_INET) return true;
    size_t left = IFA_PAYLOAD(message);
    for (struct rtattr *a = IFA_RTA(interface); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type != IFA_LOCAL || RTA_PAYLOAD(a) != sizeof(uint32_t)) continue;
        uint32_t bytes;
        memcpy(&bytes, RTA_DATA(a), sizeof bytes);
        if (filter->local_count == LOCAL_MAX) return false;
        filter->local[filter->local_count++] = ntohl(bytes);
    }
    return true;
}

enum dumped { ALL, CHANGED_MEANWHILE, FAILED };

static enum dumped dump(int netlink, struct filter *filter) {
    struct {
        struct nlmsghdr header;
        struct ifaddrmsg interface;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = RTM_GETADDR, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .interface = {.ifa_family = AF_INET},
    };
    bool changed = false;
    filter->local_count = 0;
    if (send(netlink, &request, sizeof request, 0) < 0) return FAILED;
    for (;;) {
        ssize_t n = recv(netlink, messages, sizeof messages, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return FAILED;
        for (struct nlmsghdr *m = (struct nlmsghdr *)messages; NLMSG_OK(m, n); m = NLMSG_NEXT(m, n)) {
            changed |= (m->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
            if (m->nlmsg_type == NLMSG_ERROR || !add(filter, m)) return FAILED;
            if (m->nlmsg_type == NLMSG_DONE) return changed ? CHANGED_MEANWHILE : ALL;
        }
    }
}

bool local_addresses_read(const struct local_addresses *addresses, struct filter *filter) {
    /* Announcements that did not fit are told by an error, which is one more reason to read anew. */
    while (recv(addresses->changes, messages, sizeof messages, 0) > 0 || errno == ENOBUFS || errno == EINTR) continue;
    enum dumped dumped;
    do dumped = dump(addresses->answers, filter);
    while (dumped == CHANGED_MEANWHILE);
    return dumped == ALL;
}
