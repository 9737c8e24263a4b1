package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * Describes a piece of what the main execution of a VM wrote. All of it, the time included, is the guest's word.
 *
 * @param error whether it was written to the standard error
 * @param time when the guest's agent read it, by the guest's clock
 * @param missing how many bytes of the same output went before it and are not kept any more
 * @param bytes read-only, at least one
 */
public record OutputLogEntry(boolean error, Instant time, long missing, ByteBuffer bytes) {}
