package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import dev.cloche.image.TestImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche image}, {@code cloche catalog} and {@code cloche system} with the bundled image; no VM is started. */
class ImageCommandsIT {
    private static final String BASE = "docker.io/library/base:latest";

    /** The last of the numbers. */
    private static final Pattern TOTAL_FREED = Pattern.compile("(?s).*\"bytes\" : ([0-9]+)\\s+}\\s*$");

    @TempDir
    Path home;

    @TempDir
    Path other;

    private Program cloche;
    private String digest = "";

    @BeforeEach
    void pull() {
        cloche = Program.in(home);
        digest = done("image", "pull", "-q", "base").stdout().strip();
        assertThat(digest).startsWith("sha256:");
    }

    @Test
    void anImageIsListedInspectedAndTagged() {
        assertThat(done("image", "ls").stdout()).contains(BASE);
        assertThat(done("images", "--format", "json").stdout()).contains(digest, "lastUsedAt");
        assertThat(done("image", "inspect", "base").stdout()).contains(BASE, digest, "linux/amd64");
        assertThat(done("image", "inspect", "--layers", "base").stdout()).contains("DIFF ID", "sha256:");
        assertThat(done("image", "inspect", "--format", "json", "base").stdout())
                .contains("\"digest\" : \"" + digest + "\"", "\"diffId\"", "\"usedBy\" : [ ]");
        assertThat(done("image", "tag", "base", "mine:1").stdout()).isEqualTo("docker.io/library/mine:1\n");
        assertThat(done("image", "rm", "base").stdout()).isEqualTo("base\n");
        assertThat(done("image", "ls").stdout()).contains("mine:1").doesNotContain(BASE);
        Result check = done("catalog", "check");
        assertThat(check.stdout()).isEqualTo("all is sound\n");
        assertThat(check.stderr()).matches("read everything in \\d+\\.\\d s\n");

        Result absent = cloche.run("image", "rm", "base", "mine:1");
        assertThat(absent.exitCode()).isEqualTo(1);
        assertThat(absent.stderr()).contains(BASE + " is not on this host");
        assertThat(absent.stdout()).isEqualTo("mine:1\n");
        assertThat(files()).isEmpty();
    }

    @Test
    void anImageIsMeantByItsDigestAndListedWithoutAName() {
        String prefix = digest.substring(0, 13);
        assertThat(done("image", "inspect", prefix).stdout()).contains(BASE, digest);
        done("create", "--name", "user", prefix, "--", "true");
        assertThat(cloche.run("image", "rm", prefix).stderr()).contains("is in use by sandbox user");
        done("image", "rm", "-f", prefix);
        assertThat(done("images").stdout()).containsPattern("<none> +" + digest.substring(0, 19) + ".* sandbox user\n");
        assertThat(done("images", "--format", "json").stdout())
                .contains("\"reference\" : \"" + digest + "\"", "\"sandbox user\"");
        assertThat(cloche.run("run", "sha256:12345", "--", "true"))
                .satisfies(refused -> assertThat(refused.exitCode()).isEqualTo(125))
                .satisfies(refused -> assertThat(refused.stderr()).contains("6 digits or more"));
        assertThat(done("image", "tag", prefix, "again").stdout()).isEqualTo("docker.io/library/again:latest\n");
        done("rm", "user");
        Result mistyped = cloche.run("run", "--pull", "never", "agian", "--", "true");
        assertThat(mistyped.exitCode()).isEqualTo(125);
        assertThat(mistyped.stderr()).contains("Did you mean again?");
        done("image", "rm", "again");
    }

    @Test
    void aPullSaysWhatBecameOfEachLayer() {
        Result again = done("pull", "base");
        assertThat(again.stdout()).isEqualTo(digest + "\n");
        assertThat(again.stderr()).isEmpty();
        done("image", "rm", "base");
        Result fresh = done("image", "pull", "base");
        assertThat(fresh.stdout()).isEqualTo(digest + "\n");
        assertThat(fresh.stderr()).matches("layer [0-9a-f]{12}: pulled, \\S+ \\S+\n");
    }

    @Test
    void whatIsSavedIsTheSameImageElsewhere() throws IOException {
        Path archive = other.resolve("base.tar");
        done("image", "save", "-q", "-o", archive.toString(), "base");
        assertThat(cloche.run("image", "save", "-o", archive.toString(), "base").stderr())
                .contains("There is a file at " + archive);
        Program second = Program.in(other.resolve("home"));
        // By standard input, as from another host.
        Result loaded = second.run(Files.readAllBytes(archive), "image", "load", "-q", "-");
        assertThat(loaded).isEqualTo(new Result(0, BASE + "\n", ""));
        assertThat(second.run("images", "--format", "json").stdout()).contains(digest);
        assertThat(second.run("catalog", "check").stdout()).isEqualTo("all is sound\n");
    }

    @Test
    void pruneTakesWhatNothingUsesAndSaysSo() {
        assertThat(done("image", "prune", "--unused-for", "1h").stderr()).contains("removed 0 images");
        assertThat(done("image", "prune", "--keep", "100g").stderr()).contains("removed 0 images");
        assertThat(done("image", "prune", "--dry-run", "--keep", "100g").stdout())
                .isEmpty();
        List<String> before = files();
        Result plan = done("image", "prune", "--dry-run");
        assertThat(plan.stdout()).isEqualTo(BASE + "\n");
        assertThat(plan.stderr()).contains("would remove 1 image and 1 layer");
        Result wouldBe = done("image", "prune", "--dry-run", "--format", "json");
        assertThat(files()).isEqualTo(before);
        Result all = done("image", "prune", "--format", "json");
        assertThat(all.stdout()).contains(BASE, "\"manifests\" : 1").isEqualTo(wouldBe.stdout());
        assertThat(files()).isEmpty();
    }

