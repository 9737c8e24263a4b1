package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines whose process 1 is the init of a real Debian. */
class MachineInitIT {
    private static final String IMAGE = "inits:12";

    /** Prints 1 if the guard's stand-in lives, in the control group of the service. */
    private static final String GUARD =
            "guard=$(cat /var/lib/cloche/guard) && kill -0 $guard && grep -c cloche-keep.service /proc/$guard/cgroup";

    @TempDir
    static Path directory;

    static Program cloche;

    @BeforeAll
    static void anImageWithInits() throws Exception {
        cloche = Program.in(directory.resolve("home"));
        DebianImage debian = DebianImage.of("debian-inits", List.of("systemd", "dbus", "openrc"), directory);
        Program.Result load = cloche.run(
                "image", "load", "-q", "--name", IMAGE, debian.layout().toString());
        assertThat(load.exitCode()).as(load.stderr()).isZero();
    }

    @AfterAll
    static void nothingRuns() {
        if (cloche != null) {
            cloche.run("machine", "rm", "-f", "sys", "rc", "own", "svc", "grp");
            assertThat(cloche.vmProcesses()).isEmpty();
        }
    }

    /** One that starts at each boot, and one that fails. */
    private static Path script() throws IOException {
        return Files.writeString(directory.resolve("provision.sh"), """
                #!/bin/sh -e
                cat >/etc/systemd/system/boots.service <<END
                [Service]
                Type=oneshot
                RemainAfterExit=yes
                ExecStart=/bin/sh -c "echo booted >>/var/boots"
                [Install]
                WantedBy=multi-user.target
                END
                systemctl enable --now boots.service
                """);
    }

    @Test
    void systemdBootsServesIsSuspendedAndStopsWithWhatItKeeps() throws IOException {
        create("sys", "systemd", "--provision", script().toString());
        ok(cloche.run("machine", "start", "sys"), "sys\n");
        ok(exec("sys", "systemctl is-system-running; cat /proc/1/comm /var/boots"), "running\nsystemd\nbooted\n");
        ok(
                exec("sys", "systemctl is-active boots.service; systemd-detect-virt --container; hostname"),
                "active\ncontainer-other\nsys\n");

        ok(
                cloche.run("cat /proc/1/comm\n".getBytes(StandardCharsets.UTF_8), "machine", "shell", "-T", "sys"),
                "systemd\n");

        // What runs under systemd goes on where it was.
        ok(exec("sys", "systemd-run -q --unit counter sh -c 'while :; do echo x >>/run/counted; sleep 0.1; done'"), "");
        ok(cloche.run("machine", "suspend", "sys"), "sys\n");
        ok(cloche.run("machine", "start", "sys"), "sys\n");
        int counted = counted();
        Awaitility.await().until(() -> counted() > counted);
        ok(exec("sys", "systemctl is-active counter; systemctl is-system-running"), "active\nrunning\n");

        // A unit that fails is a warning, and names itself.
        ok(
                exec(
                        "sys",
                        "systemctl stop counter; printf '[Service]\\nType=oneshot\\nExecStart=/bin/false\\n[Install]\\nWantedBy="
                                + "multi-user.target\\n' >/etc/systemd/system/odd.service; systemctl enable -q odd"),
                "");
        ok(cloche.run("machine", "stop", "-t", "60s", "sys"), "sys\n");
        assertThat(inspect("sys")).contains("\"lastEnd\" : \"it was shut down\"");
        Program.Result degraded = cloche.run("machine", "start", "sys");
        ok(degraded, "sys\n");
        assertThat(degraded.stderr()).contains("these units failed: odd.service");
        ok(exec("sys", "cat /var/boots"), "booted\nbooted\n");

        // It ends by itself as it does when it is asked.
        var _ = exec("sys", "systemctl disable -q odd; systemctl poweroff");
        ok(cloche.run("machine", "wait", "--state", "stopped", "sys"), "stopped\n");
        assertThat(cloche.run("machine", "events", "sys").stdout())
                .containsSubsequence(
                        "provisioning", "started", "suspended", "started", "stopping", "stopped", "started")
                .contains("its guest powered off");
        assertThat(inspect("sys")).contains("\"lastError\" : null", "\"lastEnd\" : \"its guest powered off\"");
    }

