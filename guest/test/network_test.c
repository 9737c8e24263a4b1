/* Which networks a CONFIGURE may bring. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/configure_request.h"
#include "wire/frame.h"
#include "check.h"

static uint8_t payload[1024];
static size_t length;

static void put(const void *bytes, size_t count) {
    memcpy(payload + length, bytes, count);
    length += count;
}

static void number(uint32_t value) {
    uint8_t bytes[4];
    put32(bytes, value);
    put(bytes, sizeof bytes);
}

/* Texts are separated by blanks. */
static void texts(const char *list) {
    uint32_t count = 0;
    size_t at = length;
    number(0);
    for (const char *next = list; *next != '\0';) {
        size_t size = strcspn(next, " ");
        number((uint32_t)size);
        put(next, size);
        next += size + (next[size] == ' ');
        count++;
    }
    put32(payload + at, count);
}

static int code_of(uint32_t mtu, const char *mac, const char *addresses, const char *gateways, const char *servers) {
    static struct configure_request request;
    const char *sentence = "";
    length = 0;
    number(7);
    number(0);
    number(mtu);
    number(mac == NULL ? 0 : 6);
    if (mac != NULL) put(mac, 6);
    texts(addresses);
    texts(gateways);
    texts(servers);
    put32(payload + 4, (uint32_t)length - 8);
    int code = configure_request_parse(payload, length, &request, &sentence);
    CHECK(code == 0 || strlen(sentence) > 5);
    return code;
}

static void a_machine_s_network_is_taken(void) {
    CHECK(code_of(0, NULL, "", "", "") == 0);
    CHECK(code_of(1400, "\x02\xc1\x0c\x00\x00\x01", "10.203.0.15/24", "10.203.0.2", "10.203.0.3") == 0);
    CHECK(code_of(1280, NULL, "fd00::15/64 fe80::15/64 10.0.0.1/8 192.0.2.7/32", "fe80::1 10.0.0.2", "::1 127.0.0.53") == 0);
    CHECK(code_of(0, NULL, "10.0.0.0/31", "10.0.0.1", "") == 0);
    CHECK(code_of(0, NULL, "10.0.1.0/16 10.0.0.255/16", "192.0.2.1", "") == 0);
}

static void an_address_that_is_no_machine_s_own_is_refused(void) {
    static const char *const wrong[] = {
        "0.0.0.0/8", "0.1.2.3/8", "127.0.0.1/8", "224.0.0.1/4", "240.0.0.1/4", "255.255.255.255/32", "10.0.0.1/0",
        "10.0.0.0/24", "10.0.0.255/24", "10.3.255.255/14", "::/64", "::1/128", "ff02::1/64", "::ffff:10.0.0.1/96",
        "fd00::1/0", "10.0.0.1/24 10.0.0.1/16", "fd00::1/64 fd00:0::1/64",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(code_of(0, NULL, wrong[i], "", "") == BAD_REQUEST);
    }
}

static void a_gateway_that_leads_nowhere_is_refused(void) {
    static const char *const wrong[] = {"0.0.0.0", "127.0.0.1", "224.0.0.5", "255.255.255.255", "10.0.0.15", "fe80::1", "::"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(code_of(0, NULL, "10.0.0.15/24", wrong[i], "") == BAD_REQUEST);
    }
    CHECK(code_of(0, NULL, "", "10.0.0.2", "") == BAD_REQUEST);
    CHECK(code_of(0, NULL, "10.0.0.15/24", "10.0.0.2 ::1", "") == BAD_REQUEST);
}

static void a_name_server_that_is_no_machine_is_refused(void) {
    static const char *const wrong[] = {"0.0.0.0", "239.0.0.1", "255.255.255.255", "::", "ff02::fb", "::ffff:1.1.1.1", "1.1.1.1 ::"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(code_of(0, NULL, "", "", wrong[i]) == BAD_REQUEST);
    }
}

static void a_link_that_no_driver_takes_is_refused(void) {
    CHECK(code_of(67, NULL, "", "", "") == BAD_REQUEST);
    CHECK(code_of(65536, NULL, "", "", "") == BAD_REQUEST);
    CHECK(code_of(1279, NULL, "fd00::1/64", "", "") == BAD_REQUEST);
    CHECK(code_of(0, "\x01\x00\x5e\x00\x00\x01", "", "", "") == BAD_REQUEST);
    CHECK(code_of(0, "\xff\xff\xff\xff\xff\xff", "", "", "") == BAD_REQUEST);
    CHECK(code_of(0, "\0\0\0\0\0\0", "", "", "") == BAD_REQUEST);
}

int main(void) {
    a_machine_s_network_is_taken();
    an_address_that_is_no_machine_s_own_is_refused();
    a_gateway_that_leads_nowhere_is_refused();
    a_name_server_that_is_no_machine_is_refused();
    a_link_that_no_driver_takes_is_refused();
    printf("network: ok\n");
    return 0;
}
