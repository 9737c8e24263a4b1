package dev.cloche.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds the table of rooms in {@code docs/architecture.md}: what is not listed there is not allowed. */
class RoomsTest {
    @TestFactory
    Stream<DynamicTest> eachRoomImportsOnlyWhatIsListed() {
        return Rooms.IMPORTS.keySet().stream()
                .map(room -> DynamicTest.dynamicTest(
                        Rooms.packageOf(room),
                        () -> noClasses()
                                .that(Rooms.in(List.of(room)))
                                .should()
                                .dependOnClassesThat(Rooms.in(notAllowed(room)))
                                .check(Rooms.CLASSES)));
    }

    @Test
    void everyClassIsInARoomOfTheTableAndNoRoomIsEmpty() {
        assertThat(Rooms.CLASSES.stream().filter(type -> Rooms.roomOf(type).isEmpty()))
                .isEmpty();
        assertThat(Rooms.CLASSES.stream()
                        .flatMap(type -> Rooms.roomOf(type).stream())
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(Rooms.IMPORTS.keySet());
    }

    @Test
    void testDoublesAreInRoomsOfTestsAlone() {
        assertThat(Rooms.CLASSES.stream()
                        .filter(type ->
                                type.isTopLevelClass() && type.getSimpleName().startsWith("InMemory"))
                        .flatMap(type -> Rooms.roomOf(type).stream()))
                .isNotEmpty()
                .isSubsetOf(Rooms.OF_TESTS);
    }

    @Test
    void roomsOfTestsAreImportedByRoomsOfTestsAlone() {
        assertThat(Rooms.IMPORTS.keySet().stream()
                        .filter(room -> Rooms.IMPORTS.get(room).stream().anyMatch(Rooms.OF_TESTS::contains)))
                .isNotEmpty()
                .isSubsetOf(Rooms.OF_TESTS);
    }

    private static List<String> notAllowed(String room) {
        return Rooms.IMPORTS.keySet().stream()
                .filter(other -> !other.equals(room) && !Rooms.IMPORTS.get(room).contains(other))
                .sorted()
                .toList();
    }
}
