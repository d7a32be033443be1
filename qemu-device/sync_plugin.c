// SPDX-License-Identifier: GPL-2.0-only
// The time-sync plugin: makes a stock qemu-system (10.1 or newer, -icount shift=0,sleep=off, one vCPU) keep exact time
// with a simulator outside, without a patch to QEMU.
//
// QEMU exports its functions for its own modules, so a TCG plugin can arm a timer on the guest's virtual clock. Under
// -icount the guest cannot execute past a pending timer, busy or asleep: the timer's callback is a stop at an exact time,
// and lasts until the simulator (sync_layout.h) grants more. While the guest's vCPU waits in an access to the simulated
// card, the exact time of that instruction is told, and the timer re-armed if the access made something due: best in
// passing, when the library is also preloaded and so sees the messages of QEMU's vfio-user client; else by a second thread.
//
// Rules that were learnt: the callback must keep QEMU's big lock (at power-off QEMU waits for it under that lock); an
// eventfd that was registered a moment ago is seen by the second aio_poll only; no wait may outlive the simulator.
#define _GNU_SOURCE
#include "sync_layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// From QEMU's include/qemu/timer.h.
enum { QEMU_CLOCK_VIRTUAL = 1, SCALE_NS = 1, QEMU_TIMER_ATTR_ALL = -1 };

// The head of QEMU's qemu_info_t, include/plugins/qemu-plugin.h.
struct plugin_info {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
};

// The head of QEMU's VersionInfo, qapi/control.json.
struct version_info {
    struct {
        int64_t major, minor, micro;
    } *qemu;
};

// QEMU's run_on_cpu_data, include/hw/core/cpu.h.
union run_on_cpu_data {
    void *pointer;
    uint64_t number;
};

EXPORT int qemu_plugin_version = 7;

static struct {
    void (*timer_init_full)(void *timer, void *group, int clock, int scale, int attributes, void (*callback)(void *),
                            void *opaque);
    void (*timer_mod_ns)(void *timer, int64_t expires);
    void (*timer_del)(void *timer);
    int64_t (*qemu_clock_get_ns)(int clock);
    int64_t (*qemu_clock_deadline_ns_all)(int clock, int attributes);
    bool (*all_cpu_threads_idle)(void);
    bool (*qemu_in_vcpu_thread)(void);
    void (*async_run_on_cpu)(void *cpu, void (*work)(void *cpu, union run_on_cpu_data data), union run_on_cpu_data data);
    bool (*aio_poll)(void *context, bool blocking);
    void *(*iohandler_get_aio_context)(void);
    void (*icount_update)(void *cpu);
    void (*icount_start_warp_timer)(void);
    void *(*qemu_get_cpu)(int index);
    void (*qemu_plugin_register_vcpu_init_cb)();
    void (*qemu_plugin_register_atexit_cb)();
} qemu;

static const struct {
    const char *name;
    void *place;
} imports[] = {
#define IMPORT(function) {#function, &qemu.function}
    IMPORT(timer_init_full),
    IMPORT(timer_mod_ns),
    IMPORT(timer_del),
    IMPORT(qemu_clock_get_ns),
    IMPORT(qemu_clock_deadline_ns_all),
    IMPORT(all_cpu_threads_idle),
    IMPORT(qemu_in_vcpu_thread),
    IMPORT(async_run_on_cpu),
    IMPORT(aio_poll),
    IMPORT(iohandler_get_aio_context),
    IMPORT(icount_update),
    IMPORT(icount_start_warp_timer),
    IMPORT(qemu_get_cpu),
    IMPORT(qemu_plugin_register_vcpu_init_cb),
    IMPORT(qemu_plugin_register_atexit_cb),
#undef IMPORT
};

