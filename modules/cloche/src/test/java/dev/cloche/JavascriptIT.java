package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.InterpreterContext;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Language;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JavaScript in real VMs, of an image with this host's Node, which takes long to start without KVM. */
@Tag("slow")
class JavascriptIT {
    private static final Path NODE = Path.of("/usr/bin/node");
    private static final int CLONES = 20;
    private static final String DRAWN =
            "[Math.random(), require('crypto').randomBytes(8).toString('hex'), require('crypto').randomUUID(),"
                    + " fs.mkdtempSync('/tmp/x')].join(' ')";

    @Test
    void cellsRunInSandboxesOfATemplateAndNoTwoDrawTheSameNumbers(@TempDir Path directory) throws Exception {
        Path share = InstalledShare.require();
        Assumptions.assumeTrue(Files.isExecutable(NODE), "node is not on this host");
        try (Cloche cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share))) {
            Path archive = TestImage.withPrograms(List.of(NODE), directory.resolve("image"));
            var _ = cloche.images().load(archive, "node", PullListener.none());
            Cloche.InterpreterBuilder builder =
                    cloche.interpreter(Language.JAVASCRIPT).image("node");
            assertThatThrownBy(() -> cloche.interpreter(Language.JAVASCRIPT)
                            .image("node")
                            .imports("fs")
                            .start())
                    .isInstanceOf(InterpreterException.Invalid.class);
            assertThat(builder.prepare().name()).startsWith("interpreter-javascript-");
            List<String> drawn = new ArrayList<>();
            for (int i = 0; i < CLONES; i++) {
                try (Interpreter node = builder.start()) {
                    drawn.addAll(List.of(node.run(DRAWN).text().replace("'", "").split(" ", -1)));
                    if (i == 0) {
                        behaves(node);
                    }
                }
            }
            assertThat(drawn).hasSize(4 * CLONES).doesNotHaveDuplicates();
        }
    }

    private static void behaves(Interpreter node) {
        assertThat(node.run("let kept = 5; kept * 2").text()).isEqualTo("10");
        CellResult late =
                node.cell("while (true);").timeout(Duration.ofSeconds(1)).run();
        assertThat(late.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        assertThat(late.contextLost()).isFalse();
        try (InterpreterContext other = node.context()) {
            assertThat(other.run("kept").error().orElseThrow().summary())
                    .isEqualTo("ReferenceError: kept is not defined");
            CellResult end = other.run("console.log('bye'); process.exit(3)");
            assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
            assertThat(end.stdout()).isEqualTo("bye\n");
        }
        assertThat(node.run("kept").text()).isEqualTo("5");
    }
}
