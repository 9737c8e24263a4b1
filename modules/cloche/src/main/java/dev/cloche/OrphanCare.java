package dev.cloche;

import dev.cloche.process.ProcessRegistry;
import dev.cloche.sandbox.Orphan;
import dev.cloche.sandbox.Orphans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds and removes what no record has. */
record OrphanCare(Rooms rooms) {
    private Orphans ofSandboxes() {
        return rooms.sandboxes().orphans(rooms.machines()::vms);
    }

    /** Returns the VMs among them. */
    List<Orphan> vms() {
        return ofSandboxes().vms();
    }

    List<Orphan> find() {
        List<Orphan> found = new ArrayList<>(ofSandboxes().find());
        outputs()
                .forEach(id -> found.add(
                        Orphan.of(Orphan.Kind.EXECUTION, directory().resolve(id).toString())));
        return List.copyOf(found);
    }

    /** Returns what is still there. */
    List<Orphan> remove() {
        List<Orphan> left = ofSandboxes().remove();
        rooms.executions().sweep();
        return left;
    }

    private Path directory() {
        return rooms.processes().outputs();
    }

    /** Returns the ids of outputs without a process, which is recorded before its output is. */
    List<String> outputs() {
        List<String> found;
        try (Stream<Path> entries = Files.list(directory())) {
            found = entries.filter(Files::isDirectory)
                    .map(entry -> entry.getFileName().toString())
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ProcessRegistry registry = rooms.processes().registry();
        return found.stream().filter(id -> registry.get(id).isEmpty()).toList();
    }
}
