package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds what users of the library see: which packages, which names, and which kinds of values. */
class PublicApiTest {
    /** The packages of the published library. A further one is a decision: what is public is kept from release to release. */
    static final Set<String> PUBLIC_PACKAGES = Set.of(
            "dev.cloche",
            "dev.cloche.base",
            "dev.cloche.image",
            "dev.cloche.interpreter",
            "dev.cloche.machine",
            "dev.cloche.pool",
            "dev.cloche.process",
            "dev.cloche.process.store",
            "dev.cloche.sandbox",
            "dev.cloche.vm");

    static final Set<JavaClass> LIBRARY = library();

    private static final Set<Class<?>> OPTIONALS = Set.of(Optional.class, OptionalInt.class, OptionalLong.class);

    /** Words for what has few values, so that a text would hide which. */
    private static final Pattern STATE = Pattern.compile(
            "(?i).*(state|status|kind|policy|phase|verdict|mode|outcome|recovery|network|init|accelerator|level)");

    private static final Map<String, String> OPEN_SETS = Map.of(
            "dev.cloche.image.ImageHolder.kind()", "images do not know what uses them",
            "dev.cloche.process.HandleDescriptor.kind()", "the sessions of an application give it");

    @Test
    void thePackagesOfTheLibraryAreThese() {
        assertThat(LIBRARY.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrderElementsOf(PUBLIC_PACKAGES);
    }

    @Test
    void noTwoPublicTypesHaveOneName() {
        Map<String, List<String>> byName = contractTypes()
                .filter(JavaClass::isTopLevelClass)
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getPackageName, Collectors.toList())));
        byName.values().removeIf(packages -> packages.size() == 1);
        assertThat(byName).isEmpty();
    }

    @Test
    void noPublicTypeHidesOneThatEveryProgramUses() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String folder : List.of("java/lang", "java/util", "java/util/concurrent")) {
            Path types = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base", folder);
            try (Stream<Path> files = Files.list(types)) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class"))
                        .forEach(name -> names.add(name.substring(0, name.length() - ".class".length())));
            }
        }
        assertThat(names).contains("Process", "Optional", "ExecutionException");
        assertThat(contractTypes()
                        .filter(type -> names.contains(type.getSimpleName()))
                        .map(JavaClass::getName))
                .isEmpty();
    }

    /** A method with an optional parameter makes each caller wrap; an overload, or a builder, does not. */
    @Test
    void noParameterOfTheLibraryIsAnOptional() {
        assertThat(LIBRARY.stream()
                        .filter(type -> type.getPackageName().equals(Rooms.ROOT))
                        .flatMap(type -> type.getCodeUnits().stream())
                        .filter(PublicApiTest::isVisible)
                        .filter(unit -> !isCanonical(unit))
                        .filter(unit -> unit.getRawParameterTypes().stream()
                                .anyMatch(type -> OPTIONALS.stream().anyMatch(type::isEquivalentTo)))
                        .map(JavaMember::getFullName))
                .isEmpty();
    }

    @Test
    void whatHasFewValuesIsNoText() {
        assertThat(LIBRARY.stream()
                        .flatMap(type -> type.getMethods().stream())
                        .filter(PublicApiTest::isVisible)
                        .filter(method -> method.getParameters().isEmpty()
                                && STATE.matcher(method.getName()).matches()
                                && method.getAllInvolvedRawTypes().stream()
                                        .anyMatch(type -> type.isEquivalentTo(String.class)))
                        .map(JavaMember::getFullName))
                .containsExactlyInAnyOrderElementsOf(OPEN_SETS.keySet());
    }

    @Test
    void theLibraryShowsContractsAlone() {
        Set<String> contracts = contractTypes().map(JavaClass::getName).collect(Collectors.toSet());
        assertThat(LIBRARY.stream().map(JavaClass::getName)).isSubsetOf(contracts);
    }

    /** Returns all types of ours that a user of package {@code dev.cloche} can come to by public members. */
    private static Set<JavaClass> library() {
        Set<JavaClass> seen = new HashSet<>();
        Deque<JavaClass> next = new ArrayDeque<>(contractTypes()
                .filter(type -> type.getPackageName().equals(Rooms.ROOT))
                .toList());
        while (!next.isEmpty()) {
            JavaClass type = next.pop();
            if (seen.add(type)) {
                Stream.concat(
                                type.getMembers().stream()
                                        .filter(PublicApiTest::isVisible)
                                        .flatMap(member -> member.getAllInvolvedRawTypes().stream()),
                                type.getAllRawInterfaces().stream())
                        .map(JavaClass::getBaseComponentType)
                        .filter(other -> other.getPackageName().startsWith(Rooms.ROOT))
                        .forEach(next::push);
            }
        }
        return seen;
    }

    /** Returns the public types of the rooms that are published, nested ones included, in their contract packages. */
    private static Stream<JavaClass> contractTypes() {
        return Rooms.CLASSES.stream()
                .filter(type -> Rooms.roomOf(type)
                        .filter(room -> !Rooms.OF_TESTS.contains(room) && !room.equals("cli"))
                        .filter(room -> InnerPackagesTest.isContract(type, room))
                        .isPresent())
                .filter(PublicApiTest::isPublic);
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true)
                && !type.isAnonymousClass()
                && !type.isLocalClass();
    }

    private static boolean isVisible(JavaMember member) {
        return (member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                && !member.getModifiers().contains(JavaModifier.SYNTHETIC)
                && !member.getModifiers().contains(JavaModifier.BRIDGE);
    }

    /** The constructor of a record with all its components: the library makes read-outs, and users get them. */
    private static boolean isCanonical(JavaCodeUnit unit) {
        return unit instanceof JavaConstructor
                && unit.getOwner().isRecord()
                && unit.getRawParameterTypes().size()
                        == unit.getOwner().getFields().stream()
                                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                                .count();
    }
}
