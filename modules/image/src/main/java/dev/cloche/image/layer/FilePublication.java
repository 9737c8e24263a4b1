package dev.cloche.image.layer;

import dev.cloche.base.DurableFiles;
import dev.cloche.image.Digest;
import dev.cloche.linux.FastSha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Gives written files of the cache their names, and tells what they are. */
public final class FilePublication {
    private static final int BUFFER = 1 << 18;

    private FilePublication() {}

    /**
     * Forces a written file to disk and gives it its name. It is hashed while the disk is at work: the one needs the
     * processor, the other does not.
     */
    public static FileFingerprint publish(Path temporary, Path target) throws IOException {
        CompletableFuture<FileFingerprint> hashed = new CompletableFuture<>();
        Thread hashing = Thread.ofPlatform().daemon().name("cloche-hash").start(() -> {
            try {
                hashed.complete(read(temporary));
            } catch (IOException | RuntimeException | Error e) {
                hashed.completeExceptionally(e);
            }
        });
        try {
            DurableFiles.force(temporary);
        } catch (IOException | RuntimeException e) {
            hashing.interrupt();
            throw e;
        }
        FileFingerprint file = joined(hashed);
        DurableFiles.publish(temporary, target);
        return file;
    }

    /** Returns what a file is now. */
    public static FileFingerprint read(Path file) throws IOException {
        return read(file, 0);
    }

    /**
     * Reads what a file is now.
     *
     * @param last how many of its first bytes are hashed after all others
     */
    public static FileFingerprint read(Path file, int last) throws IOException {
        MessageDigest sha256 = FastSha256.fastest();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            byte[] first = in.readNBytes(last);
            long bytes = first.length;
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                sha256.update(buffer, 0, read);
                bytes += read;
            }
            sha256.update(first);
            return new FileFingerprint(bytes, Digest.finish(sha256));
        }
    }

    private static FileFingerprint joined(CompletableFuture<FileFingerprint> hashed) throws IOException {
        try {
            return hashed.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case IOException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new UncheckedIOException(new IOException(e));
            }
        }
    }
}
