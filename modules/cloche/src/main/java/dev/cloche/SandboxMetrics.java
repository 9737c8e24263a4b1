package dev.cloche;

import dev.cloche.vm.GuestMetrics;
import java.util.OptionalLong;

/**
 * What a sandbox uses at present, as far as its guest can tell. It is the guest's word: good for display, not for limits.
 *
 * <pre>{@code
 * sandbox.metrics().memoryAvailableBytes().ifPresent(free -> System.out.println(free + " bytes are free"));
 * }</pre>
 *
 * @param uptimeNanos since its kernel's start
 * @param cpus processors online
 * @param cpuNanos how long processors were busy, summed up over all, since its kernel's start
 * @param memoryBytes in total
 * @param memoryAvailableBytes what programs could still take
 * @param processes how many there are
 * @param diskBytes of the writable layer, in total
 * @param diskFreeBytes of the writable layer
 * @param inodes of the writable layer, in total
 * @param inodesFree of the writable layer
 * @param executions how many run
 * @param receivedBytes by the first network interface
 * @param sentBytes by the first network interface
 */
public record SandboxMetrics(
        OptionalLong uptimeNanos,
        OptionalLong cpus,
        OptionalLong cpuNanos,
        OptionalLong memoryBytes,
        OptionalLong memoryAvailableBytes,
        OptionalLong processes,
        OptionalLong diskBytes,
        OptionalLong diskFreeBytes,
        OptionalLong inodes,
        OptionalLong inodesFree,
        OptionalLong executions,
        OptionalLong receivedBytes,
        OptionalLong sentBytes) {
    static SandboxMetrics of(GuestMetrics metrics) {
        return new SandboxMetrics(
                metrics.uptimeNanos(),
                metrics.cpus(),
                metrics.cpuNanos(),
                metrics.memoryBytes(),
                metrics.memoryAvailableBytes(),
                metrics.processes(),
                metrics.diskBytes(),
                metrics.diskFreeBytes(),
                metrics.inodes(),
                metrics.inodesFree(),
                metrics.executions(),
                metrics.receivedBytes(),
                metrics.sentBytes());
    }
}
