package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The files of a running sandbox. Safe for use from several threads; calls do not wait for each other.
 *
 * <pre>{@code
 * SandboxFiles files = sandbox.files();
 * files.writeString("/work/main.py", "print(6 * 7)");
 * files.copyIn(Path.of("data"), "/work/data");
 * sandbox.exec("python3", "/work/main.py");
 * files.copyOut("/work/result", Path.of("result"));
 * }</pre>
 *
 * <p>Paths in the sandbox are absolute. Nothing in a sandbox makes a copy leave its destination on the host: names and
 * symbolic links of the guest are never followed there, devices are not made, and the size is bounded.
 *
 * <p>Failures are {@link dev.cloche.base.ClocheException}s: codes {@code vm.file.…} are those of the guest's file
 * system, such as {@code vm.file.no-such-file}, {@code vm.host-file} is the host's, {@code vm.copy-limit} a copy that is
 * larger than allowed, {@code vm.deadline} a timeout that has passed, {@code sandbox.ended.…} the end of the sandbox.
 */
public final class SandboxFiles {
    /** What the forms hold that read a whole file. */
    private static final int MAX_READ = 64 << 20;

    private final GuestOwner sandbox;
    private final String user;
    private final Optional<String> owner;
    private final Optional<Duration> timeout;

    SandboxFiles(GuestOwner sandbox, String user, Optional<Duration> timeout) {
        this(sandbox, user, Optional.empty(), timeout);
    }

    private SandboxFiles(GuestOwner sandbox, String user, Optional<String> owner, Optional<Duration> timeout) {
        this.sandbox = sandbox;
        this.user = user;
        this.owner = owner;
        this.timeout = timeout;
    }

    /**
     * Returns the same files with the rights of another user, {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}.
     */
    public SandboxFiles asUser(String name) {
        return new SandboxFiles(sandbox, name, owner, timeout);
    }

    /**
     * Returns the same files; the files and directories that the calls here make are given to a user, those too that are missing
     * on the way. What is there before keeps its owner, and what a copy makes belongs to whom it says itself.
     *
     * <pre>{@code
     * sandbox.files().withOwner("app").writeString("/home/app/.config/tool.toml", "level = 3\n");
     * }</pre>
     *
     * @param name {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}
     * @throws dev.cloche.base.ClocheException with {@code vm.invalid} if it can be none; the calls throw {@code vm.older-agent} if
     *     the VM began with a version of Cloche that could not do this
     */
    @Incubating
    public SandboxFiles withOwner(String name) {
        GuestFiles.checkOwner(name);
        return new SandboxFiles(sandbox, user, Optional.of(name), timeout);
    }

    /** Returns the same files; every call, streams included, fails when it takes longer. */
    public SandboxFiles withTimeout(Duration longest) {
        return new SandboxFiles(sandbox, user, owner, Optional.of(longest));
    }

    /** Returns the content of a file of at most 64 MiB. */
    public byte[] readBytes(String path) {
        return run(guest -> guest.readAllBytes(path, MAX_READ, deadline()));
    }

    /** Returns the text of a file of at most 64 MiB in UTF-8. */
    public String readString(String path) {
        return new String(readBytes(path), StandardCharsets.UTF_8);
    }

    /** Returns a file as a stream, to be closed: the sandbox is in use until then. Its reads fail as the calls here do. */
    public InputStream read(String path) {
        return told(() -> sandbox.readFile(files -> files.as(user).read(path, 0, Long.MAX_VALUE, deadline())));
    }

    /** Makes a file, or replaces its content. Makes the directories that are missing on the way to it, of mode 0755. */
    public void writeBytes(String path, byte[] content) {
        put(path, content, WriteOptions.REPLACE);
    }

