package dev.cloche.cli.terminal;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * A line of a sandbox's log, or a piece of a very long one.
 *
 * @param time when its first byte was written
 * @param bytes at least one, with the line's end if it has one
 */
public record LogLine(boolean error, Instant time, ByteBuffer bytes) {}
