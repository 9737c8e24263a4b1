package dev.cloche.qemu.host;

import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import java.util.OptionalLong;

/**
 * Says what the probe has found out about this host.
 *
 * @param counterKiloHertz frequency of the time stamp counter, for guests under emulation; empty if it is not constant, or
 *     if guests learn it themselves
 * @param askAgainAt milliseconds since 1970; from then on the answer may be another one. Empty if it holds until the host
 *     boots
 */
public record HostCapabilities(VmCapabilities capabilities, OptionalLong counterKiloHertz, OptionalLong askAgainAt) {
    /** Holds what is true until the host boots. */
    public HostCapabilities(VmCapabilities capabilities, OptionalLong counterKiloHertz) {
        this(capabilities, counterKiloHertz, OptionalLong.empty());
    }

    /** Returns whether the kernel takes it for a frequency of a counter: 1 MHz to 1 THz. */
    static boolean isCounter(long kiloHertz) {
        return kiloHertz >= 1_000 && kiloHertz <= 999_999_999;
    }

    public Accelerator accelerator() {
        return capabilities.accelerator();
    }

    HostCapabilities askedAgainAt(long millis) {
        return new HostCapabilities(capabilities, counterKiloHertz, OptionalLong.of(millis));
    }
}
