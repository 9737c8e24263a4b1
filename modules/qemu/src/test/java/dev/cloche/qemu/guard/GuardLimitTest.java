package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/guard.md says of limits that are given to a guard that is at work. */
class GuardLimitTest extends WithGuard {
    private GuardRun sleeping(String... options) throws IOException {
        return guard("exec sleep 100", options);
    }

    private void announce(GuardRun guard, String limit) throws Exception {
        Path written = Files.writeString(directory.resolve("limit.tmp"), limit);
        Files.move(written, directory.resolve("limit"), StandardCopyOption.ATOMIC_MOVE);
        guard.signal("USR1");
    }

    @Test
    void endsTheProgramWhenALaterLimitHasPassed() throws Exception {
        try (var guard = sleeping()) {
            announce(guard, "200");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
        }
    }

    @Test
    void aLaterLimitReplacesAnEarlierOne() throws Exception {
        try (var guard = sleeping("--max-duration-ms", "3600000")) {
            announce(guard, "7200000");
            announce(guard, "100");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1 ", "1\n", "ten", "1000000000000000"})
    void aLimitThatCannotBeReadIsOneThatHasPassed(String text) throws Exception {
        try (var guard = sleeping()) {
            announce(guard, text);
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }

    @Test
    void aMissingOrALinkedLimitIsOneThatHasPassed() throws Exception {
        try (var guard = sleeping()) {
            guard.signal("USR1");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
        Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "3600000");
        Files.createSymbolicLink(directory.resolve("limit"), elsewhere);
        try (var guard = sleeping()) {
            guard.signal("USR1");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }
}
