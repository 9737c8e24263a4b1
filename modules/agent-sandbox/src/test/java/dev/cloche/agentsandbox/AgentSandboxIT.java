package dev.cloche.agentsandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springaicommunity.sandbox.AbstractSandboxTCK;
import org.springaicommunity.sandbox.ExecSpec;
import org.springaicommunity.sandbox.FileEntry;
import org.springaicommunity.sandbox.Sandbox;
import org.springaicommunity.sandbox.SandboxException;

/** The tests of agent-sandbox-core, each in a directory of its own of one real VM, and what they leave open. */
class AgentSandboxIT extends AbstractSandboxTCK {
    @TempDir
    static Path home;

    static Cloche cloche;
    private static int directories;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        cloche.sandbox("base").name("shared").memoryMib(256).detached().stay().start();
        try (dev.cloche.Sandbox shared = cloche.connect("shared")) {
            // What the tests expect of an image and the smallest one lacks.
            shared.files().makeDirectories("/home");
            shared.files().writeString("/bin/printenv", "#!/bin/sh\neval echo \\$$1\n");
            shared.exec("chmod", "755", "/bin/printenv").orThrow();
        }
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            cloche.sandboxes().kill("shared");
            cloche.close();
        }
    }

    @BeforeEach
    void connect() {
        sandbox = AgentSandbox.of(cloche.connect("shared"), "/work/" + directories++);
    }

    @Test
    void oneThatThisProcessHasStartedEndsWhenItIsClosed() {
        Sandbox started = AgentSandbox.of(cloche.sandbox("base").memoryMib(192).start());
        assertThat(started.shouldCleanupOnClose()).isTrue();
        assertThat(sandbox.shouldCleanupOnClose()).isFalse();
        assertThat(cloche.sandboxes().list()).hasSize(2);
        started.close();
        started.close();
        assertThat(cloche.sandboxes().list()).hasSize(1);
        assertThatThrownBy(() -> started.exec(ExecSpec.of("true"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> started.files().exists("x")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatCannotBeStartedIsAFailureWithItsCode() {
        assertThatThrownBy(() -> sandbox.exec(ExecSpec.of("none")))
                .isInstanceOf(SandboxException.class)
                .cause()
                .isInstanceOf(ClocheException.class)
                .hasFieldOrPropertyWithValue("code", "vm.spawn.command-not-found");
    }

    @Test
    void filesOutsideOfTheWorkingDirectoryHaveAbsolutePaths() {
        sandbox.files().create("/srv/a/b.txt", "text").createDirectory("own");
        assertThat(sandbox.files().list("/srv", 2))
                .extracting(FileEntry::path)
                .containsExactly("/srv/a", "/srv/a/b.txt");
        assertThat(sandbox.files().list("", 1)).extracting(FileEntry::path).containsExactly("own");
        assertThat(sandbox.files().read("/srv/a/b.txt")).isEqualTo("text");
        assertThatThrownBy(() -> sandbox.files().delete("/srv/a"))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("not empty");
        assertThat(sandbox.files().exists("/srv/a/b.txt/c")).isFalse();
        assertThatThrownBy(() -> sandbox.files().read("none"))
                .isInstanceOf(SandboxException.class)
                .hasMessage("Path does not exist: none");
    }
}
