package dev.cloche;

import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import java.nio.file.Path;

/**
 * A copy between the host and a sandbox, with more than the ordinary. Not safe for use from several threads; may be used
 * several times.
 *
 * <pre>{@code
 * sandbox.files()
 *         .copy()
 *         .owners(true)
 *         .progress((entries, bytes) -> System.err.println(bytes))
 *         .in(Path.of("project"), "/work");
 * }</pre>
 */
public final class CopyBuilder {
    private final SandboxFiles files;
    private CopyOptions options = CopyOptions.DEFAULT;
    private CopyListener progress = CopyListener.silent();

    CopyBuilder(SandboxFiles files) {
        this.files = files;
    }

    /**
     * Sets whether files keep the numbers of their owners; otherwise they belong to root in the sandbox, and to this process on
     * the host. Out of a sandbox this needs root.
     */
    public CopyBuilder owners(boolean kept) {
        options = options.withOwners(kept);
        return this;
    }

    /** Sets whether set-user-id, set-group-id and sticky bits are kept on the host; otherwise they are dropped there. */
    public CopyBuilder specialBits(boolean kept) {
        options = options.withSpecialBits(kept);
        return this;
    }

    /** Sets whether a source that is a symbolic link means what it leads to. Links below the source are copied as links. */
    public CopyBuilder followLink(boolean followed) {
        options = options.withFollowLink(followed);
        return this;
    }

    /** Sets the most bytes of all files together, holes included; 64 GiB unless given. */
    public CopyBuilder maxBytes(long most) {
        options = options.withMaxBytes(most);
        return this;
    }

    /** Sets the most files, directories and links; a million unless given. */
    public CopyBuilder maxEntries(long most) {
        options = options.withMaxEntries(most);
        return this;
    }

    /** Sets the most directories in each other, at most 1,000; 256 unless given. */
    public CopyBuilder maxDepth(int most) {
        options = options.withMaxDepth(most);
        return this;
    }

    /** Tells a listener how far the copy is. */
    public CopyBuilder progress(CopyListener listener) {
        progress = listener;
        return this;
    }

    /**
     * Copies into the sandbox.
     *
     * @param source a file, link or directory with all that is in it
     * @param target the absolute path of the copy itself; the directories on the way to it are made where they are missing
     * @throws dev.cloche.base.ClocheException as {@link SandboxFiles} says
     */
    public CopyReport in(Path source, String target) {
        return files.run(guest -> {
            files.makeParents(guest, target);
            return guest.copyIn(source, target, options, progress, files.deadline());
        });
    }

    /**
     * Copies out of the sandbox.
     *
     * @param source the absolute path of a file, link or directory with all that is in it
     * @param target the copy itself; the directory that it lies in has to exist
     * @throws dev.cloche.base.ClocheException as {@link SandboxFiles} says
     */
    public CopyReport out(String source, Path target) {
        return files.run(guest -> guest.copyOut(source, target, options, progress, files.deadline()));
    }
}
