/* A plug-in for QEMU 7.2 that counts instructions, and the steps of string instructions apart.
 *
 * PPSLAB_COUNT names a file of 4096 bytes: at its beginning two numbers of 64 bits, both as they
 * were when the guest last sent a byte over a serial line (`out`): all that was executed, with each
 * step of a string instruction, and those steps that are not the first of their instruction.
 *
 * Debian does not package qemu-plugin.h, so the few functions are declared here:
 * https://www.qemu.org/docs/master/devel/tcg-plugins.html
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct tb;
struct insn;
extern size_t qemu_plugin_tb_n_insns(const struct tb *);
extern struct insn *qemu_plugin_tb_get_insn(const struct tb *, size_t);
extern const void *qemu_plugin_insn_data(const struct insn *);
extern size_t qemu_plugin_insn_size(const struct insn *);
extern uint64_t qemu_plugin_insn_vaddr(const struct insn *);
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, struct tb *));
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct insn *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct insn *, void (*)(unsigned, void *), int,
                                                   void *);

EXPORTED int qemu_plugin_version = 1;

static const int ADD = 0, NO_REGISTERS = 0;
static const size_t SHARED = 4096;

static volatile uint64_t *shared;
static uint64_t executed, steps;
static uint64_t last_address, last_executed;

/* The next step of the same instruction comes right after it, and from the same address. */
static void string_step(unsigned cpu, void *at) {
    uint64_t address = (uint64_t)(uintptr_t)at;
    (void)cpu;
    if (address == last_address && executed == last_executed + 1)
        steps++;
    last_address = address;
    last_executed = executed;
}

static void sent(unsigned cpu, void *at) {
    (void)cpu;
    (void)at;
    shared[0] = executed;
    shared[1] = steps;
}

static int is_prefix(uint8_t byte) {
    switch (byte) {
    case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
    case 0xf2: case 0xf3:
        return 1;
    }
    return 0;
}

/* movs, cmps, stos, lods, scas with rep or repne. */
static int is_string(const uint8_t *byte, size_t size) {
    int repeated = 0;
    for (; size && is_prefix(*byte); byte++, size--)
        repeated |= *byte == 0xf2 || *byte == 0xf3;
    return repeated && size &&
           ((*byte >= 0xa4 && *byte <= 0xa7) || (*byte >= 0xaa && *byte <= 0xaf));
}

static void translated(uint64_t id, struct tb *tb) {
    (void)id;
    for (size_t at = 0; at < qemu_plugin_tb_n_insns(tb); at++) {
        struct insn *insn = qemu_plugin_tb_get_insn(tb, at);
        const uint8_t *byte = qemu_plugin_insn_data(insn);
        size_t size = qemu_plugin_insn_size(insn);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD, &executed, 1);
        if (is_string(byte, size))
            qemu_plugin_register_vcpu_insn_exec_cb(
                insn, string_step, NO_REGISTERS, (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
        if (size == 1 && *byte == 0xee)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, sent, NO_REGISTERS, NULL);
    }
}

EXPORTED int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
    const char *name = getenv("PPSLAB_COUNT");
    int file = name ? open(name, O_RDWR | O_CREAT, 0600) : -1;
    (void)info;
    (void)argc;
    (void)argv;
    if (file < 0 || ftruncate(file, SHARED))
        return -1;
    shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
