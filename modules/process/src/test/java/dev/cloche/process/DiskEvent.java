package dev.cloche.process;

/** What a traced program did to the files below one directory, in the order in which the kernel saw it. */
sealed interface DiskEvent {
    /** A call was made. From here on its effect may be on the disk, in whole, in part or not at all. */
    record Begun(int call, Change change) implements DiskEvent {}

    /** A call returned, successfully. A sync that begins later covers it. */
    record Ended(int call) implements DiskEvent {}

    /** The program told the world that something is durable. */
    record Acknowledged(String line) implements DiskEvent {}

    /** The effect of one call. Names are relative to the directory. */
    sealed interface Change {}

    /** Bytes at an offset of a file. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Write(String file, long offset, byte[] data) implements Change {}

    /** A new length. */
    record Truncate(String file, long length) implements Change {}

    /** fsync or fdatasync of a file. */
    record SyncFile(String file) implements Change {}

    /** fsync of a directory; the traced one itself is the empty name. */
    record SyncDirectory(String directory) implements Change {}

    /** A change of the names in one directory. */
    sealed interface Naming extends Change {}

    /** A name for a new, empty file. */
    record Create(String name) implements Naming {}

    /** A second name. */
    record Link(String from, String to) implements Naming {}

    /** Another name. */
    record Rename(String from, String to) implements Naming {}

    /** One name less. */
    record Unlink(String name) implements Naming {}
}
