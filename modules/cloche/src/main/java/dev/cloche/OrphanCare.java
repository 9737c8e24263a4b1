package dev.cloche;

import dev.cloche.process.ProcessRegistry;
import dev.cloche.sandbox.Orphans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What no room has recorded. */
record OrphanCare(Rooms rooms) {
    private Orphans ofSandboxes() {
        return rooms.sandboxes().orphans(rooms.machines()::vms);
    }

    /** The VMs among them. */
    List<OrphanInfo> vms() {
        return ofSandboxes().vms().stream().map(OrphanInfo::of).toList();
    }

    List<OrphanInfo> find() {
        List<OrphanInfo> found = new ArrayList<>();
        ofSandboxes().find().stream().map(OrphanInfo::of).forEach(found::add);
        outputs()
                .forEach(id ->
                        found.add(OrphanInfo.ofExecution(directory().resolve(id).toString())));
        return List.copyOf(found);
    }

    /** Answers what is still there. */
    List<OrphanInfo> remove() {
        List<OrphanInfo> left =
                ofSandboxes().remove().stream().map(OrphanInfo::of).toList();
        rooms.executions().sweep();
        return left;
    }

    private Path directory() {
        return rooms.processes().outputs();
    }

    /** A process is recorded before its output is. */
    private List<String> outputs() {
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
