package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a guard keeps for its program, by the real one: {@code --hold} and {@code --own} of docs/guard.md. */
class GuardLocksTest extends WithGuard {
    @Test
    void holdsWhatTheProgramUsesAsLongAsItLives() throws Exception {
        var used = Files.createFile(directory.resolve("used"));
        try (var guard = guard("exec sleep 100", "--hold", used.toString())) {
            assertThat(guard.said()).startsWith("started ");
            assertThat(LockFile.tryLock(used)).isEmpty();
            try (var other = LockFile.tryShared(used).orElseThrow()) {
                assertThat(other).isNotNull();
            }
            guard.signal("TERM");
            guard.exitCode();
            LockFile.tryLock(used).orElseThrow().close();
        }
    }

    @Test
    void holdsTheDirectoryOfItsSocketsSoThatCleanersSpareIt() throws Exception {
        var sockets = Files.createDirectory(directory.resolve("sockets"));
        try (var guard = guard("exec sleep 100", "--hold", sockets.toString())) {
            assertThat(guard.said()).startsWith("started ");
            assertThat(LockFile.tryLockDirectory(sockets)).isEmpty();
            guard.signal("TERM");
            guard.exitCode();
            LockFile.tryLockDirectory(sockets).orElseThrow().close();
        }
    }

    @Test
    void startsNothingOnWhatIsBeingDeleted() throws Exception {
        var used = directory.resolve("used");
        try (var _ = LockFile.tryLock(used).orElseThrow();
                var guard = guard("echo started", "--hold", used.toString())) {
            assertThat(guard.said()).matches("failed cannot hold [^\n]+\n");
            assertThat(guard.exitCode()).isEqualTo(70);
        }
    }

    @Test
    void ownsWhatTheProgramAloneMayUseAsLongAsItLives() throws Exception {
        var alone = Files.createFile(directory.resolve("alone"));
        try (var guard = guard("exec sleep 100", "--own", alone.toString())) {
            assertThat(guard.said()).startsWith("started ");
            assertThat(LockFile.tryShared(alone)).isEmpty();
            guard.signal("TERM");
            guard.exitCode();
            LockFile.tryLock(alone).orElseThrow().close();
        }
    }

    @Test
    void startsNothingOnWhatAnotherOwns() throws Exception {
        var alone = directory.resolve("alone");
        try (var _ = LockFile.tryShared(alone).orElseThrow();
                var guard = guard("echo started", "--own", alone.toString())) {
            assertThat(guard.said()).matches("failed cannot own [^\n]+\n");
            assertThat(guard.exitCode()).isEqualTo(70);
        }
        try (var guard =
                guard("echo started", "--own", directory.resolve("missing").toString())) {
            assertThat(guard.said()).matches("failed cannot own [^\n]+\n");
        }
    }

    @Test
    void askingWhetherSomethingIsOwnedKeepsNoProcessFromIt() throws Exception {
        var alone = Files.createFile(directory.resolve("alone"));
        AtomicBoolean asking = new AtomicBoolean(true);
        Thread asker = Thread.ofPlatform().start(() -> {
            while (asking.get()) {
                var _ = LockFile.isHeld(alone);
            }
        });
        try {
            for (int i = 0; i < 20; i++) {
                try (var guard = guard("exit 0", "--own", alone.toString())) {
                    assertThat(guard.said()).startsWith("started ");
                    guard.exitCode();
                }
            }
        } finally {
            asking.set(false);
            asker.join();
        }
    }
}
