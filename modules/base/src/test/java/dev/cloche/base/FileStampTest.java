package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStampTest {
    @TempDir
    Path directory;

    @Test
    void aFileThatIsMissingHasNone() throws IOException {
        Path file = directory.resolve("file");
        assertThat(FileStamp.find(file)).isEmpty();
        Files.writeString(file, "one");
        FileStamp stamp = FileStamp.of(file);
        assertThat(FileStamp.find(file)).contains(stamp);
        assertThat(stamp.size()).isEqualTo(3);
        Path other = directory.resolve("other");
        Files.writeString(other, "two");
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(FileStamp.find(file)).isPresent().isNotEqualTo(Optional.of(stamp));
    }
}
