package dev.cloche.vm.testing;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileError;
import dev.cloche.vmm.protocol.FileRecordReader;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.FileRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One FILE of docs/guest-protocol.md, as an in-memory guest does it. */
final class InMemoryFileOperation {
    private static final Pattern USER = Pattern.compile("(root|\\d{1,9})?(?::(root|\\d{1,9}))?");

    /** A file operation is never attached again, so it keeps no more than keeps it going. */
    private static final int WINDOW = 256 * 1024;

    private final InMemoryTree tree;
    private final FileRequest request;

    private InMemoryFileOperation(InMemoryTree tree, FileRequest request) {
        this.tree = tree;
        this.request = request;
    }

    /** Returns whether it is one that the agent of the first version knew: there is no image below its tree, and no account. */
    static boolean knows(FileRequest request) {
        return switch (request.operation()) {
            case FileRequest.STAT -> (request.flags() & FileRequest.DETAILS) == 0;
            case FileRequest.LIST -> request.flags() == 0;
            case FileRequest.WRITE -> (request.flags() & FileRequest.WRITE_OWNER) == 0;
            case FileRequest.MKDIR -> (request.flags() & FileRequest.MKDIR_OWNER) == 0;
            default -> request.operation() < FileRequest.DIFF;
        };
    }

    /** Returns the execution that does it, not started yet; empty if there is no such user. */
    static Optional<InMemoryExecution> of(
            InMemoryTree tree, FileRequest request, int id, Consumer<InMemoryExecution> onEnd) {
        Matcher user = USER.matcher(request.user());
        if (!user.matches()) {
            return Optional.empty();
        }
        InMemoryTree.User who = new InMemoryTree.User(number(user.group(1)), number(user.group(2)));
        InMemoryFileOperation operation = new InMemoryFileOperation(tree, request);
        ExecRequest plain = ExecRequest.of("file").withWindow(WINDOW);
        ExecRequest exec = request.hasInput() ? plain.withStdin() : plain;
        return Optional.of(new InMemoryExecution(
                id,
                exec,
                call -> operation.run(call, who),
                (in, out, err, terminal) -> new BuiltIns.Call(exec, Map.of(), "", Map.of(), in, out, err, terminal),
                onEnd));
    }

    private static int number(@Nullable String name) {
        return name == null || name.equals("root") ? 0 : Integer.parseInt(name);
    }

    private int run(BuiltIns.Call call, InMemoryTree.User user) throws IOException {
        FileRecordReader in = new FileRecordReader(call.stdin());
        FileRecordWriter out = new FileRecordWriter(call.stdout());
        try {
            perform(in, out, user);
            out.done();
            return 0;
        } catch (FileError e) {
            out.failed(e.errno(), e.path(), "the in-memory guest says so");
        } catch (GuestException.ProtocolBroken e) {
            out.failed(GuestFileException.Other.INVALID, request.path(), "these are no records");
        }
        return 1;
    }

    private void perform(FileRecordReader in, FileRecordWriter out, InMemoryTree.User user) throws IOException {
        String path = request.path();
        boolean flag = request.flags() != 0;
        switch (request.operation()) {
            case FileRequest.STAT ->
                out.entry(locked(() -> tree.find(path, flag, user).entry("")));
            case FileRequest.LIST -> list(out, user);
            case FileRequest.READ -> read(out, user);
            case FileRequest.WRITE -> new InMemoryWrite(tree, request, user).run(in);
            case FileRequest.MKDIR -> locked(() -> makeDirectories(user));
            case FileRequest.REMOVE -> locked(() -> remove(flag, user));
            case FileRequest.RENAME -> locked(() -> rename(flag, user));
            case FileRequest.COPY_OUT -> new InMemoryCopy(tree, request, user).out(out);
            case FileRequest.COPY_IN -> new InMemoryCopy(tree, request, user).in(in);
            case FileRequest.WATCH -> new InMemoryWatch(tree, request, user).run(out);
            default -> throw new FileError(GuestFileException.Other.INVALID, path);
        }
    }

    private <T> T locked(Callable<T> action) throws IOException {
        return locked(tree, action);
    }

