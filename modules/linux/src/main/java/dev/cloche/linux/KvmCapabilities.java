package dev.cloche.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Says what this host's KVM offers to guests: the features of a processor, and the registers that it keeps. It changes with
 * the host's kernel, its parameters and its processor. {@code linux/kvm.h}
 */
public final class KvmCapabilities {
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;

    private static final long GET_SUPPORTED_CPUID = 0xC008AE05L;
    private static final long GET_MSR_INDEX_LIST = 0xC004AE02L;
    private static final long GET_MSR_FEATURE_INDEX_LIST = 0xC004AE0AL;

    /** {@code struct kvm_cpuid2} and its {@code struct kvm_cpuid_entry2}. */
    private static final int CPUID_HEAD = 8;

    private static final int CPUID_ENTRY = 40;
    private static final int MAX_CPUID_ENTRIES = 1024;

    /** {@code struct kvm_msr_list}. */
    private static final int MSR_HEAD = 4;

    private static final int MAX_MSRS = 16384;

    private static final int EAX = 1;
    private static final int EBX = 2;
    private static final int ECX = 4;
    private static final int EDX = 8;

    /**
     * The leaves that say what a guest may use, and in which registers. The others name the processor that happens to answer,
     * or say how large something is just now.
     */
    private static final Map<Integer, Integer> FEATURES = Map.ofEntries(
            Map.entry(0x1, EAX | ECX | EDX),
            Map.entry(0x6, EAX),
            Map.entry(0x7, EAX | EBX | ECX | EDX),
            Map.entry(0xD, EAX | ECX | EDX),
            Map.entry(0x14, EAX | EBX | ECX),
            Map.entry(0x1D, EAX | EBX | ECX),
            Map.entry(0x1E, EAX | EBX | ECX | EDX),
            Map.entry(0x24, EAX | EBX),
            Map.entry(0x40000001, EAX),
            Map.entry(0x80000001, ECX | EDX),
            Map.entry(0x80000007, EDX),
            Map.entry(0x80000008, EAX | EBX),
            Map.entry(0x8000001F, EAX),
            Map.entry(0x80000021, EAX));

    private KvmCapabilities() {}

    /**
     * Returns one line for each leaf of features and each register, in an order that is the same each time.
     *
     * @param device {@code /dev/kvm}
     * @throws SystemCallException if it cannot be opened or asked
     */
    public static List<String> read(Path device) {
        return read(LibcHolder.libc(), device);
    }

    static List<String> read(Libc libc, Path device) {
        try (Arena arena = Arena.ofConfined()) {
            String path = device.toString();
            int fd = check(
                    "open", device, libc.open(arena.allocateFrom(path, StandardCharsets.UTF_8), O_RDWR | O_CLOEXEC, 0));
            try {
                List<String> lines = new ArrayList<>();
                MemorySegment cpuid = arena.allocate(CPUID_HEAD + (long) MAX_CPUID_ENTRIES * CPUID_ENTRY, Long.BYTES);
                cpuid.set(ValueLayout.JAVA_INT, 0, MAX_CPUID_ENTRIES);
                check("KVM_GET_SUPPORTED_CPUID", device, libc.ioctl(fd, GET_SUPPORTED_CPUID, cpuid));
                lines.addAll(features(cpuid));
                lines.addAll(registers(libc, fd, device, "msr", GET_MSR_INDEX_LIST, arena));
                lines.addAll(registers(libc, fd, device, "feature-msr", GET_MSR_FEATURE_INDEX_LIST, arena));
                return List.copyOf(lines);
            } finally {
                var _ = libc.close(fd);
            }
        }
    }

    static List<String> features(MemorySegment cpuid) {
        List<String> lines = new ArrayList<>();
        int count = Math.clamp(cpuid.get(ValueLayout.JAVA_INT, 0), 0, MAX_CPUID_ENTRIES);
        for (int i = 0; i < count; i++) {
            MemorySegment entry = cpuid.asSlice(CPUID_HEAD + (long) i * CPUID_ENTRY, CPUID_ENTRY);
            int leaf = entry.get(ValueLayout.JAVA_INT, 0);
            int registers = FEATURES.getOrDefault(leaf, 0);
            if (registers != 0) {
                StringBuilder line = new StringBuilder("cpuid " + Integer.toHexString(leaf) + "."
                        + Integer.toHexString(entry.get(ValueLayout.JAVA_INT, 4)));
                for (int register = 0; register < 4; register++) {
                    boolean counts = (registers & 1 << register) != 0;
                    int value = counts ? entry.get(ValueLayout.JAVA_INT, 12 + 4L * register) : 0;
                    line.append(' ').append(Integer.toHexString(value));
                }
                lines.add(line.toString());
            }
        }
        Collections.sort(lines);
        return lines;
    }

    private static List<String> registers(Libc libc, int fd, Path device, String name, long request, Arena arena) {
        MemorySegment list = arena.allocate(MSR_HEAD + 4L * MAX_MSRS, Long.BYTES);
        list.set(ValueLayout.JAVA_INT, 0, MAX_MSRS);
        check(name, device, libc.ioctl(fd, request, list));
        int count = Math.clamp(list.get(ValueLayout.JAVA_INT, 0), 0, MAX_MSRS);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(name + " " + Integer.toHexString(list.get(ValueLayout.JAVA_INT, MSR_HEAD + 4L * i)));
        }
        Collections.sort(lines);
        return lines;
    }

    private static int check(String call, Path device, int result) {
        if (result < 0) {
            throw new SystemCallException(call, device.toString(), -result);
        }
        return result;
    }
}
