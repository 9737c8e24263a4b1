package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.GuestFileInput;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of a guest's files. */
public interface VmFilesContract extends VmFixture {
    /** Returns an empty directory of the host for this test. */
    Path hostDirectory();

    @Test
    default void aFileIsWrittenReadAppendedToAndReadInPart() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            write(files, "/tmp/f", WriteOptions.REPLACE.withMode(0600), "0123456789");
            write(files, "/tmp/f", WriteOptions.appending(), "abc");
            write(files, "/tmp/f", WriteOptions.at(2), "XY");
            assertThat(text(files, "/tmp/f")).isEqualTo("01XY456789abc");
            try (InputStream part = files.read("/tmp/f", 4, 3, soon())) {
                assertThat(read(part)).isEqualTo("456");
            }
            try (InputStream beyond = files.read("/tmp/f", 100, 3, soon())) {
                assertThat(read(beyond)).isEmpty();
            }
            FileInfo info = files.stat("/tmp/f", true, soon());
            assertThat(info.name()).isEqualTo("f");
            assertThat(info.kind()).isEqualTo(FileKind.FILE);
            assertThat(info.mode()).isEqualTo(0600);
            assertThat(info.uid()).isZero();
            assertThat(info.size()).isEqualTo(13);
            assertThatThrownBy(() -> files.readAllBytes("/tmp/f", 12, soon()))
                    .isInstanceOf(GuestException.CopyLimit.class);
            assertThat(files.readAllBytes("/tmp/f", 13, soon())).hasSize(13);
            write(files, "/tmp/f", WriteOptions.REPLACE, "short");
            assertThat(text(files, "/tmp/f")).isEqualTo("short");
        }
    }

    @Test
    default void directoriesAreMadeListedRenamedAndRemoved() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            files.makeDirectory("/tmp/a/b/c", 0750, true, soon());
            files.makeDirectory("/tmp/a/b/c", 0750, true, soon());
            write(files, "/tmp/a/no utf-8 \udcff\n", WriteOptions.REPLACE, "x");
            assertThat(files.list("/tmp/a", soon()))
                    .extracting(FileInfo::name)
                    .containsExactlyInAnyOrder("b", "no utf-8 \udcff\n");
            assertThat(files.stat("/tmp/a/b/c", false, soon()).mode()).isEqualTo(0750);
            assertThat(files.list("/tmp/a/b/c", soon())).isEmpty();
            files.rename("/tmp/a", "/tmp/z", true, soon());
            assertThatThrownBy(() -> files.remove("/tmp/z", false, soon()))
                    .isInstanceOf(GuestFileException.NotEmpty.class);
            files.remove("/tmp/z", true, soon());
            assertThatThrownBy(() -> files.stat("/tmp/z", false, soon()))
                    .isInstanceOf(GuestFileException.NoSuchFile.class);
        }
    }

    @Test
    default void eachFailureHasItsType() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            write(files, "/tmp/file", WriteOptions.REPLACE.withMode(0600), "x");
            files.makeDirectory("/tmp/private", 0700, false, soon());
            assertThatThrownBy(() -> files.readAllBytes("/none", 10, soon()))
                    .isInstanceOfSatisfying(
                            GuestFileException.NoSuchFile.class,
                            e -> assertThat(e.path()).isEqualTo("/none"));
            assertThatThrownBy(() -> files.list("/tmp/file", soon()))
                    .isInstanceOf(GuestFileException.NotDirectory.class);
            assertThatThrownBy(() -> files.stat("/tmp/file/x", true, soon()))
                    .isInstanceOf(GuestFileException.NotDirectory.class);
            assertThatThrownBy(() -> files.readAllBytes("/tmp", 10, soon()))
                    .isInstanceOf(GuestFileException.IsDirectory.class);
            assertThatThrownBy(() -> files.makeDirectory("/tmp", 0700, false, soon()))
                    .isInstanceOf(GuestFileException.FileExists.class);
            assertThatThrownBy(() -> write(files, "/tmp/file", WriteOptions.createNew(0600), "y"))
                    .isInstanceOf(GuestFileException.FileExists.class);
            assertThatThrownBy(() -> files.rename("/tmp/private", "/tmp/file", true, soon()))
                    .isInstanceOf(GuestFileException.FileExists.class);
            GuestFiles stranger = files.as("65534:65534");
            assertThatThrownBy(() -> stranger.readAllBytes("/tmp/file", 10, soon()))
                    .isInstanceOf(GuestFileException.AccessDenied.class);
            assertThatThrownBy(() -> write(stranger, "/tmp/private/x", WriteOptions.REPLACE, "y"))
                    .isInstanceOf(GuestFileException.AccessDenied.class);
            assertThatThrownBy(() -> files.copyIn(hostDirectory(), "/none/x", CopyOptions.DEFAULT, silent(), soon()))
                    .isInstanceOf(VmException.class)
                    .extracting("code")
                    .isEqualTo("vm.file.no-such-file");
            assertThatThrownBy(() -> files.stat("relative", true, soon())).isInstanceOf(VmException.Invalid.class);
            assertThatThrownBy(() -> files.stat("/a\0b", true, soon())).isInstanceOf(VmException.Invalid.class);
            assertThat(text(files, "/tmp/file")).isEqualTo("x");
        }
    }

    @Test
    default void changesOfATreeAreToldUpToItsEnd() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            files.makeDirectory("/tmp/watched/below", 0755, true, soon());
            try (FileWatch tree = files.watch("/tmp/watched", FileWatch.Options.TREE.withFiles(), soon());
                    FileWatch flat = files.watch("/tmp/watched", FileWatch.Options.DIRECTORY, soon())) {
                assertThat(tree.next(Duration.ZERO)).isEmpty();
                write(files, "/tmp/watched/below/file", WriteOptions.createNew(0640), "12345");
                awaitChange(tree, FileWatch.Change.CREATED, "below/file");
                write(files, "/tmp/watched/below/file", WriteOptions.appending(), "678");
                FileInfo written = awaitChange(tree, FileWatch.Change.WRITTEN, "below/file")
                        .file()
                        .orElseThrow();
                assertThat(written.name()).isEqualTo("file");
                assertThat(written.kind()).isEqualTo(FileKind.FILE);
                files.rename("/tmp/watched/below/file", "/tmp/watched/no utf-8 \udcff", true, soon());
                awaitChange(tree, FileWatch.Change.RENAMED, "below/file");
                assertThat(awaitChange(tree, FileWatch.Change.CREATED, "no utf-8 \udcff")
                                .file())
                        .isPresent();
                files.makeDirectory("/tmp/watched/a/b/c", 0755, true, soon());
                awaitChange(tree, FileWatch.Change.CREATED, "a/b/c");
                // What comes and goes between two looks may not be told.
                List<String> names = new ArrayList<>();
                awaitChange(flat, FileWatch.Change.CREATED, "no utf-8 \udcff", names);
                awaitChange(flat, FileWatch.Change.CREATED, "a", names);
                files.remove("/tmp/watched/a", true, soon());
                assertThat(awaitChange(tree, FileWatch.Change.REMOVED, "a").file())
                        .isEmpty();
                awaitChange(flat, FileWatch.Change.REMOVED, "a", names);
                files.remove("/tmp/watched", true, soon());
                awaitChange(tree, FileWatch.Change.REMOVED, "");
                assertThat(tree).isEmpty();
                assertThat(tree.ended()).isTrue();
                flat.forEach(event -> names.add(((FileWatch.Event.Changed) event).name()));
                assertThat(names).contains("no utf-8 \udcff", "a").endsWith("").noneMatch(name -> name.contains("/"));
            }
        }
    }

    /** Passes over what else is told, which may be twice. */
    private static FileWatch.Event.Changed awaitChange(FileWatch watch, FileWatch.Change change, String name) {
        return awaitChange(watch, change, name, new ArrayList<>());
    }

    /** Adds to {@code names} those of all that is told. */
    private static FileWatch.Event.Changed awaitChange(
            FileWatch watch, FileWatch.Change change, String name, List<String> names) {
        for (FileWatch.Event event : watch) {
            if (event instanceof FileWatch.Event.Changed changed) {
                names.add(changed.name());
                if (changed.change() == change && changed.name().equals(name)) {
                    return changed;
                }
            }
        }
        throw new AssertionError("never told: " + change + " " + name);
    }

    @Test
    default void aWatchThatCannotBeginOrHasEndedSaysSo() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            write(files, "/tmp/file", WriteOptions.REPLACE, "x");
            assertThatThrownBy(() -> files.watch("/tmp/none", FileWatch.Options.TREE, soon()))
                    .isInstanceOf(GuestFileException.NoSuchFile.class);
            assertThatThrownBy(() -> files.watch("/tmp/file", FileWatch.Options.TREE, soon()))
                    .isInstanceOf(GuestFileException.NotDirectory.class);
            FileWatch closed = files.watch("/tmp", FileWatch.Options.DIRECTORY, soon());
            closed.close();
            closed.close();
            write(files, "/tmp/file", WriteOptions.REPLACE, "y");
            assertThat(closed.next(Duration.ofMinutes(1))).isEmpty();
            assertThat(closed.ended()).isTrue();
            try (FileWatch lost = files.watch("/tmp", FileWatch.Options.DIRECTORY, soon())) {
                vm.kill(soon());
                assertThatThrownBy(() -> lost.forEach(_ -> {})).isInstanceOf(VmException.class);
            }
        }
    }

    @Test
    default void aFileThatIsGivenUpIsNotLeft() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            GuestFileOutput file = files.write("/tmp/half", WriteOptions.createNew(0600), soon());
            file.write(new byte[200_000]);
            file.flush();
            file.abort();
            file.close();
            assertThatThrownBy(() -> file.write(1)).isInstanceOf(IOException.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> files.stat("/tmp/half", true, soon()))
                            .isInstanceOf(GuestFileException.NoSuchFile.class));
        }
    }

    @Test
    default void aFullDiskIsATypedErrorAndTheGuestGoesOn() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            byte[] megabyte = new byte[1 << 20];
            new Random(3).nextBytes(megabyte);
            assertThatThrownBy(() -> {
                        try (GuestFileOutput file = files.write("/tmp/big", WriteOptions.REPLACE, soon())) {
                            for (int i = 0; i < 1024; i++) {
                                file.write(megabyte);
                            }
                        }
                    })
                    .isInstanceOf(GuestFileException.NoSpace.class);
            write(files, "/tmp/small", WriteOptions.REPLACE, "still here");
            assertThat(text(files, "/tmp/small")).isEqualTo("still here");
        }
    }

    @Test
    default void aNastyTreeGoesInAndComesOutTheSame() {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            EdgeCaseTree.make(hostDirectory(), "nasty");
            CopyReport in =
                    files.copyIn(hostDirectory().resolve("nasty"), "/tmp/in", CopyOptions.DEFAULT, silent(), soon());
            CopyReport out = files.copyOut(
                    "/tmp/in",
                    hostDirectory().resolve("out"),
                    CopyOptions.DEFAULT.withSpecialBits(true),
                    silent(),
                    soon());
            assertThat(EdgeCaseTree.describe(hostDirectory(), "out", 07777))
                    .isEqualTo(EdgeCaseTree.describe(hostDirectory(), "nasty", 07777));
            assertThat(in).isEqualTo(out);
            assertThat(in.entries())
                    .isEqualTo(EdgeCaseTree.describe(hostDirectory(), "out", 0).size());
            assertThat(in.leftOutCount()).isZero();
            try (DirectoryHandle copied = DirectoryHandle.open(hostDirectory().resolve("out"));
                    FileHandle sparse = copied.openFile("sparse")) {
                assertThat(sparse.nextData(0)).hasValue(EdgeCaseTree.HOLE_UNTIL);
            }
            files.copyOut("/tmp/in", hostDirectory().resolve("plain"), CopyOptions.DEFAULT, silent(), soon());
            assertThat(EdgeCaseTree.describe(hostDirectory(), "plain", 07777))
                    .as("without the special bits")
                    .isEqualTo(EdgeCaseTree.describe(hostDirectory(), "nasty", 0777));
        }
    }

    @Test
    default void copiesMergeDirectoriesAndReplaceFiles() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            Path source = Files.createDirectories(hostDirectory().resolve("source/sub"));
            Files.writeString(source.resolve("file"), "new");
            files.makeDirectory("/tmp/there/sub", 0700, true, soon());
            write(files, "/tmp/there/sub/file", WriteOptions.REPLACE, "old");
            write(files, "/tmp/there/sub/other", WriteOptions.REPLACE, "other");
            files.copyIn(hostDirectory().resolve("source"), "/tmp/there", CopyOptions.DEFAULT, silent(), soon());
            assertThat(text(files, "/tmp/there/sub/file")).isEqualTo("new");
            assertThat(text(files, "/tmp/there/sub/other")).isEqualTo("other");
            assertThat(files.stat("/tmp/there/sub", false, soon()).mode()).isEqualTo(0700);

            Path back = Files.createDirectories(hostDirectory().resolve("back/sub"));
            Files.setPosixFilePermissions(back, PosixFilePermissions.fromString("rwx------"));
            Files.writeString(back.resolve("file"), "older");
            Files.writeString(back.resolve("mine"), "mine");
            files.copyOut("/tmp/there", hostDirectory().resolve("back"), CopyOptions.DEFAULT, silent(), soon());
            assertThat(back.resolve("file")).hasContent("new");
            assertThat(back.resolve("mine")).hasContent("mine");
            assertThat(back.resolve("other")).hasContent("other");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back)))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    default void aSingleFileOrLinkIsCopiedUnderItsNewName() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            Path file = Files.writeString(hostDirectory().resolve("file"), "content");
            Path link = Files.createSymbolicLink(hostDirectory().resolve("link"), Path.of("file"));
            files.copyIn(file, "/tmp/copy", CopyOptions.DEFAULT, silent(), soon());
            files.copyIn(link, "/tmp/link", CopyOptions.DEFAULT, silent(), soon());
            files.copyIn(link, "/tmp/followed", CopyOptions.DEFAULT.withFollowLink(true), silent(), soon());
            assertThat(text(files, "/tmp/copy")).isEqualTo("content");
            assertThat(files.stat("/tmp/link", false, soon()).linkTarget()).hasValue("file");
            assertThat(files.stat("/tmp/followed", false, soon()).kind()).isEqualTo(FileKind.FILE);

            Path back = hostDirectory().resolve("back");
            files.copyIn(Path.of("/etc/hostname").toRealPath(), "/tmp/file", CopyOptions.DEFAULT, silent(), soon());
            files.copyOut("/tmp/link", back, CopyOptions.DEFAULT, silent(), soon());
            assertThat(Files.readSymbolicLink(back)).hasToString("file");
            files.copyOut("/tmp/link", back, CopyOptions.DEFAULT.withFollowLink(true), silent(), soon());
            assertThat(back).isRegularFile().hasSameBinaryContentAs(Path.of("/etc/hostname"));
        }
    }

    @Test
    default void limitsEndACopyAndWhatIsLeftIsSaid() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            files.makeDirectory("/tmp/many", 0755, false, soon());
            for (int i = 0; i < 5; i++) {
                write(files, "/tmp/many/" + i, WriteOptions.REPLACE, "12345");
            }
            Path out = hostDirectory().resolve("out");
            assertThatThrownBy(() ->
                            files.copyOut("/tmp/many", out, CopyOptions.DEFAULT.withMaxEntries(3), silent(), soon()))
                    .isInstanceOfSatisfying(GuestException.CopyIncomplete.class, e -> {
                        assertThat(e.code()).isEqualTo("vm.copy-limit");
                        assertThat(e.copied().entries()).isEqualTo(2);
                    });
            assertThat(out.toFile().list()).hasSize(2);
            assertThatThrownBy(() -> files.copyOut(
                            "/tmp/many",
                            hostDirectory().resolve("none"),
                            CopyOptions.DEFAULT.withMaxBytes(4),
                            silent(),
                            soon()))
                    .isInstanceOf(GuestException.CopyIncomplete.class)
                    .hasCauseInstanceOf(GuestException.CopyLimit.class);
            assertThatThrownBy(
                            () -> files.copyIn(out, "/tmp/in", CopyOptions.DEFAULT.withMaxBytes(9), silent(), soon()))
                    .isInstanceOf(GuestException.CopyIncomplete.class)
                    .hasCauseInstanceOf(GuestException.CopyLimit.class);
            vm.guest().ping(soon());
        }
    }

    @Test
    default void aReaderThatDoesNotReadDelaysNoOtherCall() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            try (GuestFileOutput file = files.write("/tmp/large", WriteOptions.REPLACE, soon())) {
                file.write(new byte[4 << 20]);
            }
            try (GuestFileInput slow = files.read("/tmp/large", 0, Long.MAX_VALUE, soon())) {
                assertThat(slow.read()).isZero();
                for (int i = 0; i < 3; i++) {
                    vm.guest().ping(soon());
                    assertThat(files.stat("/tmp/large", true, soon()).size()).isEqualTo(4 << 20);
                }
                assertThat(slow.readAllBytes()).hasSize((4 << 20) - 1);
            }
        }
    }

    @Test
    default void aDeadlineAndAnInterruptEndACallThatWaits() throws Exception {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            Deadline brief = Deadline.after(Duration.ofMillis(500));
            assertThatThrownBy(() -> {
                        try (GuestFileOutput idle = files.write("/tmp/late", WriteOptions.createNew(0600), brief)) {
                            Awaitility.await().until(brief::passed);
                            while (true) {
                                idle.write(new byte[1 << 20]);
                            }
                        }
                    })
                    .isInstanceOf(VmException.Deadline.class);
            List<RuntimeException> failures = new ArrayList<>();
            Path source = hostDirectory();
            EdgeCaseTree.make(source, "nasty");
            Thread copying = Thread.ofPlatform().unstarted(() -> {
                try {
                    files.copyIn(source, "/tmp/in", CopyOptions.DEFAULT, interrupting(), soon());
                } catch (RuntimeException e) {
                    failures.add(e);
                }
            });
            copying.start();
            copying.join();
            assertThat(failures).singleElement().extracting("code").isEqualTo("vm.interrupted");
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> files.stat("/tmp/late", true, soon()))
                            .isInstanceOf(GuestFileException.NoSuchFile.class));
            vm.guest().ping(soon());
        }
    }

    @Test
    default void thousandsOfSmallFilesGoInAndOut() throws IOException {
        try (Vm vm = running()) {
            GuestFiles files = vm.guest().files();
            Path source = Files.createDirectory(hostDirectory().resolve("many"));
            for (int i = 0; i < 3_000; i++) {
                Files.writeString(source.resolve("file " + i), "content " + i);
            }
            assertThat(files.copyIn(source, "/tmp/many", CopyOptions.DEFAULT, silent(), soon())
                            .entries())
                    .isEqualTo(3_001);
            files.copyOut("/tmp/many", hostDirectory().resolve("back"), CopyOptions.DEFAULT, silent(), soon());
            assertThat(EdgeCaseTree.describe(hostDirectory(), "back", 0777))
                    .isEqualTo(EdgeCaseTree.describe(hostDirectory(), "many", 0777));
        }
    }

    private static CopyListener silent() {
        return CopyListener.silent();
    }

    private static CopyListener interrupting() {
        return (entries, bytes) -> {
            if (entries == 3) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private void write(GuestFiles files, String path, WriteOptions options, String text) throws IOException {
        try (GuestFileOutput file = files.write(path, options, soon())) {
            file.write(text.getBytes(UTF_8));
        }
    }

    private String text(GuestFiles files, String path) {
        return new String(files.readAllBytes(path, 1 << 20, soon()), UTF_8);
    }
}
