package dev.cloche.qemu.guard;

import dev.cloche.base.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the end of a file that a guest has filled. */
public final class ConsoleTail {
    private static final int LENGTH = 4096;

    private ConsoleTail() {}

    /** Returns at most 4,096 characters, harmless to show; empty if there is no such file, or it cannot be read. */
    public static String of(Path path) {
        try (FileChannel file = FileChannel.open(path)) {
            ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
            long at = Math.max(0, file.size() - LENGTH);
            int count;
            do {
                count = file.read(bytes, at + bytes.position());
            } while (count > 0);
            String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
            return Printable.lines(text.replace("\r\n", "\n")).strip();
        } catch (IOException unreadable) {
            return "";
        }
    }
}
