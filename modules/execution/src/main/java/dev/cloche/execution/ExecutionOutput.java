package dev.cloche.execution;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * Describes a piece of what an execution wrote.
 *
 * @param error whether it was written to the standard error
 * @param at when it came to this host, by its clock
 * @param missing how many bytes of the same output went before it and are not kept any more
 * @param bytes read-only, at least one
 */
public record ExecutionOutput(boolean error, Instant at, long missing, ByteBuffer bytes) {}
