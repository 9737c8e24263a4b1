package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds that there is one way to lock a file, to listen to a directory and to wait: {@code LockFile} and {@code FileSignal} of
 * the room {@code linux}. What needs another way is named here with its reason.
 */
class MechanismsTest {
    private static final Map<String, String> FILE_LOCKS =
            Map.of("CatalogCopies", "looks at the locks of SQLite, which are those of fcntl(2)");
    private static final Map<String, String> PAUSES = Map.of(
            "BusyRetry", "backs off while another connection has SQLite's lock, which nothing tells the end of",
            "GuestProbe", "asks a guest again while a server in it starts, which nothing tells the end of",
            "GroupCommit", "hands the lead from one thread to the next without a lock",
            "NotificationListener", "backs off from a server that is gone",
            "NotificationSender", "backs off from a server that is gone",
            "PortForward", "backs off while this process has no file descriptor free, which nothing tells the end of",
            "RegistryCaller", "backs off from a registry, for as long as it asks to",
            "TransactionRunner", "backs off from a transaction that it is in conflict with",
            "UnixChannels", "backs off from a socket whose queue is full, which nothing tells the end of",
            "VmStop", "tries again while a guest is halted for a full disk");

    @Test
    void filesAreLockedByLockFileAlone() {
        assertThat(users(dependsOn("java.nio.channels.FileLock"))).isEqualTo(FILE_LOCKS.keySet());
    }

    @Test
    void directoriesAreListenedToByFileSignalAlone() {
        assertThat(users(dependsOn("java.nio.file.WatchService"))).isEmpty();
    }

    @Test
    void waitsAreForEventsAndNotForTimes() {
        assertThat(users(type -> type.getAccessesFromSelf().stream().anyMatch(MechanismsTest::isPause)))
                .isEqualTo(PAUSES.keySet());
    }

    private static boolean isPause(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return owner.isEquivalentTo(LockSupport.class)
                || ((owner.isEquivalentTo(Thread.class) || owner.isEquivalentTo(TimeUnit.class))
                        && access.getName().equals("sleep"));
    }

    private static Predicate<JavaClass> dependsOn(String name) {
        return type -> type.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .anyMatch(target -> target.getName().equals(name));
    }

    /** Returns the top-level classes of shipped rooms, linux excepted, that do so. */
    private static Set<String> users(Predicate<JavaClass> use) {
        Stream<JavaClass> shipped = Rooms.CLASSES.stream()
                .filter(Rooms.in(Rooms.OF_TESTS).negate())
                .filter(Rooms.in(List.of("linux")).negate());
        return shipped.filter(use).map(MechanismsTest::topLevel).collect(Collectors.toSet());
    }

    private static String topLevel(JavaClass type) {
        return type.getEnclosingClass().map(MechanismsTest::topLevel).orElseGet(type::getSimpleName);
    }
}
