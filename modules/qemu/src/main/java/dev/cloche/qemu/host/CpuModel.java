package dev.cloche.qemu.host;

import dev.cloche.vm.Accelerator;
import java.util.List;
import java.util.Set;

/** Chooses what QEMU's option {@code -cpu} is given; see docs/kvm.md for why. */
public final class CpuModel {
    /**
     * All that the emulator knows, but for the promise of fast {@code rep movsb}: it emulates them byte by byte, and a guest
     * that believes the promise copies and clears memory several times slower than by words.
     */
    public static final String EMULATED = "max,-erms,-fsrm";

    /** The host's own, without nested virtualisation and without its performance counters. */
    private static final String HOST = "host,vmx=off,svm=off,pmu=off";

    /** QEMU before 10.1 ends at once where KVM offers this register of Intel's for a processor that has none. */
    private static final String WITHOUT_CAPABILITIES = HOST + ",arch-capabilities=off";

    private static final Set<String> OF_AMD = Set.of("AuthenticAMD", "HygonGenuine");

    private CpuModel() {}

    /** Returns whether guests of this accelerator are ever given this one. */
    static boolean isOf(Accelerator accelerator, String cpu) {
        return switch (accelerator) {
            case KVM -> cpu.equals(HOST) || cpu.equals(WITHOUT_CAPABILITIES);
            case TCG -> cpu.equals(EMULATED);
            case NONE -> false;
        };
    }

    /** Returns those to try with KVM, the most promising first. */
    public static List<String> candidates(HostCpu cpu) {
        return OF_AMD.contains(cpu.vendor())
                ? List.of(WITHOUT_CAPABILITIES, HOST)
                : List.of(HOST, WITHOUT_CAPABILITIES);
    }

    /** Returns QEMU's arguments for the accelerator and the processor that a guest sees. */
    public static String[] arguments(Accelerator accelerator, String cpu) {
        return new String[] {"-accel", accelerator == Accelerator.KVM ? "kvm" : "tcg", "-cpu", cpu};
    }
}
