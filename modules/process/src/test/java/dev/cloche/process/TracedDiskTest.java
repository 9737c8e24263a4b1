package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.DiskEvent.Begun;
import dev.cloche.process.DiskEvent.Create;
import dev.cloche.process.DiskEvent.Ended;
import dev.cloche.process.DiskEvent.Rename;
import dev.cloche.process.DiskEvent.SyncDirectory;
import dev.cloche.process.DiskEvent.SyncFile;
import dev.cloche.process.DiskEvent.Write;
import dev.cloche.process.TracedDisk.Loss;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracedDiskTest {
    @TempDir
    Path directory;

    private final TracedDisk disk = new TracedDisk();
    private int calls;
    private int images;

    @Test
    void aFileThatWasSyncedInASyncedDirectorySurvives() throws IOException {
        perform(new Create("a"), write("a", 0, "kept"), new SyncFile("a"), new SyncDirectory(""));

        assertThat(after(Loss.EVERYTHING).resolve("a")).hasContent("kept");
    }

    @Test
    void aNameIsLostUntilItsDirectoryIsSynced() throws IOException {
        perform(new Create("a"), write("a", 0, "kept"), new SyncFile("a"));

        assertThat(after(Loss.EVERYTHING).resolve("a")).doesNotExist();
        assertThat(after(Loss.NOTHING).resolve("a")).hasContent("kept");
    }

    @Test
    void aRenameIsUndoneUntilItsDirectoryIsSynced() throws IOException {
        perform(new Create("a"), write("a", 0, "x"), new SyncFile("a"), new SyncDirectory(""), new Rename("a", "b"));

        assertThat(after(Loss.EVERYTHING)).isDirectoryContaining(file -> file.endsWith("a"));
        assertThat(after(Loss.NOTHING)).isDirectoryContaining(file -> file.endsWith("b"));
    }

    @Test
    void aSyncDoesNotCoverAWriteThatHadNotReturnedWhenItBegan() throws IOException {
        perform(new Create("a"), new SyncDirectory(""));
        disk.apply(new Begun(100, write("a", 0, "late")));
        disk.apply(new Begun(101, new SyncFile("a")));
        disk.apply(new Ended(100));
        disk.apply(new Ended(101));

        assertThat(after(Loss.EVERYTHING).resolve("a")).isEmptyFile();
    }

    @Test
    void sectorsOfAWriteThatWasNotSyncedAreKeptSingly() throws IOException {
        perform(new Create("a"), write("a", 0, "-".repeat(1536)), new SyncFile("a"), new SyncDirectory(""));
        perform(write("a", 0, "+".repeat(1536)));

        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 200; seed++) {
            Path file = directory.resolve("image" + images++);
            Files.createDirectory(file);
            disk.image(file, Loss.SOME, new SplittableRandom(seed));
            String content = Files.readString(file.resolve("a"));
            seen.add("" + content.charAt(0) + content.charAt(512) + content.charAt(1024));
            assertThat(content).matches("(-{512}|\\+{512}){3}");
        }
        assertThat(seen).hasSize(8);
    }

    private static Write write(String file, long offset, String text) {
        return new Write(file, offset, text.getBytes(StandardCharsets.UTF_8));
    }

    private void perform(DiskEvent.Change... changes) {
        for (DiskEvent.Change change : changes) {
            disk.apply(new Begun(calls, change));
            disk.apply(new Ended(calls));
            calls++;
        }
    }

    private Path after(Loss loss) throws IOException {
        Path image = Files.createDirectory(directory.resolve("image" + images++));
        disk.image(image, loss, new SplittableRandom(1));
        return image;
    }
}
