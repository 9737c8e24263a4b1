/* giving_up_test BUILD: what a guard that gives up leaves behind. Prints nothing and exits 0 if it is nothing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../guest/test/check.h"

static int run(char *const *command) {
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++) dup2(null, fd);
        execv(command[0], command);
        _exit(127);
    }
    int status = 0;
    CHECK(pid > 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv) {
    char guard[4096], directory[] = "/tmp/giving-up-test.XXXXXX";
    CHECK(argc == 2 && mkdtemp(directory) != NULL);
    snprintf(guard, sizeof guard, "%s/cloche-guard", argv[1]);
    /* A child of the guard that outlives it becomes ours, however short its life is. */
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    char *command[] = {guard,       "--dir",  directory,   "--network-mac", "02:00:00:00:00:07", "--network",
                       "/bin/true", "--ports", "/nowhere", "--",            "/bin/sleep",        "100", NULL};
    CHECK(run(command) == 70);
    int orphans = 0;
    while (waitpid(-1, NULL, 0) > 0) orphans++;
    CHECK(errno == ECHILD);
    CHECK(orphans == 0);
    CHECK(run((char *[]){"/bin/rm", "-rf", directory, NULL}) == 0);
    return 0;
}
