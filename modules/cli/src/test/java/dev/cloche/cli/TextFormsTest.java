package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.cli.option.ByteCount;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.DiskSize;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.option.Ulimit;
import dev.cloche.cli.sandbox.StatsCommand;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ErrorReport;
import dev.cloche.cli.terminal.Table;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.ResourceLimit.Resource;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TextFormsTest {
    @ParameterizedTest
    @CsvSource({
        "512, 512",
        "512m, 512",
        "512MB, 512",
        "512MiB, 512",
        "2g, 2048",
        "2GiB, 2048",
        "1t, 1048576",
        "0, 0",
        "9999999g, 2147483647"
    })
    void readsSizesAsMebibytes(String text, int mebibytes) {
        assertThat(new MemorySize().convert(text)).isEqualTo(mebibytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "-1", "1.5g", "12k", "99999999999"})
    void refusesWhatIsNoSize(String text) {
        assertThatThrownBy(() -> new MemorySize().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({"20, 20", "20g, 20", "20GiB, 20", "2048m, 2", "1t, 1024", "0, 0", "8388607t, 2147483647"})
    void readsSizesOfMachinesDisksAsGibibytes(String text, int gibibytes) {
        assertThat(new DiskSize().convert(text)).isEqualTo(gibibytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "g", "-1", "1.5g", "9999999999", "999999999t"})
    void refusesWhatIsNoSizeOfADisk(String text) {
        assertThatThrownBy(() -> new DiskSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("\"" + text + "\" is no size: write for example 20g or 1t");
    }

    @ParameterizedTest
    @ValueSource(strings = {"512m", "1536m", "1k"})
    void refusesPartsOfAGibibyte(String text) {
        assertThatThrownBy(() -> new DiskSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("\"" + text + "\" is no whole number of GiB");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "2k, 2048", "500m, 524288000", "20g, 21474836480", "1TiB, 1099511627776"})
    void readsSizesAsBytes(String text, long bytes) {
        assertThat(new ByteCount().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "g", "-1", "1.5g", "1p", "9999999999", "999999999t"})
    void refusesWhatIsNoCountOfBytes(String text) {
        assertThatThrownBy(() -> new ByteCount().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({"30, PT30S", "30s, PT30S", "500ms, PT0.5S", "5m, PT5M", "2h, PT2H", "30d, PT720H"})
    void readsTimes(String text, Duration expected) {
        assertThat(new TimeSpan().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5h", "3w", "9999999999"})
    void refusesWhatIsNoTime(String text) {
        assertThatThrownBy(() -> new TimeSpan().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "nofile=1024:2048, NOFILE, 1024, 2048",
        "nproc=100, NPROC, 100, 100",
        "core=0:unlimited, CORE, 0, -1",
        "memlock=-1, MEMLOCK, -1, -1"
    })
    void readsLimitsAsDockerDoes(String text, Resource resource, long soft, long hard) {
        assertThat(new Ulimit.Converter().convert(text)).isEqualTo(new Ulimit(resource, soft, hard));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nofile",
                "nofile=",
                "nofile=1:",
                "files=1",
                "NOFILE=1",
                "nofile=2:1",
                "nofile=-1:5",
                "cpu=1s"
            })
    void refusesWhatIsNoLimit(String text) {
        assertThatThrownBy(() -> new Ulimit.Converter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void whatAGuestCannotTellIsShownAsUnknown() {
        OptionalLong unknown = OptionalLong.empty();
        GuestMetrics metrics = new GuestMetrics(
                unknown,
                OptionalLong.of(2),
                OptionalLong.of(1_500_000_000),
                OptionalLong.of(4096),
                OptionalLong.of(1024),
                OptionalLong.of(7),
                unknown,
                unknown,
                unknown,
                unknown,
                OptionalLong.of(1),
                unknown,
                OptionalLong.of(10));
        assertThat(printed(metrics, false))
                .containsSubsequence(
                        "NAME", "CPU TIME", "web", "1.5 s", "3.0 KiB / 4.0 KiB", "-", "7", "-", "10 B", "1.5 KiB");
        assertThat(printed(metrics, true))
                .contains(
                        "\"name\" : \"web\"",
                        "\"cpus\" : 2",
                        "\"uptimeNanos\" : null",
                        "\"sentBytes\" : 10",
                        "\"hostPeakBytes\" : 1536");
    }

    private static String printed(GuestMetrics metrics, boolean json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StatsCommand.print(
                "web", metrics, OptionalLong.of(1536), json, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "10240, 10 KiB",
        "1572864, 1.5 MiB",
        "9223372036854775807, 8192 PiB"
    })
    void showsSizesInTheLargestUnit(long bytes, String text) {
        assertThat(ByteSize.of(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, just now",
        "1, 1 second ago",
        "59, 59 seconds ago",
        "60, 1 minute ago",
        "7200, 2 hours ago",
        "200000, 2 days ago"
    })
    void showsAges(long seconds, String text) {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(Age.of(now.minusSeconds(seconds), Clock.fixed(now, ZoneOffset.UTC)))
                .isEqualTo(text);
    }

    @Test
    void aTimeInTheFutureIsJustNow() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(Age.of(now.plusSeconds(3600), Clock.fixed(now, ZoneOffset.UTC)))
                .isEqualTo("just now");
    }

    @Test
    void tablesAlignTheirColumnsAndShowNoControlCharacters() {
        Table table = new Table("NAME", "STATUS");
        table.row("a", "up");
        table.row("longer\u001b[31m\u009b1m\u202e", "down");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));

        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("NAME              STATUS", "a                 up", "longer?[31m?1m?   down");
    }

    @Test
    void errorsShowNoCharactersThatCouldFoolATerminal() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        ErrorReport.print("of a file\u001b[2J\u009b2J\u202etxt", "", err);

        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("cloche: of a file?[2J?2J?txt.\n");
    }

    @Test
    void aFirstDoubleDashOnlySeparates() {
        assertThat(CommandSettings.words(List.of("--", "echo", "--"))).containsExactly("echo", "--");
        assertThat(CommandSettings.words(List.of("echo", "--", "x"))).containsExactly("echo", "--", "x");
        assertThat(CommandSettings.words(List.of())).isEmpty();
    }
}
