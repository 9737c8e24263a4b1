package dev.cloche.linux;

import java.nio.file.Path;

/** Gets the native calls of this room ready ahead of their first use. */
public final class NativeCalls {
    private NativeCalls() {}

    /**
     * Binds what locks need on a thread of its own. The first native call of a JVM costs some 30 ms; who knows that one
     * comes, and has something else to do first, can have that done on another core. Returns at once; a failure shows
     * at the first real call.
     */
    public static void prepareLocks() {
        Thread.ofPlatform().daemon().name("native-calls").start(NativeCalls::bindLocks);
    }

    private static void bindLocks() {
        if (NativeAccess.denial().isEmpty()) {
            var _ = LockFile.isHeld(Path.of("/proc/self/stat"));
        }
    }
}