static struct vg810_sync_page *page;
static int notify_fd = -1;                                   // eventfd: a stop or an end
static int alive_fd = -1;                                    // pipe whose other end only the simulator holds
static int64_t spin_ns = 5000;                               // spin this long before sleeping on a futex
static unsigned char timer[512] __attribute__((aligned(64))); // room for a QEMUTimer (about 64 bytes)

// A stop in a row may be served without returning to QEMU, as long as the guest sleeps; but QEMU's main loop, which
// wants the big lock for a power-off or a signal, must get its turn.
enum { MAX_STOPS_IN_A_ROW = 64 };

static int fail(const char *format, ...)
{
    char text[VG810_SYNC_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "vg810-sync: %s\n", text);
    if (page) {
        memcpy(page->error, text, sizeof text);
        __atomic_store_n(&page->stop.phase, VG810_SYNC_FAILED, __ATOMIC_RELEASE);
        __atomic_add_fetch(&page->stop.sequence, 1, __ATOMIC_RELEASE);
    }
    return -1;
}

static int64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

// The simulator is the only one to hold the other end of the pipe: its end ends QEMU, whatever QEMU waits for.
static void *watch_simulator(void *opaque)
{
    struct pollfd end = {.fd = alive_fd, .events = POLLIN};

    (void)opaque;
    while (poll(&end, 1, -1) <= 0)
        ;
    _exit(3);
}

// Waits until *word differs from `seen`; returns its new value.
static uint32_t wait_for_change(uint32_t *word, uint32_t seen)
{
    const int64_t spin_until = monotonic_ns() + spin_ns;
    uint32_t value;

    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == seen && monotonic_ns() < spin_until)
        for (int i = 0; i < 32; i++)
            __builtin_ia32_pause();
    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == seen)
        syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
    return value;
}

static void notify(void)
{
    const uint64_t one = 1;

    // Fails only when the counter is full: then it is readable, and nothing is lost.
    (void)!write(notify_fd, &one, sizeof one);
}

static void publish(uint32_t phase)
{
    __atomic_store_n(&page->stop.phase, phase, __ATOMIC_RELEASE);
    __atomic_add_fetch(&page->stop.sequence, 1, __ATOMIC_RELEASE);
}

static void report_stop(void)
{
    const int64_t now = qemu.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    const int64_t left = qemu.qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL);

    page->stop.now_ns = now;
    page->stop.next_timer_ns = left < 0 ? VG810_SYNC_NEVER : now + left;
    page->stop.halted = qemu.all_cpu_threads_idle();
    publish(VG810_SYNC_STOPPED);
}

static void deliver_interrupts(void)
{
    for (int i = 0; i < 2; i++)
        qemu.aio_poll(qemu.iohandler_get_aio_context(), false);
}

// Serves the simulator's commands until a grant; returns its end.
static int64_t wait_for_grant(void)
{
    static uint32_t seen;

    for (;;) {
        seen = wait_for_change(&page->order.sequence, seen);
        if (page->order.command == VG810_SYNC_GRANT)
            return page->order.until_ns;
        deliver_interrupts();
        report_stop();
        futex_wake(&page->stop.sequence);
    }
}

// The guest stands at the granted time; runs in the vCPU's thread, under the big lock. A sleeping guest's clock is moved to
// its next timer there and then (as QEMU's main thread would do, sleep=off); if that is ours, the next stop is already here.
static void serve_stops(void)
{
    for (int stops = 1;; stops++) {
        report_stop();
        notify();
        const int64_t until = wait_for_grant();
        __atomic_store_n(&page->stop.phase, VG810_SYNC_RUNNING, __ATOMIC_RELEASE);
        qemu.timer_mod_ns(timer, until);
        if (stops >= MAX_STOPS_IN_A_ROW || !qemu.all_cpu_threads_idle())
            return;
        qemu.icount_start_warp_timer();
        if (qemu.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) < until)
            return;
        qemu.timer_del(timer);
        if (qemu.qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL) == 0) {
            qemu.timer_mod_ns(timer, until); // another timer is due too: let QEMU run both
            return;
        }
    }
}

