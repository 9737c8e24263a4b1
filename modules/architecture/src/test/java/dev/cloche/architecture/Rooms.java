package dev.cloche.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Lists the rooms, the rooms that each may import, and the classes of all of them. */
final class Rooms {
    static final String ROOT = "dev.cloche";

    /** The table of {@code docs/architecture.md}. */
    static final Map<String, Set<String>> IMPORTS = Map.ofEntries(
            Map.entry("base", Set.of()),
            Map.entry("linux", Set.of("base")),
            Map.entry("migration", Set.of()),
            Map.entry("runtime", Set.of("linux", "base")),
            Map.entry("catalog", Set.of("migration", "linux", "base")),
            Map.entry("erofs", Set.of("base")),
            Map.entry("image", Set.of("erofs", "catalog", "linux", "base")),
            Map.entry("vm", Set.of("linux", "base")),
            Map.entry("vmm", Set.of("vm", "linux", "base")),
            Map.entry("vm.testing", Set.of("vmm", "vm", "linux", "base")),
            Map.entry("qemu", Set.of("vmm", "vm", "linux", "base")),
            Map.entry("process", Set.of("catalog", "linux", "base")),
            Map.entry("process.postgres", Set.of("process", "migration", "base")),
            Map.entry("schema", Set.of("process", "base")),
            Map.entry("process.testing", Set.of("process", "base")),
            Map.entry("pool", Set.of("vm", "base")),
            Map.entry("sandbox", Set.of("image", "pool", "vm", "catalog", "linux", "base")),
            Map.entry("execution", Set.of("sandbox", "process", "vm", "linux", "base")),
            Map.entry("interpreter", Set.of("sandbox", "vm", "base")),
            Map.entry("machine", Set.of("image", "vm", "linux", "base")),
            Map.entry(
                    "",
                    Set.of(
                            "execution",
                            "interpreter",
                            "machine",
                            "sandbox",
                            "pool",
                            "process",
                            "image",
                            "qemu",
                            "vm",
                            "catalog",
                            "runtime",
                            "linux",
                            "base")),
            Map.entry("junit", Set.of("", "vm", "base")),
            Map.entry("tools", Set.of("", "interpreter", "vm", "base")),
            Map.entry("langchain4j", Set.of("", "interpreter", "tools")),
            Map.entry("springai", Set.of("", "interpreter", "tools", "sandbox", "base")),
            Map.entry("agentsandbox", Set.of("", "vm", "base")),
            Map.entry("micrometer", Set.of("", "sandbox", "pool", "image", "vm", "base")),
            Map.entry("spring", Set.of("", "micrometer", "sandbox", "image", "vm", "base")),
            Map.entry(
                    "cli", Set.of("", "interpreter", "machine", "sandbox", "process", "image", "vm", "linux", "base")),
            Map.entry(
                    "bench",
                    Set.of(
                            "",
                            "interpreter",
                            "process.postgres",
                            "vm.testing",
                            "qemu",
                            "machine",
                            "sandbox",
                            "pool",
                            "process",
                            "image",
                            "vm",
                            "catalog",
                            "runtime",
                            "linux",
                            "base")));

    static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new DoNotIncludeTests()).importPackages(ROOT);

    private Rooms() {}

    /** The rooms that only tests and measurements use. */
    static final List<String> OF_TESTS = List.of("vm.testing", "process.testing", "bench");

    /** Returns the package of a room. */
    static String packageOf(String room) {
        return room.isEmpty() ? ROOT : ROOT + "." + room;
    }

    /** Returns the room that has the class, if one has: the one with the longest name that leads to its package. */
    static Optional<String> roomOf(JavaClass type) {
        return roomOfPackage(type.getPackageName());
    }

    /** Returns the room that has the package, if one has. */
    static Optional<String> roomOfPackage(String name) {
        if (name.equals(ROOT)) {
            return Optional.of("");
        }
        return IMPORTS.keySet().stream()
                .filter(room -> !room.isEmpty() && (name + ".").startsWith(packageOf(room) + "."))
                .max(Comparator.comparingInt(String::length));
    }

    /** Matches the classes of these rooms. */
    static DescribedPredicate<JavaClass> in(List<String> rooms) {
        return DescribedPredicate.describe(
                "are in the rooms " + rooms,
                type -> roomOf(type).filter(rooms::contains).isPresent());
    }
}
