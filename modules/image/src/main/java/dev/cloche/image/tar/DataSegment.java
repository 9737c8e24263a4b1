package dev.cloche.image.tar;

/**
 * Describes a piece of a file that is data; what lies between pieces is a hole.
 *
 * @param offset in the file, in bytes
 * @param length in bytes
 */
public record DataSegment(long offset, long length) {}
