package dev.cloche.machine.config;

import dev.cloche.base.DurableFiles;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads and writes the files {@code .owners/ID}: which directory each vm_id belongs to. */
public record DirectoryClaims(Path base) {
    private static final String DIRECTORY = ".owners";
    private static final int MAX_BYTES = 256;

    Optional<DirectoryClaim> of(VmId id) throws IOException {
        try (var in = Files.newInputStream(file(id))) {
            return DirectoryClaim.parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Returns all that can be read, by id. */
    SortedMap<VmId, DirectoryClaim> all() throws IOException {
        SortedMap<VmId, DirectoryClaim> all = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(base.resolve(DIRECTORY))) {
            for (Path file : files) {
                Optional<VmId> id = id(String.valueOf(file.getFileName()));
                if (id.isPresent()) {
                    of(id.get()).ifPresent(claim -> all.put(id.get(), claim));
                }
            }
        } catch (NoSuchFileException none) {
            return all;
        }
        return all;
    }

    /** Returns the id that a file is named by; empty of temporary ones. */
    public static Optional<VmId> id(String name) {
        try {
            return Optional.of(new VmId(name));
        } catch (VmException.Invalid none) {
            return Optional.empty();
        }
    }

    /** Durably. */
    void put(VmId id, DirectoryClaim claim) throws IOException {
        DurableFiles.ensureDirectory(base.resolve(DIRECTORY));
        DurableFiles.write(file(id), claim.text().getBytes(StandardCharsets.ISO_8859_1));
    }

    void sweep() throws IOException {
        try (DirectoryStream<Path> temporary = Files.newDirectoryStream(base.resolve(DIRECTORY), ".tmp-*")) {
            for (Path file : temporary) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException none) {
            // Nothing was ever recorded.
        }
    }

    void remove(VmId id) throws IOException {
        Files.deleteIfExists(file(id));
    }

    private Path file(VmId id) {
        return base.resolve(DIRECTORY).resolve(id.value());
    }
}
