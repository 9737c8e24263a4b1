package dev.cloche.qemu.guard;

import dev.cloche.vm.VmIsolation;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Reads what a guard has written of the control group of its program, and what the kernel says of that; see docs/guard.md. */
final class GroupRecord {
    static final String FILE = "group.json";
    private static final long VERSION = 1;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}\n");
    private static final int LONGEST = 20;

    private GroupRecord() {}

    /** Reads it from a VM's directory; empty where no group was wanted. */
    static Optional<VmIsolation.Group> read(Path directory) throws IOException {
        try {
            JsonFields json = JsonFields.read(directory.resolve(FILE), VERSION);
            Optional<String> path = json.optionalText("path").filter(each -> isOf(directory, each));
            return Optional.of(new VmIsolation.Group(
                    path,
                    json.text("missing"),
                    path.map(each -> number(Path.of(each).resolve("memory.peak")))
                            .orElse(OptionalLong.empty())));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** At lower levels of isolation a broken QEMU may have written it: no other group is looked at. */
    private static boolean isOf(Path directory, String path) {
        String name = "cloche-" + directory.getFileName();
        String last = path.substring(path.lastIndexOf('/') + 1);
        return path.startsWith("/") && (last.equals(name) || last.startsWith(name + "."));
    }

    /** Older kernels do not have the file, nor has a group whose memory is not looked at. */
    private static OptionalLong number(Path file) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return OptionalLong.empty();
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            String text = new String(in.readNBytes(LONGEST), StandardCharsets.US_ASCII);
            return NUMBER.matcher(text).matches()
                    ? OptionalLong.of(Long.parseLong(text.strip()))
                    : OptionalLong.empty();
        } catch (IOException gone) {
            return OptionalLong.empty();
        }
    }
}
