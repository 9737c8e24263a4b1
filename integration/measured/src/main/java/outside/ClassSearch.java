package outside;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the search for classes takes that the start of a web application of Spring Boot loads from its jars: without our jars on
 * the class path, with them behind those of Spring, and before them. Each search in a JVM of its own that does nothing else, in
 * turn. Classes that are not there, which are looked for in all jars, do not count. Arguments: rounds, and an empty directory.
 */
public final class ClassSearch {
    private ClassSearch() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Path log = Path.of(arguments[1], "classes.log");
        Path names = Path.of(arguments[1], "classes");
        String without = StarterShare.jars(false);
        String brought = StarterShare.jars(true);
        List<String> start =
                new ArrayList<>(List.of("-Xlog:class+load:file=" + log, "-cp", without, "outside.context.WebApplication"));
        start.addAll(StarterShare.QUIET);
        run(start);
        try (Stream<String> lines = Files.lines(log)) {
            // [0.100s][info][class,load] org.example.Name source: file:/directory/name.jar
            Files.write(names, lines.filter(line -> line.contains(" source: file:"))
                    .map(line -> line.replaceFirst("^.*] (\\S+) source: .*$", "$1").replace('.', '/') + ".class")
                    .toList());
        }
        List<Samples> searches =
                List.of(new Samples("without"), new Samples("behind Spring"), new Samples("before Spring"));
        List<Samples> differences = List.of(
                new Samples("without: difference"),
                new Samples("behind Spring: difference"),
                new Samples("before Spring: difference"));
        List<String> paths = List.of(
                without, without + File.pathSeparator + brought, brought + File.pathSeparator + without);
        for (int round = -2; round < rounds; round++) {
            double[] took = new double[paths.size()];
            for (int turn = 0; turn < took.length; turn++) {
                // Begins with another one each time and turns round each time, so that none always follows the same one.
                int which = Math.floorMod(round + (round % 2 == 0 ? turn : -turn), took.length);
                List<String> search = new ArrayList<>(StarterShare.STEADY);
                search.addAll(List.of("-cp", paths.get(which), Search.class.getName(), names.toString()));
                took[which] = Double.parseDouble(run(search));
            }
            for (int i = 0; round >= 0 && i < took.length; i++) {
                searches.get(i).add(took[i]);
                differences.get(i).add(took[i] - took[0]);
            }
        }
        System.out.println(Files.readAllLines(names).size() + " classes; processor time of the thread that searches:\n");
        Samples.print("ms", searches.toArray(Samples[]::new));
        differences.subList(1, differences.size()).forEach(Samples::printMedian);
    }

    private static String run(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(arguments);
        return StarterShare.output(command);
    }

    /** Finds each class whose file a line names, and says how many milliseconds of a processor that took. */
    static final class Search {
        private Search() {}

        public static void main(String[] arguments) throws IOException {
            List<String> names = Files.readAllLines(Path.of(arguments[0]));
            ClassLoader loader = ClassLoader.getSystemClassLoader();
            var threads = ManagementFactory.getThreadMXBean();
            long begin = threads.getCurrentThreadCpuTime();
            for (String name : names) {
                if (loader.getResource(name) == null) {
                    throw new IllegalStateException(name + " is in none of the jars");
                }
            }
            System.out.println((threads.getCurrentThreadCpuTime() - begin) / 1e6);
        }
    }
}
