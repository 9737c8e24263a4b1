package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that is started anew takes the name of the sandbox that it had when it was killed. */
class ReplacedNameIT {
    private static final String NAME = "left";

    @TempDir
    Path directory;

    @Test
    void theNameOfAKilledProgramIsTakenAtOnceAndThatOfALivingOneIsNot() throws Exception {
        Path share = InstalledShare.require();
        Path home = directory.resolve("state");
        Path id = directory.resolve("id");
        Process before = start(home, share, id);
        ClocheOptions options = ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never());
        try (Cloche cloche = Cloche.open(options)) {
            SandboxBuilder wanted =
                    cloche.sandbox("base").name(NAME).memoryMib(256).replace(true);
            try {
                await().pollInterval(Duration.ofMillis(5)).until(() -> !before.isAlive() || Files.exists(id));
                assertThat(before.isAlive())
                        .as(Files.readString(directory.resolve("child.log")))
                        .isTrue();
                assertThatThrownBy(wanted::start)
                        .isInstanceOfSatisfying(
                                ClocheException.class,
                                held -> assertThat(held.code()).isEqualTo("sandbox.name-in-use"));
                assertThat(before.isAlive()).isTrue();
            } finally {
                before.destroyForcibly().waitFor();
            }
            try (Sandbox sandbox = wanted.start()) {
                assertThat(sandbox.id()).isNotEqualTo(Long.parseLong(Files.readString(id)));
                assertThat(sandbox.exec("test", "-e", "/mark").exitCode()).isEqualTo(1);
                assertThat(cloche.sandboxes().list()).hasSize(1);
            }
            cloche.sandboxes().remove(NAME, false);
        }
    }

    private Process start(Path home, Path share, Path id) throws Exception {
        return new ProcessBuilder(
                        ChildJvm.command(LeavingProcess.class, home.toString(), share.toString(), NAME, id.toString()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("child.log").toFile())
                .start();
    }
}
