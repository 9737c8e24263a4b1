package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.DurableFiles;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is remembered of the probe's answers, and what of files that say something else. */
class ProbeCacheTest {
    private static final long NOW = 1_000_000;
    private static final long LONGEST = 600_000;
    private static final HostCapabilities EMULATED =
            facts(Accelerator.TCG, CpuModel.EMULATED, OptionalLong.of(2_600_000));
    private static final HostCapabilities ON_KVM =
            facts(Accelerator.KVM, "host,vmx=off,svm=off,pmu=off", OptionalLong.empty());

    @TempDir
    Path directory;

    private Path place;
    private ProbeCache cache;

    @BeforeEach
    void make() {
        place = directory.resolve("accelerators");
        cache = new ProbeCache(place);
    }

    @Test
    void anAnswerIsKeptForEachQemuAndEachChoice() {
        cache.remember("one", EMULATED);
        cache.remember("two", ON_KVM);

        assertThat(recalled("one")).contains(EMULATED);
        assertThat(recalled("two")).contains(ON_KVM);
        assertThat(recalled("three")).isEmpty();

        cache.remember("one", ON_KVM);
        assertThat(recalled("one")).contains(ON_KVM);
    }

    @Test
    void onlyTheEightLatestAnswersAreKept() throws IOException {
        for (int i = 0; i < 12; i++) {
            cache.remember("qemu " + i, EMULATED);
            age(20 - i);
        }
        assertThat(files()).hasSize(8);
        for (int i = 0; i < 12; i++) {
            assertThat(recalled("qemu " + i).isPresent()).as("answer " + i).isEqualTo(i >= 4);
        }
    }

    @Test
    void leftoversOfKilledWritersGoWithOldAnswers() throws IOException {
        DurableFiles.ensureDirectory(place);
        for (int i = 0; i < 10; i++) {
            Path left = DurableFiles.temporaryBeside(place.resolve("killed"));
            Files.setLastModifiedTime(left, FileTime.fromMillis(i));
        }
        Files.createDirectories(place.resolve("a directory").resolve("with content"));
        cache.remember("one", EMULATED);

        assertThat(recalled("one")).contains(EMULATED);
        assertThat(files()).hasSizeLessThanOrEqualTo(9);
    }

    @Test
    void whatIsNoAnswerOfOursIsNone() throws IOException {
        cache.remember("one", EMULATED);
        Path file = files().getFirst();
        String sound = Files.readString(file);
        List<String> hostile = List.of(
                "",
                "{",
                "\0\0\0\0",
                "[".repeat(200_000),
                "x".repeat(300_000),
                sound.replace("\"one\"", "\"another\""),
                sound.replace("\"one\"", "[\"one\"]"),
                sound.replace("\"TCG\"", "\"NONE\""),
                sound.replace("\"TCG\"", "\"KVM\""),
                sound.replace("\"TCG\"", "\"none such\""),
                sound.replace(CpuModel.EMULATED, "max,-erms,-fsrm -monitor stdio"),
                sound.replace("2600000", "-1"),
                sound.replace("2600000", "9999999999"),
                sound.replace("2600000", "9".repeat(40)),
                sound.replace("true", "\"true\""));
        for (String text : hostile) {
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
            assertThat(recalled("one"))
                    .as(text.substring(0, Math.min(300, text.length())))
                    .isEmpty();
            cache.remember("one", EMULATED);
            assertThat(recalled("one")).contains(EMULATED);
        }
    }

    @Test
    void whatIsNoFileIsNeitherReadNorWaitedFor() throws Exception {
        cache.remember("one", EMULATED);
        Path file = files().getFirst();
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        assertThat(recalled("one")).isEmpty();
        cache.remember("one", EMULATED);
        assertThat(recalled("one")).contains(EMULATED);

        Files.move(file, directory.resolve("elsewhere"));
        Files.createSymbolicLink(file, directory.resolve("elsewhere"));
        assertThat(recalled("one")).isEmpty();
        cache.remember("one", ON_KVM);
        assertThat(recalled("one")).contains(ON_KVM);
        assertThat(directory.resolve("elsewhere")).content().contains("TCG");
    }

    @Test
    void whereNothingCanBeWrittenNothingIsRemembered() throws IOException {
        Files.createFile(place);
        cache.remember("one", EMULATED);
        assertThat(recalled("one")).isEmpty();
    }

    private Optional<HostCapabilities> recalled(String key) {
        return cache.recall(key, NOW, LONGEST);
    }

    /** Makes every file as old as it would be if this one had been written before the next. */
    private void age(int minutes) throws IOException {
        for (Path file : files()) {
            if (Files.getLastModifiedTime(file).toMillis() > 24 * 3_600_000L) {
                Files.setLastModifiedTime(file, FileTime.fromMillis((60 - minutes) * 60_000L));
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(place)) {
            return new ArrayList<>(all.toList());
        }
    }

    private static HostCapabilities facts(Accelerator accelerator, String cpu, OptionalLong counter) {
        return new HostCapabilities(new VmCapabilities("qemu", "7.2", accelerator, cpu, true, "because"), counter);
    }
}
