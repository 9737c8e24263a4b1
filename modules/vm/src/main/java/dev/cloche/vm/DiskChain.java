package dev.cloche.vm;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files of a writable disk in the directory of a VM or of a snapshot: {@code disk.0}, a blank file system, and above it
 * layers with rising numbers, of which only a VM's last is ever written to. Each names the one below it without a directory,
 * and files that nobody writes to are shared by hard links; so a snapshot needs neither its VM nor another snapshot.
 */
final class DiskChain {
    /** In a VM; each costs it a look at every read of a block that the layers above lack. */
    static final int MAX_LAYERS = 4;

    private static final String PREFIX = "disk.";
    private static final Pattern LAYER = Pattern.compile("disk\\.\\d{1,6}");

    private final Path directory;
    private final DiskTools tools;

    DiskChain(Path directory, DiskTools tools) {
        this.directory = directory;
        this.tools = tools;
    }

    /** From the bottom to the top. */
    List<Path> layers() throws IOException {
        return layers(directory);
    }

    static List<Path> layers(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (LAYER.matcher(entry.getFileName().toString()).matches()) {
                    found.add(entry);
                }
            }
        }
        found.sort(Comparator.comparingInt(DiskChain::number));
        return found;
    }

    private static int number(Path layer) {
        return Integer.parseInt(layer.getFileName().toString().substring(PREFIX.length()));
    }

    /** Begins a new disk over a blank one. */
    Path begin(Path blanks, int mebibytes) throws IOException {
        clear();
        Files.createLink(directory.resolve(PREFIX + 0), blank(blanks, mebibytes));
        return addLayer(mebibytes);
    }

    /** Begins with what a snapshot has. */
    Path begin(DiskChain snapshot, int mebibytes) throws IOException {
        clear();
        for (Path layer : snapshot.layers()) {
            Files.createLink(directory.resolve(layer.getFileName().toString()), layer);
        }
        return addLayer(mebibytes);
    }

    /** Adds an empty layer, which is to become the top. */
    Path addLayer(int mebibytes) throws IOException {
        Path top = layers().getLast();
        int number = number(top);
        Path next = directory.resolve(PREFIX + (number + 1));
        tools.layer(next, top, number == 0 ? "raw" : "qcow2", mebibytes);
        return next;
    }

    /** Gives another directory all layers but the top, which nobody writes to any more. */
    void shareBelow(Path top, Path target) throws IOException {
        for (Path layer : layers()) {
            if (number(layer) < number(top)) {
                Files.setPosixFilePermissions(layer, PosixFilePermissions.fromString("r--------"));
                Files.createLink(target.resolve(layer.getFileName().toString()), layer);
            }
        }
    }

    /** Removes what is between the blank disk and the top, once the top has all of it. */
    void forgetMiddle() throws IOException {
        List<Path> all = layers();
        for (Path layer : all.subList(1, all.size() - 1)) {
            Files.delete(layer);
        }
    }

    private void clear() throws IOException {
        for (Path layer : layers()) {
            Files.delete(layer);
        }
    }

    /** Made once for each size. */
    private Path blank(Path blanks, int mebibytes) throws IOException {
        Path blank = blanks.resolve("ext4-" + mebibytes + ".raw");
        if (Files.exists(blank)) {
            return blank;
        }
        DurableFiles.ensureDirectory(blanks);
        Path temporary = DurableFiles.temporaryBeside(blank);
        try {
            try (RandomAccessFile file = new RandomAccessFile(temporary.toFile(), "rw")) {
                file.setLength((long) mebibytes << 20);
            }
            tools.format(temporary);
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.READ)) {
                channel.force(true);
            }
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("r--------"));
            DurableFiles.publish(temporary, blank);
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, temporary);
            throw failure;
        }
        return blank;
    }
}
