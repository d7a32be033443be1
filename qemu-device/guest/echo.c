// SPDX-License-Identifier: Apache-2.0
#include "echo.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ECHO_IDENTIFIER 0x8100
#define ECHO_DATA 56

struct request {
    struct icmphdr head;
    uint8_t data[ECHO_DATA];
};

static uint64_t guest_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint16_t checksum_of(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t sum = 0;

    for (size_t i = 0; i + 1 < size; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~((sum & 0xffff) + (sum >> 16));
}

static void fill(struct request *r, uint16_t sequence)
{
    memset(r, 0, sizeof *r);
    r->head.type = ICMP_ECHO;
    r->head.un.echo.id = htons(ECHO_IDENTIFIER);
    r->head.un.echo.sequence = htons(sequence);
    for (int i = 0; i < ECHO_DATA; i++)
        r->data[i] = (uint8_t)i;
    r->head.checksum = htons(checksum_of(r, sizeof *r));
}

// Waits for the reply; other ICMP messages are passed over. False after a second without one.
static bool receive(int s, uint16_t sequence)
{
    uint8_t packet[2048];
    ssize_t n;

    while ((n = recv(s, packet, sizeof packet, 0)) > 0) {
        size_t header = (packet[0] & 15u) * 4u;
        const struct icmphdr *icmp = (const void *)(packet + header);

        if ((size_t)n >= header + sizeof *icmp && icmp->type == ICMP_ECHOREPLY &&
            icmp->un.echo.id == htons(ECHO_IDENTIFIER) && icmp->un.echo.sequence == htons(sequence))
            return true;
    }
    return false;
}

int echo_main(int argc, char **argv, uint64_t (*model_time)(void))
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct timeval limit = {.tv_sec = 1};
    const char *separator = "";
    int lost = 0;

    if (argc != 3 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
        fprintf(stderr, "usage: echo ADDRESS COUNT\n");
        return 2;
    }
    int s = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

    if (s < 0 || setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
        perror("echo: socket");
        return 1;
    }
    // The first reading of a clock takes page faults with it.
    model_time();
    guest_time();
    printf("{\"echoes\": [");
    for (uint16_t i = 1; i <= atoi(argv[2]); i++) {
        struct request r;

        fill(&r, i);
        uint64_t before = model_time();
        uint64_t start = guest_time();
        ssize_t sent = sendto(s, &r, sizeof r, 0, (struct sockaddr *)&to, sizeof to);
        bool back = sent == sizeof r && receive(s, i);
        uint64_t end = guest_time();
        uint64_t after = model_time();

        lost += !back;
        if (back)
            printf("%s\n  {\"sequence\": %u, \"rtt_ns\": %llu, \"before_ns\": %llu, \"after_ns\": %llu}", separator, i,
                   (unsigned long long)(end - start), (unsigned long long)before, (unsigned long long)after);
        separator = back ? "," : separator;
        usleep(5000);
    }
    printf("\n], \"lost\": %d}\n", lost);
    return lost != 0;
}
