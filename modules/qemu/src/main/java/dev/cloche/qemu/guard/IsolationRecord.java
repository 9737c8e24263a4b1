package dev.cloche.qemu.guard;

import dev.cloche.vm.VmIsolation;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Reads what a guard has written of the walls around its program; see docs/guard.md. */
public final class IsolationRecord {
    static final String FILE = "isolation.json";
    static final String DENIED = "denied";
    private static final String LET_THROUGH = "+";
    private static final long VERSION = 1;

    private IsolationRecord() {}

    /** Reads it from a VM's directory; without one there are no walls. */
    public static VmIsolation read(Path directory) throws IOException {
        try {
            JsonFields json = JsonFields.read(directory.resolve(FILE), VERSION);
            return new VmIsolation(
                    level(json.text("level")),
                    json.text("missing"),
                    denied(directory.resolve(DENIED)),
                    GroupRecord.read(directory));
        } catch (NoSuchFileException none) {
            return new VmIsolation(VmIsolation.Level.NONE, "", 0);
        }
    }

    /** Returns whether its guard has noted any call. */
    public static boolean hasNotes(Path directory) {
        return Files.exists(directory.resolve(DENIED));
    }

    private static VmIsolation.Level level(String name) throws IOException {
        try {
            return VmIsolation.Level.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IOException("no valid level", e);
        }
    }

    /** One a line, of which its guard writes no more than 64; what it let through has a mark before it. */
    private static int denied(Path file) throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return (int) lines.filter(line -> !line.startsWith(LET_THROUGH)).count();
        } catch (NoSuchFileException none) {
            return 0;
        }
    }
}