    @Test
    void allPrunesInOneRemoveWhatNothingUsesAndSaySo() throws IOException {
        Path output = Files.createDirectories(home.resolve("executions/exec-0123456789abcdef"));
        Files.write(output.resolve("left-by-a-killed-prune"), new byte[1 << 20]);
        Path disk = Files.createDirectories(home.resolve("sandbox-snapshots/web-7/disk"));
        Files.write(disk.resolve("disk.0"), new byte[1 << 20]);
        long before = used();
        Result none = done("system", "prune", "--dry-run", "--unused-for", "1h");
        assertThat(none.stdout()).isEmpty();
        assertThat(none.stderr()).contains("would remove 0 processes, 1.0 MiB", "would remove 0 images");
        Result plan = done("system", "prune", "--dry-run");
        assertThat(plan.stdout()).isEqualTo("image " + BASE + "\n");
        String wouldBe =
                done("system", "prune", "--dry-run", "--format", "json").stdout();
        // The records may have grown by a page.
        assertThat(used()).isCloseTo(before, Offset.offset(100_000L));
        assertThat(output).exists();
        assertThat(files()).isNotEmpty();
        String all = done("system", "prune", "--format", "json").stdout();
        assertThat(all).contains("\"part\" : \"templates\"", BASE).isEqualTo(wouldBe);
        assertThat(files()).isEmpty();
        assertThat(output).doesNotExist();
        assertThat(disk.resolve("disk.0")).exists();
        long freed = Long.parseLong(TOTAL_FREED.matcher(all).replaceFirst("$1"));
        assertThat(before - used()).isCloseTo(freed, Offset.offset(100_000L));
    }

    @Test
    void aPullKeepsTheCacheBelowTheLimitOfTheConfiguration() throws IOException {
        Path small = new TestImage()
                .layer(TestImage.Compression.NONE, Map.of("file", "content"))
                .writeLayout(other.resolve("layout"), "docker.io/library/small:1");
        done("image", "load", "-q", small.toString());
        assertThat(done("images").stdout()).contains("small");

        Files.writeString(home.resolve("config.toml"), "[images]\nkeep = \"1k\"\n");
        done("image", "rm", "base");
        done("image", "pull", "-q", "base");
        assertThat(done("images").stdout()).contains("base").doesNotContain("small");
    }

    @Test
    void theCatalogIsCheckedCopiedAndMigrated() throws IOException {
        Path copy = other.resolve("copy.db");
        assertThat(done("catalog", "backup", copy.toString()).stdout()).isEqualTo(copy + "\n");
        assertThat(cloche.run("catalog", "backup", copy.toString()).stderr()).contains("already");
        assertThat(done("catalog", "migrate", "--dry-run").stdout().lines()).hasSize(1);
        Program nothing = Program.in(other.resolve("empty"));
        assertThat(nothing.run("catalog", "migrate", "--dry-run", "--format", "json")
                        .stdout())
                .contains("\"room\" : \"image\"", "\"room\" : \"sandbox\"");
        assertThat(nothing.run("catalog", "check").stderr()).contains("There is no catalog");

        String layer =
                files().stream().filter(f -> f.contains("layers")).findFirst().orElseThrow();
        Files.delete(home.resolve(layer));
        Result check = cloche.run("catalog", "check");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.stdout()).contains(layer, "is not there");
        // What is missing is pulled again.
        done("image", "pull", "-q", "base");
        done("catalog", "check");
    }

    @Test
    void whatIsOnTheDiskIsShownByItsParts() throws IOException {
        long before = used();
        assertThat(done("system", "df").stdout())
                .startsWith("PART ")
                .containsPattern("\nlayers +[0-9.]+ [KM]iB +[0-9]+ +cloche image prune\n")
                .containsPattern("\ncatalog +[0-9.]+ [KM]iB +[0-9]+\n")
                .containsPattern("\nall +[0-9.]+ [KM]iB +[0-9]+\n$");
        Path directory = Files.createDirectories(home.resolve("sandboxes/left-1/disk"));
        Files.write(directory.resolve("disk.0"), new byte[8 << 20]);
        try {
            assertThat(used() - before).isBetween(8L << 20, 9L << 20);
            assertThat(done("system", "df").stdout()).containsPattern("\nsandboxes +8.0 MiB +[0-9]+ +cloche rm\n");
        } finally {
            Files.delete(directory.resolve("disk.0"));
            Files.delete(directory);
            Files.delete(directory.getParent());
        }
    }

    private long used() {
        String json = done("system", "df", "--format", "json").stdout();
        Matcher total = Pattern.compile("\"bytes\" : ([0-9]+),\\s+\"files\" : [0-9]+\\s+}\\s*$")
                .matcher(json);
        assertThat(total.find()).as(json).isTrue();
        return Long.parseLong(total.group(1));
    }

    private Result done(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }

    /** Files of the cache but locks. */
    private List<String> files() {
        try (Stream<Path> all = Files.walk(home.resolve("cache"))) {
            return all.filter(Files::isRegularFile)
                    .map(file -> home.relativize(file).toString())
                    .filter(file -> !file.startsWith("cache/locks/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
