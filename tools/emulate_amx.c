/* AMX on x86-64 processors without it: each of its instructions traps (SIGILL) and is computed here, one thread's tiles in thread-local memory.

   For tests of code for AMX on other machines, through LD_PRELOAD: see tools/emulate_amx.py. Encodings and results as in Intel's
   Software Developer's Manual, volume 2. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TILES = 8, ROWS = 16, BYTES = 64 };

static __thread struct {
    uint8_t rows[TILES];
    uint16_t bytes[TILES];
    uint8_t data[TILES][ROWS][BYTES];
} unit;

static struct sigaction before;

static const int REGISTERS[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* One instruction in VEX encoding of three bytes, map 0F38. */
typedef struct {
    int prefix, opcode, mod, reg, rm, other, length;
    uint64_t address, stride;
} Instruction;

static int32_t read32(const uint8_t *from) {
    int32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static int decode(const uint8_t *code, const greg_t *registers, Instruction *found) {
    if (code[0] != 0xC4 || (code[1] & 0x1F) != 2 || (code[2] & 0x84))
        return 0;
    int x = ~code[1] >> 6 & 1, b = ~code[1] >> 5 & 1;
    found->prefix = code[2] & 3;
    found->other = ~(code[2] >> 3) & 15;
    found->opcode = code[3];
    found->mod = code[4] >> 6;
    found->reg = code[4] >> 3 & 7;
    found->rm = code[4] & 7;
    found->length = 5;
    if (found->mod == 3)
        return 1;
    int base = found->rm | b << 3;
    uint64_t address = 0;
    if (found->rm == 4) {
        uint8_t sib = code[found->length++];
        int index = (sib >> 3 & 7) | x << 3;
        base = (sib & 7) | b << 3;
        found->stride = index == 4 ? 0 : (uint64_t)registers[REGISTERS[index]] << (sib >> 6);
    }
    if ((base & 7) == 5 && found->mod == 0) {
        address = (int64_t)read32(code + found->length);
        found->length += 4;
        if (found->rm == 5)
            address += (uint64_t)code + found->length;
    } else {
        address = registers[REGISTERS[base]];
        if (found->mod == 1)
            address += (int8_t)code[found->length++];
        else if (found->mod == 2) {
            address += (int64_t)read32(code + found->length);
            found->length += 4;
        }
    }
    found->address = address;
    return 1;
}

static void configure(const uint8_t *from) {
    memset(&unit, 0, sizeof unit);
    if (from[0] != 1)
        return;
    for (int tile = 0; tile < TILES; tile++) {
        memcpy(&unit.bytes[tile], from + 16 + 2 * tile, 2);
        unit.rows[tile] = from[48 + tile];
        if (unit.rows[tile] > ROWS || unit.bytes[tile] > BYTES)
            abort();
    }
}

static void load(const Instruction *by) {
    memset(unit.data[by->reg], 0, sizeof unit.data[by->reg]);
    for (int row = 0; row < unit.rows[by->reg]; row++)
        memcpy(unit.data[by->reg][row], (const void *)(by->address + row * by->stride), unit.bytes[by->reg]);
}

static void store(const Instruction *by) {
    for (int row = 0; row < unit.rows[by->reg]; row++)
        memcpy((void *)(by->address + row * by->stride), unit.data[by->reg][row], unit.bytes[by->reg]);
}

static float as_float(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void multiply_bf16(const Instruction *by) {
    float(*sums)[16] = (void *)unit.data[by->reg];
    uint16_t(*a)[32] = (void *)unit.data[by->rm], (*b)[32] = (void *)unit.data[by->other];
    for (int m = 0; m < unit.rows[by->reg]; m++)
        for (int k = 0; k < unit.bytes[by->rm] / 4; k++)
            for (int n = 0; n < unit.bytes[by->reg] / 4; n++) {
                sums[m][n] += as_float(a[m][2 * k]) * as_float(b[k][2 * n]);
                sums[m][n] += as_float(a[m][2 * k + 1]) * as_float(b[k][2 * n + 1]);
            }
}

static void multiply_bytes(const Instruction *by, int a_signed, int b_signed) {
    uint32_t(*sums)[16] = (void *)unit.data[by->reg];
    uint8_t(*a)[64] = (void *)unit.data[by->rm], (*b)[64] = (void *)unit.data[by->other];
    for (int m = 0; m < unit.rows[by->reg]; m++)
        for (int k = 0; k < unit.bytes[by->rm] / 4; k++)
            for (int n = 0; n < unit.bytes[by->reg] / 4; n++)
                for (int i = 0; i < 4; i++) {
                    int left = a[m][4 * k + i], right = b[k][4 * n + i];
                    left = a_signed ? (int8_t)left : left;
                    right = b_signed ? (int8_t)right : right;
                    sums[m][n] += (uint32_t)(left * right);
                }
}

enum { NONE, P66, PF3, PF2 };

static int run(const Instruction *by) {
    int key = by->opcode << 2 | by->prefix, memory = by->mod != 3;
    if (memory ? by->opcode != 0x49 && by->opcode != 0x4B : by->opcode == 0x4B)
        return 0;
    switch (key) {
    case 0x49 << 2 | NONE: configure(memory ? (const uint8_t *)by->address : (const uint8_t[64]){0}); return 1;
    case 0x49 << 2 | PF2: memset(unit.data[by->reg], 0, sizeof unit.data[by->reg]); return 1;
    case 0x4B << 2 | PF2: case 0x4B << 2 | P66: load(by); return 1;
    case 0x4B << 2 | PF3: store(by); return 1;
    case 0x5C << 2 | PF3: multiply_bf16(by); return 1;
    case 0x5E << 2 | PF2: multiply_bytes(by, 1, 1); return 1;
    case 0x5E << 2 | PF3: multiply_bytes(by, 1, 0); return 1;
    case 0x5E << 2 | P66: multiply_bytes(by, 0, 1); return 1;
    case 0x5E << 2 | NONE: multiply_bytes(by, 0, 0); return 1;
    default: return 0;
    }
}

static void on_illegal(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    Instruction found = {0};
    if (decode((const uint8_t *)registers[REG_RIP], registers, &found) && run(&found)) {
        registers[REG_RIP] += found.length;
        return;
    }
    signal(SIGILL, SIG_DFL); /* not ours: it traps again, as without this */
    (void)number, (void)info;
}

/* Compilers in this process take the signal to print a stack: they are told that they have it. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    static int (*next)(int, const struct sigaction *, struct sigaction *);
    if (!next)
        next = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
    if (number != SIGILL || (action && action->sa_sigaction == on_illegal))
        return next(number, action, old);
    if (old)
        *old = before;
    if (action)
        before = *action;
    return 0;
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &action, &before);
}
