package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.FullPool;
import dev.cloche.bench.probe.PythonImage;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.InterpreterContext;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.TemplateMaking;

/**
 * Runs cells of Python beside commands: a cell beside {@code true}, a new context beside {@code python3 -c 1}, and a start from a
 * prepared template to the first cell beside the same start to its first {@code true}.
 */
public final class Interpreters {
    private static final int RESTORED_MEMORY = 516;
    /** Samples of what takes milliseconds for each start. */
    private static final int MORE = 4;

    private static final int WARM_UP = 5;

    private final Setting setting;
    private final PythonImage image;

    /** Creates the benchmark in a setting, of an image that has Python. */
    public Interpreters(Setting setting, PythonImage image) {
        this.setting = setting;
        this.image = image;
    }

    /** Measures all of it. */
    public void measure(int rounds, Report report) throws Exception {
        FullPool full = new FullPool();
        try (Cloche cloche = Cloche.open(setting.options()
                .withTemplateMaking(new TemplateMaking.InBackground())
                .withPoolListener(full))) {
            String reference = image.reference("one");
            var _ = cloche.images().pull(reference);
            try (Sandbox sandbox = cloche.sandbox(reference).start();
                    Interpreter python = sandbox.interpreter(Language.PYTHON)) {
                cells(sandbox, python, rounds * MORE, report);
                contexts(sandbox, python, rounds, report);
            }
            Cloche.InterpreterBuilder warm = cloche.interpreter(Language.PYTHON).image(reference);
            String template = warm.prepare().name();
            cloche.pools().template(template).depth(1).set();
            try {
                report.heading("An interpreter of a prepared template to its first cell");
                report.table(new Alternation()
                        .add("from a pool, to the end of its first cell", () -> firstCell(cloche, full, warm))
                        .add("from a pool, to the end of its first `true`", () -> firstTrue(cloche, full, template))
                        .warmUp(WARM_UP)
                        .run(rounds));
            } finally {
                cloche.pools().template(template).remove();
            }
            Cloche.InterpreterBuilder restored =
                    cloche.interpreter(Language.PYTHON).image(reference).sandbox(own -> own.memoryMib(RESTORED_MEMORY));
            String other = restored.prepare().name();
            report.table(new Alternation()
                    .add("restored, to the end of its first cell", () -> firstCell(restored))
                    .add("restored, to the end of its first `true`", () -> firstTrue(cloche, other))
                    .warmUp(WARM_UP)
                    .run(rounds));
        }
    }

    private static void cells(Sandbox sandbox, Interpreter python, int rounds, Report report) throws Exception {
        report.heading("A cell of Python beside a command");
        report.table(new Alternation()
                .add("`python.run(\"1\")`", () -> {
                    long begin = System.nanoTime();
                    require(python.run("1").text().equals("1"));
                    return System.nanoTime() - begin;
                })
                .add("`sandbox.exec(\"true\")`", () -> {
                    long begin = System.nanoTime();
                    require(sandbox.exec("true").exitCode() == 0);
                    return System.nanoTime() - begin;
                })
                .warmUp(rounds / 2)
                .run(rounds));
    }

    private static void contexts(Sandbox sandbox, Interpreter python, int rounds, Report report) throws Exception {
        report.heading("A new context beside a new Python");
        report.table(new Alternation()
                .add("`python.context()`", () -> {
                    long begin = System.nanoTime();
                    try (InterpreterContext context = python.context()) {
                        long taken = System.nanoTime() - begin;
                        require(!context.ended());
                        return taken;
                    }
                })
                .add("`sandbox.exec(\"python3\", \"-c\", \"1\")`", () -> {
                    long begin = System.nanoTime();
                    require(sandbox.exec("python3", "-c", "1").exitCode() == 0);
                    return System.nanoTime() - begin;
                })
                .warmUp(WARM_UP)
                .run(rounds));
    }

    private static long firstCell(Cloche cloche, FullPool full, Cloche.InterpreterBuilder builder) throws Exception {
        full.await(cloche);
        return firstCell(builder);
    }

    private static long firstCell(Cloche.InterpreterBuilder builder) {
        long begin = System.nanoTime();
        try (Interpreter python = builder.start()) {
            require(python.run("1").text().equals("1"));
            return System.nanoTime() - begin;
        }
    }

    private static long firstTrue(Cloche cloche, FullPool full, String template) throws Exception {
        full.await(cloche);
        return firstTrue(cloche, template);
    }

    private static long firstTrue(Cloche cloche, String template) {
        long begin = System.nanoTime();
        try (Sandbox sandbox = cloche.restore(template).start()) {
            require(sandbox.exec("true").exitCode() == 0);
            return System.nanoTime() - begin;
        }
    }

    private static void require(boolean held) {
        if (!held) {
            throw new IllegalStateException("it answers something else");
        }
    }
}
