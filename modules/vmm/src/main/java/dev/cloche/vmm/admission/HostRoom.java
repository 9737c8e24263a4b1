package dev.cloche.vmm.admission;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Says what the host has, and what is free of it.
 *
 * @param totalMiB memory of the host, or of this process's control group if that is less
 * @param availableMiB memory that can be had without swapping
 * @param pressure the share of the last ten seconds, in percent, in which all processes waited for memory; empty where the kernel
 *     does not say
 * @param diskTotalMiB of the file system of the state root
 * @param diskFreeMiB that this user may write
 * @param stateRootMiB what the state root takes of it, by the last count; empty if it has not been counted, or does not matter
 */
public record HostRoom(
        long totalMiB,
        long availableMiB,
        OptionalDouble pressure,
        long diskTotalMiB,
        long diskFreeMiB,
        OptionalLong stateRootMiB) {
    /** Returns the same if nothing was used of it. */
    HostRoom empty() {
        return new HostRoom(
                totalMiB, totalMiB, OptionalDouble.empty(), diskTotalMiB, diskTotalMiB, OptionalLong.empty());
    }

    /** Returns the same with more memory. */
    HostRoom withFreed(long mib) {
        return new HostRoom(totalMiB, availableMiB + mib, pressure, diskTotalMiB, diskFreeMiB, stateRootMiB);
    }

    /** Returns the same with what the state root was counted to take. */
    HostRoom withStateRoot(OptionalLong mib) {
        return new HostRoom(totalMiB, availableMiB, pressure, diskTotalMiB, diskFreeMiB, mib);
    }
}
