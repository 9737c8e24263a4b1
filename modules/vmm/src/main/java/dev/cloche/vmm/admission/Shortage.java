package dev.cloche.vmm.admission;

import java.util.Optional;

/**
 * Says what there is no room for.
 *
 * @param label of which there is too much; empty for all VMs
 * @param needed in the unit of the kind
 * @param free what is left
 * @param bound what there may be, or what is to be left
 */
public record Shortage(Kind kind, Optional<String> label, long needed, long free, long bound) {
    /** Names what may be short, each a key of {@code [limits]}. */
    public enum Kind {
        /** MiB that VMs claim. */
        MEMORY("memory"),
        /** Processors that VMs claim. */
        CPUS("cpus"),
        /** VMs outside of pools. */
        SANDBOXES("sandboxes"),
        /** MiB that disks of VMs may grow to. */
        DISK("disk"),
        /** MiB of the host's memory that are to be left. */
        MEMORY_FLOOR("memory-floor"),
        /** Percent of time in which processes wait for memory. */
        PRESSURE("pressure"),
        /** MiB of the host's disk that are to be left. */
        DISK_FLOOR("disk-floor"),
        /** MiB of its disk that the state root takes. */
        STATE_DISK("state-disk"),
        /** Those that wait, which come before pools and templates. */
        TURN("wait-for-room");

        private final String key;

        Kind(String key) {
            this.key = key;
        }

        /** Returns the key in {@code config.toml}. */
        public String key() {
            return key;
        }
    }

    static Shortage of(Kind kind, Optional<String> label, long needed, long free, long bound) {
        return new Shortage(kind, label, needed, Math.max(0, free), bound);
    }
}
