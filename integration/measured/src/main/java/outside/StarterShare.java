package outside;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the starter adds to the start of an application's context: a web application with Actuator, each time in a JVM of its own,
 * without our jars on its class path and with them, in turn. Arguments: rounds.
 */
public final class StarterShare {
    private static final List<String> QUIET = List.of(
            "--server.port=0", "--logging.level.root=error", "--spring.main.banner-mode=off");

    private StarterShare() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        String all = System.getProperty("java.class.path");
        String without = Arrays.stream(all.split(File.pathSeparator))
                .filter(entry -> !entry.contains(File.separator + "dev" + File.separator + "cloche" + File.separator))
                .collect(Collectors.joining(File.pathSeparator));
        String plain = "outside.context.WebApplication";
        List<Variant> variants = List.of(
                new Variant("without the starter", without, plain, List.of()),
                new Variant("with it", all, plain, List.of()),
                new Variant("with it, and a bean needs Cloche", all, "outside.context.ApplicationThatNeedsCloche", List.of()),
                new Variant(
                        "with it, and there is a pool",
                        all,
                        plain,
                        List.of("--cloche.pools[0].image=base", "--cloche.pools[0].memory=192MB")));
        for (int round = -2; round < rounds; round++) {
            for (Variant variant : variants) {
                String[] microseconds = variant.start().split(" ");
                if (round >= 0) {
                    variant.samples.add(Long.parseLong(microseconds[0]) / 1000.0);
                    variant.computing.add(Long.parseLong(microseconds[1]) / 1000.0);
                }
            }
        }
        Samples.print("ms", variants.stream().map(Variant::samples).toArray(Samples[]::new));
        System.out.println("Of it in the application's own thread, with a processor:\n");
        Samples.print("ms", variants.stream().map(Variant::computing).toArray(Samples[]::new));
    }

    private record Variant(Samples samples, Samples computing, List<String> command) {
        Variant(String name, String classPath, String main, List<String> more) {
            this(new Samples(name), new Samples(name), new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    classPath,
                    main)));
            command.addAll(QUIET);
            command.addAll(more);
        }

        String start() throws IOException, InterruptedException {
            Process process = new ProcessBuilder(command)
                    .redirectInput(new File("/dev/null"))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String output = new String(process.getInputStream().readAllBytes()).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("exit code " + process.exitValue() + ": " + output);
            }
            return output;
        }
    }
}
