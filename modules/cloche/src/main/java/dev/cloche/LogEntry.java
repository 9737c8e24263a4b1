package dev.cloche;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * A piece of what a detached command wrote, as {@link SandboxLog} tells it. All of it is the guest's word.
 *
 * @param error whether it was written to the standard error
 * @param time when it was written, by the guest's clock
 * @param missing how many bytes of the same output came before it and are not kept any more; mostly 0
 * @param bytes read-only, at least one; pieces end anywhere, not only at the ends of lines
 */
public record LogEntry(boolean error, Instant time, long missing, ByteBuffer bytes) {}
