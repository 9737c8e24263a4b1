package dev.cloche.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.cli.copy.CopyDestination.Present;
import dev.cloche.cli.terminal.UsageError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CopyDestinationTest {
    @ParameterizedTest
    @CsvSource({
        "file, false, web:/new, NOTHING, /new",
        "a/file, false, web:/dir, DIRECTORY, /dir/file",
        "a/file, false, web:/, DIRECTORY, /file",
        "file, false, web:/old, OTHER, /old",
        "dir, true, web:/new, NOTHING, /new",
        "dir/, true, web:/new/, NOTHING, /new",
        "dir/., true, web:/new, NOTHING, /new",
        "dir, true, web:/there, DIRECTORY, /there/dir",
        "dir/, true, web:/there/, DIRECTORY, /there/dir",
        "dir/., true, web:/there/, DIRECTORY, /there",
        "., true, web:/there, DIRECTORY, /there",
        "web:/var/log, true, logs, DIRECTORY, logs/log",
        "web:relative, false, ., DIRECTORY, ./relative",
    })
    void theCopyGoesWhereDockerPutsIt(
            String source, boolean directory, String destination, Present there, String copy) {
        assertThat(CopyDestination.of(CopyPath.parse(source), directory, CopyPath.parse(destination), there))
                .isEqualTo(copy);
    }

    @ParameterizedTest
    @CsvSource({
        "file/, false, web:/new, NOTHING",
        "file, false, web:/new/, NOTHING",
        "file, false, web:/old/, OTHER",
        "dir, true, web:/old, OTHER",
        "web:/, true, there, DIRECTORY",
        "..,  true, web:/there, DIRECTORY",
    })
    void whatCannotBeMeantIsRefused(String source, boolean directory, String destination, Present there) {
        assertThatThrownBy(
                        () -> CopyDestination.of(CopyPath.parse(source), directory, CopyPath.parse(destination), there))
                .isInstanceOf(UsageError.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a:b", "./a:b", "../a:b", "a/b:c", "plain", ":x"})
    void pathsOfTheHostAreTold(String argument) {
        assertThat(CopyPath.parse(argument).sandbox()).isEmpty();
        assertThat(CopyPath.parse(argument).path()).isEqualTo(argument);
    }

    @Test
    void pathsOfASandboxAreAbsolute() {
        assertThat(CopyPath.parse("web:/a:b").sandbox()).hasValue("web");
        assertThat(CopyPath.parse("web:/a:b").path()).isEqualTo("/a:b");
        assertThat(CopyPath.parse("web:a").path()).isEqualTo("/a");
        assertThat(CopyPath.parse("web:").path()).isEqualTo("/");
    }

    @Test
    void aStreamIsNoPath() {
        assertThatThrownBy(() -> CopyPath.parse("-")).isInstanceOf(UsageError.class);
    }
}
