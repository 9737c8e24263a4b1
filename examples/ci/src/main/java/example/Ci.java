package example;

import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import dev.cloche.image.PullListener;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Clones a repository, builds it with Maven and gets the reports out. What the build runs was written by others, so all of it
 * happens in a VM without a network.
 */
public final class Ci {
    private static final Pattern TEST_CASE = Pattern.compile("<testcase name=\"(\\w+)\"[^>]*?(/>|>\\s*<(failure|error|skipped))");

    private Ci() {}

    /** @param arguments the directory that {@code prepare} has filled */
    public static void main(String[] arguments) throws IOException {
        Path files = Path.of(arguments[0]);
        try (Cloche cloche = Cloche.open()) {
            cloche.images().load(files.resolve("maven.tar"), "ci-maven", PullListener.none());
            try (Sandbox sandbox = cloche.sandbox("ci-maven")
                    .memoryMib(1536)
                    .cpus(2)
                    .environment("HOME", "/root")
                    .start()) {
                build(sandbox, files);
            }
        }
    }

    private static void build(Sandbox sandbox, Path files) throws IOException {
        sandbox.files().copyIn(files.resolve("shop.git"), "/srv/shop.git");
        sandbox.files().copyIn(files.resolve("m2"), "/root/.m2/repository");
        sandbox.exec("git", "clone", "-q", "/srv/shop.git", "/work").orThrow();
        // Kept, and killed if it takes too long: a build can loop, too.
        ExecResult build = sandbox.command("mvn", "-o", "-B", "-q", "test")
                .workingDirectory("/work")
                .timeout(Duration.ofMinutes(10))
                .run();
        if (build.timedOut()) {
            System.out.println("the build took too long");
        } else {
            System.out.println(build.exitCode() == 0 ? "the build succeeded" : "the build failed");
        }
        if (!sandbox.exec("test", "-d", "/work/target/surefire-reports").exit().success()) {
            System.out.println("it ran no test: " + build.stdoutText() + build.stderrText());
            return;
        }
        Path reports = Files.createTempDirectory("reports");
        sandbox.files().copyOut("/work/target/surefire-reports", reports.resolve("surefire"));
        print(reports.resolve("surefire"));
    }

    private static void print(Path reports) throws IOException {
        try (DirectoryStream<Path> suites = Files.newDirectoryStream(reports, "TEST-*.xml")) {
            for (Path suite : suites) {
                Matcher test = TEST_CASE.matcher(Files.readString(suite));
                while (test.find()) {
                    System.out.println(test.group(1) + ": " + (test.group(3) == null ? "passed" : test.group(3)));
                }
            }
        }
    }
}
