package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many sandboxes of one template in which pandas is imported; its image is Debian's, made by {@code mmdebstrap}. */
@Tag("slow")
class PandasIT {
    private static final int CLONES = 20;
    private static final String DRAWN = """
            import random, tempfile, uuid
            import numpy
            random.random(), float(numpy.random.random()), str(uuid.uuid4()), tempfile.mktemp()
            """;

    @Test
    void noTwoOfTwentySandboxesDrawTheSameNumbers(@TempDir Path directory) throws Exception {
        Path share = InstalledShare.require();
        Path archive = TestImage.ofDebian("pandas", List.of("python3-pandas"), directory.resolve("image"));
        try (Cloche cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share))) {
            var _ = cloche.images().load(archive, "pandas", PullListener.none());
            Cloche.InterpreterBuilder builder =
                    cloche.interpreter(Language.PYTHON).image("pandas").imports("pandas");
            long begin = System.nanoTime();
            SnapshotInfo template = builder.prepare();
            System.out.println("prepared in " + millis(begin) + " ms");
            List<Interpreter> open = new ArrayList<>();
            List<String> drawn = new ArrayList<>();
            try {
                for (int i = 0; i < CLONES; i++) {
                    long start = System.nanoTime();
                    Interpreter clone = builder.start();
                    open.add(clone);
                    assertThat(clone.run("import sys\n'pandas' in sys.modules").text())
                            .isEqualTo("True");
                    System.out.println("clone " + i + " answered after " + millis(start) + " ms");
                    drawn.addAll(List.of(clone.run(DRAWN).text().split(", ", -1)));
                }
                assertThat(drawn).hasSize(4 * CLONES).doesNotHaveDuplicates();
                assertThat(open.getLast()
                                .run("import pandas\npandas.DataFrame({'a': [1, 2, 3]}).a.sum()")
                                .text())
                        .isEqualTo("6");
            } finally {
                open.forEach(Interpreter::close);
            }
            assertThat(cloche.templates().prepared()).containsExactly(template);
        }
    }

    private static long millis(long begin) {
        return (System.nanoTime() - begin) / 1_000_000;
    }
}
