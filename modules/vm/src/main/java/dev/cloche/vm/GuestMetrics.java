package dev.cloche.vm;

import java.util.OptionalLong;

/**
 * Says what a guest uses at present, as far as it can tell. It is the guest's word: good for display, not for limits.
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
public record GuestMetrics(
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
        OptionalLong sentBytes) {}
