package dev.cloche.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Holds the table of libraries in {@code docs/architecture.md}: each is used by the rooms that are listed there alone. */
class LibrariesTest {
    private static final Map<String, List<String>> USERS = Map.ofEntries(
            Map.entry("java.lang.foreign..", List.of("linux")),
            Map.entry("sun.misc..", List.of("cli")),
            Map.entry("java.net.http..", List.of("image")),
            Map.entry("org.sqlite..", List.of("catalog")),
            Map.entry("org.postgresql..", List.of("process.postgres")),
            Map.entry("com.zaxxer..", List.of("process.postgres")),
            // Applications pin the annotations that these need, at versions that are too old.
            Map.entry("tools.jackson.databind..", List.of("schema")),
            Map.entry("com.networknt..", List.of("schema")),
            Map.entry("com.github.luben..", List.of("image", "machine")),
            Map.entry("org.tomlj..", List.of("", "machine")),
            Map.entry("dev.langchain4j..", List.of("langchain4j")),
            Map.entry("org.springaicommunity..", List.of("agentsandbox")),
            Map.entry("io.micrometer..", List.of("micrometer", "spring")),
            Map.entry("org.springframework..", List.of("spring", "springai")),
            Map.entry("org.junit..", List.of("junit", "vm.testing")),
            Map.entry("picocli..", List.of("cli")),
            Map.entry("io.zonky..", List.of("bench")));

    @TestFactory
    Stream<DynamicTest> eachIsUsedByTheRoomsThatAreListedAlone() {
        return USERS.entrySet().stream()
                .map(library -> DynamicTest.dynamicTest(
                        library.getKey(),
                        () -> noClasses()
                                .that(not(library.getValue()))
                                .should()
                                .dependOnClassesThat(resideInAPackage(library.getKey()))
                                .check(Rooms.CLASSES)));
    }

    @TestFactory
    Stream<DynamicTest> eachRoomThatIsListedUsesIt() {
        return USERS.entrySet().stream()
                .flatMap(library -> library.getValue().stream()
                        .map(room -> DynamicTest.dynamicTest(library.getKey() + " in " + Rooms.packageOf(room), () -> {
                            assertThat(Rooms.CLASSES.stream()
                                            .filter(Rooms.in(List.of(room)))
                                            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                                            .map(dependency -> dependency.getTargetClass())
                                            .filter(resideInAPackage(library.getKey())))
                                    .isNotEmpty();
                        })));
    }

    private static DescribedPredicate<JavaClass> not(List<String> rooms) {
        return DescribedPredicate.not(Rooms.in(rooms));
    }
}
