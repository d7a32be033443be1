// SPDX-License-Identifier: Apache-2.0
// The agent in a guest: takes commands from the harness function (harness_layout.h), runs each in a shell, writes what it
// prints, and the files it asks for, as records to the second serial port, and reports its exit code to the function.
// Static, no dependencies. Usage: agent [serial port], default /dev/ttyS1; or agent echo ADDRESS COUNT (echo.h).
//
// A command may leave processes in the background: the agent waits for the shell only, then takes what is in the pipe.
// Built in: `fetch-file PATH`, as a whole command, returns a file.
#define _GNU_SOURCE
#include "../harness_layout.h"
#include "echo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define AGENT_VERSION 1

static volatile uint8_t *harness;
static int serial = -1;

static uint32_t read_register(uint32_t offset)
{
    return *(volatile uint32_t *)(harness + offset);
}

static void write_register(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(harness + offset) = value;
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// CRC-32 of IEEE 802.3, reflected, as zlib computes it.
static uint32_t crc32_of(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    crc = ~crc;
    while (size--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void write_all(const void *data, size_t size)
{
    const char *from = data;

    while (size > 0) {
        ssize_t n = write(serial, from, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; // nobody left to tell; RESULT still goes through the function
        from += n;
        size -= (size_t)n;
    }
}

static void send_record(uint32_t step, uint16_t kind, const void *data, uint16_t length)
{
    struct vg810_record_head head = {VG810_RECORD_MAGIC, step, kind, length, 0};

    head.crc = crc32_of(crc32_of(0, &head, sizeof head), data, length);
    write_all(&head, sizeof head);
    write_all(data, length);
}

static void send_number(uint32_t step, uint16_t kind, uint32_t value)
{
    send_record(step, kind, &value, sizeof value);
}

static uint32_t return_file(uint32_t step, const char *path)
{
    static char piece[VG810_RECORD_MAX_LENGTH];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int error = file < 0 ? errno : 0;
    ssize_t n = 0;

    send_record(step, VG810_RECORD_FILE_NAME, path, (uint16_t)strlen(path));
    while (!error && (n = read(file, piece, sizeof piece)) != 0) {
        if (n < 0)
            error = errno;
        else
            send_record(step, VG810_RECORD_FILE_DATA, piece, (uint16_t)n);
    }
    if (file >= 0)
        close(file);
    send_number(step, VG810_RECORD_FILE_END, (uint32_t)error);
    return error ? 1 : 0;
}

// Sends what is in the pipe, without waiting. False at its end (no process holds it any more).
static bool drain(uint32_t step, int pipe_end)
{
    static char piece[VG810_RECORD_MAX_LENGTH];
    ssize_t n;

    while ((n = read(pipe_end, piece, sizeof piece)) > 0)
        send_record(step, VG810_RECORD_OUTPUT, piece, (uint16_t)n);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static pid_t start_shell(const char *command, int output)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    int nothing = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close_range(3, ~0u, 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

// Waits for the shell, sending its output meanwhile. Returns the value for RESULT.
static uint32_t wait_for_shell(uint32_t step, pid_t shell, int pipe_end, uint32_t timeout_ms)
{
    const int64_t deadline = now_ms() + timeout_ms;
    int shell_end = (int)syscall(SYS_pidfd_open, shell, 0);
    bool open_pipe = true, timed_out = false;
    int status = 0;

    for (;;) {
        struct pollfd watch[2] = {{shell_end, POLLIN, 0}, {open_pipe ? pipe_end : -1, POLLIN, 0}};
        int64_t left = timeout_ms ? deadline - now_ms() : 60000;

        if (left <= 0) {
            timed_out = true;
            kill(-shell, SIGKILL);
            waitpid(shell, &status, 0);
            break;
        }
        if (poll(watch, 2, (int)left) < 0 && errno != EINTR)
            break;
        if (watch[1].revents)
            open_pipe = drain(step, pipe_end);
        if (watch[0].revents && waitpid(shell, &status, WNOHANG) == shell)
            break;
    }
    close(shell_end);
    drain(step, pipe_end);
    if (timed_out)
        return VG810_HARNESS_RESULT_TIMEOUT;
    return WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 128u + (uint32_t)WTERMSIG(status);
}

static uint32_t run(uint32_t step, const char *command, uint32_t timeout_ms)
{
    int ends[2];
    uint32_t result = VG810_HARNESS_RESULT_FAILED;

    if (!strncmp(command, "fetch-file ", 11))
        return return_file(step, command + 11);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return result;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t shell = start_shell(command, ends[1]);

    close(ends[1]);
    if (shell > 0)
        result = wait_for_shell(step, shell, ends[0], timeout_ms);
    close(ends[0]);
    return result;
}

static void run_step(void)
{
    static char command[VG810_HARNESS_COMMAND_SIZE + 4];
    uint32_t step = read_register(VG810_HARNESS_STEP);
    uint32_t length = read_register(VG810_HARNESS_COMMAND_LENGTH);

    if (length > VG810_HARNESS_COMMAND_SIZE)
        length = VG810_HARNESS_COMMAND_SIZE;
    for (uint32_t i = 0; i < length; i += 4) {
        uint32_t word = read_register(VG810_HARNESS_COMMAND_TEXT + i);

        memcpy(command + i, &word, sizeof word);
    }
    command[length] = '\0';
    uint32_t result = run(step, command, read_register(VG810_HARNESS_TIMEOUT_MS));

    send_number(step, VG810_RECORD_EXIT, result);
    tcdrain(serial);
    write_register(VG810_HARNESS_RESULT, result);
}

static bool file_says(const char *device, const char *name, unsigned expected)
{
    char path[512], text[32] = "";
    int fd;

    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 && strtoul(text, NULL, 0) == expected;
}

// Enables the function and maps its BAR 0.
static volatile uint8_t *map_function(const char *device)
{
    char path[512];
    int fd;

    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/enable", device);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "1", 1) != 1)
        return NULL;
    close(fd);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource0", device);
    fd = open(path, O_RDWR | O_CLOEXEC | O_SYNC);
    if (fd < 0)
        return NULL;
    void *mapped = mmap(NULL, VG810_HARNESS_BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static bool find_harness(void)
{
    DIR *devices = opendir("/sys/bus/pci/devices");
    struct dirent *entry;

    if (!devices)
        return false;
    while (!harness && (entry = readdir(devices)))
        if (file_says(entry->d_name, "vendor", VG810_HARNESS_VENDOR_ID) &&
            file_says(entry->d_name, "device", VG810_HARNESS_DEVICE_ID))
            harness = map_function(entry->d_name);
    closedir(devices);
    return harness && read_register(VG810_HARNESS_MAGIC) == VG810_HARNESS_MAGIC_VALUE &&
           read_register(VG810_HARNESS_VERSION) == VG810_HARNESS_VERSION_VALUE;
}

static bool open_serial(const char *path)
{
    struct termios raw;

    serial = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (serial < 0 || tcgetattr(serial, &raw) != 0)
        return false;
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    return tcsetattr(serial, TCSANOW, &raw) == 0;
}

static uint64_t model_time(void)
{
    uint32_t low = read_register(VG810_HARNESS_TIME);

    return (uint64_t)read_register(VG810_HARNESS_TIME_HIGH) << 32 | low;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "echo") == 0) {
        if (find_harness())
            return echo_main(argc - 1, argv + 1, model_time);
        fprintf(stderr, "agent: no harness function\n");
        return 1;
    }

    const char *port = argc > 1 ? argv[1] : "/dev/ttyS1";

    if (!open_serial(port)) {
        fprintf(stderr, "agent: %s: %s\n", port, strerror(errno));
        return 1;
    }
    if (!find_harness()) {
        fprintf(stderr, "agent: no harness function of version %u\n", VG810_HARNESS_VERSION_VALUE);
        return 1;
    }
    send_record(0, VG810_RECORD_HELLO, NULL, 0);
    write_register(VG810_HARNESS_HELLO, AGENT_VERSION);
    for (;;) {
        switch (read_register(VG810_HARNESS_STATE)) {
        case VG810_HARNESS_RUN:
            run_step();
            break;
        case VG810_HARNESS_POWER_OFF:
            return 0;
        default:
            usleep(read_register(VG810_HARNESS_WAIT_US));
        }
    }
}
