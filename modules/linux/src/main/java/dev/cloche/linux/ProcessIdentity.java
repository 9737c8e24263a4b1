package dev.cloche.linux;

/**
 * A process, named so that a reused pid is never taken for it.
 *
 * @param pid positive
 * @param startTime field 22 of {@code /proc/PID/stat}: clock ticks after boot
 * @param bootId {@code /proc/sys/kernel/random/boot_id}, because both other values repeat after a reboot
 */
public record ProcessIdentity(long pid, long startTime, String bootId) {
    public ProcessIdentity {
        if (pid <= 0 || pid > Integer.MAX_VALUE || startTime < 0 || bootId.isEmpty()) {
            throw new IllegalArgumentException("no process: " + pid + ", " + startTime + ", '" + bootId + "'");
        }
    }
}
