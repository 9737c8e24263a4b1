package dev.cloche.qemu.guard;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes files that only this user can read, of mode 0600, without forcing them to disk. */
public final class PrivateFiles {
    private PrivateFiles() {}

    /** Makes the file anew with this content; an older one of that name is removed. */
    public static void write(Path file, byte[] content) throws IOException {
        Files.deleteIfExists(file);
        try (FileChannel channel = DurableFiles.create(file)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }
    }
}
