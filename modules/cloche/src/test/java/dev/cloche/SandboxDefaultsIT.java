package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.FileInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for all commands of a sandbox, and what its handle tells of it, in real VMs. */
class SandboxDefaultsIT {
    private static final String REPORT = "echo $COLOUR; pwd; id -un";

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox shared;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        shared = builder("shared").command("sh", "-c", REPORT).start();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            shared.close();
            cloche.close();
        }
    }

    private static SandboxBuilder builder(String name) {
        return cloche.sandbox("base")
                .name(name)
                .memoryMib(256)
                .label("team", "search")
                .environment("COLOUR", "blue")
                .workingDirectory("/made/for/it")
                .user("nobody");
    }

    @Test
    void defaultsHoldForEveryCommandOfEveryProcess() {
        String usual = "blue\n/made/for/it\nnobody\n";
        assertThat(shared.exec("sh", "-c", REPORT).orThrow().stdoutText()).isEqualTo(usual);
        assertThat(shared.mainCommand().run().orThrow().stdoutText()).isEqualTo(usual);
        try (Sandbox connection = cloche.connect("shared")) {
            assertThat(connection.exec("sh", "-c", REPORT).orThrow().stdoutText())
                    .isEqualTo(usual);
        }
        try (Fork fork = shared.fork(1)) {
            assertThat(fork.children()
                            .getFirst()
                            .exec("sh", "-c", REPORT)
                            .orThrow()
                            .stdoutText())
                    .isEqualTo(usual);
        }
    }

    /** By the agent itself: names of the image's accounts, real paths, and what is below. */
    @Test
    void filesAreToldWithTheirDetailsAndToADepth() {
        SandboxFiles files = shared.files();
        files.asUser("nobody").makeDirectories("/tmp/told/a/b");
        files.asUser("nobody").writeString("/tmp/told/a/b/file", "text");
        shared.command("ln", "-s", "a/b/file", "/tmp/told/link")
                .user("root")
                .run()
                .orThrow();
        assertThat(files.list("/tmp/told", 1)).extracting(FileInfo::name).containsExactlyInAnyOrder("a", "link");
        assertThat(files.list("/tmp/told", 3))
                .extracting(FileInfo::name)
                .containsExactlyInAnyOrder("a", "link", "a/b", "a/b/file");
        FileInfo.Details file = files.details("/tmp/told/link");
        assertThat(file.file().size()).isEqualTo(4);
        assertThat(file.owner()).hasValue("nobody");
        assertThat(file.group()).hasValue("nogroup");
        assertThat(file.realPath()).hasValue("/tmp/told/a/b/file");
        assertThat(file.attributes()).isEmpty();
        FileInfo.Details link = files.linkDetails("/tmp/told/link");
        assertThat(link.file().linkTarget()).hasValue("a/b/file");
        assertThat(link.owner()).hasValue("root");
        assertThat(files.listDetails("/tmp/told", 64))
                .filteredOn(details -> details.file().name().equals("a/b"))
                .singleElement()
                .satisfies(details -> assertThat(details.realPath()).hasValue("/tmp/told/a/b"));
    }

    /** A layer in memory has attributes of users from Linux 6.6 on, which the kernel may be older than. */
    @Test
    void modesOwnersAndAttributesAreSetOrRefusedInWords() {
        SandboxFiles files = shared.files();
        files.withOwner("nobody").writeString("/given/to/file", "text");
        FileInfo.Details given = files.details("/given/to/file");
        assertThat(given.owner()).hasValue("nobody");
        assertThat(given.group()).hasValue("nogroup");
        assertThat(files.details("/given").owner()).hasValue("nobody");
        files.change("/given/to/file", FileInfo.Change.NONE.withMode(04751).withOwner("root:nogroup"));
        assertThat(shared.exec("stat", "-c", "%a %U %G", "/given/to/file")
                        .orThrow()
                        .stdoutText())
                .isEqualTo("4751 root nogroup\n");
        assertThatThrownBy(() -> files.withOwner("missing").makeDirectories("/given/more"))
                .isInstanceOf(ClocheException.class)
                .hasMessageContaining("missing");
        FileInfo.Change attribute = FileInfo.Change.NONE.withAttribute("user.origin", new byte[] {1, 0, 2});
        files.change("/given/to/file", attribute);
        assertThat(files.details("/given/to/file").attributes()).containsOnlyKeys("user.origin");
        try (Sandbox inMemory = cloche.sandbox("base").memoryMib(256).start()) {
            String[] kernel =
                    inMemory.exec("uname", "-r").orThrow().stdoutText().split("\\D+", -1);
            if (Integer.parseInt(kernel[0]) * 100 + Integer.parseInt(kernel[1]) < 606) {
                assertThatThrownBy(() -> inMemory.files().change("/root", attribute.withMode(0711)))
                        .isInstanceOfSatisfying(
                                ClocheException.class,
                                refused -> assertThat(refused.code()).isEqualTo("vm.file.no-attributes"));
            } else {
                inMemory.files().change("/root", attribute);
                assertThat(inMemory.files().details("/root").attributes()).containsOnlyKeys("user.origin");
            }
        }
    }

    @Test
    void aCommandMaySayOtherwise() {
        assertThat(shared.command("sh", "-c", REPORT)
                        .environment("COLOUR", "red")
                        .workingDirectory("/tmp")
                        .user("root")
                        .run()
                        .orThrow()
                        .stdoutText())
                .isEqualTo("red\n/tmp\nroot\n");
        assertThat(shared.mainCommand()
                        .environment("COLOUR", "red")
                        .run()
                        .orThrow()
                        .stdoutText())
                .isEqualTo("red\n/made/for/it\nnobody\n");
        // What the main command alone was told is no other's.
        assertThat(shared.exec("sh", "-c", "echo $COLOUR").orThrow().stdoutText())
                .isEqualTo("blue\n");
        try (Sandbox connection = cloche.connect("shared")) {
            assertThat(connection.exec("sh", "-c", "echo $COLOUR").orThrow().stdoutText())
                    .isEqualTo("blue\n");
        }
    }

    /** Only the directory of the sandbox is made: a command that names one has misspelt it. */
    @Test
    void aDirectoryThatOneCommandNamesHasToExist() {
        CommandBuilder elsewhere = shared.command("pwd").workingDirectory("/no/such/place");
        assertThatThrownBy(elsewhere::run).isInstanceOf(ClocheException.class);
    }

    @Test
    void defaultsAreThoseOfAFurtherStart() {
        builder("again").command("sh", "-c", REPORT).detached().start();
        assertThat(cloche.sandboxes().await("again", Set.of(SandboxStatus.STOPPED)))
                .isPresent();
        cloche.sandboxes().start("again");
        assertThat(cloche.sandboxes().await("again", Set.of(SandboxStatus.STOPPED)))
                .isPresent();
        try (SandboxLog log = cloche.sandboxes().log("again")) {
            StringBuilder text = new StringBuilder();
            log.await(Duration.ofMinutes(1))
                    .ifPresent(entry -> text.append(StandardCharsets.UTF_8.decode(entry.bytes())));
            assertThat(text.toString()).startsWith("blue\n");
        }
        SandboxInspection.Command command =
                cloche.sandboxes().inspect("again").command().orElseThrow();
        assertThat(command.environment()).isEqualTo(Map.of("COLOUR", "blue"));
        assertThat(command.workingDirectory()).contains("/made/for/it");
        assertThat(command.user()).contains("nobody");
        cloche.sandboxes().remove("again", false);
    }

    @Test
    void aHandleTellsWhatIsRecorded() {
        assertThat(shared.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(shared.labels()).isEqualTo(Map.of("team", "search"));
        assertThat(shared.info().name()).isEqualTo("shared");
        assertThat(shared.info().id()).isEqualTo(shared.id());

        Sandbox brief = cloche.sandbox("base").name("brief").memoryMib(256).start();
        cloche.sandboxes().rename("brief", "renamed");
        assertThat(brief.info().name()).isEqualTo("renamed");
        cloche.sandboxes().pause("renamed");
        assertThat(brief.status()).isEqualTo(SandboxStatus.PAUSED);
        brief.close();
        assertThat(brief.status()).isEqualTo(SandboxStatus.STOPPED);
        cloche.sandboxes().remove("renamed", false);
        assertThatThrownBy(brief::info).isInstanceOf(ClocheException.class);
    }

    @Test
    void writesMakeTheDirectoriesOnTheWay() throws IOException {
        SandboxFiles files = shared.files();
        files.writeString("/deep/one/two/text", "one\n");
        files.appendString("/deep/one/two/text", "two\n");
        files.appendString("/deep/three/log", "first\n");
        try (OutputStream stream = files.write("/deep/four/stream")) {
            stream.write("streamed\n".getBytes(StandardCharsets.UTF_8));
        }
        Path tree = Files.createDirectories(home.resolve("tree"));
        Files.writeString(tree.resolve("leaf"), "copied\n");
        files.copyIn(tree, "/deep/five/six/tree");
        assertThat(shared.exec("sh", "-c", "cd /deep && cat one/two/text three/log four/stream five/six/tree/leaf")
                        .orThrow()
                        .stdoutText())
                .isEqualTo("one\ntwo\nfirst\nstreamed\ncopied\n");
        // A link is as good as the directory that it leads to.
        shared.command("ln", "-s", "/deep", "/to-deep").user("root").run().orThrow();
        files.writeString("/to-deep/seven/text", "seven\n");
        assertThat(files.readString("/deep/seven/text")).isEqualTo("seven\n");
    }

    /** A user makes directories with its own rights, and they are its own. */
    @Test
    void directoriesOnTheWayAreThoseOfTheUserThatWrites() {
        SandboxFiles nobodys = shared.files().asUser("nobody");
        assertThatThrownBy(() -> nobodys.writeString("/not-mine/text", "no")).isInstanceOf(ClocheException.class);
        nobodys.writeString("/tmp/mine/text", "yes");
        assertThat(shared.exec("stat", "-c", "%U %a", "/tmp/mine").orThrow().stdoutText())
                .isEqualTo("nobody 755\n");
    }

    @Test
    void loadingAnArchiveTellsHowFarItIs() {
        Path archive = home.resolve("base.tar");
        cloche.images().save(List.of("base"), archive, PullListener.none());
        ClocheOptions elsewhere =
                ClocheOptions.ofEnvironment().withHome(home.resolve("empty")).withShare(InstalledShare.require());
        List<PullEvent> heard = new ArrayList<>();
        try (Cloche other = Cloche.open(elsewhere)) {
            assertThat(other.images().load(archive, "loaded", heard::add)).isNotNull();
            assertThat(other.images().load(archive)).hasSize(1);
        }
        assertThat(heard)
                .anyMatch(PullEvent.Resolved.class::isInstance)
                .anyMatch(PullEvent.Progress.class::isInstance)
                .anyMatch(PullEvent.LayerReady.class::isInstance);
    }
}
