package dev.cloche.runtime;

import dev.cloche.base.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Describes what VMs are made with, as {@code runtime.json} beside the files says; its format is in docs/compatibility.md. A
 * runtime has a version of its own, so a library finds here whether it can use it, and how old it is.
 *
 * @param directory the one with the files
 * @param version of the runtime
 * @param built the day on which its newest part was made, in UTC
 * @param guestProtocol the version of the guest protocol that its agent speaks
 * @param guard the version of the options that its guard takes; 1 of those that do not say it
 * @param parts what it consists of
 */
public record RuntimeManifest(
        Path directory, String version, LocalDate built, int guestProtocol, int guard, List<RuntimePart> parts) {
    /** The guest protocols that this library speaks, from the oldest to the newest. */
    public static final int OLDEST_GUEST_PROTOCOL = 2;

    public static final int NEWEST_GUEST_PROTOCOL = 2;

    /** The oldest guard whose options are enough; newer ones take the same. */
    public static final int OLDEST_GUARD = 5;

    private static final String FILE = "runtime.json";
    private static final int MAX_BYTES = 64 * 1024;
    /** A later format says the same, and more; another one that does not gets another name. */
    private static final long FORMAT = 1;

    /** Copies the list. */
    public RuntimeManifest {
        parts = List.copyOf(parts);
    }

    /**
     * Describes a file of a runtime.
     *
     * @param path relative to the directory
     * @param version of the program, or of the package that it is from
     * @param sha256 in hexadecimal
     */
    public record RuntimePart(String path, String version, String sha256) {}

    /**
     * Reads that of the first directory that has one; empty if none has, as those of earlier versions.
     *
     * @throws RuntimeUnusable.Unreadable if it cannot be read or understood
     */
    public static Optional<RuntimeManifest> in(List<Path> directories) {
        for (Path directory : directories) {
            Path file = directory.resolve(FILE);
            if (Files.exists(file)) {
                return Optional.of(read(directory, file));
            }
        }
        return Optional.empty();
    }

    private static RuntimeManifest read(Path directory, Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new RuntimeUnusable.Unreadable(file, "it is too long");
            }
            return parse(directory, JsonValue.parse(bytes));
        } catch (IOException
                | JsonValue.Malformed
                | NoSuchElementException
                | DateTimeException
                | ArithmeticException e) {
            throw new RuntimeUnusable.Unreadable(file, String.valueOf(e.getMessage()));
        }
    }

    private static RuntimeManifest parse(Path directory, JsonValue.Fields fields) throws JsonValue.Malformed {
        if (fields.requireWhole("format") != FORMAT) {
            throw new JsonValue.Malformed("its format is not " + FORMAT);
        }
        List<RuntimePart> parts = new ArrayList<>();
        for (JsonValue item : fields.items("parts").orElse(List.of())) {
            if (!(item instanceof JsonValue.Fields part)) {
                throw new JsonValue.Malformed("a part is no object");
            }
            parts.add(
                    new RuntimePart(part.requireText("path"), part.requireText("version"), part.requireText("sha256")));
        }
        return new RuntimeManifest(
                directory,
                fields.requireText("version"),
                LocalDate.parse(fields.requireText("built")),
                Math.toIntExact(fields.requireWhole("guestProtocol")),
                Math.toIntExact(fields.whole("guard").orElse(1)),
                parts);
    }

    /**
     * Refuses a runtime that this library cannot work with: its agent, or its guard.
     *
     * @throws RuntimeUnusable.Mismatch if it is too old or too new
     */
    public void requireUsable() {
        if (guestProtocol < OLDEST_GUEST_PROTOCOL || guestProtocol > NEWEST_GUEST_PROTOCOL) {
            throw RuntimeUnusable.Mismatch.ofProtocol(directory, version, guestProtocol);
        }
        if (guard < OLDEST_GUARD) {
            throw RuntimeUnusable.Mismatch.ofGuard(directory, version, guard);
        }
    }
}