    @Test
    void aRestartOfThePackagesServiceLeavesItsVmsAlone() throws IOException {
        create("svc", "systemd", "--provision", packagesService().toString());
        ok(cloche.run("machine", "start", "svc"), "svc\n");
        ok(exec("svc", "systemctl start cloche-keep; until [ -s /var/lib/cloche/guard ]; do sleep 0.1; done"), "");
        String keeper = mainPid();
        ok(exec("svc", GUARD), "1\n");

        ok(exec("svc", "systemctl restart cloche-keep; systemctl is-active cloche-keep"), "active\n");
        assertThat(mainPid()).isNotEqualTo(keeper);
        ok(exec("svc", GUARD), "1\n");

        ok(exec("svc", "systemctl stop cloche-keep; ! systemctl is-active cloche-keep"), "inactive\n");
        assertThat(mainPid()).isEqualTo("0\n");
        ok(exec("svc", GUARD), "1\n");
        ok(cloche.run("machine", "stop", "-t", "60s", "svc"), "svc\n");
        assertThat(inspect("svc")).contains("\"lastEnd\" : \"it was shut down\"");
    }

    /** Of a Debian whose systemd knows no DelegateSubgroup=: a service's VMs go without, those of a scope do not. */
    @Test
    @Tag("slow")
    void theScopesOfSystemdHaveGroupsForVms() throws Exception {
        create("grp", "systemd");
        ok(cloche.run("machine", "start", "grp"), "grp\n");
        ok(exec("grp", "mkdir -p /opt/scope /opt/service"), "");
        for (Path file : GuardPrograms.make(directory)) {
            ok(cloche.run("machine", "cp", file.toString(), "grp:/opt/" + file.getFileName()), null);
        }
        String guard =
                "/opt/cloche-guard --dir /opt/%s --group auto --group-memory 67108864 --group-tasks 20 -- /opt/taker eat 1";

        ok(
                exec(
                        "grp",
                        "systemd-run -q --scope --unit one -p Delegate=yes " + guard.formatted("scope")
                                + " >/dev/null; cat /opt/scope/group.json"),
                "{\"version\":1,\"path\":\"/sys/fs/cgroup/system.slice/one.scope/cloche-scope\",\"missing\":\"\"}\n");
        assertThat(exec("grp", "cat /opt/scope/exit.json").stdout()).containsPattern("\"memoryPeak\":[0-9]+,");
        var _ = exec("grp", "systemd-run -q --wait -p Delegate=yes " + guard.formatted("service"));
        assertThat(exec("grp", "cat /opt/service/group.json").stdout()).contains("\"path\":null", "its service itself");
        ok(cloche.run("machine", "stop", "-t", "60s", "grp"), "grp\n");
    }

    private static String mainPid() {
        return exec("svc", "systemctl show --value -p MainPID cloche-keep").stdout();
    }

    /** Installs the unit as the package has it, with a keeper that leaves a session of its own behind, as the guard of a VM is. */
    private static Path packagesService() throws IOException {
        String unit = Files.readString(Program.root().resolve("modules/release/src/deb/cloche-keep.service"));
        return Files.writeString(directory.resolve("service.sh"), """
                #!/bin/sh -e
                useradd --system --create-home --home-dir /var/lib/cloche cloche
                cat >/usr/bin/cloche <<'END'
                #!/bin/sh
                [ -s ~/guard ] || setsid sh -c 'echo $$ >~/guard; exec sleep infinity' </dev/null >/dev/null 2>&1 &
                trap 'exit 143' TERM
                sleep infinity &
                wait
                END
                chmod 755 /usr/bin/cloche
                cat >/etc/systemd/system/cloche-keep.service <<'END'
                """ + unit + """
                END
                systemctl daemon-reload
                """);
    }

