package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StopSignalTest {
    @ParameterizedTest
    @CsvSource({
        "SIGQUIT, 3, SIGQUIT",
        "quit, 3, SIGQUIT",
        "3, 3, SIGQUIT",
        "SigWinch, 28, SIGWINCH",
        "SIGRTMIN, 34, SIGRTMIN",
        "SIGRTMIN+3, 37, SIGRTMIN+3",
        "RTMAX-1, 63, SIGRTMAX-1",
        "SIGRTMAX, 64, SIGRTMAX",
        "SIGIOT, 6, SIGABRT",
        "SIGCLD, 17, SIGCHLD",
        "32, 32, 32"
    })
    void isANameOrANumber(String text, int number, String name) {
        assertThat(StopSignal.parse(text).number()).isEqualTo(number);
        assertThat(StopSignal.parse(text)).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0", "65", "-3", "SIG", "SIGSIGQUIT", "RTMIN+0", "RTMIN+31", "RTMIN-1", "3.0", "٣", "QU IT"})
    void isRefusedWithWhatToGive(String text) {
        assertThatThrownBy(() -> StopSignal.parse(text))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("There is no signal");
    }

    @Test
    void isReadFromItsOwnName() {
        assertThat(IntStream.rangeClosed(1, 64).mapToObj(StopSignal::new))
                .allSatisfy(signal ->
                        assertThat(StopSignal.parse(signal.toString())).isEqualTo(signal));
    }
}
