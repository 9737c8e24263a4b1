package dev.cloche.qemu.guard;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and keeps the output logs of a VM from before it was suspended, {@code output.log.earlier-N}, the oldest first. A frame
 * may begin in one and end in the next: the guest has written on where it was halted.
 */
final class EarlierOutput implements Closeable {
    private static final Pattern NAME = Pattern.compile("output\\.log\\.earlier-([0-9]{1,9})");
    /** As the guard writes them, the older one first. */
    private static final List<String> WRITTEN = List.of("output.log.1", "output.log");

    private final Path directory;
    private Optional<Deque<Path>> unread = Optional.empty();
    private Optional<FileChannel> current = Optional.empty();

    EarlierOutput(Path directory) {
        this.directory = directory;
    }

    private record Numbered(int number, Path file) {}

    /**
     * Puts what a guard has written aside, for the next guard begins an empty log. A process that is killed in between leaves the
     * rest to the next call.
     *
     * @param most bytes to keep; the oldest files go first
     */
    static void keep(Path directory, long most) throws IOException {
        List<Numbered> kept = new ArrayList<>(find(directory));
        int next = kept.isEmpty() ? 1 : kept.getLast().number() + 1;
        for (String name : WRITTEN) {
            Path file = directory.resolve("output.log.earlier-" + next);
            try {
                Files.move(directory.resolve(name), file, StandardCopyOption.ATOMIC_MOVE);
                kept.add(new Numbered(next++, file));
            } catch (NoSuchFileException none) {
                // It has written nothing of that.
            }
        }
        long total = 0;
        for (Numbered each : kept.reversed()) {
            total += Files.size(each.file());
            if (total > most) {
                Files.delete(each.file());
            }
        }
    }

    private static List<Numbered> find(Path directory) throws IOException {
        List<Numbered> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "output.log.earlier-*")) {
            for (Path file : files) {
                Matcher matcher = NAME.matcher(file.getFileName().toString());
                if (matcher.matches()) {
                    found.add(new Numbered(Integer.parseInt(matcher.group(1)), file));
                }
            }
        } catch (NoSuchFileException gone) {
            return List.of();
        }
        found.sort(Comparator.comparingInt(Numbered::number));
        return found;
    }

    /** Puts bytes into {@code target}; false if there are no more. */
    boolean read(ByteBuffer target) throws IOException {
        if (unread.isEmpty()) {
            Deque<Path> all = new ArrayDeque<>();
            find(directory).forEach(each -> all.add(each.file()));
            unread = Optional.of(all);
        }
        while (true) {
            if (current.isPresent() && current.get().read(target) > 0) {
                return true;
            }
            close();
            Path next = unread.get().poll();
            if (next == null) {
                return false;
            }
            try {
                current = Optional.of(FileChannel.open(next, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
            } catch (NoSuchFileException tooOld) {
                // It has just made room.
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (current.isPresent()) {
            current.get().close();
            current = Optional.empty();
        }
    }
}
