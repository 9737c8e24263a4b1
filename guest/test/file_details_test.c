/* STAT and LIST with DETAILS, and LIST of what is below. */
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <sys/xattr.h>

#include "files_work.h"

/* All that an operation tells, a line for each record. */
static char told[16384];

static void tell(const char *format, ...) {
    va_list arguments;
    size_t length = strlen(told);
    va_start(arguments, format);
    CHECK(vsnprintf(told + length, sizeof told - length, format, arguments) < (int)(sizeof told - length));
    va_end(arguments);
}

static bool take(int from, uint8_t *bytes, size_t length) {
    for (size_t have = 0; have < length;) {
        ssize_t n = read(from, bytes + have, length - have);
        CHECK(n >= 0 && (n > 0 || have == 0));
        if (n == 0) return false;
        have += (size_t)n;
    }
    return true;
}

#define PRINT(text) (int)(text).length, (text).bytes

static int run_telling(const struct file_request *request) {
    static uint8_t bytes[RECORD_MAX];
    int error = -1;
    struct child child = start(request);
    close(child.to);
    told[0] = '\0';
    while (take(child.from, bytes, RECORD_HEADER)) {
        uint32_t type = get32(bytes), length = get32(bytes + 4);
        CHECK(error == -1 && length <= RECORD_BODY_MAX);
        CHECK(length == 0 || take(child.from, bytes + RECORD_HEADER, length));
        struct cursor cursor = {.next = bytes + RECORD_HEADER, .left = length};
        struct record record;
        size_t taken;
        switch (type) {
            case RECORD_ENTRY:
                CHECK(record_decode(bytes, sizeof bytes, &record, &taken) == RECORD_WHOLE);
                tell("entry %.*s\n", PRINT(record.entry.name));
                break;
            case RECORD_DETAILS: {
                struct text owner = cursor_text(&cursor), group = cursor_text(&cursor), real = cursor_text(&cursor);
                CHECK(cursor_done(&cursor));
                tell("of %.*s:%.*s at %.*s\n", PRINT(owner), PRINT(group), PRINT(real));
                break;
            }
            case RECORD_ATTRIBUTE: {
                struct text name = cursor_text(&cursor), value = cursor_blob(&cursor);
                CHECK(cursor_done(&cursor));
                tell("%.*s=%.*s\n", PRINT(name), PRINT(value));
                break;
            }
            case RECORD_DONE: error = 0; break;
            default: CHECK(type == RECORD_FAILED); error = (int)get32(bytes + RECORD_HEADER);
        }
    }
    close(child.from);
    CHECK(wait_for(&child) == (error == 0 ? 0 : 1));
    return error;
}

static bool tells(const char *line) { return strstr(told, line) != NULL; }

/* The details of the tester's file at a path, whose real path has no links. */
static const char *of(const char *real) {
    static char line[PATH_MAX + 512];
    struct passwd *user = getpwuid(geteuid());
    struct group *group = getgrgid(getegid());
    snprintf(line, sizeof line, "of %s:%s at %s\n", user == NULL ? "" : user->pw_name, group == NULL ? "" : group->gr_name, real);
    return line;
}

static void a_file_is_told_with_its_details(void) {
    char real[PATH_MAX];
    CHECK(realpath(work, real) != NULL && mkdir(at("s"), 0755) == 0);
    make_file(at("s/file"), "x", 0644);
    CHECK(setxattr(at("s/file"), "user.one", "1", 1, 0) == 0 && setxattr(at("s/file"), "user.none", "", 0, 0) == 0);
    CHECK(symlink("file", at("s/link")) == 0 && symlink("nothing", at("s/dangling")) == 0);
    strcat(real, "/s/file");
    for (uint32_t follow = 0; follow < 2; follow++) {
        uint32_t flags = follow | FILE_DETAILS;
        CHECK(run_telling(&(struct file_request){.operation = FILE_STAT, .flags = flags, .path = at("s/../s/file")}) == 0);
        CHECK(tells(of(real)) && tells("\nuser.one=1\n") && tells("\nuser.none=\n"));
        /* Of a link that is not followed where it leads to is told, and nothing of what is there. */
        CHECK(run_telling(&(struct file_request){.operation = FILE_STAT, .flags = flags, .path = at("s/link")}) == 0);
        CHECK(tells(of(real)) && tells("user.one") == (follow == 1));
    }
    CHECK(run_telling(&(struct file_request){.operation = FILE_STAT, .flags = FILE_DETAILS, .path = at("s/dangling")}) == 0);
    CHECK(tells(of("")) && !tells("user."));
    CHECK(run_telling(&(struct file_request){.operation = FILE_STAT, .path = at("s/file")}) == 0 && !tells("of ") && !tells("user."));
}

