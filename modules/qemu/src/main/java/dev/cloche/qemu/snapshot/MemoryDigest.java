package dev.cloche.qemu.snapshot;

/**
 * Says what a snapshot's memory was when it was written, as its manifest has it.
 *
 * @param digest of its content, by {@link SparseDigest}
 * @param stamp its size, times and inode, by {@link dev.cloche.base.FileStamp#state()}; a copy of the snapshot has others
 */
record MemoryDigest(String digest, String stamp) {}
