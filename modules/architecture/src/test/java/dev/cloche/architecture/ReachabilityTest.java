package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Holds that users reach every class that ships. A search along what classes depend on begins at the doors: the library, the
 * command line, and what is published beside them. A class that it does not find is used by tests and benchmarks alone.
 */
class ReachabilityTest {
    /** The rooms whose own package is for users. */
    private static final Set<String> DOORS = Set.of(
            "",
            "agentsandbox",
            "junit",
            "langchain4j",
            "micrometer",
            "process.postgres",
            "process.testing",
            "schema",
            "spring",
            "springai",
            "tools",
            "vm.testing");

    private static final String COMMAND_LINE = "dev.cloche.cli.Main";

    private static final Map<String, String> NAMED_ELSEWHERE = Map.of(
            "dev.cloche.cli.terminal.WarningLoggers", "loggers, which the JDK finds by META-INF/services",
            "dev.cloche.cli.Training", "a main class, which the build runs for the archive of loaded classes");

    @Test
    void everyClassOfTheRoomsIsReachedFromADoor() {
        Set<String> unreachable = new TreeSet<>();
        Set<String> reached = reached();
        Rooms.CLASSES.stream()
                .filter(Rooms.in(List.of("bench")).negate())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .map(ReachabilityTest::topLevel)
                .filter(name -> !reached.contains(name))
                .forEach(unreachable::add);
        assertThat(unreachable)
                .as("delete it, or let the library or the command line use it")
                .isEqualTo(NAMED_ELSEWHERE.keySet());
    }

    private static Set<String> reached() {
        Map<String, Set<String>> uses = new HashMap<>();
        Set<String> reached = new HashSet<>();
        for (JavaClass type : Rooms.CLASSES) {
            Set<String> targets = uses.computeIfAbsent(topLevel(type), name -> new HashSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                targets.add(topLevel(dependency.getTargetClass().getBaseComponentType()));
            }
            if (isDoor(type)) {
                reached.add(topLevel(type));
            }
        }
        Deque<String> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            for (String target : uses.getOrDefault(open.remove(), Set.of())) {
                if (reached.add(target)) {
                    open.add(target);
                }
            }
        }
        return reached;
    }

    static boolean isDoor(JavaClass type) {
        boolean forUsers = type.isTopLevelClass()
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && DOORS.stream().map(Rooms::packageOf).anyMatch(type.getPackageName()::equals);
        return forUsers || type.getName().equals(COMMAND_LINE);
    }

    /** Returns the name of the outermost class that the class lies in. */
    private static String topLevel(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