    /** Makes a file of some text in UTF-8, or replaces its content, as {@link #writeBytes} does. */
    public void writeString(String path, String text) {
        writeBytes(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds to the end of a file, or makes it, as {@link #writeBytes} does. */
    public void appendBytes(String path, byte[] content) {
        put(path, content, WriteOptions.appending());
    }

    /**
     * Adds some text in UTF-8 to the end of a file, or makes it, as {@link #writeBytes} does.
     *
     * <pre>{@code
     * sandbox.files().appendString("/etc/hosts", "10.0.2.2 registry\n");
     * }</pre>
     */
    public void appendString(String path, String text) {
        appendBytes(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Makes a file, or replaces its content, by a stream, to be closed, which returns when all is in the sandbox; that is in use
     * until then. Makes the directories that are missing on the way to it, of mode 0755.
     */
    public OutputStream write(String path) {
        return told(() -> sandbox.writeFile(files -> {
            GuestFiles guest = used(files);
            makeParents(guest, path);
            return guest.write(path, WriteOptions.REPLACE, deadline());
        }));
    }

    private void put(String path, byte[] content, WriteOptions options) {
        run(guest -> {
            try {
                return putOnce(guest, path, content, options);
            } catch (GuestFileException.NoSuchFile missing) {
                makeParents(guest, path);
                return putOnce(guest, path, content, options);
            }
        });
    }

    private boolean putOnce(GuestFiles guest, String path, byte[] content, WriteOptions options) {
        try (GuestFileOutput file = guest.write(path, options, deadline())) {
            file.write(content);
            return true;
        } catch (IOException e) {
            throw new IllegalStateException("no other thread closes it", e);
        }
    }

    /** Makes the directory that a file or copy is to lie in, unless it exists. */
    void makeParents(GuestFiles guest, String path) {
        int end = path.lastIndexOf('/');
        if (end > 0) {
            guest.makeDirectory(path.substring(0, end), 0755, true, deadline());
        }
    }

    /** Returns what a path leads to; symbolic links are followed. */
    public FileInfo stat(String path) {
        return run(guest -> guest.stat(path, true, deadline()));
    }

    /** Returns what a path names, the link itself if that is one. */
    public FileInfo statLink(String path) {
        return run(guest -> guest.stat(path, false, deadline()));
    }

    /** Returns what is in a directory, in no order. */
    public List<FileInfo> list(String path) {
        return run(guest -> guest.list(path, deadline()));
    }

    /**
     * Returns what is in a directory, and in those below it down to a depth, a directory before what is in it. The names are
     * relative to the path. Links below are not followed, and of a directory that the user may not read only itself is told.
     *
     * @param depth 1 to {@value GuestFiles#MAX_DEPTH}; 1: what is in the directory alone
     * @throws dev.cloche.base.ClocheException with {@code vm.copy-limit} if that is more than a million, and with
     *     {@code vm.older-agent} if the VM began with a version of Cloche that could not do this
     */
    @Incubating
    public List<FileInfo> list(String path, int depth) {
        return run(guest -> guest.list(path, depth, deadline()));
    }

    /**
     * Returns what a path leads to, with the names of its owner and group, its real path and its attributes {@code user.*};
     * symbolic links are followed.
     *
     * <pre>{@code
     * FileInfo.Details details = sandbox.files().details("/work/result");
     * System.out.println(details.owner().orElse("?") + " " + details.realPath().orElse("nowhere"));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException with {@code vm.older-agent} if the VM began with a version of Cloche that could not
     *     do this
     */
    @Incubating
    public FileInfo.Details details(String path) {
        return run(guest -> guest.details(path, true, deadline()));
    }

    /** Returns the same of what a path names, the link itself if that is one. */
    @Incubating
    public FileInfo.Details linkDetails(String path) {
        return run(guest -> guest.details(path, false, deadline()));
    }

    /**
     * Returns what {@link #list(String, int)} does, with the details of each.
     *
     * @param depth 1 to {@value GuestFiles#MAX_DEPTH}
     */
    @Incubating
    public List<FileInfo.Details> listDetails(String path, int depth) {
        return run(guest -> guest.listDetails(path, depth, deadline()));
    }

    /** Makes a directory of mode 0755, and its parents where they are missing; one that exists is no error. */
    public void makeDirectories(String path) {
        run(guest -> {
            guest.makeDirectory(path, 0755, true, deadline());
            return true;
        });
    }

    /**
     * Sets extended attributes, owner and mode of what a path leads to, in this order; symbolic links are followed. What was set
     * before a failure stays set.
     *
     * <pre>{@code
     * sandbox.files().change("/work/run", FileInfo.Change.NONE.withMode(0755).withOwner("app:app"));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException with {@code vm.file.no-attributes} if its file system has no extended attributes of
     *     users, as a writable layer in memory has none before Linux 6.6, and with {@code vm.older-agent} if the VM began with a
     *     version of Cloche that could not do this
     */
    @Incubating
    public void change(String path, FileInfo.Change change) {
        run(guest -> {
            guest.change(path, change, true, deadline());
            return true;
        });
    }

    /** Sets the owner of what a path names, of the link itself if that is one, which has neither attributes nor a mode. */
    @Incubating
    public void changeLink(String path, FileInfo.Change change) {
        run(guest -> {
            guest.change(path, change, false, deadline());
            return true;
        });
    }

    /** Removes a file, a link, or a directory with all that is in it. */
    public void remove(String path) {
        run(guest -> {
            guest.remove(path, true, deadline());
            return true;
        });
    }

    /** Renames; a file that has the new name is replaced. */
    public void rename(String path, String target) {
        run(guest -> {
            guest.rename(path, target, false, deadline());
            return true;
        });
    }

    /** Watches a directory, and what is in it; {@link #watch(String, FileWatch.Options)} with {@code DIRECTORY}. */
    @Incubating
    public FileWatch watch(String path) {
        return watch(path, FileWatch.Options.DIRECTORY);
    }

    /**
     * Watches a directory, to be closed: all that changes after the return is told, and the sandbox is in use until then. Of a
     * timeout only the beginning has to be within. A suspension ends it.
     *
     * <pre>{@code
     * try (FileWatch watch = sandbox.files().watch("/work", FileWatch.Options.TREE)) {
     *     for (FileWatch.Event event : watch) {
     *         switch (event) {
     *             case FileWatch.Event.Changed changed -> System.out.println(changed.change() + " " + changed.name());
     *             case FileWatch.Event.Missed _ -> System.out.println("look at all of it again");
     *         }
     *     }
     * }
     * }</pre>
     *
     * @param path of a directory
     * @throws dev.cloche.base.ClocheException with {@code vm.file.not-a-directory}, with {@code vm.file.too-many-directories}, and
     *     with {@code vm.older-agent} if the VM began with a version of Cloche that could not do this; there may be 32 watches in a
     *     guest
     */
    @Incubating
    public FileWatch watch(String path, FileWatch.Options options) {
        return new ToldWatch(
                told(() -> sandbox.watchFiles(files -> files.as(user).watch(path, options, deadline()))));
    }

    /**
     * Copies a file, link or directory of the host into the sandbox, with modes, times and holes. Makes the directories that are
     * missing on the way to it, of mode 0755.
     *
     * @param target the copy itself; a directory is merged into a directory that has its name
     */
    public CopyReport copyIn(Path source, String target) {
        return copy().in(source, target);
    }

    /**
     * Copies a file, link or directory of the sandbox to the host, with modes, times and holes.
     *
     * @param target the copy itself; a directory is merged into a directory that has its name
     */
    public CopyReport copyOut(String source, Path target) {
        return copy().out(source, target);
    }

    /** Returns a copy with options. */
    public CopyBuilder copy() {
        return new CopyBuilder(this);
    }

    Deadline deadline() {
        return timeout.map(Deadline::after).orElseGet(Deadline::none);
    }

    <T> T run(Function<GuestFiles, T> action) {
        return told(() -> sandbox.withFiles(files -> action.apply(used(files))));
    }

    private GuestFiles used(GuestFiles files) {
        GuestFiles guest = files.as(user);
        return owner.map(guest::ownedBy).orElse(guest);
    }

    /** Says of a lost connection what has become of the sandbox, as the calls here do. */
    private final class ToldWatch implements FileWatch {
        private final FileWatch watch;

        ToldWatch(FileWatch watch) {
            this.watch = watch;
        }

        @Override
        public Optional<Event> next(Duration longest) {
            return told(() -> watch.next(longest));
        }

        @Override
        public boolean ended() {
            return watch.ended();
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    private <T> T told(Supplier<T> action) {
        try {
            return action.get();
        } catch (GuestException.ConnectionLost | VmException.WrongState lost) {
            throw sandbox.ended(lost);
        }
    }
}
