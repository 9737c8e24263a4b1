package dev.cloche.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that use the extension, run by JUnit's launcher in real VMs. */
class SandboxedIT {
    @TempDir
    Path home;

    @BeforeEach
    void requireShare() {
        var _ = InstalledShare.require();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        Path vms = home.resolve("vms");
        if (Files.exists(vms)) {
            try (Cloche cloche = Cloche.open(
                    ClocheOptions.ofEnvironment().withHome(home).withTemplateMaking(new TemplateMaking.Never()))) {
                assertThat(cloche.sandboxes().list()).isEmpty();
                assertThat(cloche.unrecordedVms()).isEmpty();
            }
            // A directory loses its name before its files, and may be about to.
            await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
                try (Stream<Path> left = Files.list(vms)) {
                    assertThat(left).isEmpty();
                }
            });
        }
    }

    @Test
    void parametersAndFieldsHaveSandboxesThatEndAfterTestAndClass() {
        LauncherRun run = LauncherRun.of(home, Samples.AllPlaces.class, Samples.NothingIsLeft.class);
        assertThat(run.failures()).isEmpty();
        assertThat(run.succeeded())
                .containsExactlyInAnyOrder(
                        "aEachPlaceHasASandboxOfItsOwn",
                        "bTheSharedOneIsTheSameAndTheOthersAreNew",
                        "hasTheSharedOne",
                        "ofAnotherClass");
        assertThat(run.reported()).isEmpty();
    }

    @Test
    void aTestThatFailsHasTheOutputOfItsSandbox() {
        LauncherRun run = LauncherRun.of(home, Samples.Failing.class);
        assertThat(run.succeeded()).containsExactly("succeeds");
        assertThat(run.failures()).containsOnlyKeys("fails");
        assertThat(run.reported()).hasSize(1);
        assertThat(run.reported().getFirst())
                .containsEntry("image", "base")
                .hasEntrySatisfying("output", SandboxedIT::hasBothLines);
        Throwable failure = run.failure("fails");
        assertThat(failure).hasMessage("as it should");
        assertThat(failure.getSuppressed()).hasSize(1);
        hasBothLines(failure.getSuppressed()[0].toString());
    }

    private static void hasBothLines(String output) {
        assertThat(output.lines()).contains("first", "second");
    }

    @Test
    void aMainCommandThatEndsTooEarlyFailsTheTestAtOnce() {
        LauncherRun run = LauncherRun.of(home, Samples.CommandThatEnds.class);
        assertThat(run.failures()).containsOnlyKeys("isNotReached");
        Throwable failure = run.failure("isNotReached");
        assertThat(Stream.iterate(failure, thrown -> thrown != null, Throwable::getCause))
                .hasAtLeastOneElementOfType(TestSandboxException.CommandEnded.class);
        assertThat(failure).hasMessageContaining("ended with exit code 7 before");
        assertThat(Arrays.stream(failure.getSuppressed()).map(Throwable::toString))
                .anySatisfy(text -> assertThat(text).contains("no configuration"));
    }

    @Test
    void aPublishedPortIsListenedOnWhenTheTestBegins() {
        LauncherRun run = LauncherRun.of(home, Samples.Published.class);
        assertThat(run.failures()).isEmpty();
        assertThat(run.succeeded()).containsExactly("isReachedAtOnce");
    }

    @Test
    void aServiceRunsForItsClassOrForEachTest() {
        LauncherRun run = LauncherRun.of(home, Samples.Services.class, Samples.NothingIsLeft.class);
        assertThat(run.failures()).isEmpty();
        assertThat(run.succeeded())
                .containsExactlyInAnyOrder(
                        "aIsReached", "bTheOneOfTheClassIsTheSame", "hasThatOfTheClass", "ofAnotherClass");
        assertThatThrownBy(() -> Samples.Services.GREETS.getMappedPort(8080))
                .isInstanceOf(TestSandboxException.NotStarted.class);
    }

    @Test
    void aServiceThatDoesNotWriteItsTextFailsItsTests() {
        LauncherRun run = LauncherRun.of(home, Samples.SilentService.class);
        assertThat(run.succeeded()).isEmpty();
        assertThat(run.failures()).hasSize(1);
        assertThat(run.failures().values().iterator().next())
                .isInstanceOf(TestSandboxException.NotWritten.class)
                .hasMessageContaining("\"ready\"");
    }

    @Test
    void aPoolOfTheRunHasTheNextTestStartWarm() {
        LauncherRun run = LauncherRun.of(home, Samples.Pooled.class);
        assertThat(run.failures()).isEmpty();
        assertThat(run.succeeded()).containsExactly("aSetsIt", "bStartsWarm");
    }

    @Test
    void aSandboxThatOutlivesItsTestFailsTheRunAndIsRemoved() {
        LauncherRun run = LauncherRun.of(home, Samples.Leaking.class);
        assertThat(run.succeeded()).containsExactly("detaches");
        assertThat(run.failures()).containsOnlyKeys("JUnit Jupiter");
        assertThat(run.failure("JUnit Jupiter"))
                .hasRootCauseInstanceOf(TestSandboxException.Left.class)
                .rootCause()
                .hasMessageContaining("outlived");
    }

    @Test
    void aHostThatCannotRunVmsSkipsWithReasonAndRemedy() throws Exception {
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        LauncherRun run = LauncherRun.of(home, Samples.Skipped.class);
        assertThat(run.failures()).isEmpty();
        assertThat(run.succeeded()).isEmpty();
        assertThat(run.skipped()).hasSize(1);
        assertThat(run.skipped().getFirst())
                .isEqualTo(
                        "The state root " + home + " can be entered by other users. Close it with: chmod 700 " + home);
    }
}
