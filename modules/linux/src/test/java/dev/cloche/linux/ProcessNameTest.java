package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessNameTest {
    private static final ProcessIdentity ME = ProcessIdentity.current();

    @Test
    void aProcessThatRunsIsAlive() {
        assertThat(ProcessName.isAlive(ProcessName.of(ME))).isTrue();
    }

    @Test
    void aStrangerWithItsPidIsNotIt() {
        assertThat(ProcessName.isAlive(ProcessName.of(new ProcessIdentity(ME.pid(), ME.startTime() + 1, ME.bootId()))))
                .isFalse();
    }

    @Test
    void aProcessOfAnotherBootIsDead() {
        assertThat(ProcessName.isAlive(ProcessName.of(new ProcessIdentity(ME.pid(), ME.startTime(), "another"))))
                .isFalse();
    }

    @Test
    void aProcessThatWasKilledIsDead() throws IOException, InterruptedException {
        Process child = new ProcessBuilder("sleep", "600")
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        String name;
        try {
            name = ProcessName.of(ProcessIdentity.of(child.pid()).orElseThrow());
            assertThat(ProcessName.isAlive(name)).isTrue();
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertThat(ProcessName.isAlive(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"somebody", "1:2", "a:b:c", "0:1:boot", ":::"})
    void whoIsNotKnownIsTakenForAlive(String name) {
        assertThat(ProcessName.isAlive(name)).isTrue();
    }
}
