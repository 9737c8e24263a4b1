package dev.cloche.vmm.channel;

import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vmm.protocol.GuestPaths;
import java.util.ArrayList;
import java.util.List;

/** Counts what a copy does, and compares it with its limits. For one thread at a time. */
final class CopyCounter {
    private final CopyOptions options;
    private final CopyListener listener;
    private final List<CopyReport.LeftOut> leftOut = new ArrayList<>();
    private long leftOutCount;
    private long begun;
    private long declaredBytes;
    private long movedBytes;
    private long completed;
    private boolean left;
    private long completedBytes;

    CopyCounter(CopyOptions options, CopyListener listener) {
        this.options = options;
        this.listener = listener;
    }

    /** Counts an entry before anything of it is made. */
    void begin(String name, FileKind kind, long size) {
        if (GuestPaths.depth(name) > options.maxDepth()) {
            throw new GuestException.CopyLimit(options.maxDepth() + " directories in each other");
        }
        if (begun >= options.maxEntries()) {
            throw new GuestException.CopyLimit(options.maxEntries() + " entries");
        }
        begun++;
        if (kind == FileKind.FILE) {
            if (size > options.maxBytes() - declaredBytes) {
                throw new GuestException.CopyLimit(options.maxBytes() + " bytes");
            }
            declaredBytes += size;
        }
        listener.progress(begun, movedBytes);
    }

    void moved(long bytes) {
        movedBytes += bytes;
        listener.progress(begun, movedBytes);
    }

    void completed(long bytes) {
        left = true;
        completed++;
        completedBytes += bytes;
    }

    void leftOut(String name, CopyReport.Reason reason) {
        leftOutCount++;
        if (leftOut.size() < CopyReport.MAX_LEFT_OUT) {
            leftOut.add(new CopyReport.LeftOut(name, reason));
        }
    }

    /** Something stays also if the copy fails from here on. */
    void left() {
        left = true;
    }

    boolean leftSomething() {
        return left;
    }

    CopyReport report() {
        return new CopyReport(completed, completedBytes, leftOut, leftOutCount);
    }
}
