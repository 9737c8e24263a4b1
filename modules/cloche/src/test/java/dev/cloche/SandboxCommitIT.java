package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.image.Digest;
import dev.cloche.image.LocalImage;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExitStatus;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images of what has changed in sandboxes, by real overlays of real guests. */
class SandboxCommitIT {
    private static final String FIRST = """
            set -e
            mkdir -p /opt/app/data /opt/gone/below /var/keep /srv/list
            echo one >/opt/app/file; echo two >/opt/gone/below/file; echo three >/var/keep/file; echo four >/srv/plain
            echo five >/srv/list/old; chmod 4750 /opt/app/file; chown 12:34 /opt/app/data; touch -d @1000000 /opt/app/file
            ln -s app/file /opt/link; ln /opt/app/file /opt/app/second; mkfifo /opt/pipe; mknod /opt/device c 5 1
            truncate -s 50M /opt/holes; echo end >>/opt/holes; : >"/opt/$(printf 'n\\303\\244me\\377 %0200d' 1)"
            echo kept >/tmp/kept; chmod 711 /; echo own-host >>/etc/hosts; cat /run/secrets/token >/dev/null
            """;

    /** All that an overlay can do to a lower layer. */
    private static final String SECOND = """
            set -e
            rm /var/keep/file; rm -r /opt/gone; mkdir /opt/gone; echo new >/opt/gone/new
            rm -r /opt/app/data; echo file >/opt/app/data
            rm /srv/plain; mkdir /srv/plain; echo in >/srv/plain/in
            mv /srv/list /srv/renamed; chmod 700 /opt/app; echo more >>/opt/app/file; rm /opt/link; ln -s /tmp /opt/link
            """;

    /** Kind, mode, owners, size, time, target and name of all that an image has, but for what is of each guest alone. */
    private static final String LIST = """
            cd /
            set -- . -xdev -mindepth 1 ! -path './run*' ! -path ./dev ! -path ./proc ! -path ./sys ! -path './etc/*'
            {
                find "$@" ! -type d -exec stat -c '%n %A %u %g %s %y %t %T %N' {} +
                find "$@" -type d ! -path ./etc -exec stat -c '%n %A %u %g %y' {} +
                find "$@" -type f -exec md5sum {} +
                stat -c '%n %A %u %g' / /etc
            } | sort
            """;

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

    private static String run(Sandbox sandbox, String script) {
        ExecResult result = sandbox.exec("sh", "-c", script);
        assertThat(result.exit()).as(result.stderrText()).isEqualTo(new ExitStatus.Exited(0));
        return result.stdoutText();
    }

    /** A program writes to two files in turn, between which a third one is read for long. */
    private void assertThatWritesWait(Sandbox sandbox) {
        run(sandbox, "dd if=/dev/zero of=/srv/large bs=1M count=32 2>/dev/null; echo >/opt/a; echo >/var/keep/z");
        try (Execution _ = sandbox.command("sh", "-c", "while echo >>/opt/a; do echo >>/var/keep/z; done")
                .start()) {
            sandbox.commit("work:still");
        }
        Digest layer = cloche.images().inspect("work:still").layers().getLast().diffId();
        assertThat(lines(layer, "opt/a") - lines(layer, "var/keep/z")).isBetween(0L, 1L);
    }

    /** The layer is kept as the archive that it is. */
    private long lines(Digest layer, String file) {
        Path archive = home.resolve("state/cache/blobs/" + layer.hex() + ".blob");
        try {
            Process tar = new ProcessBuilder("tar", "-xOf", archive.toString(), file)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            long lines = tar.getInputStream().readAllBytes().length;
            assertThat(tar.waitFor()).isZero();
            return lines;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anImageHasWhatChangedInItsSandboxAndNothingOfTheSandboxItself() {
        String first;
        LocalImage one;
        try (Sandbox sandbox = cloche.sandbox("base").secret("token", "hidden").start()) {
            run(sandbox, FIRST);
            one = sandbox.commit("work:1", "the first");
            first = run(sandbox, LIST);
            assertThat(sandbox.commit("work:same", "the first").summary().manifest())
                    .isEqualTo(one.summary().manifest());
            assertThatThrownBy(() -> sandbox.commit("work@" + one.summary().manifest(), ""))
                    .isInstanceOfSatisfying(
                            ClocheException.class, e -> assertThat(e.code()).isEqualTo("image.bad-reference"));
            run(sandbox, "touch /opt/.wh.name");
            assertThatThrownBy(() -> sandbox.commit("work:bad"))
                    .hasMessageContaining("/opt/.wh.name")
                    .isInstanceOfSatisfying(
                            ClocheException.class, e -> assertThat(e.code()).isEqualTo("image.commit-failed"));
        }
        String second;
        try (Sandbox sandbox = cloche.sandbox("work:1").diskMib(256).start()) {
            assertThat(run(sandbox, LIST)).isEqualTo(first);
            run(sandbox, "! grep -x own-host /etc/hosts && ! [ -e /run/secrets ]");
            run(sandbox, SECOND);
            second = run(sandbox, LIST);
            assertThat(second).isNotEqualTo(first);
            sandbox.commit("work:1");
            assertThatWritesWait(sandbox);
        }
        assertThat(cloche.images().inspect("work:1").layers())
                .hasSize(cloche.images().inspect("work:same").layers().size() + 1);
        try (Sandbox sandbox = cloche.sandbox("work:1").start()) {
            assertThat(run(sandbox, LIST)).isEqualTo(second);
        }
    }
}
