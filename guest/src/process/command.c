#include "process/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "process/report.h"
#include "sys/raw.h"

static const char USUAL_PATH[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static const char *search_path(const struct exec_request *command) {
    for (char **e = command->environment; *e != NULL; e++) {
        if (strncmp(*e, "PATH=", 5) == 0) return *e + 5;
    }
    return USUAL_PATH;
}

/* Returns only on failure, with its errno, which is ENOEXEC for a file that is there and whose interpreter is not: the
 * kernel calls that ENOENT too. What is not there is not tried, for the kernel makes a whole address space before it looks. */
static int try(const char *path, const struct exec_request *command) {
    long there = raw(SYS_access, path, F_OK);
    if (there < 0) return (int)-there;
    int error = (int)-raw(SYS_execve, path, command->arguments, command->environment);
    return error == ENOENT ? ENOEXEC : error;
}

static bool means_not_here(int error) { return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP; }

__attribute__((noreturn)) static void explain(const char *name, int error) {
    if (means_not_here(error)) child_give_up(COMMAND_NOT_FOUND, 0, "The command ", name, " was not found.");
    if (error == E2BIG) {
        child_give_up(OUT_OF_RESOURCES, 0, "The arguments and the environment are too long.", "", "");
    }
    if (error == ENOMEM || error == EAGAIN) {
        child_give_up(OUT_OF_RESOURCES, 0, "The guest has no memory for ", name, ".");
    }
    if (error == ENOEXEC) {
        child_give_up(COMMAND_NOT_EXECUTABLE, 0, "The command ", name,
                      " cannot be executed: unknown format, or its interpreter is missing.");
    }
    child_give_up(COMMAND_NOT_EXECUTABLE, error, "The command ", name, " cannot be executed");
}

void command_execute(const struct exec_request *command) {
    const char *name = command->arguments[0];
    if (*name == '\0') explain(name, ENOENT);
    if (strchr(name, '/') != NULL) explain(name, try(name, command));
    int worst = ENOENT;
    const char *start = search_path(command);
    for (;;) {
        const char *end = strchrnul(start, ':');
        size_t length = (size_t)(end - start), name_length = strlen(name);
        char path[4096];
        if (length + name_length + 2 <= sizeof path) {
            /* An empty entry is the working directory. */
            memcpy(path, start, length);
            if (length > 0) path[length++] = '/';
            memcpy(path + length, name, name_length + 1);
            int error = try(path, command);
            /* As shells do: a file that may not be executed does not hide a later one, anything else ends the search. */
            if (error == EACCES) worst = error;
            if (error != EACCES && !means_not_here(error)) explain(name, error);
        }
        if (*end == '\0') explain(name, worst);
        start = end + 1;
    }
}
