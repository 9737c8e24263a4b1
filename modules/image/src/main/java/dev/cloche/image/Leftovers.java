package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deletes the temporary files of pulls that were killed, which may be as large as layers. Each was written under the lock
 * of the content that it was to become, so one whose lock is free belongs to nobody.
 */
final class Leftovers {
    private static final Pattern NAME = Pattern.compile("\\.tmp-\\d+-([0-9a-f]{64})\\.erofs");

    private final CacheFiles files;

    Leftovers(CacheFiles files) {
        this.files = files;
    }

    /** To be called without any lock; waits for none. */
    void delete() throws IOException, InterruptedException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(files.temporaries(), ".tmp-*")) {
            for (Path entry : entries) {
                Matcher name = NAME.matcher(entry.getFileName().toString());
                if (name.matches()) {
                    Digest content = Digest.parse("sha256:" + name.group(1));
                    deleteIfFree(entry, List.of(files.layerLock(content), files.manifestLock(content)));
                }
            }
        }
    }

    /** The name does not say whether it was to be a layer or an image's metadata; the lock that was taken exists. */
    private static void deleteIfFree(Path leftover, List<Path> locks) throws IOException, InterruptedException {
        for (Path file : locks) {
            if (Files.exists(file)) {
                Optional<CacheLock> lock = CacheLock.take(file, Deadline.after(Duration.ZERO));
                if (lock.isEmpty()) {
                    return;
                }
                try (CacheLock _ = lock.get()) {
                    Files.deleteIfExists(leftover);
                }
                return;
            }
        }
    }
}
