#include "vm/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/log.h"
#include "sys/raw.h"

#define NAME "cloche"
static const char HOST[] = NAME, HOSTNAME[] = NAME "\n";

/* Without the file resolvers ask a server on localhost and wait for it; a comment says that there is none. */
static const char NO_NAME_SERVER[] = "# no name server\n";

static bool hosts_is_ours;

/* Writes beside and renames, so that what the image has in its place (a link, a pipe) is replaced, not followed. Answers 0, or
 * a negative errno. */
static long replace(const char *path, const char *text) {
    char temporary[64];
    size_t length = strlen(path);
    memcpy(temporary, path, length);
    strcpy(temporary + length, ".cloche-new");
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC };
    long fd = raw(SYS_open, temporary, FLAGS, 0644);
    if (fd == -EEXIST) {
        raw(SYS_unlink, temporary);
        fd = raw(SYS_open, temporary, FLAGS, 0644);
    }
    if (fd < 0) return fd;
    length = strlen(text);
    long written = raw(SYS_write, fd, text, length);
    raw(SYS_close, fd);
    long done = written == (long)length ? raw(SYS_rename, temporary, path) : written < 0 ? written : -ENOSPC;
    if (done < 0) raw(SYS_unlink, temporary);
    return done;
}

/* Empty counts as missing: image builders leave empty files where container engines mount theirs. */
static bool is_missing(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return errno == ENOENT;
    return S_ISREG(status.st_mode) && status.st_size == 0;
}

static void put_hosts(char *text, size_t size, const char *name) {
    snprintf(text, size, "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\t%s\n", name);
}

void names_complete(void) {
    mkdir("/etc", 0755);
    if (sethostname(HOST, strlen(HOST)) != 0) log_line("no host name: %s", strerror(errno));
    char hosts[512];
    put_hosts(hosts, sizeof hosts, HOST);
    hosts_is_ours = is_missing("/etc/hosts") && replace("/etc/hosts", hosts) == 0;
    if (is_missing("/etc/hostname")) replace("/etc/hostname", HOSTNAME);
    if (is_missing("/etc/resolv.conf")) replace("/etc/resolv.conf", NO_NAME_SERVER);
}

bool names_of(struct text host, struct text machine, struct host_names *names) {
    *names = (struct host_names){0};
    if (host.length >= sizeof names->host || machine.length + 1 >= sizeof names->machine) return false;
    if (host.bytes != NULL) {
        memcpy(names->host, host.bytes, host.length);
        snprintf(names->hostname, sizeof names->hostname, "%s\n", names->host);
        if (hosts_is_ours) put_hosts(names->hosts, sizeof names->hosts, names->host);
    }
    if (machine.bytes != NULL) {
        memcpy(names->machine, machine.bytes, machine.length);
        names->machine[machine.length] = '\n';
    }
    return true;
}

long names_set(const struct host_names *names, const char **what) {
    long done = 0;
    *what = "The host name could not be set";
    if (*names->host != '\0') done = raw(SYS_sethostname, names->host, strlen(names->host));
    if (done < 0) return done;
    *what = "/etc/hostname could not be written";
    if (*names->hostname != '\0') done = replace("/etc/hostname", names->hostname);
    if (done < 0) return done;
    *what = "/etc/hosts could not be written";
    if (*names->hosts != '\0') done = replace("/etc/hosts", names->hosts);
    if (done < 0) return done;
    *what = "/etc/machine-id could not be written";
    return *names->machine == '\0' ? done : replace("/etc/machine-id", names->machine);
}

bool names_set_servers(const struct network *network) {
    char text[NAME_SERVERS_MAX * 64] = "";
    for (uint32_t i = 0; i < network->name_server_count; i++) {
        char address[INET6_ADDRSTRLEN];
        inet_ntop(network->name_servers[i].family, network->name_servers[i].bytes, address, sizeof address);
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "nameserver %s\n", address);
    }
    long done = replace("/etc/resolv.conf", network->name_server_count == 0 ? NO_NAME_SERVER : text);
    errno = (int)-done;
    return done == 0;
}
