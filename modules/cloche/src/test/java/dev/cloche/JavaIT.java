package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.InterpreterContext;
import dev.cloche.interpreter.Language;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java in real VMs, of an image with Debian's JDK 17, which takes long to start without KVM. */
@Tag("slow")
class JavaIT {
    private static final int CLONES = 20;
    private static final String DRAWN = "Math.random() + \" \" + ThreadLocalRandom.current().nextLong() + \" \""
            + " + new java.security.SecureRandom().nextLong() + \" \" + UUID.randomUUID()"
            + " + \" \" + Files.createTempFile(\"x\", \"\")";

    @Test
    void cellsRunInSandboxesOfATemplateAndNoTwoDrawTheSameNumbers(@TempDir Path directory) throws Exception {
        Path share = InstalledShare.require();
        Path archive = TestImage.ofDebian("jdk", List.of("openjdk-17-jdk-headless"), directory.resolve("image"));
        try (Cloche cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share))) {
            var _ = cloche.images().load(archive, "jdk", PullListener.none());
            Cloche.InterpreterBuilder builder =
                    cloche.interpreter(Language.JAVA).image("jdk").sandbox(own -> own.memoryMib(1024));
            assertThat(builder.prepare().name()).startsWith("interpreter-java-");
            List<String> drawn = new ArrayList<>();
            for (int i = 0; i < CLONES; i++) {
                try (Interpreter java = builder.start()) {
                    drawn.addAll(
                            List.of(java.run(DRAWN).text().replace("\"", "").split(" ", -1)));
                    if (i == 0) {
                        behaves(java);
                    }
                }
            }
            assertThat(drawn).hasSize(5 * CLONES).doesNotHaveDuplicates();
        }
    }

    private static void behaves(Interpreter java) {
        assertThat(java.version()).startsWith("17.");
        assertThat(java.run("int kept = 5; kept * 2").text()).isEqualTo("10");
        CellResult late =
                java.cell("while (true);").timeout(Duration.ofSeconds(5)).run();
        assertThat(late.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        assertThat(late.contextLost()).isFalse();
        try (InterpreterContext other = java.context()) {
            assertThat(other.run("kept").error().orElseThrow().value()).contains("variable kept");
            CellResult end = other.run("System.out.println(\"bye\"); System.exit(3)");
            assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
            assertThat(end.stdout()).isEqualTo("bye\n");
        }
        assertThat(java.run("kept").text()).isEqualTo("5");
    }
}
