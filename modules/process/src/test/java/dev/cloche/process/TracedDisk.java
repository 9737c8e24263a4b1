package dev.cloche.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The files of a traced program as a disk may hold them when its power is cut. As POSIX has it, and no kinder: what was
 * written is there for certain only after an fsync of the file that began after the write had returned; a name only
 * after an fsync of its directory. Of everything else any part may be there: sectors of a write singly, names as a
 * prefix of their changes, as journals keep them.
 */
final class TracedDisk {
    private static final int SECTOR = 512;

    /** How much of what was not synced survives. */
    enum Loss {
        EVERYTHING,
        NOTHING,
        SOME
    }

    /** Bytes with room behind them, or else a log that grows by a page at a time would be copied with each. */
    private static final class Content {
        private byte[] bytes;
        private int length;

        Content(byte[] bytes, int length) {
            this.bytes = bytes;
            this.length = length;
        }

        Content copy() {
            return new Content(Arrays.copyOf(bytes, length), length);
        }

        void put(DiskEvent.Write write, int from, int to) {
            int end = Math.toIntExact(write.offset() + to);
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            System.arraycopy(write.data(), from, bytes, Math.toIntExact(write.offset() + from), to - from);
            length = Math.max(length, end);
        }

        void truncate(int to) {
            if (to < length) {
                Arrays.fill(bytes, to, length, (byte) 0);
            } else if (to > bytes.length) {
                bytes = Arrays.copyOf(bytes, to);
            }
            length = to;
        }

        byte[] toArray() {
            return Arrays.copyOf(bytes, length);
        }
    }

    private static final class Inode {
        private Content durable = new Content(new byte[0], 0);
        private final List<Pending> pending = new ArrayList<>();
    }

    private static final class Pending {
        private final DiskEvent.Change change;
        private final Inode inode;
        private boolean ended;

        Pending(DiskEvent.Change change, Inode inode) {
            this.change = change;
            this.inode = inode;
        }
    }

    private final Map<String, Inode> names = new TreeMap<>();
    private final Map<String, Inode> durableNames = new TreeMap<>();
    private final List<Pending> pendingNames = new ArrayList<>();
    private final Map<Integer, Runnable> atEnd = new HashMap<>();

    /** The index of SQLite's log, which is shared memory: what a disk holds of it is worthless. */
    static boolean isIndex(String file) {
        return file.endsWith("-shm");
    }

    void apply(DiskEvent event) {
        switch (event) {
            case DiskEvent.Begun begun -> begin(begun.call(), begun.change());
            case DiskEvent.Ended ended -> {
                Runnable effect = atEnd.remove(ended.call());
                if (effect != null) {
                    effect.run();
                }
            }
            case DiskEvent.Acknowledged _ -> {}
        }
    }

    private void begin(int call, DiskEvent.Change change) {
        switch (change) {
            case DiskEvent.Write write -> pend(call, write, write.file());
            case DiskEvent.Truncate truncate -> pend(call, truncate, truncate.file());
            case DiskEvent.SyncFile sync -> {
                Inode inode = inode(sync.file());
                List<Pending> covered =
                        inode.pending.stream().filter(each -> each.ended).toList();
                atEnd.put(call, () -> {
                    covered.forEach(each -> {
                        // Another sync that ran beside this one may have been faster.
                        if (inode.pending.remove(each)) {
                            whole(inode.durable, each.change);
                        }
                    });
                });
            }
            case DiskEvent.SyncDirectory sync -> {
                List<Pending> covered = pendingNames.stream()
                        .filter(each -> each.ended && directoryOf(each.change).equals(sync.directory()))
                        .toList();
                atEnd.put(
                        call,
                        () -> covered.forEach(each -> {
                            if (pendingNames.remove(each)) {
                                rename(durableNames, each);
                            }
                        }));
            }
            case DiskEvent.Naming naming -> {
                Inode inode = switch (naming) {
                    case DiskEvent.Create _ -> new Inode();
                    case DiskEvent.Link link -> inode(link.from());
                    case DiskEvent.Rename rename -> inode(rename.from());
                    case DiskEvent.Unlink unlink -> inode(unlink.name());
                };
                Pending pending = new Pending(naming, inode);
                rename(names, pending);
                pendingNames.add(pending);
                atEnd.put(call, () -> pending.ended = true);
            }
        }
    }