static void serve_stops_as_work(void *cpu, union run_on_cpu_data data)
{
    (void)cpu, (void)data;
    serve_stops();
}

// The timer expires in QEMU's main thread when the guest sleeps. The vCPU's thread takes over then: it executes no
// guest instruction before the work queued for it, and only there do stops in a row and a reliable answer to "is the
// vCPU asleep" work (queued work counts as awake).
static void on_deadline(void *opaque)
{
    (void)opaque;
    if (qemu.qemu_in_vcpu_thread())
        serve_stops();
    else
        qemu.async_run_on_cpu(qemu.qemu_get_cpu(0), serve_stops_as_work, (union run_on_cpu_data){.number = 0});
}

static void cut_grant(uint32_t question)
{
    if (page->question.cut_ns != VG810_SYNC_NO_CUT)
        qemu.timer_mod_ns(timer, page->question.cut_ns);
    __atomic_store_n(&page->answer.sequence, question, __ATOMIC_RELEASE);
}

// The vCPU is blocked in an access to the card, so nothing moves under us: bring QEMU's instruction count up to that
// very instruction and read the clock.
static void *answer_questions(void *opaque)
{
    uint32_t seen = 0;

    (void)opaque;
    for (;;) {
        seen = wait_for_change(&page->question.sequence, seen);
        for (int i = 0; qemu.qemu_get_cpu(i); i++)
            qemu.icount_update(qemu.qemu_get_cpu(i));
        page->answer.now_ns = qemu.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        cut_grant(seen);
        futex_wake(&page->answer.sequence);
    }
    return NULL;
}

static ssize_t (*next_sendmsg)(int fd, const struct msghdr *message, int flags);
static ssize_t (*next_recvmsg)(int fd, struct msghdr *message, int flags);
static bool sees_messages;

// A vfio-user request that the simulator answers at its time: set_irqs, region read and write, reset. Its head: id,
// command, size, flags (QEMU docs/interop/vfio-user.rst).
static bool is_access(const struct msghdr *message)
{
    uint32_t head[4];
    uint16_t command;

    if (message->msg_iovlen != 1 || message->msg_iov->iov_len < sizeof head)
        return false;
    memcpy(head, message->msg_iov->iov_base, sizeof head);
    command = (uint16_t)(head[0] >> 16);
    return head[1] == message->msg_iov->iov_len && (head[2] & 0xf) == 0 &&
           ((command >= 8 && command <= 10) || command == 13);
}

// In the vCPU's thread the clock, read in an access, counts up to that very instruction.
EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (sees_messages && is_access(message))
        page->answer.now_ns = qemu.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    return next_sendmsg(fd, message, flags);
}

// The reply to an access is read here before the vCPU goes on: the last moment to cut the grant.
EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    const ssize_t received = next_recvmsg(fd, message, flags);

    if (sees_messages && received > 0) {
        const uint32_t question = __atomic_load_n(&page->question.sequence, __ATOMIC_ACQUIRE);

        if (question != page->answer.sequence)
            cut_grant(question);
    }
    return received;
}

static void start_thread(void *(*body)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, NULL) == 0)
        return;
    fail("cannot start a thread");
    notify();
    _exit(1);
}

// Before the first instruction: the first stop is at time 0.
static void start(void)
{
    static bool started;
    const int *use_icount = dlsym(RTLD_DEFAULT, "use_icount");

    if (started)
        return;
    started = true;
    if (use_icount && !*use_icount) {
        fail("QEMU runs without -icount: the guest's clock would not stop");
        notify();
        _exit(1);
    }
    start_thread(watch_simulator);
    sees_messages = dlsym(RTLD_DEFAULT, "sendmsg") == (void *)sendmsg;
    page->inline_time = sees_messages;
    if (!sees_messages)
        start_thread(answer_questions);
    qemu.timer_init_full(timer, NULL, QEMU_CLOCK_VIRTUAL, SCALE_NS, 0, on_deadline, NULL);
    qemu.timer_mod_ns(timer, 0);
}

