package dev.cloche.qemu.disk;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files of a writable disk in the directory of a VM or of a snapshot: {@code disk.0}, a blank file system, and above it
 * layers with rising numbers, of which only a VM's last is ever written to. Each names the one below it without a directory,
 * and files that are written to no more are shared by hard links; so a snapshot needs neither its VM nor another snapshot.
 */
public final class DiskChain {
    /** In a VM; each costs it a look at every read of a block that the layers above lack. */
    public static final int MAX_LAYERS = 4;

    private static final String PREFIX = "disk.";
    private static final String DRAFT = PREFIX + "draft";
    private static final Pattern LAYER = Pattern.compile("disk\\.\\d{1,6}");

    private final Path directory;
    private final DiskTools tools;
    private final boolean durable;

    /** Opens one that ends with its VM or does not change, so nothing that is done to it is forced to disk. */
    public DiskChain(Path directory, DiskTools tools) {
        this(directory, tools, false);
    }

    private DiskChain(Path directory, DiskTools tools, boolean durable) {
        this.directory = directory;
        this.tools = tools;
        this.durable = durable;
    }

    /** Opens one that outlives VMs and hosts. */
    public static DiskChain persistent(Path directory, DiskTools tools) {
        return new DiskChain(directory, tools, true);
    }

    /** Returns the lowest file, which alone is not qcow2. */
    public static Path bottom(Path directory) {
        return directory.resolve(PREFIX + 0);
    }

    public static boolean isBottom(Path layer) {
        return number(layer) == 0;
    }

    /** Returns the layer that is written to. */
    public Path top() throws IOException {
        List<Path> all = layers();
        if (all.isEmpty()) {
            throw new IOException("there is no disk in " + directory);
        }
        return all.getLast();
    }

    /** Makes the top as large as the disk is said to be, if a crash has left that out. What is in it is not looked at. */
    public void fit(int mebibytes) throws IOException {
        Path top = top();
        if (isBottom(top)) {
            try (RandomAccessFile file = new RandomAccessFile(top.toFile(), "rw")) {
                file.setLength(Math.max(file.length(), (long) mebibytes << 20));
                file.getFD().sync();
            }
        } else if (tools.layerBytes(top) < (long) mebibytes << 20) {
            tools.growLayer(whole(), mebibytes);
            DurableFiles.force(top);
        }
    }

    /** Returns them from the bottom to the top. */
    public List<Path> layers() throws IOException {
        return layers(directory);
    }

    public static List<Path> layers(Path directory) throws IOException {
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

    /**
     * Returns all layers, for a program that is to open them. What each says is below it does not count: that is the next lower
     * one. Where QEMU has drawn layers together, and the process that was to remove them was killed, the top has all of theirs,
     * so they change nothing.
     *
     * @throws IOException if one is missing, is a link, or keeps its data elsewhere
     */
    public DiskLayers whole() throws IOException {
        List<Path> all = layers();
        if (all.isEmpty() || !isBottom(all.getFirst())) {
            throw new IOException("the lowest layer of the disk in " + directory + " is missing");
        }
        for (Path layer : all) {
            if (!Files.isRegularFile(layer, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(layer + " is no file");
            }
            if (!isBottom(layer)) {
                DiskTools.requireOwnData(layer);
            }
        }
        return new DiskLayers(all);
    }

    /** Begins a new disk over a blank one. */
    public DiskLayers begin(Path blanks, int mebibytes) throws IOException {
        clear();
        Files.createLink(bottom(directory), blank(blanks, mebibytes));
        var _ = addLayer(mebibytes);
        return whole();
    }

    /** Begins with what a snapshot has. */
    public DiskLayers begin(DiskChain snapshot, int mebibytes) throws IOException {
        clear();
        for (Path layer : snapshot.layers()) {
            Files.createLink(directory.resolve(layer.getFileName().toString()), layer);
        }
        var _ = addLayer(mebibytes);
        return whole();
    }

    /** Adds an empty layer, which is to become the top. */
    public Path addLayer(int mebibytes) throws IOException {
        Path top = top();
        int number = number(top);
        Path next = directory.resolve(PREFIX + (number + 1));
        // QEMU, should its guest have broken out into it, may open what is called like a layer, and change it while it
        // is made.
        Path draft = directory.resolve(DRAFT);
        Files.deleteIfExists(draft);
        try {
            tools.layer(draft, top, number == 0 ? "raw" : "qcow2", mebibytes);
            if (durable) {
                DurableFiles.force(draft);
            }
            Files.move(draft, next, StandardCopyOption.ATOMIC_MOVE);
            if (durable) {
                DurableFiles.forceDirectory(directory);
            }
            return next;
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, draft);
            throw failure;
        }
    }

    /** Goes back to what a snapshot has, and drops what was written since. */
    public void goBack(DiskChain snapshot, int mebibytes) throws IOException {
        List<Path> kept = snapshot.layers();
        for (Path layer : layers()) {
            if (number(layer) > number(kept.getLast())) {
                Files.delete(layer);
            }
        }
        for (Path layer : kept) {
            Path mine = directory.resolve(layer.getFileName().toString());
            if (!Files.exists(mine)) {
                Files.createLink(mine, layer);
            } else if (!Files.isSameFile(mine, layer)) {
                throw new IOException(mine + " is not the snapshot's");
            }
        }
        var _ = addLayer(mebibytes);
    }

    /** Gives another directory all layers; none of them may be written to from then on. */
    public void share(Path target) throws IOException {
        for (Path layer : layers()) {
            Files.createLink(target.resolve(layer.getFileName().toString()), layer);
        }
    }

    /** Marks all layers but the top as written to no more. */
    void protectBelow(Path top) throws IOException {
        for (Path layer : layers()) {
            if (number(layer) < number(top)) {
                Files.setPosixFilePermissions(layer, PosixFilePermissions.fromString("r--------"));
            }
        }
    }

    /** Removes what is between the bottom and the top, once the top has all of it, and QEMU has flushed that. */
    public void forgetMiddle() throws IOException {
        List<Path> all = layers();
        if (durable) {
            DurableFiles.force(all.getLast());
        }
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
        Path blank = blanks.resolve("ext4-" + mebibytes + ".v2.raw");
        if (Files.exists(blank)) {
            return blank;
        }
        DurableFiles.ensureDirectory(blanks);
        Path temporary = DurableFiles.temporaryBeside(blank);
        try {
            SparseFiles.make(temporary, (long) mebibytes << 20);
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
