package dev.cloche;

import dev.cloche.HealthCheck.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What makes each start of a VM some tens of milliseconds slower with KVM. Linux before 6.13 makes a kernel thread for each VM
 * that recovers huge pages, and moves it into the cgroups of the VM's process; for that it waits for all processors, unless
 * cgroups were mounted with {@code favordynmods}, which there is from 6.0 on. With {@code nx_huge_pages=never}, from 6.6 on,
 * there is no such thread.
 *
 * @param release of the kernel, for example {@code 6.1.0-28-amd64}
 * @param mounts {@code /proc/self/mounts}
 * @param hugePages the parameter {@code nx_huge_pages} of {@code kvm}; empty if it has none
 * @param vulnerability what the kernel says of {@code itlb_multihit}, which the thread is for; empty if nothing
 */
record KvmStarts(String release, String mounts, String hugePages, String vulnerability) {
    private static final String NAME = "kvm starts";
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,3})\\.(\\d{1,3}).*");

    static KvmStarts ofThisHost() {
        return new KvmStarts(
                System.getProperty("os.version", ""),
                read(Path.of("/proc/self/mounts")),
                read(Path.of("/sys/module/kvm/parameters/nx_huge_pages")),
                read(Path.of("/sys/devices/system/cpu/vulnerabilities/itlb_multihit")));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unknown) {
            return "";
        }
    }

    HealthCheck check() {
        if (isBetween(6, 0, 6, 13) && !hugePages.equals("never") && hasSlowCgroups()) {
            return new HealthCheck(
                    NAME,
                    Verdict.WARNING,
                    "each may take some tens of milliseconds longer than it must: Linux " + release
                            + " moves a thread of each VM between cgroups",
                    remedy());
        }
        return new HealthCheck(NAME, Verdict.OK, "nothing of this host is known to slow them down", "");
    }

    private String remedy() {
        String remount = "As root: mount -o remount,favordynmods /sys/fs/cgroup";
        return isBetween(6, 6, 6, 13) && vulnerability.startsWith("Not affected")
                ? remount + ", or load kvm with nx_huge_pages=never, for this processor does not need it."
                : remount + ", after each boot.";
    }

    private boolean hasSlowCgroups() {
        return mounts.lines()
                .map(line -> line.split(" ", -1))
                .anyMatch(fields ->
                        fields.length > 3 && fields[2].equals("cgroup2") && !fields[3].contains("favordynmods"));
    }

    /** From the first version on, before the second; false of what is no version. */
    private boolean isBetween(int major, int minor, int endMajor, int endMinor) {
        Matcher version = RELEASE.matcher(release);
        if (!version.matches()) {
            return false;
        }
        int number = number(Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2)));
        return number >= number(major, minor) && number < number(endMajor, endMinor);
    }

    private static int number(int major, int minor) {
        return major * 10_000 + minor;
    }
}
