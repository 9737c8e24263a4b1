package dev.cloche.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids are any text of a caller, and only those of our own form have a directory. */
class OutputDirectoriesTest {
    private static final String OURS = "exec-0123456789abcde";

    @TempDir
    Path base;

    private OutputDirectories directories() {
        return new OutputDirectories(base.resolve("executions"));
    }

    @Test
    void everyNewIdHasADirectoryOfItsOwnRightBelow() {
        String id = OutputDirectories.newId();
        assertThat(directories().of(id)).hasFileName(id).hasParentRaw(base.resolve("executions"));
        assertThat(OutputDirectories.newId()).isNotEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "/etc",
                "a/../../b",
                "drivers.lock",
                "exec-",
                OURS,
                OURS + "G",
                OURS + "0/",
                OURS + "0/../x",
                OURS + "00",
                OURS + "0\n",
                OURS + "0\0",
                "EXEC-0123456789abcdef"
            })
    void anIdOfAnyOtherFormHasNone(String id) {
        assertThatThrownBy(() -> directories().of(id)).isInstanceOf(DurableExecutionException.Invalid.class);
    }

    @Test
    void aSweepDeletesWhatIsOursAndUnknownAndFollowsNoLink() throws IOException {
        Path victim = file(base.resolve("victim")).resolveSibling("");
        Path forgotten = file(directories().of(OURS + "1")).resolveSibling("");
        Files.createSymbolicLink(forgotten.resolve("output"), victim.resolve("file"));
        Files.createSymbolicLink(forgotten.resolve("deeper"), victim);
        Path known = file(directories().of(OURS + "2"));
        Path foreign = file(directories().all().resolve("notes"));
        Path lock = Files.createFile(directories().all().resolve("drivers.lock"));
        Path link = Files.createSymbolicLink(directories().of(OURS + "3"), victim);
        Path plain = Files.createFile(directories().of(OURS + "4"));

        directories().sweep(id -> id.equals(OURS + "2"));

        assertThat(victim.resolve("file")).exists();
        assertThat(known).exists();
        assertThat(foreign).exists();
        assertThat(lock).exists();
        assertThat(forgotten).doesNotExist();
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(plain).doesNotExist();
    }

    @Test
    void whereNothingWasEverDrivenThereIsNothingToSweep() {
        assertThatCode(() -> directories().sweep(_ -> false)).doesNotThrowAnyException();
    }

    private static Path file(Path parent) throws IOException {
        return Files.writeString(Files.createDirectories(parent).resolve("file"), "precious");
    }
}
