package dev.cloche.erofs;

/**
 * Sees all bytes of an image while they are written: from the second block on in the order of the file, holes as zeros,
 * and in the end the first block, which is written last. So a digest of an image needs no second look at it.
 */
@FunctionalInterface
public interface WrittenBytes {
    /**
     * Takes the next bytes.
     *
     * @param bytes to be read before this returns, and not to be changed
     */
    void wrote(byte[] bytes, int offset, int length);
}