    @Test
    @Tag("slow")
    void aProgramAsInitThatEndsWithAnErrorFailsTheMachine() {
        create("own", "/usr/bin/own");
        assertThat(cloche.run("machine", "start", "own").stderr()).contains("no init /usr/bin/own");
        ok(cloche.run("machine", "set", "own", "--init", "agent"), "own\n");
        ok(cloche.run("machine", "start", "own"), "own\n");
        ok(
                exec(
                        "own",
                        "printf '#!/bin/sh\\ntrap \"exit 0\" TERM\\nuntil [ -e /fail ]; do sleep 0.1; done; exit 3\\n'"
                                + " >/usr/bin/own; chmod 755 /usr/bin/own"),
                "");
        ok(cloche.run("machine", "stop", "own"), "own\n");
        ok(cloche.run("machine", "set", "own", "--init", "/usr/bin/own"), "own\n");

        ok(cloche.run("machine", "start", "own"), "own\n");
        ok(exec("own", "cat /proc/1/comm"), "own\n");
        ok(cloche.run("machine", "stop", "own"), "own\n");
        assertThat(inspect("own")).contains("\"state\" : \"stopped\"", "\"lastEnd\" : \"it was shut down\"");

        // One that does not go when it is asked is made to, and that is no secret.
        ok(cloche.run("machine", "start", "own"), "own\n");
        ok(exec("own", "sed -i 's/trap .* TERM/trap \"\" TERM/' /usr/bin/own"), "");
        ok(cloche.run("machine", "restart", "-t", "1s", "own"), "own\n");
        ok(cloche.run("machine", "stop", "-t", "1s", "own"), "own\n");
        assertThat(inspect("own")).contains("\"state\" : \"stopped\"", "had not ended 1 second after the stop");
        assertThat(inspect("own")).contains("\"lastError\" : null");

        ok(cloche.run("machine", "start", "own"), "own\n");
        var _ = exec("own", "touch /fail");
        ok(cloche.run("machine", "wait", "--state", "failed", "own"), "failed\n");
        assertThat(inspect("own")).contains("its init ended with 3");
    }

    @Test
    @Tag("slow")
    void openrcReachesItsLastRunlevelAndLeavesIt() {
        create("rc", "agent");
        ok(cloche.run("machine", "start", "rc"), "rc\n");
        ok(
                exec(
                        "rc",
                        "printf '#!/sbin/openrc-run\\nstart() { sleep 1; echo up >>/var/rc; }\\nstop() { echo down >>/var/rc; }"
                                + "\\n' >/etc/init.d/mine; chmod 755 /etc/init.d/mine; rc-update add mine default"),
                null);
        ok(cloche.run("machine", "stop", "rc"), "rc\n");
        ok(cloche.run("machine", "set", "rc", "--init", "openrc"), "rc\n");

        ok(cloche.run("machine", "start", "rc"), "rc\n");
        ok(exec("rc", "cat /var/rc; rc-status --runlevel; cat /proc/1/comm"), "up\ndefault\nopenrc-init\n");
        ok(cloche.run("machine", "stop", "-t", "60s", "rc"), "rc\n");
        assertThat(inspect("rc")).contains("\"lastEnd\" : \"it was shut down\"");
        ok(cloche.run("machine", "set", "rc", "--init", "agent"), "rc\n");
        ok(cloche.run("machine", "start", "rc"), "rc\n");
        ok(exec("rc", "cat /var/rc"), "up\ndown\n");
    }

    private static void create(String name, String init, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "machine", "create", "-q", name, "--image", IMAGE, "--init", init, "-m", "512m", "--disk", "2"));
        words.addAll(List.of(more));
        ok(cloche.run(words.toArray(String[]::new)), name + "\n");
    }

    private static Program.Result exec(String name, String script) {
        return cloche.run("machine", "exec", name, "--", "sh", "-c", script);
    }

    private static int counted() {
        return Integer.parseInt(exec("sys", "wc -l </run/counted").stdout().strip());
    }

    private static String inspect(String name) {
        return cloche.run("machine", "inspect", name, "--format", "json").stdout();
    }

    /** @param stdout null: anything */
    private static void ok(Program.Result result, @Nullable String stdout) {
        assertThat(result.exitCode()).as(result.stderr() + result.stdout()).isZero();
        if (stdout != null) {
            assertThat(result.stdout()).isEqualTo(stdout);
        }
    }
}
