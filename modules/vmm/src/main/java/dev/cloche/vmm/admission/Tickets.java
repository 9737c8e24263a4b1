package dev.cloche.vmm.admission;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Keeps the queue of processes that wait for room: one file each, whose name is its number, whose content is what it wants, and which
 * it holds locked. The lowest comes first. All calls are made under the lock of the ledger, but for the end of a ticket.
 *
 * @param directory of the tickets
 */
record Tickets(Path directory) {
    private static final Pattern NAME = Pattern.compile("[0-9]{19}");
    /** The ticket that has no number yet; one at a time, under the ledger's lock. */
    private static final String NEXT = "next";

    /** Is a place in the queue. */
    static final class Ticket implements AutoCloseable {
        private final long number;
        private final Path file;
        private final LockFile lock;
        private final AtomicBoolean left = new AtomicBoolean();

        private Ticket(long number, Path file, LockFile lock) {
            this.number = number;
            this.file = file;
            this.lock = lock;
        }

        long number() {
            return number;
        }

        /**
         * Leaves the queue, once: the next may get the same number. A file that cannot be removed has no lock any more, and so no
         * place.
         */
        @Override
        public void close() {
            if (left.getAndSet(true)) {
                return;
            }
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                System.getLogger(Tickets.class.getName()).log(System.Logger.Level.DEBUG, "a ticket stays", e);
            } finally {
                lock.close();
            }
        }
    }

    /** Describes a ticket of any process. */
    record Waiting(long number, Path file, VmClaim wanted) {}

    /**
     * Takes the last place of the queue. Its ticket has its number only when it is locked and whole: numbers are given again, and who
     * still waits for an earlier one of this number would have its lock for an instant.
     */
    Ticket take(VmClaim wanted) throws IOException {
        DurableFiles.ensureDirectory(directory);
        long number = 1 + numbers().stream().mapToLong(Long::longValue).max().orElse(0);
        Path next = directory.resolve(NEXT);
        LockFile lock = LockFile.tryLock(next).orElseThrow(() -> new IOException("the ticket " + next + " is taken"));
        try {
            try (FileChannel channel =
                    FileChannel.open(next, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                ClaimFile.writeAll(channel, wanted);
            }
            Files.move(next, file(number), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException e) {
            new Ticket(number, next, lock).close();
            throw e;
        }
        return new Ticket(number, file(number), lock);
    }

    /**
     * Returns those that wait, in their order, and removes the tickets of those that do not live.
     *
     * @param before only those before this number
     */
    List<Waiting> ahead(OptionalLong before) throws IOException {
        List<Waiting> found = new ArrayList<>();
        for (long number : numbers()) {
            if (before.isPresent() && number >= before.getAsLong()) {
                continue;
            }
            Path file = file(number);
            if (!LockFile.isHeld(file)) {
                Files.deleteIfExists(file);
                continue;
            }
            try {
                found.add(new Waiting(number, file, ClaimFile.readFile(file)));
            } catch (NoSuchFileException leaving) {
                // It has its room, or gave up.
            } catch (IOException damaged) {
                // It has its place, and nothing is known of what it wants.
                found.add(new Waiting(number, file, VmClaim.UNKNOWN));
            }
        }
        found.sort(Comparator.comparingLong(Waiting::number));
        return List.copyOf(found);
    }

    /** Says whether there are none, without the ledger's lock; those of processes that have ended count. */
    boolean isEmpty() throws IOException {
        return numbers().isEmpty();
    }

    private Path file(long number) {
        return directory.resolve(String.format(Locale.ROOT, "%019d", number));
    }

    private List<Long> numbers() throws IOException {
        if (!Files.exists(directory)) {
            // No process has ever waited here: what most find needs no exception.
            return List.of();
        }
        List<Long> numbers = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (NAME.matcher(name).matches()) {
                    numbers.add(Long.parseLong(name));
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        return numbers;
    }
}
