package dev.cloche.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryHandleTest {
    private static final Instant TIME = Instant.ofEpochSecond(1_234_567_890, 123_456_789);

    @TempDir
    Path directory;

    @Test
    void filesAreWrittenWithHolesAndReadBackWithThem() throws IOException {
        try (DirectoryHandle handle = DirectoryHandle.open(directory)) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(4096)
                    .put("x".repeat(4096).getBytes(UTF_8))
                    .flip();
            try (FileHandle file = handle.createFile("sparse", 0600)) {
                file.write(bytes, 1 << 20);
                file.setSize(4 << 20);
                file.setMode(0640);
                file.setModified(TIME);
                assertThat(file.nextData(0)).hasValue(1 << 20);
                assertThat(file.endOfData(1 << 20)).isEqualTo((1 << 20) + 4096);
                assertThat(file.nextData(2 << 20)).isEmpty();
            }
            try (FileHandle file = handle.openFile("sparse")) {
                FileStatus status = file.status();
                assertThat(status.isFile()).isTrue();
                assertThat(status.permissions()).isEqualTo(0640);
                assertThat(status.size()).isEqualTo(4 << 20);
                assertThat(status.modified()).isEqualTo(TIME);
                assertThat(file.read(bytes.clear(), (1 << 20) + 4095)).isEqualTo(4096);
                assertThat(bytes.get(0)).isEqualTo((byte) 'x');
                assertThat(bytes.get(1)).isZero();
                assertThat(file.read(bytes.clear(), 4 << 20)).isZero();
            }
        }
    }

    @Test
    void namesAreBytesInEveryLocale() {
        String[] names = {"a\nb", "\u00fc\u6f22", "not utf-8 \udcff\udcfe", "x".repeat(255), " ", "-rf"};
        try (DirectoryHandle handle = DirectoryHandle.open(directory)) {
            for (String name : names) {
                handle.makeDirectory(name, 0700);
                assertThat(handle.status(name))
                        .hasValueSatisfying(
                                status -> assertThat(status.isDirectory()).isTrue());
            }
            assertThat(handle.names()).containsExactlyInAnyOrder(names);
            for (String name : names) {
                handle.removeDirectory(name);
            }
            assertThat(handle.names()).isEmpty();
        }
    }

    @Test
    void linksAreNeverFollowed() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "s");
        Path inside = Files.createDirectory(directory.resolve("inside"));
        try (DirectoryHandle handle = DirectoryHandle.open(inside)) {
            handle.makeLink("directory", outside.toString());
            handle.makeLink("file", outside.resolve("secret").toString());
            handle.makeLink("dangling", outside.resolve("new").toString());
            assertThat(handle.readLink("dangling"))
                    .isEqualTo(outside.resolve("new").toString());
            assertThat(handle.status("directory"))
                    .hasValueSatisfying(status -> assertThat(status.isLink()).isTrue());
            assertThatThrownBy(() -> handle.openDirectory("directory")).isInstanceOf(SystemCallException.class);
            assertThatThrownBy(() -> handle.openFile("file")).isInstanceOf(SystemCallException.class);
            assertThatThrownBy(() -> handle.createFile("dangling", 0600)).isInstanceOf(SystemCallException.class);
            handle.setModified("file", TIME);
            assertThat(handle.status("file").orElseThrow().modified()).isEqualTo(TIME);
        }
        assertThat(outside.resolve("new")).doesNotExist();
        assertThat(Files.getLastModifiedTime(outside.resolve("secret"), LinkOption.NOFOLLOW_LINKS)
                        .toInstant())
                .isNotEqualTo(TIME);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "/", "a\0b"})
    void whatIsNotOneComponentIsRefused(String name) {
        try (DirectoryHandle handle = DirectoryHandle.open(directory)) {
            assertThatThrownBy(() -> handle.createFile(name, 0600)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> handle.openDirectory(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> handle.removeFile(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> handle.status(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRenameReplacesAFileAndADirectoryKeepsItsModeAndTime() throws IOException {
        Files.writeString(directory.resolve("new"), "new");
        Files.writeString(directory.resolve("old"), "old");
        try (DirectoryHandle handle = DirectoryHandle.open(directory)) {
            handle.rename("new", "old");
            handle.makeDirectory("d", 0700);
            try (DirectoryHandle inner = handle.openDirectory("d")) {
                inner.setMode(0500);
                inner.setModified(TIME);
                assertThat(inner.status().permissions()).isEqualTo(0500);
                assertThat(inner.status().modified()).isEqualTo(TIME);
            }
            assertThat(handle.status("none")).isEmpty();
        }
        assertThat(directory.resolve("old")).hasContent("new");
    }

    @Test
    void thePathOfADirectoryKeepsItsBytes() {
        Path spaced = directory.resolve("a b%c");
        assertThat(DirectoryHandle.raw(spaced)).isEqualTo(DirectoryHandle.raw(directory) + "/a b%c");
        assertThat(DirectoryHandle.raw(Path.of("/"))).isEqualTo("/");
    }
}
