/* What DIR/ports may say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "../src/ports_file.h"

#define CHECK(condition) ((condition) ? (void)0 : (printf("ports_file_test.c:%d: not as expected\n", __LINE__), exit(1)))

static struct ports_file file;

static bool reads(const char *text) { return ports_file_parse(text, strlen(text), &file); }

int main(void) {
    CHECK(reads("7\n") && file.number == 7 && file.count == 0);
    CHECK(reads("8\n127.0.0.1:8080:80\n0.0.0.0:0:65535\n") && file.number == 8 && file.count == 2);
    CHECK(file.list[0].address == htonl(INADDR_LOOPBACK) && file.list[0].port == htons(8080) && file.list[0].guest_port == 80);
    CHECK(file.list[1].address == 0 && file.list[1].port == 0 && file.list[1].guest_port == 65535);
    static const char *const wrong[] = {
        "", "7", "\n", "x\n", "-1\n", "1234567890123456\n", "1\n127.0.0.1:1:1", "1\n127.0.0.1:1\n", "1\n127.0.0.1:1:0\n",
        "1\n127.0.0.1:65536:1\n", "1\n127.0.0.1:1:65536\n", "1\n::1:1:1\n", "1\nlocalhost:1:1\n", "1\n127.0.0.1111111111:1:1\n",
        "1\n127.0.0.1:1:1:\n", "1\n\n", "1\n:1:1\n", "1\n127.0.0.1: 1:1\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!reads(wrong[i]));
    char many[PORTS_FILE_MAX] = "1\n";
    for (int i = 0; i < FORWARDED_PORTS; i++) strcat(many, "127.0.0.1:1:1\n");
    CHECK(reads(many) && file.count == FORWARDED_PORTS);
    CHECK(!reads(strcat(many, "127.0.0.1:1:1\n")));
    return 0;
}
