#include "sys/accounts.h"

#include <string.h>

#include "check.h"

static const char PASSWD[] =
    "root:x:0:0:root:/root:/bin/sh\n"
    "\n"
    "broken\n"
    "nouid:x::1::/:\n"
    "negative:x:-1:1::/:\n"
    "huge:x:4294967295:1::/:\n"
    "most:x:4294967294:1::/m:\n"
    "bob:x:1000:1001:Bob, the builder:/home/bob:/bin/sh:extra\n"
    "bob:x:2000:2000::/other:\n"
    "short:x:5:6:c:/short";
static const char GROUP[] = "root:x:0:\nwheel:x:10:root,bob\nbo:x:11:bobby,bo\nempty:x:12:\nbad:x:z:bob\nlast:x:13:a,,bob";

static void users_are_found(void) {
    struct account a;
    size_t n = sizeof PASSWD - 1;
    CHECK(account_by_name(PASSWD, n, "bob", &a) && a.uid == 1000 && a.gid == 1001 && strcmp(a.home, "/home/bob") == 0);
    CHECK(account_by_uid(PASSWD, n, 0, &a) && strcmp(a.name, "root") == 0);
    CHECK(account_by_name(PASSWD, n, "short", &a) && a.uid == 5 && strcmp(a.home, "/short") == 0);
    CHECK(account_by_name(PASSWD, n, "most", &a) && a.uid == 4294967294);
    const char *none[] = {"", "bo", "bobb", "broken", "nouid", "negative", "huge", "root:x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) CHECK(!account_by_name(PASSWD, n, none[i], &a));
    CHECK(!account_by_uid(PASSWD, n, 4242, &a) && !account_by_name(NULL, 0, "root", &a));
}

static void groups_are_found(void) {
    gid_t gid, groups[4];
    size_t n = sizeof GROUP - 1;
    CHECK(group_by_name(GROUP, n, "wheel", &gid) && gid == 10);
    CHECK(!group_by_name(GROUP, n, "bad", &gid) && !group_by_name(GROUP, n, "", &gid));
    char name[ACCOUNT_NAME_MAX];
    CHECK(group_by_gid(GROUP, n, 10, name) && strcmp(name, "wheel") == 0);
    CHECK(group_by_gid(GROUP, n, 13, name) && strcmp(name, "last") == 0 && !group_by_gid(GROUP, n, 14, name));
    CHECK(groups_of(GROUP, n, "bob", groups, 4) == 2 && groups[0] == 10 && groups[1] == 13);
    CHECK(groups_of(GROUP, n, "bob", groups, 1) == 1);
    CHECK(groups_of(GROUP, n, "bo", groups, 4) == 1 && groups[0] == 11);
    CHECK(groups_of(GROUP, n, "nobody", groups, 4) == 0);
}

static void ids_are_decimal_and_bounded(void) {
    unsigned id;
    CHECK(parse_id("0", 1, &id) && id == 0 && parse_id("007", 3, &id) && id == 7);
    CHECK(!parse_id("", 0, &id) && !parse_id("+1", 2, &id) && !parse_id(" 1", 2, &id) && !parse_id("1x", 2, &id));
    CHECK(!parse_id("4294967295", 10, &id) && !parse_id("99999999999", 11, &id));
}

static void any_bytes_are_survived(void) {
    static const char alphabet[] = "ab:x,\n0123\0:\n";
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        size_t length = random_below(&seed, 200);
        char *bytes = malloc(length + 1);
        for (size_t i = 0; i < length; i++) bytes[i] = alphabet[random_below(&seed, sizeof alphabet - 1)];
        char *exact = malloc(length == 0 ? 1 : length);
        memcpy(exact, bytes, length);
        struct account account;
        gid_t gid, groups[8];
        account_by_name(exact, length, "a", &account);
        if (account_by_uid(exact, length, 1, &account)) CHECK(account.uid == 1 && strlen(account.name) > 0);
        group_by_name(exact, length, "b", &gid);
        CHECK(groups_of(exact, length, "a", groups, 8) <= 8);
        free(exact);
        free(bytes);
    }
}

int main(void) {
    users_are_found();
    groups_are_found();
    ids_are_decimal_and_bounded();
    any_bytes_are_survived();
    fprintf(stderr, "accounts: ok\n");
    return 0;
}
