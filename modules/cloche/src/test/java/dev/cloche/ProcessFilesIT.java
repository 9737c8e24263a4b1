package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessView;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ids of processes are their callers', and no path; no VM is started. */
@Timeout(1200)
class ProcessFilesIT {
    private static final String OURS = "exec-00000000000000";

    @TempDir
    Path directory;

    private Path executions;
    private Cloche cloche;

    @BeforeEach
    void open() throws IOException {
        Path home = directory.resolve("state");
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment().withHome(home).withShare(share));
        executions = Files.createDirectories(home.resolve("executions"));
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            cloche.close();
        }
    }

    @Test
    void aPruneDeletesNothingThatAnIdPointsTo() throws IOException {
        Path outside = file(directory.resolve("victim"));
        Path sibling = file(executions.resolveSibling("vms"));
        Path foreign = file(executions.resolve("notes"));
        Files.createDirectories(executions.resolve("a"));
        Path link = Files.createSymbolicLink(executions.resolve(OURS + "01"), outside.resolveSibling(""));
        Files.createSymbolicLink(executions.resolve("link"), outside.resolveSibling(""));
        Path inner = file(executions.resolve(OURS + "02"));
        Path innerLink = Files.createSymbolicLink(inner.resolveSibling("output.1"), outside.resolveSibling(""));
        List<String> ids = List.of(
                outside.resolveSibling("").toString(),
                ".",
                "..",
                "../vms",
                "a/../../vms",
                "notes",
                "link",
                "link/file",
                OURS + "01",
                OURS + "01/../../vms",
                OURS + "02");
        ids.forEach(this::ended);

        assertThat(cloche.processes().prune(Duration.ZERO, false)).containsExactlyInAnyOrderElementsOf(ids);

        assertThat(List.of(outside, sibling, foreign)).allMatch(Files::exists);
        assertThat(executions.resolveSibling("catalog.db")).exists();
        assertThat(List.of(link, inner, innerLink)).noneMatch(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS));
        assertThat(cloche.processes().list(true)).isEmpty();
    }

    /** As of a prune that was killed in between, or of one that the registry was asked for. */
    @Test
    void outputsOfForgottenProcessesGoWithTheNextPrune() throws IOException {
        Path forgotten = file(executions.resolve(OURS + "03"));
        Path known = file(executions.resolve(OURS + "04"));
        register(OURS + "04", ProcessInput.EXTERNAL, Json.NULL);

        assertThat(cloche.processes().prune(Duration.ZERO, false)).isEmpty();

        assertThat(forgotten.resolveSibling("")).doesNotExist();
        assertThat(known).exists();
    }

    @Test
    void anExecutionThatIsNamedByItsCallerIsNeitherDrivenNorRead() throws IOException {
        Json spec = Json.parse("{\"version\":1,\"sandbox\":{\"id\":1,\"name\":\"none\"},\"command\":[\"true\"],"
                + "\"environment\":{},\"limits\":[]}");
        List<String> ids = List.of(
                "../planted", directory.resolve("planted").toString(), ".", "..", "mine", OURS + "05/../../planted");
        ids.forEach(id -> register(id, ProcessInput.SANDBOX_EXEC, spec));
        for (String id : ids) {
            assertThatThrownBy(() -> cloche.processes().log(id))
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            refused -> assertThat(refused.code()).isEqualTo("execution.invalid"));
        }
        cloche.driveCommands();
        for (String id : ids) {
            ProcessView end =
                    cloche.processes().await(id, Duration.ofMinutes(1)).orElseThrow();
            assertThat(end.failure().orElseThrow().code()).isEqualTo("execution.invalid");
        }
        try (Stream<Path> left = Files.walk(directory)) {
            assertThat(left.map(path -> String.valueOf(path.getFileName())))
                    .doesNotContain("planted", "lock", "output", "mine");
        }
    }

    private static Path file(Path parent) throws IOException {
        return Files.writeString(Files.createDirectories(parent).resolve("file"), "precious");
    }

    private void ended(String id) {
        register(id, ProcessInput.EXTERNAL, Json.NULL);
        cloche.processes().registry().complete(id, new AwaitOutput.Success(Json.NULL, Optional.empty()));
    }

    private void register(String id, String type, Json payload) {
        cloche.processes()
                .registry()
                .register(ProcessRegistration.of(
                        id,
                        new ProcessInput(type, payload),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty())));
    }
}