static void end(void)
{
    publish(VG810_SYNC_EXITED);
    futex_wake(&page->stop.sequence);
    notify();
}

// Since interface version 7 QEMU's callbacks lost their plugin id and gained user data.
static void on_vcpu_init_7(unsigned vcpu, void *data)
{
    (void)vcpu, (void)data;
    start();
}

static void on_vcpu_init_old(uint64_t id, unsigned vcpu)
{
    (void)id, (void)vcpu;
    start();
}

static void on_exit_any(void)
{
    end();
}

// QEMU reads qemu_plugin_version after loading the library, hence after this, and accepts a narrow range: declare what
// the running QEMU has. Interface 7 came with QEMU 11.1, 6 with qemu_plugin_set_pc, 5 with qemu_plugin_write_register.
__attribute__((constructor)) static void prepare(void)
{
    next_sendmsg = dlsym(RTLD_NEXT, "sendmsg");
    next_recvmsg = dlsym(RTLD_NEXT, "recvmsg");
    struct version_info *(*query)(void *error) = dlsym(RTLD_DEFAULT, "qmp_query_version");
    struct version_info *info = query ? query(NULL) : NULL;

    if (!info || info->qemu->major > 11 || (info->qemu->major == 11 && info->qemu->minor >= 1))
        qemu_plugin_version = 7;
    else if (dlsym(RTLD_DEFAULT, "qemu_plugin_set_pc"))
        qemu_plugin_version = 6;
    else if (dlsym(RTLD_DEFAULT, "qemu_plugin_write_register"))
        qemu_plugin_version = 5;
    else
        qemu_plugin_version = 4;
}

static int map_page(int fd)
{
    struct stat file;

    if (fd < 0 || fstat(fd, &file) != 0 || file.st_size < (off_t)sizeof *page)
        return fail("memory_fd=%d is not the simulator's shared memory", fd);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        page = NULL;
        return fail("cannot map the simulator's shared memory: %s", strerror(errno));
    }
    if (page->magic != VG810_SYNC_MAGIC || page->version != VG810_SYNC_VERSION || page->size != sizeof *page)
        return fail("plugin and simulator are of different builds (layout %u here, %u there)", VG810_SYNC_VERSION,
                    page->version);
    return 0;
}

static int import_all(void)
{
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++) {
        void *symbol = dlsym(RTLD_DEFAULT, imports[i].name);

        if (!symbol)
            return fail("this QEMU does not export '%s': it must be built with modules and plugins, version 10.1 or "
                        "newer",
                        imports[i].name);
        memcpy(imports[i].place, &symbol, sizeof symbol);
    }
    return 0;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
    int memory_fd = -1;

    for (int i = 0; i < argc; i++) {
        if (sscanf(argv[i], "memory_fd=%d", &memory_fd) != 1 && sscanf(argv[i], "notify_fd=%d", &notify_fd) != 1 &&
            sscanf(argv[i], "alive_fd=%d", &alive_fd) != 1 && sscanf(argv[i], "spin_ns=%ld", &spin_ns) != 1)
            return fail("unknown argument '%s'", argv[i]);
    }
    if (map_page(memory_fd) != 0)
        return -1;
    if (notify_fd < 0 || alive_fd < 0)
        return fail("notify_fd= and alive_fd= are needed");
    if (!info->system_emulation || info->system.smp_vcpus != 1)
        return fail("lockstep needs a machine with exactly one vCPU");
    if (import_all() != 0)
        return -1;
    page->plugin_api = (uint32_t)qemu_plugin_version;
    if (info->version.cur >= 7)
        qemu.qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init_7, NULL);
    else
        qemu.qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init_old, NULL);
    qemu.qemu_plugin_register_atexit_cb(id, on_exit_any, NULL);
    return 0;
}