static void owners_without_a_name_have_none(void) {
    if (geteuid() != 0) return;
    make_file(at("strange"), "x", 0644);
    CHECK(chown(at("strange"), 4000000001u, 4000000002u) == 0);
    CHECK(run_telling(&(struct file_request){.operation = FILE_STAT, .flags = FILE_DETAILS, .path = at("strange")}) == 0);
    CHECK(tells("of : at /"));
}

static int list_to(const char *path, uint64_t depth, uint32_t flags) {
    return run_telling(&(struct file_request){
        .operation = FILE_LIST, .flags = flags | (depth > 0 ? LIST_TREE : 0u), .length = depth, .path = path});
}

static void a_listing_is_as_deep_as_asked(void) {
    CHECK(mkdir(at("l"), 0755) == 0 && mkdir(at("l/a"), 0755) == 0 && mkdir(at("l/a/b"), 0755) == 0);
    make_file(at("l/a/b/deep"), "x", 0600);
    make_file(at("l/a/file"), "x", 0600);
    CHECK(symlink("a", at("l/to a")) == 0);
    for (uint64_t depth = 0; depth < 2; depth++) {
        CHECK(list_to(at("l"), depth, 0) == 0 && tells("entry a\n") && tells("entry to a\n") && !tells("a/"));
    }
    CHECK(list_to(at("l"), 2, 0) == 0 && tells("entry a\n") && tells("entry a/b\n") && tells("entry a/file\n"));
    CHECK(!tells("a/b/") && !tells("to a/"));
    CHECK(list_to(at("l"), LIST_DEPTH_MAX, 0) == 0 && tells("entry a/b/deep\n") && !tells("to a/"));
    CHECK(strstr(told, "entry a\n") < strstr(told, "entry a/b\n"));
    CHECK(list_to(at("l/to a"), 3, 0) == 0 && tells("entry b/deep\n")); /* the path itself may be a link */
    CHECK(setxattr(at("l/a/b/deep"), "user.below", "2", 1, 0) == 0);
    char real[PATH_MAX];
    CHECK(realpath(work, real) != NULL);
    CHECK(list_to(at("l"), 3, FILE_DETAILS) == 0 && tells(of(strcat(real, "/l/a/b/deep"))) && tells("\nuser.below=2\n"));
    real[strlen(real) - strlen("/b/deep")] = '\0';
    const char *link = strstr(told, "entry to a\n");
    CHECK(link != NULL && strncmp(link + strlen("entry to a\n"), of(real), strlen(of(real))) == 0);
}

static void a_directory_is_followed_no_deeper_than_64(void) {
    char path[4096];
    strcpy(path, at("deep"));
    CHECK(mkdir(path, 0755) == 0);
    for (int i = 0; i < LIST_DEPTH_MAX + 1; i++) CHECK(mkdir(strcat(path, "/d"), 0755) == 0);
    CHECK(list_to(at("deep"), LIST_DEPTH_MAX, FILE_DETAILS) == 0);
    int entries = 0;
    for (const char *line = told; (line = strstr(line, "entry ")) != NULL; line++) entries++;
    CHECK(entries == LIST_DEPTH_MAX);
}

/* Root reads everything. */
static void what_may_not_be_read_is_told_and_passed_over(void) {
    if (geteuid() == 0) return;
    CHECK(mkdir(at("p"), 0755) == 0 && mkdir(at("p/shut"), 0755) == 0 && mkdir(at("p/flat"), 0755) == 0);
    make_file(at("p/shut/x"), "x", 0600);
    make_file(at("p/flat/x"), "x", 0600);
    CHECK(chmod(at("p/shut"), 0) == 0 && chmod(at("p/flat"), 0400) == 0);
    CHECK(list_to(at("p"), 5, FILE_DETAILS) == 0 && tells("entry shut\n") && tells("entry flat\n") && !tells("/x\n"));
    CHECK(list_to(at("p/shut"), 5, 0) == EACCES && list_to(at("p/flat"), 5, 0) == EACCES);
    CHECK(chmod(at("p/shut"), 0700) == 0 && chmod(at("p/flat"), 0700) == 0); /* to be removed */
}

int main(void) {
    begin_work();
    a_file_is_told_with_its_details();
    owners_without_a_name_have_none();
    a_listing_is_as_deep_as_asked();
    a_directory_is_followed_no_deeper_than_64();
    what_may_not_be_read_is_told_and_passed_over();
    end_work();
    fprintf(stderr, "file details: ok\n");
    return 0;
}