    private void pend(int call, DiskEvent.Change change, String file) {
        Inode inode = inode(file);
        Pending pending = new Pending(change, inode);
        inode.pending.add(pending);
        atEnd.put(call, () -> pending.ended = true);
    }

    private Inode inode(String file) {
        Inode inode = names.get(file);
        if (inode == null) {
            throw new IllegalStateException("the trace uses a file that it has not created: " + file);
        }
        return inode;
    }

    private static void rename(Map<String, Inode> directory, Pending pending) {
        switch ((DiskEvent.Naming) pending.change) {
            case DiskEvent.Create create -> directory.put(create.name(), pending.inode);
            case DiskEvent.Link link -> directory.put(link.to(), pending.inode);
            case DiskEvent.Rename rename -> {
                directory.remove(rename.from());
                directory.put(rename.to(), pending.inode);
            }
            case DiskEvent.Unlink unlink -> directory.remove(unlink.name());
        }
    }

    private static String directoryOf(DiskEvent.Change change) {
        String name = switch ((DiskEvent.Naming) change) {
            case DiskEvent.Create create -> create.name();
            case DiskEvent.Link link -> link.to();
            case DiskEvent.Rename rename -> rename.to();
            case DiskEvent.Unlink unlink -> unlink.name();
        };
        return name.contains("/") ? name.substring(0, name.lastIndexOf('/')) : "";
    }

    /** Writes what the power cut left into an empty directory. */
    void image(Path target, Loss loss, RandomGenerator random) throws IOException {
        Map<String, Inode> left = new TreeMap<>(durableNames);
        int namings = switch (loss) {
            case EVERYTHING -> 0;
            case NOTHING -> pendingNames.size();
            case SOME -> random.nextInt(pendingNames.size() + 1);
        };
        pendingNames.subList(0, namings).forEach(pending -> rename(left, pending));
        for (Map.Entry<String, Inode> entry : left.entrySet()) {
            Path file = target.resolve(entry.getKey());
            Files.createDirectories(file.getParent());
            byte[] content = content(entry.getValue(), loss, random);
            if (isIndex(entry.getKey()) && loss == Loss.SOME) {
                random.nextBytes(content);
            }
            Files.write(file, content);
        }
    }

    private static byte[] content(Inode inode, Loss loss, RandomGenerator random) {
        Content content = inode.durable.copy();
        double kept = switch (loss) {
            case EVERYTHING -> 0;
            case NOTHING -> 1;
            case SOME -> new double[] {0.1, 0.5, 0.9}[random.nextInt(3)];
        };
        for (Pending pending : loss == Loss.EVERYTHING ? List.<Pending>of() : inode.pending) {
            if (kept < 1 && pending.change instanceof DiskEvent.Write write) {
                torn(content, write, kept, random);
            } else if (kept == 1 || random.nextDouble() < kept) {
                whole(content, pending.change);
            }
        }
        return content.toArray();
    }

    private static void whole(Content content, DiskEvent.Change change) {
        switch (change) {
            case DiskEvent.Write write -> content.put(write, 0, write.data().length);
            case DiskEvent.Truncate truncate -> content.truncate(Math.toIntExact(truncate.length()));
            default -> throw new IllegalStateException("no content in " + change);
        }
    }

    /** Sectors are written whole, but each for itself. */
    private static void torn(Content content, DiskEvent.Write write, double kept, RandomGenerator random) {
        int from = 0;
        while (from < write.data().length) {
            int toBoundary = SECTOR - (int) ((write.offset() + from) % SECTOR);
            int to = Math.min(write.data().length, from + toBoundary);
            if (random.nextDouble() < kept) {
                content.put(write, from, to);
            }
            from = to;
        }
    }
}
