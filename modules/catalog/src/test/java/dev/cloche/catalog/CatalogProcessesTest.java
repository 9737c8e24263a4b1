package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogProcessesTest {
    private static final int PROCESSES = 3;
    private static final int NOTES = 40;

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void processesThatOpenANewCatalogTogetherMigrateItOnceAndLoseNoWrite() throws Exception {
        Path root = directory.resolve("state");
        List<BufferedReader> outputs = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            Process process = start(List.of(), root, "p" + i, NOTES);
            outputs.add(process.inputReader());
        }
        for (BufferedReader output : outputs) {
            assertThat(output.readLine()).isEqualTo("ready");
        }
        for (Process process : started) {
            process.outputWriter().close();
        }
        for (Process process : started) {
            assertThat(process.waitFor()).as("exit code, see " + errors()).isZero();
        }
        try (Catalog catalog = Catalog.open(root, List.of(CatalogTest.NOTES_2))) {
            assertThat(CatalogTest.notes(catalog)).hasSize(PROCESSES * NOTES);
            assertThat(catalog.<List<String>, RuntimeException>read(transaction -> transaction.list(
                            row -> row.getString(1),
                            "SELECT version FROM catalog_migration WHERE room = 'notes' ORDER BY version")))
                    .containsExactly("1", "2");
        }
    }

    @Test
    void aCatalogThatAnotherProcessHasOpenIsNotReplacedByACopy() throws Exception {
        try (Catalog catalog = Catalog.open(directory, List.of(CatalogTest.NOTES_2))) {
            CatalogTest.add(catalog, "here");
        }
        CatalogMaintenance.renewCopy(directory, Instant.now());
        Process process = start(List.of(), directory, "holder", -1);
        assertThat(process.inputReader().readLine()).as(errors()).isEqualTo("read 1");

        assertThatThrownBy(() -> CatalogMaintenance.restore(directory, Optional.empty(), List.of(CatalogTest.NOTES_2)))
                .isInstanceOf(CatalogException.InUse.class);
        process.outputWriter().close();
        assertThat(process.waitFor()).as(errors()).isZero();
        CatalogMaintenance.restore(directory, Optional.empty(), List.of(CatalogTest.NOTES_2));
        assertThat(directory).isDirectoryNotContaining("glob:**.tmp-*");
    }

    @Test
    void aLibraryThatCannotBeUnpackedIsAnExceptionWithTheDirectoryToChange() throws Exception {
        Path missing = directory.resolve("missing");
        List<String> options = List.of("-Djava.io.tmpdir=" + missing, "-Dorg.sqlite.tmpdir=" + missing);
        Process process = start(options, directory, "cold", 0);
        assertThat(process.waitFor()).isNotZero();
        assertThat(errors())
                .contains("dev.cloche.linux.NativeLibraryException: The native library of SQLite cannot be loaded: ");
    }

    @Test
    void openingAnUpToDateCatalogLoadsNoMigrationAndWritesNothing() throws Exception {
        try (Catalog catalog = Catalog.open(directory, List.of(CatalogTest.NOTES_2))) {
            CatalogTest.add(catalog, "here");
        }
        Map<String, Object> before = state();
        Process process = start(List.of("-Xlog:class+load:stdout"), directory, "cold", 0);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(errors()).isZero();
        assertThat(output).contains("dev.cloche.catalog.Catalog ").contains("read 1");
        assertThat(output).doesNotContain("dev.cloche.migration.");
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void openingAnUpToDateCatalogWaitsForNoWriterAndNoMigrationAndAddsNothingToTheLog() throws Exception {
        Path log = directory.resolve("catalog.db-wal");
        try (Catalog catalog = Catalog.open(directory, List.of(CatalogTest.NOTES_2));
                FileChannel channel = FileChannel.open(directory.resolve("catalog.db.lock"), StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            CatalogTest.add(catalog, "here");
            byte[] before = Files.readAllBytes(log);
            long version = dataVersion(catalog);
            catalog.write(transaction -> {
                Process process = start(List.of(), directory, "cold", 0);
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor()).as(errors()).isZero();
                return assertThat(output).contains("read 1");
            });
            assertThat(log).hasBinaryContent(before);
            assertThat(dataVersion(catalog)).isEqualTo(version);
        }
    }

    /** Changes when another connection has committed something. */
    private static long dataVersion(Catalog catalog) {
        return catalog.<Optional<Long>, RuntimeException>read(
                        transaction -> transaction.first(row -> row.getLong(1), "PRAGMA data_version"))
                .orElseThrow();
    }

    private Map<String, Object> state() throws IOException {
        Path file = directory.resolve("catalog.db");
        Map<String, Object> state = new HashMap<>();
        state.put("modified", Files.getLastModifiedTime(file));
        state.put("content", List.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)));
        return state;
    }

    private Process start(List<String> options, Path root, String name, int notes) throws IOException {
        Process process = new ProcessBuilder(
                        ChildJvm.command(options, CatalogProcess.class, root.toString(), name, Integer.toString(notes)))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("errors.txt").toFile()))
                .start();
        started.add(process);
        return process;
    }

    private String errors() throws IOException {
        Path errors = directory.resolve("errors.txt");
        return Files.exists(errors) ? Files.readString(errors) : "";
    }
}
