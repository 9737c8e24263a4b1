package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.CatalogMaintenance;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.FilePublication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process is killed at every call that changes a file: of the cache, and of the catalog, so also in the middle of every
 * SQL statement that has an effect. Where these points are is found out by a run that is not killed. After each death
 * another process must find nothing torn, miss nothing that is recorded, and be able to collect all that is left.
 */
class CrashTest {
    private static final int SIGKILLED = 128 + 9;
    private static final ImageHolder PROBE = new ImageHolder("probe", "1", "probe");

    @TempDir
    Path directory;

    private Path library;
    private Path layout;
    private Path template;
    private final Map<String, FileFingerprint> sound = new HashMap<>();
    private List<String> filesOfA = List.of();

    @BeforeEach
    void prepare() throws Exception {
        Shell.need("gcc", "cp");
        Path source = Path.of("src/test/c/deathpoints.c").toAbsolutePath();
        library = directory.resolve("deathpoints.so");
        Shell.run(directory, "gcc -shared -fPIC -O1 -o \"$1\" \"$2\" -ldl", library.toString(), source.toString());
        layout = ThreeImages.writeLayout(Files.createDirectory(directory.resolve("layout")));
        Shell.run(layout, "tar -cf ../b.tar .");
        rememberSoundFiles();
    }

    /** The other two works share most of their points with a pull. */
    @ParameterizedTest
    @EnumSource(
            value = CrashProcess.Work.class,
            names = {"PULL", "REMOVE", "PRUNE"})
    void aDeathAtEachKindOfPointHarmsNothing(CrashProcess.Work work) throws Exception {
        List<String> points = points(work);
        Set<String> kinds = new HashSet<>();
        for (int i = 0; i < points.size(); i++) {
            if (kinds.add(kind(points.get(i)))) {
                dieAt(work, i + 1, points.get(i));
            }
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(CrashProcess.Work.class)
    void aDeathAtEveryPointHarmsNothing(CrashProcess.Work work) throws Exception {
        List<String> points = points(work);
        for (int i = 0; i < points.size(); i++) {
            dieAt(work, i + 1, points.get(i));
        }
    }

    private void dieAt(CrashProcess.Work work, int number, String point) throws Exception {
        Path root = directory.resolve("root");
        start(work, root);
        Process process = run(work, root, Map.of("DEATH_AT", Integer.toString(number)));
        String where = work + " died at " + number + ", " + point;
        assertThat(process.exitValue()).as(where + output()).isEqualTo(SIGKILLED);
        examine(root, where);
        Shell.run(directory, "rm -rf root");
    }

    /** What another process finds, and whether it can go on. */
    private void examine(Path root, String where) throws IOException {
        try (StoreFixture fixture = ThreeImages.open(root, layout)) {
            assertThat(CatalogMaintenance.problems(root.resolve("state")))
                    .as(where)
                    .isEmpty();
            for (String file : fixture.files()) {
                // Nothing torn has one of the names that are used.
                if (!file.contains("/.tmp-")) {
                    assertThat(FilePublication.read(fixture.cache.resolve(file)))
                            .as(where + ": " + file)
                            .isEqualTo(sound.get(file));
                }
            }
            assertThat(fixture.store.check()).as(where).allMatch(problem -> problem.kind() == CacheProblem.Kind.ORPHAN);
            assertThat(fixture.store.list())
                    .extracting(ImageSummary::reference)
                    .as(where)
                    .contains(ThreeImages.A);
            for (ImageSummary image : fixture.store.list()) {
                fixture.store.acquire(
                        image.reference(), PullPolicy.NEVER, PROBE, PullListener.none(), StoreFixture.soon());
            }
            fixture.acquire(ThreeImages.B, "starting");
            assertThat(fixture.store.check()).as(where).allMatch(problem -> problem.kind() == CacheProblem.Kind.ORPHAN);
            fixture.store.release(StoreFixture.holder("starting"));
            fixture.store.release(PROBE);
            fixture.store.prune(ImagePruneRequest.everything());
            // A loaded blob stays as long as its layer, and A has one of the layers.
            assertThat(fixture.files().stream().filter(file -> !file.startsWith("blobs/")))
                    .as(where)
                    .containsExactlyElementsOf(filesOfA);
            assertThat(fixture.store.check()).as(where).isEmpty();
        }
    }

    private List<String> points(CrashProcess.Work work) throws Exception {
        Path root = directory.resolve("root");
        Path log = directory.resolve("points");
        start(work, root);
        Process process = run(work, root, Map.of("DEATH_LOG", log.toString()));
        assertThat(process.exitValue()).as(output()).isZero();
        Shell.run(directory, "rm -rf root");
        List<String> points = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            points.add(line.replace(root + "/", ""));
        }
        Files.delete(log);
        assertThat(points).hasSizeGreaterThan(10);
        return points;
    }

    /** Without what differs from one file to the next of its kind. */
    private static String kind(String point) {
        return point.replaceAll("[0-9a-f]{64}", "#").replaceAll("-[0-9]+", "-#").replaceAll("-[0-9a-f]{2}$", "-#");
    }

    /** A is held; what is removed is there. */
    private void start(CrashProcess.Work work, Path root) throws Exception {
        String from = switch (work) {
            case PULL, START, LOAD -> "with-a";
            case REMOVE, PRUNE -> "with-all";
        };
        Shell.run(template, "cp -a \"$1\" \"$2\"", from, root.toString());
    }

    private Process run(CrashProcess.Work work, Path root, Map<String, String> settings) throws Exception {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("LD_PRELOAD", library.toString());
        environment.put("DEATH_ROOT", root.toString());
        Process process = JavaProcess.start(
                CrashProcess.class,
                environment,
                directory.resolve("output"),
                root.toString(),
                layout.toString(),
                work.name());
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError(work + " hangs" + output());
        }
        return process;
    }

    private String output() throws IOException {
        return ": " + Files.readString(directory.resolve("output"));
    }

    /** The same content gives the same files, so there is only one right form of each. */
    private void rememberSoundFiles() throws Exception {
        template = Files.createDirectory(directory.resolve("template"));
        try (StoreFixture fixture = ThreeImages.open(template.resolve("with-a"), layout)) {
            fixture.acquire(ThreeImages.A, "holder");
            filesOfA = fixture.files();
            remember(fixture);
        }
        Shell.run(template, "cp -a with-a with-all");
        try (StoreFixture fixture = ThreeImages.open(template.resolve("with-all"), layout)) {
            fixture.pull(ThreeImages.B);
            fixture.pull(ThreeImages.C);
            remember(fixture);
        }
        Shell.run(template, "cp -a with-a loaded");
        try (StoreFixture fixture = ThreeImages.open(template.resolve("loaded"), layout)) {
            fixture.store.load(
                    layout.resolveSibling("b.tar"), Optional.empty(), PullListener.none(), StoreFixture.soon());
            remember(fixture);
        }
        try (Stream<Path> all = Files.list(template)) {
            assertThat(all).hasSize(3);
        }
    }

    private void remember(StoreFixture fixture) throws IOException {
        for (String file : fixture.files()) {
            sound.put(file, FilePublication.read(fixture.cache.resolve(file)));
        }
    }
}
