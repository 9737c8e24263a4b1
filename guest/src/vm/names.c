#include "vm/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/log.h"

static const char HOST[] = "cloche";

/* Without the file resolvers ask a server on localhost and wait for it; a comment says that there is none. */
static const char NO_NAME_SERVER[] = "# no name server\n";

static bool hosts_is_ours;

/* Writes beside and renames, so that what the image has in its place (a link, a pipe) is replaced, not followed. */
static bool replace(const char *path, const char *text) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.cloche-new", path);
    unlink(temporary);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    size_t length = strlen(text);
    bool written = write(fd, text, length) == (ssize_t)length;
    close(fd);
    if (written && rename(temporary, path) == 0) return true;
    unlink(temporary);
    return false;
}

/* Empty counts as missing: image builders leave empty files where container engines mount theirs. */
static bool is_missing(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return errno == ENOENT;
    return S_ISREG(status.st_mode) && status.st_size == 0;
}

static bool write_hosts(const char *name) {
    char text[512];
    snprintf(text, sizeof text,
             "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\t%s\n", name);
    return replace("/etc/hosts", text);
}

static bool write_hostname(const char *name) {
    char line[80];
    snprintf(line, sizeof line, "%s\n", name);
    return replace("/etc/hostname", line);
}

void names_complete(void) {
    mkdir("/etc", 0755);
    if (sethostname(HOST, strlen(HOST)) != 0) log_line("no host name: %s", strerror(errno));
    hosts_is_ours = is_missing("/etc/hosts") && write_hosts(HOST);
    if (is_missing("/etc/hostname")) write_hostname(HOST);
    if (is_missing("/etc/resolv.conf")) replace("/etc/resolv.conf", NO_NAME_SERVER);
}

bool names_set_host(const char *name, size_t length) {
    char text[65];
    if (length >= sizeof text) return false;
    memcpy(text, name, length);
    text[length] = '\0';
    return sethostname(text, length) == 0 && write_hostname(text) && (!hosts_is_ours || write_hosts(text));
}

bool names_set_servers(const struct network *network) {
    char text[NAME_SERVERS_MAX * 64] = "";
    for (uint32_t i = 0; i < network->name_server_count; i++) {
        char address[INET6_ADDRSTRLEN];
        inet_ntop(network->name_servers[i].family, network->name_servers[i].bytes, address, sizeof address);
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "nameserver %s\n", address);
    }
    return replace("/etc/resolv.conf", network->name_server_count == 0 ? NO_NAME_SERVER : text);
}

bool names_set_machine(const char *id) {
    char line[34];
    snprintf(line, sizeof line, "%.32s\n", id);
    return replace("/etc/machine-id", line);
}
