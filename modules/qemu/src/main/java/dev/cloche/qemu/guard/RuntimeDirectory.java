package dev.cloche.qemu.guard;

import dev.cloche.linux.LinuxException;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Manages the directories of sockets, one for each state root. Each guard holds a shared lock on the one that it listens in:
 * so a cleaner of temporary files (systemd-tmpfiles) spares it, and {@link #sweep} does too.
 */
public final class RuntimeDirectory {
    /** A file beside the directory, which says whose sockets these are: its name is only a hash of that. */
    private static final String NOTE = ".of";

    private static final Pattern NOTE_NAME = Pattern.compile("([0-9a-f]{16})\\.of");
    private static final int LONGEST_NOTE = 1 << 14;

    private RuntimeDirectory() {}

    /**
     * Makes the directory, which a cleaner may have taken away, or checks the one that is there.
     *
     * @throws VmException.Storage if it is a link, another user's, or open to others
     */
    public static void ensure(VmLayout layout) throws IOException {
        Path directory = layout.runtimeDirectory();
        Path note = directory.resolveSibling(directory.getFileName() + NOTE);
        Path base = note.getParent();
        if (base == null) {
            throw new IOException("a file system's root is no place for sockets");
        }
        PrivateDirectory.ensure(base);
        PrivateDirectory.ensure(directory);
        if (!Files.exists(note)) {
            Path temporary = Files.createTempFile(base, ".tmp-", NOTE);
            Files.writeString(temporary, layout.stateRoot().toString());
            Files.move(temporary, note, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * Removes what killed probes have left in this one, and those beside it whose state root is gone and in which no guard
     * listens. What resists stays.
     */
    public static void sweep(VmLayout layout) {
        Path base = layout.runtimeDirectory().getParent();
        if (base == null || !PrivateDirectory.isMine(base)) {
            return;
        }
        try {
            ProbeDirectory.sweep(layout.runtimeDirectory());
            sweepBeside(base);
        } catch (IOException | LinuxException resists) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "directories of sockets stay in " + base, resists);
        }
    }

    private static void sweepBeside(Path base) throws IOException {
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(base, "*" + NOTE)) {
            for (Path note : notes) {
                if (isOfTheDead(note)) {
                    remove(note);
                }
            }
        }
    }

    private static boolean isOfTheDead(Path note) throws IOException {
        Matcher name = NOTE_NAME.matcher(String.valueOf(note.getFileName()));
        // A note that says something else than its name says nothing.
        return name.matches()
                && stateRoot(note)
                        .filter(root -> VmLayout.hash(root).equals(name.group(1)))
                        .filter(Files::notExists)
                        .isPresent();
    }

    private static Optional<Path> stateRoot(Path note) throws IOException {
        try {
            if (Files.size(note) > LONGEST_NOTE) {
                return Optional.empty();
            }
            return Optional.of(Path.of(Files.readString(note))).filter(Path::isAbsolute);
        } catch (NoSuchFileException | InvalidPathException goneOrNoPath) {
            return Optional.empty();
        }
    }

    private static void remove(Path note) throws IOException {
        String name = String.valueOf(note.getFileName());
        Path directory = note.resolveSibling(name.substring(0, name.length() - NOTE.length()));
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Optional<LockFile> alone = LockFile.tryLockDirectory(directory);
            if (alone.isEmpty()) {
                return;
            }
            try (LockFile _ = alone.get()) {
                // Another process may have made the state root meanwhile.
                if (!isOfTheDead(note)) {
                    return;
                }
                ProbeDirectory.sweep(directory);
                VmRemoval.empty(directory);
            }
        }
        Files.deleteIfExists(note);
    }
}