    static <T> T locked(InMemoryTree tree, Callable<T> action) throws IOException {
        try {
            tree.lock().lockInterruptibly();
        } catch (InterruptedException e) {
            throw new InterruptedIOException("killed");
        }
        try {
            return action.call();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            throw new InterruptedIOException("killed");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            tree.used().signalAll();
            tree.lock().unlock();
        }
    }

    private void list(FileRecordWriter out, InMemoryTree.User user) throws IOException {
        List<FileEntry> entries = locked(() -> {
            InMemoryNode directory = tree.find(request.path(), true, user);
            if (!directory.isDirectory()) {
                throw new FileError(GuestFileException.NotDirectory.ERRNO, request.path());
            }
            if (!directory.allows(user, InMemoryNode.READ)) {
                throw new FileError(FileError.PERMISSION, request.path());
            }
            List<FileEntry> all = new ArrayList<>();
            directory.children.forEach((name, node) -> all.add(node.entry(name)));
            return all;
        });
        for (FileEntry entry : entries) {
            out.entry(entry);
        }
    }

    private void read(FileRecordWriter out, InMemoryTree.User user) throws IOException {
        InMemoryNode file = locked(() -> {
            InMemoryNode node = tree.find(request.path(), true, user);
            if (node.isDirectory()) {
                throw new FileError(GuestFileException.IsDirectory.ERRNO, request.path());
            }
            if (!node.allows(user, InMemoryNode.READ)) {
                throw new FileError(FileError.PERMISSION, request.path());
            }
            return node;
        });
        long at = request.offset();
        long left = request.length() < 0 ? Long.MAX_VALUE : request.length();
        byte[] chunk;
        do {
            long from = at;
            int most = (int) Math.min(FileRecordWriter.CHUNK, left);
            chunk = locked(() -> file.content.read(from, most));
            out.data(at, ByteBuffer.wrap(chunk));
            at += chunk.length;
            left -= chunk.length;
        } while (chunk.length > 0);
    }

    private boolean makeDirectories(InMemoryTree.User user) throws FileError {
        String path = request.path();
        boolean parents = (request.flags() & FileRequest.PARENTS) != 0;
        for (int slash = path.indexOf('/', 1); parents && slash > 0; slash = path.indexOf('/', slash + 1)) {
            makeDirectory(path.substring(0, slash), true, user);
        }
        makeDirectory(path, parents, user);
        return true;
    }

    private void makeDirectory(String path, boolean mayExist, InMemoryTree.User user) throws FileError {
        InMemoryTree.Place place = tree.place(path, mayExist, user);
        if (!place.taken()) {
            place.put(new InMemoryNode(FileKind.DIRECTORY, request.mode(), user, ""), user);
        } else if (!mayExist || !place.existing().isDirectory()) {
            throw new FileError(GuestFileException.FileExists.ERRNO, path);
        }
    }

    private boolean remove(boolean whole, InMemoryTree.User user) throws FileError {
        InMemoryTree.Place place = tree.place(request.path(), false, user);
        if (!whole && !place.existing().children.isEmpty()) {
            throw new FileError(GuestFileException.NotEmpty.ERRNO, request.path());
        }
        var _ = place.existing();
        place.remove(user);
        return true;
    }

    private boolean rename(boolean keep, InMemoryTree.User user) throws FileError {
        InMemoryTree.Place from = tree.place(request.path(), false, user);
        InMemoryTree.Place to = tree.place(request.target(), false, user);
        InMemoryNode node = from.existing();
        if (to.taken()) {
            if (keep) {
                throw new FileError(GuestFileException.FileExists.ERRNO, request.target());
            }
            replaceable(node, to);
        }
        from.remove(user);
        to.put(node, user);
        return true;
    }

    /** Whether rename(2) would put the one in the place of the other. */
    static void replaceable(InMemoryNode node, InMemoryTree.Place to) throws FileError {
        InMemoryNode old = to.existing();
        if (old.isDirectory() && !node.isDirectory()) {
            throw new FileError(GuestFileException.IsDirectory.ERRNO, to.path());
        }
        if (node.isDirectory() && !old.isDirectory()) {
            throw new FileError(GuestFileException.NotDirectory.ERRNO, to.path());
        }
        if (!old.children.isEmpty()) {
            throw new FileError(GuestFileException.NotEmpty.ERRNO, to.path());
        }
    }
}
