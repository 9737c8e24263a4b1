# The guest that tells whether this host's KVM can run a kernel; what QEMU gets as its firmware (docs/kvm.md).
#
# One instruction in real mode proves little: there are hosts that emulate every instruction of a guest's kernel, some
# thousand times slower than a processor, and run only its programs. So this enters long mode with paging, as a kernel does,
# takes eight million turns of a loop, some milliseconds of a processor, and looks whether it has a kernel's privilege. It then
# stores 0x10 at port 0xf4, where QEMU's isa-debug-exit listens, or 0x20 if it has no privilege.
#
# The last 256 bytes below 4 GiB; ProbeGuest has them in hexadecimal, and its test assembles this file and compares.

    .set START, 0xffffff00          # where the first byte is
    .set SEGMENT, 0xff00            # the same, in the segment in which a processor begins
    .set PORT, 0xf4
    .set GOOD, 0x10
    .set UNPRIVILEGED, 0x20
    .set TURNS, 8000000
    .set TABLES, 0x1000             # of pages: four of 4 KiB, in memory; the stack grows towards them from STACK
    .set STACK, 0x6000

    .code16
block:
gdt:
    .quad 0
    .quad 0x00cf9a000000ffff        # 8: code of 32 bits, all 4 GiB
    .quad 0x00cf92000000ffff        # 16: data
    .quad 0x00af9a000000ffff        # 24: code of 64 bits
gdtr:
    .word gdtr - gdt - 1
    .long START + gdt - block

real:
    cli
    lgdtl %cs:(SEGMENT + gdtr - block)
    mov %cr0, %eax
    or $1, %al                      # protected mode
    mov %eax, %cr0
    ljmpl $8, $(START + protected - block)

    .code32
protected:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    xor %eax, %eax
    mov $TABLES, %edi
    mov $0x1000, %ecx
    cld
    rep stosl
    movl $(TABLES + 0x1003), TABLES         # the first 512 GiB,
    movl $(TABLES + 0x2003), TABLES + 0x1000 # of them the first GiB
    movl $(TABLES + 0x3003), TABLES + 0x1018 # and the fourth,
    movl $0x83, TABLES + 0x2000             # of these the first 2 MiB, with tables and stack,
    movl $0xffe00083, TABLES + 0x3ff8       # and the last, with this code
    mov $TABLES, %eax
    mov %eax, %cr3
    mov %cr4, %eax
    or $0x20, %al                   # entries of 8 bytes
    mov %eax, %cr4
    mov $0xc0000080, %ecx
    rdmsr
    or $1, %ah                      # long mode
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax            # paging
    mov %eax, %cr0
    ljmp $24, $(START + long - block)

    .code64
long:
    mov $STACK, %esp
    mov $TURNS, %ecx
1:  dec %ecx
    jnz 1b
    cli
    pushfq
    pop %rax
    mov $UNPRIVILEGED, %bl
    test $2, %ah                    # a kernel whose host took its privilege sees interrupts enabled,
    jnz 2f
    mov %cs, %eax
    test $3, %al                    # or another ring than 0
    jnz 2f
    mov $GOOD, %bl
2:  mov %ebx, %eax
    out %al, $PORT
3:  hlt
    jmp 3b

    .code16
    .org 0xf0                       # where a processor begins
    jmp real
    .org 0x100
