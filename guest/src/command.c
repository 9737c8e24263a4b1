#include "command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "spawn.h"

static const char USUAL_PATH[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static const char *search_path(const struct exec_request *command) {
    for (char **e = command->environment; *e != NULL; e++) {
        if (strncmp(*e, "PATH=", 5) == 0) return *e + 5;
    }
    return USUAL_PATH;
}

/* Returns only on failure: with the errno of the exec, but ENOEXEC for a file that is there and whose interpreter is
 * not, which the kernel calls ENOENT too. */
static int try(const char *path, const struct exec_request *command) {
    execve(path, command->arguments, command->environment);
    int error = errno;
    if (error == ENOENT && access(path, F_OK) == 0) return ENOEXEC;
    return error;
}

static bool means_not_here(int error) { return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP; }

__attribute__((noreturn)) static void explain(const char *name, int error) {
    if (means_not_here(error)) spawn_give_up(COMMAND_NOT_FOUND, "The command %.100s was not found.", name);
    if (error == E2BIG) spawn_give_up(OUT_OF_RESOURCES, "The arguments and the environment are too long.");
    if (error == ENOMEM || error == EAGAIN) spawn_give_up(OUT_OF_RESOURCES, "The guest has no memory for %.100s.", name);
    const char *reason = error == ENOEXEC ? "unknown format, or its interpreter is missing" : strerror(error);
    spawn_give_up(COMMAND_NOT_EXECUTABLE, "The command %.100s cannot be executed: %s.", name, reason);
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
        static char path[4096];
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
