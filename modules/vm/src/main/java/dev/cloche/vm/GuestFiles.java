package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The files of a guest. Safe for use from several threads; each call is a conversation of its own, and a slow one delays
 * no other.
 *
 * <p>Paths are absolute in the guest; bytes of names that are no UTF-8 are as in {@link dev.cloche.base.RawText}. Every
 * call may throw what {@link Guest} says, a {@link GuestFileException} if the operation fails in the guest, and an
 * {@link VmException.Invalid} for a path that is none. A {@link GuestException.ProtocolBroken} of these calls does not close
 * the connection.
 *
 * <p>A deadline is that of the whole operation, streams included. When it passes or the thread is interrupted, the
 * operation is given up, and what it was writing is removed unless the guest is too stuck even for that.
 */
public interface GuestFiles {
    /** The most entries that {@link #list} answers. */
    int MAX_LISTED = 1_000_000;

    /** The most directories below each other that {@link #list} goes into, the first included. */
    int MAX_DEPTH = 64;

    /** The most bytes that the name of an owner has, with its group. */
    int MAX_OWNER = 512;

    /**
     * Returns the same files, used as another user.
     *
     * @param user as in {@link ExecRequest#withUser}; files are otherwise used as root
     */
    GuestFiles as(String user);

    /**
     * Returns the same files; what {@link #write} and {@link #makeDirectory} make is given to a user. What was there before keeps
     * its owner. Only root may give away, which is who uses files otherwise.
     *
     * @param owner as in {@link #as}
     * @throws VmException.Invalid if it is empty, has a NUL, or has more than {@link #MAX_OWNER} bytes
     */
    GuestFiles ownedBy(String owner);

    /**
     * Reads a part of a file as a stream; closing it early is fine.
     *
     * @param offset where to begin; at or beyond the end, the stream is empty
     * @param length at most so many bytes; {@link Long#MAX_VALUE} for all
     */
    GuestFileInput read(String path, long offset, long length, Deadline deadline);

    /**
     * Returns the content of a file.
     *
     * @throws GuestException.CopyLimit if it is larger than {@code limit} bytes
     */
    byte[] readAllBytes(String path, int limit, Deadline deadline);

    /**
     * Opens a file to be written as a stream, whose {@code close} confirms that all is in the guest.
     *
     * @throws GuestException.OlderAgent if it is to be given to an owner, and the agent of the guest cannot
     */
    GuestFileOutput write(String path, WriteOptions options, Deadline deadline);

    /** Returns what a path leads to, or, if {@code followLink} is false, the link itself if it is one. */
    FileInfo stat(String path, boolean followLink, Deadline deadline);

    /**
     * Returns what is in a directory, in no order.
     *
     * @throws GuestException.CopyLimit if that is more than {@link #MAX_LISTED}
     */
    default List<FileInfo> list(String path, Deadline deadline) {
        return list(path, 1, deadline);
    }

    /**
     * Returns what is in a directory, and in those below it down to a depth, a directory before what is in it. Links are not
     * followed, but for that of the path itself. Of a directory below that the user may not read only itself is told.
     *
     * @param depth 1 to {@link #MAX_DEPTH}; 1: what is in the directory alone
     * @throws GuestException.CopyLimit if that is more than {@link #MAX_LISTED}
     * @throws GuestException.OlderAgent if the depth is not 1, and the agent of the guest cannot
     */
    List<FileInfo> list(String path, int depth, Deadline deadline);

    /**
     * Returns what {@link #stat} does, with all else that is to be known of the file.
     *
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     */
    FileInfo.Details details(String path, boolean followLink, Deadline deadline);

    /**
     * Returns what {@link #list} does, with all else that is to be known of each file.
     *
     * @param depth 1 to {@link #MAX_DEPTH}
     * @throws GuestException.CopyLimit if that is more than {@link #MAX_LISTED}, or more than 64 Mi characters and bytes of
     *     attributes in all
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     */
    List<FileInfo.Details> listDetails(String path, int depth, Deadline deadline);

    /**
     * Makes a directory.
     *
     * @param mode at most 07777
     * @param parents whether missing parents are made too, and a directory that exists is no error
     * @throws GuestException.OlderAgent if it is to be given to an owner, and the agent of the guest cannot
     */
    void makeDirectory(String path, int mode, boolean parents, Deadline deadline);

