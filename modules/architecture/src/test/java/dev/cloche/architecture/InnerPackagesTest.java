package dev.cloche.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the order inside of rooms: a contract package, and layers of packages below it that no other room sees. */
class InnerPackagesTest {
    private static final int MOST_TYPES = 45;
    private static final int MOST_TYPES_OF_A_CONTRACT = 70;
    private static final Set<String> LARGE_CONTRACTS = Set.of("dev.cloche", "dev.cloche.vm");

    /** Contracts below a room, with the rooms that alone may use them: they implement them, or share them. */
    static final Map<String, Set<String>> SECOND_CONTRACTS = Map.of(
            "dev.cloche.process.store", Set.of("process.postgres", "process.testing"),
            "dev.cloche.process.schema", Set.of("schema"),
            "dev.cloche.vm.ready", Set.of("", "sandbox"),
            "dev.cloche.vmm.admission", Set.of("qemu"),
            "dev.cloche.vmm.protocol", Set.of("qemu", "vm.testing"),
            "dev.cloche.vmm.disk", Set.of("qemu", "vm.testing"),
            "dev.cloche.vmm.channel", Set.of("vm.testing"));

    @Test
    void thePackagesOfARoomAreLayers() {
        slices().matching("dev.cloche.(*).(*)..").should().beFreeOfCycles().check(Rooms.CLASSES);
    }

    @TestFactory
    Stream<DynamicTest> whatIsBelowARoomIsUsedByThatRoomAlone() {
        return Rooms.IMPORTS.keySet().stream()
                .filter(room -> !room.isEmpty())
                .map(room -> DynamicTest.dynamicTest(
                        Rooms.packageOf(room),
                        () -> noClasses()
                                .that(areOutside(room))
                                .should()
                                .dependOnClassesThat(areBelow(room))
                                .allowEmptyShould(true)
                                .check(Rooms.CLASSES)));
    }

    @TestFactory
    Stream<DynamicTest> aSecondContractIsUsedByTheRoomsThatImplementItAlone() {
        return SECOND_CONTRACTS.entrySet().stream()
                .map(contract -> DynamicTest.dynamicTest(contract.getKey(), () -> {
                    DescribedPredicate<JavaClass> inContract = resideInAPackage(contract.getKey());
                    String room = Rooms.CLASSES.stream()
                            .filter(inContract)
                            .findAny()
                            .flatMap(Rooms::roomOf)
                            .orElseThrow();
                    noClasses()
                            .that(areOutside(room))
                            .and(DescribedPredicate.not(Rooms.in(List.copyOf(contract.getValue()))))
                            .should()
                            .dependOnClassesThat(inContract)
                            .check(Rooms.CLASSES);
                }));
    }

    @Test
    void noPackageIsLargerThanAPersonCanSurvey() {
        Map<String, Long> sizes = Rooms.CLASSES.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(sizes.entrySet().stream()
                        .filter(size -> size.getValue() > limit(size.getKey()))
                        .map(Map.Entry::getKey))
                .isEmpty();
    }

    private static int limit(String name) {
        return LARGE_CONTRACTS.contains(name) ? MOST_TYPES_OF_A_CONTRACT : MOST_TYPES;
    }

    /** Returns whether a class of a room belongs to its contract, or to one below it. */
    static boolean isContract(JavaClass type, String room) {
        String name = type.getPackageName();
        return name.equals(Rooms.packageOf(room)) || SECOND_CONTRACTS.containsKey(name);
    }

    /** Benchmarks look into rooms, to take a figure apart. */
    private static DescribedPredicate<JavaClass> areOutside(String room) {
        return DescribedPredicate.not(Rooms.in(List.of(room, "bench")));
    }

    private static DescribedPredicate<JavaClass> areBelow(String room) {
        return DescribedPredicate.describe(
                "are below " + Rooms.packageOf(room),
                type -> Rooms.in(List.of(room)).test(type)
                        && !type.getPackageName().equals(Rooms.packageOf(room))
                        && !SECOND_CONTRACTS.containsKey(type.getPackageName()));
    }
}
