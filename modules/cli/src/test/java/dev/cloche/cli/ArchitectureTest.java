package dev.cloche.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the table of rooms in {@code docs/architecture.md}: what is not listed there is not allowed. */
class ArchitectureTest {
    private static final Map<String, List<String>> ROOMS = Map.ofEntries(
            Map.entry("dev.cloche.base", List.of()),
            Map.entry("dev.cloche.linux", List.of("base")),
            Map.entry("dev.cloche.catalog", List.of("base")),
            Map.entry("dev.cloche.erofs", List.of("base")),
            Map.entry("dev.cloche.image", List.of("erofs", "catalog", "linux", "base")),
            Map.entry("dev.cloche.vm", List.of("linux", "base")),
            Map.entry("dev.cloche.process", List.of("catalog", "base")),
            Map.entry("dev.cloche.pool", List.of("vm", "base")),
            Map.entry("dev.cloche.sandbox", List.of("image", "pool", "vm", "catalog", "linux", "base")),
            Map.entry("dev.cloche.execution", List.of("sandbox", "process", "vm", "base")),
            Map.entry("dev.cloche.machine", List.of("image", "vm", "linux", "base")),
            Map.entry(
                    "dev.cloche",
                    List.of(
                            "execution",
                            "machine",
                            "sandbox",
                            "pool",
                            "process",
                            "image",
                            "vm",
                            "catalog",
                            "linux",
                            "base")),
            Map.entry("dev.cloche.cli", List.of("", "base", "linux")));

    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new DoNotIncludeTests()).importPackages("dev.cloche");

    @TestFactory
    Stream<DynamicTest> eachRoomImportsOnlyWhatIsListed() {
        return ROOMS.entrySet().stream()
                .map(room -> DynamicTest.dynamicTest(
                        room.getKey(),
                        () -> noClasses()
                                .that()
                                .resideInAPackage(room.getKey())
                                .should()
                                .dependOnClassesThat(otherRooms(room.getKey(), room.getValue()))
                                .check(CLASSES)));
    }

    @Test
    void everyRoomIsInTheTableAndHasOneFlatPackage() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrderElementsOf(ROOMS.keySet());
    }

    @Test
    void onlyTheCatalogRoomKnowsItsDriverAndMigrations() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.cloche.catalog")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.sqlite..", "org.flywaydb.."))
                .check(CLASSES);
    }

    /** It takes 150 ms of a start, which an ordinary command has not got. */
    @Test
    void onlyProcessesAndTheirExecutionsUseTreesOfJson() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.cloche.process", "dev.cloche.execution")
                .should()
                .dependOnClassesThat(resideInAnyPackage("tools.jackson.databind..", "com.networknt.."))
                .check(CLASSES);
    }

    @Test
    void onlyTheLinuxRoomMakesNativeCalls() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.cloche.linux")
                .should()
                .dependOnClassesThat(resideInAPackage("java.lang.foreign"))
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> otherRooms(String self, List<String> allowed) {
        List<String> packages = allowed.stream()
                .map(room -> room.isEmpty() ? "dev.cloche" : "dev.cloche." + room)
                .toList();
        return DescribedPredicate.describe(
                "are in rooms other than " + packages,
                type -> ROOMS.containsKey(type.getPackageName())
                        && !type.getPackageName().equals(self)
                        && !packages.contains(type.getPackageName()));
    }
}