    /**
     * Sets attributes, owner and mode of a file, in this order; what was set before a failure stays set.
     *
     * @param followLink whether a link leads to what is changed; otherwise the link itself is, which has an owner alone
     * @throws GuestFileException.NoAttributes if the file system has no extended attributes of users, as a layer in memory has
     *     none before Linux 6.6
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     */
    void change(String path, FileInfo.Change change, boolean followLink, Deadline deadline);

    /**
     * Removes a file, a link itself, or a directory.
     *
     * @param recursive whether a directory goes with all that is in it; otherwise it has to be empty
     */
    void remove(String path, boolean recursive, Deadline deadline);

    /**
     * Renames; what has the new name is replaced unless {@code noReplace} makes that an error.
     */
    void rename(String path, String target, boolean noReplace, Deadline deadline);

    /**
     * Watches a directory; all that changes after the return is told. A guest has 32 watches at most
     * ({@link GuestException.Refused} beyond).
     *
     * @param path of a directory
     * @param deadline of the beginning, not of the watch
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     */
    FileWatch watch(String path, FileWatch.Options options, Deadline deadline);

    /**
     * Tells what the guest has changed in its root file system, as against its image: all that its writable layer has, without
     * mounts, {@code /dev}, {@code /proc}, {@code /sys} and {@code /run}, without sockets, and without the files of {@code /etc}
     * that are of this guest alone ({@code hosts}, {@code hostname}, {@code resolv.conf}, {@code machine-id}). A file that has
     * several names is told once for each. Each file is as it is when it is read; {@link Guest#freeze} has all of them be of
     * one moment, where the layer is on a disk.
     *
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     */
    void changes(Changes to, Deadline deadline);

    /**
     * Checks the name of an owner.
     *
     * @throws VmException.Invalid if it can be none
     */
    static void checkOwner(String owner) {
        if (owner.isEmpty() || owner.indexOf('\0') >= 0 || owner.getBytes(StandardCharsets.UTF_8).length > MAX_OWNER) {
            throw new VmException.Invalid(
                    "'" + Printable.of(owner) + "' is no owner of a file",
                    "Name a user as name, uid, name:group or uid:gid.");
        }
    }

    /**
     * Takes what a guest has changed. The root comes first, a directory before what is in it, otherwise there is no order. A
     * guest is free to lie: it may tell a name twice, or of files that are not there.
     */
    interface Changes {
        /**
         * Takes a file, link, directory, FIFO or device as it is now.
         *
         * @param file with its path relative to the root as its name, empty for the root itself
         * @param major of a device, unsigned
         * @param minor of a device, unsigned
         */
        void entry(FileInfo file, int major, int minor);

        /** Takes an extended attribute of the last entry, a file or directory. */
        void attribute(String name, byte[] value);

        /** Says of the last entry, a directory, that nothing of the image is in it. */
        void opaque();

        /**
         * Takes a part of the last entry, a file; they come by rising offsets and within its size, and what is between them is a
         * hole.
         *
         * @param bytes valid until this returns
         */
        void data(long offset, ByteBuffer bytes);

        /** Says that what the image has by this path is gone. */
        void removed(String path);
    }

    /**
     * Copies a file, link or whole tree of the guest to the host. Nothing that the guest says makes the copy leave
     * {@code host}: no name leads up, and no symbolic link at or below {@code host} is followed.
     *
     * <p>A file appears under its name when it is complete; until then it has another name beside, and mode 0600. Files
     * and links replace files and links; a directory is merged into a directory, which keeps its mode and owner if it was
     * there before. Devices, FIFOs and sockets are left out. Holes stay holes.
     *
     * @param host the name of the copy itself; its parent has to exist
     * @throws GuestException.CopyIncomplete if the copy fails after some of it was made
     * @throws GuestException.CopyLimit if there is more than the options allow
     * @throws GuestException.HostFile if the host's files do not let it
     */
    CopyReport copyOut(String guest, Path host, CopyOptions options, CopyListener listener, Deadline deadline);

    /**
     * Copies a file, link or whole tree of the host to the guest. Links are copied as they are, special files left out;
     * holes stay holes. Files that change meanwhile are named in the report.
     *
     * @param guest the name of the copy itself; its parent has to exist
     * @throws GuestException.CopyIncomplete if the copy fails after it has begun
     * @throws GuestException.CopyLimit if there is more than the options allow
     * @throws GuestException.HostFile if the host's files cannot be read
     */
    CopyReport copyIn(Path host, String guest, CopyOptions options, CopyListener listener, Deadline deadline);
}
