package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code .ci/run} says of the tests that were skipped, failed or hung, by the script itself. */
class CiReportTest {
    private static final String SCRIPT = """
            set -uo pipefail
            work=$PWD
            . "$0/.ci/report.sh"
            "$@"
            """;

    @TempDir
    Path directory;

    private Path reports;

    @BeforeEach
    void prepare() throws IOException {
        reports = Files.createDirectories(directory.resolve("modules/room/target/failsafe-reports"));
        Files.createDirectory(directory.resolve(".ci"));
        Files.copy(Shell.CHECKOUT.resolve(".ci/may-be-skipped"), directory.resolve(".ci/may-be-skipped"));
        Files.setLastModifiedTime(Files.createFile(directory.resolve("stamp")), FileTime.from(Instant.EPOCH));
    }

    private void report(String test, String skipped) throws IOException {
        Files.writeString(reports.resolve("TEST-" + test + ".xml"), """
                <testsuite name="%s" time="1,234.5" tests="3" errors="0" skipped="1" failures="0">
                  <testcase name="runs" classname="%s" time="1"/>
                  <testcase name="isSkipped" classname="%s" time="0">
                    %s
                  </testcase>
                </testsuite>
                """.formatted(test, test, test, skipped));
    }

    private static String assumption(String reason) {
        return "<skipped type=\"org.opentest4j.TestAbortedException\"><![CDATA[org.opentest4j.TestAbortedException:"
                + " Assumption failed: " + reason + "\n\tat dev.cloche.Foo.bar(Foo.java:3)\n]]></skipped>";
    }

    private Shell.Result run(String... call) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", SCRIPT, Shell.CHECKOUT.toString()));
        command.addAll(List.of(call));
        return Shell.run(directory, Map.of(), command);
    }

    private Shell.Result reportSkipped() throws Exception {
        Files.writeString(directory.resolve("skipped"), run("skipped", "stamp").out());
        return run("report_skipped", "skipped");
    }

    @Test
    void aTestThatLacksWhatNoMachineOfCiHasIsNamedAndFailsNothing() throws Exception {
        report("one.FooIT", assumption("there is no /dev/kvm for this user"));
        report("one.BarIT", "<skipped message=\"it is no KVM: the probe took too long\"/>");
        Shell.Result result = reportSkipped();
        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
        assertThat(result.out())
                .contains("  one.FooIT.isSkipped: there is no /dev/kvm for this user\n")
                .contains("  one.BarIT.isSkipped: it is no KVM: the probe took too long\n")
                .doesNotContain("though");
    }

    @Test
    void aTestThatLacksWhatCiHasFailsTheRun() throws Exception {
        report("one.FooIT", assumption("there is no /dev/kvm for this user"));
        report("one.BarIT", assumption("passt is not installed"));
        report("one.BazIT", "<skipped/>");
        Shell.Result result = reportSkipped();
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out().substring(result.out().indexOf("Skipped, though")))
                .contains("one.BarIT.isSkipped: passt is not installed")
                .contains("one.BazIT.isSkipped: no reason given")
                .doesNotContain("FooIT");
    }

    @Test
    void aReasonIsMeantAsAWhole() throws Exception {
        report("one.FooIT", assumption("because of a bug there is no /dev/kvm for this user"));
        assertThat(reportSkipped().exitCode()).isEqualTo(1);
    }

    @Test
    void whatWasReportedBeforeTheRunDoesNotCount() throws Exception {
        report("one.FooIT", assumption("passt is not installed"));
        Files.setLastModifiedTime(
                directory.resolve("stamp"), FileTime.from(Instant.now().plusSeconds(60)));
        Shell.Result result = reportSkipped();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEmpty();
    }

    private Shell.Result reportFailed() throws Exception {
        return run("eval", "read_reports stamp && report_failed failed");
    }

    @Test
    void aTestThatFailedIsNamedWithItsLineAndItsMessage() throws Exception {
        report("one.FooIT", """
                <failure message="expected: 1&#10; but was: 2" type="x.AssertionError"><![CDATA[x.AssertionError: expected: 1
                \tat org.junit.Assert.fail(Assert.java:7)
                \tat one.FooIT.help(FooIT.java:31)
                \tat one.FooIT.runs(FooIT.java:12)
                ]]></failure>
                """);
        report("one.BarIT", "<error type=\"x.IOException\"><![CDATA[x.IOException: it is gone\n]]></error>");
        Shell.Result result = reportFailed();
        assertThat(result.out())
                .startsWith("Failed tests, where, and why:\n")
                .contains("  one.FooIT.isSkipped (FooIT.java:12): expected: 1  but was: 2\n")
                .contains("  one.BarIT.isSkipped (no line): x.IOException: it is gone");
    }

    @Test
    void aLaterRunOfTheSameClassHidesNoFailure() throws Exception {
        report("one.FooIT", "<failure message=\"expected: 1\"></failure>");
        assertThat(run("read_reports", "stamp").exitCode()).isZero();
        report("one.FooIT", "");
        assertThat(reportFailed().out()).containsOnlyOnce("one.FooIT.isSkipped (no line): expected: 1");
    }

    @Test
    void aRunWithoutFailuresNamesNone() throws Exception {
        report("one.FooIT", assumption("passt is not installed"));
        assertThat(reportFailed().out()).isEmpty();
    }

    @Test
    void aRunThatHungIsNamedWithTheLinesOfItsTest() throws Exception {
        Files.writeString(reports.resolveSibling("hang-12.txt"), """
                No test has begun or ended for PT12M. The latest has begun: [class:one.FooIT]/[method:waits()]
                Processes that it started:
                #1 "main" RUNNABLE
                    at java.base/java.io.FileInputStream.readBytes(Native Method)
                    at one.FooIT.await(FooIT.java:31)
                    at one.FooIT.waits(FooIT.java:12)
                #2 "other" RUNNABLE
                    at one.FooIT.await(FooIT.java:31)
                """);
        assertThat(run("report_hung", "stamp").out()).isEqualTo("""
                        A run of tests hung (modules/room/target/hang-12.txt):
                          No test has begun or ended for PT12M. The latest has begun: [class:one.FooIT]/[method:waits()]
                          one.FooIT.await(FooIT.java:31)
                          one.FooIT.waits(FooIT.java:12)

                        """);
    }

    @Test
    void theLastLineCountsAllTests() throws Exception {
        report("one.FooIT", assumption("passt is not installed"));
        report("one.BarIT", assumption("passt is not installed"));
        Files.writeString(directory.resolve("tests"), run("gather", "stamp").out());
        assertThat(run("total", "tests").out()).isEqualTo("Tests run: 6, Failures: 0, Errors: 0, Skipped: 2\n");
    }
}
