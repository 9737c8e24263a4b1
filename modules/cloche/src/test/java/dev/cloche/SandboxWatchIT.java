package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches of files in real VMs: under load, at their bounds, and at the end of what they watch. */
class SandboxWatchIT {
    @TempDir
    Path home;

    private Cloche cloche;

    @BeforeEach
    void open() {
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(InstalledShare.require())
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            cloche.close();
        }
    }

    /** What is told is what is there at the end, or it is said that something was missed. */
    @Test
    void tenThousandChangesAreToldOrItIsSaidThatSomeWereMissed() {
        try (Sandbox sandbox = cloche.sandbox("base").start()) {
            sandbox.exec("mkdir", "-p", "/work");
            try (FileWatch watch = sandbox.files().watch("/work", FileWatch.Options.TREE)) {
                Execution busy = sandbox.command("sh", "-c", """
                                i=0
                                while [ $i -lt 100 ]; do
                                    mkdir /work/$i
                                    j=0
                                    while [ $j -lt 100 ]; do : >/work/$i/$j; j=$((j + 1)); done
                                    i=$((i + 1))
                                done
                                : >/work/last
                                """).start();
                Set<String> told = new HashSet<>();
                boolean missed = false;
                while (!missed && !told.contains("last")) {
                    switch (watch.iterator().next()) {
                        case FileWatch.Event.Changed changed -> told.add(changed.name());
                        case FileWatch.Event.Missed _ -> missed = true;
                    }
                }
                assertThat(busy.await()).isEqualTo(new ExitStatus.Exited(0));
                Set<String> there = new HashSet<>();
                for (FileInfo directory : sandbox.files().list("/work")) {
                    there.add(directory.name());
                    if (!directory.name().equals("last")) {
                        sandbox.files()
                                .list("/work/" + directory.name())
                                .forEach(file -> there.add(directory.name() + "/" + file.name()));
                    }
                }
                assertThat(there).hasSize(10_101);
                if (!missed) {
                    assertThat(told).containsAll(there);
                }
            }
        }
    }

    @Test
    void aGuestHas32WatchesAndOneThatIsNotReadDelaysNoOther() {
        try (Sandbox sandbox = cloche.sandbox("base").start()) {
            List<FileWatch> open = new ArrayList<>();
            try {
                sandbox.exec("mkdir", "-p", "/work", "/other");
                sandbox.files().writeString("/proc/sys/fs/inotify/max_queued_events", "1000");
                for (int i = 0; i < 31; i++) {
                    open.add(sandbox.files().watch("/other"));
                }
                open.add(sandbox.files().watch("/work"));
                assertThatThrownBy(() -> sandbox.files().watch("/work"))
                        .isInstanceOf(ClocheException.class)
                        .hasMessageContaining("32 watches");
                // More than the kernel, the agent and the channel hold for the last one, of which nothing is taken.
                assertThat(sandbox.exec("sh", "-c", """
                                        a=$(printf %0200d 1)
                                        b=$(printf %0200d 2)
                                        i=0
                                        while [ $i -lt 5000 ]; do echo x >/work/$a; echo x >/work/$b; i=$((i + 1)); done
                                        : >/other/told
                                        """).exitCode()).isZero();
                for (FileWatch other : open.subList(0, 31)) {
                    assertThat(other.iterator().next())
                            .isInstanceOfSatisfying(
                                    FileWatch.Event.Changed.class,
                                    changed -> assertThat(changed.name()).isEqualTo("told"));
                }
                FileWatch reading = open.getLast();
                boolean missed = false;
                for (FileWatch.Event event : reading) {
                    if (event instanceof FileWatch.Event.Missed) {
                        missed = true;
                        break;
                    }
                }
                assertThat(missed).isTrue();
                // It tells all again, and there is room for another once one is closed.
                sandbox.files().writeString("/work/after", "x");
                for (FileWatch.Event event : reading) {
                    if (event instanceof FileWatch.Event.Changed changed
                            && changed.name().equals("after")) {
                        break;
                    }
                }
                open.removeFirst().close();
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> open.add(sandbox.files().watch("/work")));
            } finally {
                open.forEach(FileWatch::close);
            }
        }
    }

    @Test
    void itEndsWithTheSandboxAndTheErrorSaysSo() {
        try (Sandbox sandbox = cloche.sandbox("base").start();
                FileWatch watch = sandbox.files().watch("/")) {
            cloche.sandboxes().kill(sandbox.name());
            assertThatThrownBy(() -> watch.forEach(_ -> {}))
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            ended -> assertThat(ended.code()).startsWith("sandbox.ended."));
        }
    }

    @Test
    void aSuspensionEndsItAndTheResumedSandboxIsWatchedAnew() {
        cloche.sandbox("base").name("held").detached().stay().start();
        try (Sandbox sandbox = cloche.connect("held");
                FileWatch watch = sandbox.files().watch("/tmp")) {
            cloche.sandboxes().suspend("held");
            assertThatThrownBy(() -> watch.forEach(_ -> {}))
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            ended -> assertThat(ended.code()).isEqualTo("sandbox.suspended"));
        }
        cloche.sandboxes().resume("held");
        try (Sandbox resumed = cloche.connect("held");
                FileWatch watch = resumed.files().watch("/tmp")) {
            resumed.files().writeString("/tmp/after", "x");
            assertThat(watch.iterator().next())
                    .isEqualTo(new FileWatch.Event.Changed(FileWatch.Change.CREATED, "after", Optional.empty()));
        } finally {
            cloche.sandboxes().remove("held", true);
        }
    }
}
