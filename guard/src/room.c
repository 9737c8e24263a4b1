#include "room.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"
#include "ids.h"

static bool write_map(const char *file, const char *text) {
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

/* One id of each kind, which is itself: to files outside it is the same user. */
static bool map_ids(uid_t uid, gid_t gid) {
    char line[64];
    if (!write_map("/proc/self/setgroups", "deny")) return false;
    snprintf(line, sizeof line, "%u %u 1", gid, gid);
    if (!write_map("/proc/self/gid_map", line)) return false;
    snprintf(line, sizeof line, "%u %u 1", uid, uid);
    return write_map("/proc/self/uid_map", line);
}

/* In the guard: lets the child of a room begin. */
static bool let_begin(pid_t child, uid_t own, int go) { return ids_map(child, own) && write(go, "", 1) == 1; }

pid_t room_fork(uid_t own) {
    int go[2];
    if (pipe2(go, O_CLOEXEC) != 0) return -1;
    uid_t uid = geteuid();
    gid_t gid = getegid();
    unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                          CLONE_NEWCGROUP;
    pid_t pid = group_fork(flags);
    if (pid == 0) {
        char begin;
        /* Without the map it goes on as a user without a name, and what is tried next fails. */
        if (own == 0) (void)map_ids(uid, gid);
        else if (close(go[1]) != 0 || read(go[0], &begin, 1) != 1) _exit(127);
        return 0;
    }
    if (pid > 0 && own != 0 && !let_begin(pid, own, go[1])) {
        int error = errno;
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
        errno = error;
        pid = -1;
    }
    int error = errno;
    close(go[0]);
    close(go[1]);
    errno = error;
    return pid;
}

/* The path of the program that loads it; false if it needs none, or is no such program. */
static bool read_loader(const char *program, char *loader, size_t size) {
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    Elf64_Ehdr head;
    bool found = false;
    if (pread(fd, &head, sizeof head, 0) == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_phentsize == sizeof(Elf64_Phdr)) {
        for (int i = 0; i < head.e_phnum && !found; i++) {
            Elf64_Phdr part;
            if (pread(fd, &part, sizeof part, (off_t)(head.e_phoff + (unsigned)i * sizeof part)) != sizeof part) break;
            if (part.p_type != PT_INTERP || part.p_filesz < 2 || part.p_filesz > size) continue;
            found = pread(fd, loader, part.p_filesz, (off_t)part.p_offset) == (ssize_t)part.p_filesz &&
                    loader[part.p_filesz - 1] == '\0' && loader[0] == '/';
        }
    }
    close(fd);
    return found;
}

/* Makes the directories above a path below the working directory. */
static bool make_parents(const char *path) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0) != 0 && errno != EEXIST) return false;
        if (chmod(part, 0755) != 0) return false; /* the guard has a mask */
        *slash = '/';
    }
    return true;
}

/* Shows a file of the host, at a path below the working directory. */
static bool show(const char *file, const char *at) {
    if (!make_parents(at)) return false;
    int fd = open(at, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    close(fd);
    if (mount(file, at, NULL, MS_BIND, NULL) != 0) return false;
    struct statvfs fs;
    if (statvfs(at, &fs) != 0) return false;
    /* What another namespace has set has to be set again. */
    unsigned long kept = (fs.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (fs.f_flag & ST_NODEV ? MS_NODEV : 0) |
                         (fs.f_flag & ST_NOATIME ? MS_NOATIME : 0) | (fs.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0) |
                         (fs.f_flag & ST_RELATIME ? MS_RELATIME : 0);
    return mount(NULL, at, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) == 0;
}

const char *room_enter(const char *place, const char *program) {
    static char inside[NAME_MAX + 2];
    char loader[256];
    snprintf(inside, sizeof inside, "%s", strrchr(program, '/'));
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("room", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,nr_inodes=32,mode=0755") != 0 || chdir(place) != 0 ||
        !show(program, inside + 1)) {
        return NULL;
    }
    if (read_loader(program, loader, sizeof loader) && !show(loader, loader + 1)) return NULL;
    /* On top of itself, so that there need be no place for the old one. */
    if (syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) return NULL;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) == 0 ? inside : NULL;
}
