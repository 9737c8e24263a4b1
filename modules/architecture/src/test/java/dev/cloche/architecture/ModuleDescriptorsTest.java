package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the descriptors of the artefacts that {@code cloche-bom} lists. */
class ModuleDescriptorsTest {
    private static final Path MODULES = Path.of("..").toAbsolutePath().normalize();
    /** Only a release compiles it; {@code integration/modulepath} uses it. */
    private static final String RUNTIME = "runtime-linux-x86_64";

    @Test
    void everyPublishedArtefactHasADescriptor() throws IOException {
        assertThat(published())
                .contains(RUNTIME, "cloche", "process-postgres")
                .allSatisfy(artefact -> assertThat(MODULES.resolve(artefact + "/src/main/java/module-info.java"))
                        .exists());
    }

    @TestFactory
    Stream<DynamicTest> theContractPackageIsExportedAndNoOther() throws IOException {
        return forEach(descriptor -> {
            Map<String, Set<String>> exports = descriptor.exports().stream()
                    .collect(Collectors.toMap(ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets));
            Map<String, Set<String>> expected = new HashMap<>(Map.of(descriptor.name(), Set.of()));
            InnerPackagesTest.SECOND_CONTRACTS.forEach((name, users) -> {
                if (roomOf(descriptor).equals(roomOf(name))) {
                    expected.put(name, users.stream().map(Rooms::packageOf).collect(Collectors.toSet()));
                }
            });
            assertThat(exports).isEqualTo(expected);
            assertThat(descriptor.opens()).isEmpty();
        });
    }

    @TestFactory
    Stream<DynamicTest> everyModuleThatIsRequiredIsUsed() throws IOException {
        Map<String, String> moduleOfPackage = moduleOfPackage();
        return forEach(descriptor -> {
            Set<String> used = Rooms.CLASSES.stream()
                    .filter(Rooms.in(List.of(roomOf(descriptor))))
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .map(Dependency::getTargetClass)
                    .flatMap(type ->
                            Optional.ofNullable(moduleOfPackage.get(
                                            type.getBaseComponentType().getPackageName()))
                                    .stream())
                    .collect(Collectors.toSet());
            assertThat(descriptor.requires().stream()
                            .filter(required -> !required.modifiers().contains(Requires.Modifier.STATIC))
                            .map(Requires::name))
                    .isSubsetOf(used);
        });
    }

    @TestFactory
    Stream<DynamicTest> onlyWhatTheApplicationBringsIsRequiredStatically() throws IOException {
        return forEach(descriptor -> {
            Set<String> expected = switch (roomOf(descriptor)) {
                case "micrometer" -> Set.of("micrometer.core", "micrometer.observation");
                case "spring" ->
                    Set.of(
                            "com.fasterxml.jackson.annotation",
                            "micrometer.core",
                            "micrometer.observation",
                            "spring.aop",
                            "spring.beans",
                            "spring.boot",
                            "spring.boot.actuator",
                            "spring.boot.actuator.autoconfigure",
                            "spring.boot.autoconfigure",
                            "spring.boot.health",
                            "spring.context",
                            "spring.core");
                case "junit" -> Set.of("org.junit.jupiter.api");
                // By the names of their jars: LangChain4j and Spring AI say none.
                case "langchain4j" -> Set.of("langchain4j.core");
                case "springai" -> Set.of("spring.ai.model");
                case "vm.testing" -> Set.of("org.junit.jupiter.api", "org.assertj.core", "awaitility");
                default -> Set.of();
            };
            assertThat(descriptor.requires().stream()
                            .filter(required -> required.modifiers().contains(Requires.Modifier.STATIC))
                            .map(Requires::name))
                    .containsExactlyInAnyOrderElementsOf(expected);
        });
    }

    /** What lies in a package is hidden from the class loaders of other modules. */
    @Test
    void noResourceLiesInAPackage() throws IOException {
        for (String artefact : published()) {
            Path resources = MODULES.resolve(artefact + "/src/main/resources");
            if (Files.isDirectory(resources)) {
                try (Stream<Path> files = Files.walk(resources)) {
                    assertThat(files.filter(Files::isRegularFile)
                                    .map(file -> resources.relativize(file).toString()))
                            .allSatisfy(name -> assertThat(name).startsWith("META-INF/"));
                }
            }
        }
    }

    private static Stream<DynamicTest> forEach(Check check) throws IOException {
        Set<String> artefacts = new TreeSet<>(published());
        artefacts.remove(RUNTIME);
        Map<String, ModuleDescriptor> descriptors = new TreeMap<>();
        for (String artefact : artefacts) {
            try (InputStream compiled =
                    Files.newInputStream(MODULES.resolve(artefact + "/target/classes/module-info.class"))) {
                ModuleDescriptor descriptor = ModuleDescriptor.read(compiled);
                descriptors.put(descriptor.name(), descriptor);
            }
        }
        return descriptors.values().stream()
                .map(descriptor -> DynamicTest.dynamicTest(descriptor.name(), () -> check.of(descriptor)));
    }

    /** Checks one descriptor. */
    private interface Check {
        void of(ModuleDescriptor descriptor);
    }

    /** Returns the directories of what the BOM lists. */
    private static Set<String> published() throws IOException {
        return Pattern.compile("<artifactId>(cloche(?:-[\\w-]+)?)</artifactId>\\s*<version>\\$")
                .matcher(Files.readString(MODULES.resolve("bom/pom.xml")))
                .results()
                .map(artefact -> artefact.group(1).replaceFirst("^cloche-", ""))
                .filter(artefact -> !artefact.equals("parent"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String roomOf(ModuleDescriptor descriptor) {
        return roomOf(descriptor.name());
    }

    private static String roomOf(String name) {
        return Rooms.roomOfPackage(name).orElseThrow();
    }

    private static Map<String, String> moduleOfPackage() {
        Stream<ModuleReference> onClassPath = Stream.of(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(path -> ModuleFinder.of(path).findAll().stream());
        Map<String, String> modules = new HashMap<>();
        Stream.concat(ModuleFinder.ofSystem().findAll().stream(), onClassPath)
                .map(ModuleReference::descriptor)
                .forEach(descriptor ->
                        descriptor.packages().forEach(name -> modules.putIfAbsent(name, descriptor.name())));
        return modules;
    }
}
