package dev.cloche.vm;

import dev.cloche.base.Deadline;
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

    /**
     * Returns the same files, used as another user.
     *
     * @param user as in {@link ExecRequest#withUser}; files are otherwise used as root
     */
    GuestFiles as(String user);

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

    /** Opens a file to be written as a stream, whose {@code close} confirms that all is in the guest. */
    GuestFileOutput write(String path, WriteOptions options, Deadline deadline);

    /** Returns what a path leads to, or, if {@code followLink} is false, the link itself if it is one. */
    FileInfo stat(String path, boolean followLink, Deadline deadline);

    /**
     * Returns what is in a directory, in no order.
     *
     * @throws GuestException.CopyLimit if that is more than {@link #MAX_LISTED}
     */
    List<FileInfo> list(String path, Deadline deadline);

    /**
     * Makes a directory.
     *
     * @param mode at most 07777
     * @param parents whether missing parents are made too, and a directory that exists is no error
     */
    void makeDirectory(String path, int mode, boolean parents, Deadline deadline);

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
