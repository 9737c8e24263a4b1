package dev.cloche.vm;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs of an in-memory guest: few, small, and doing what their namesakes do. */
final class BuiltIns {
    private static final Pattern EXIT = Pattern.compile("exit (\\d{1,3})");
    private static final List<String> DIRECTORIES = List.of("/bin/", "/usr/bin/");

    private static final Map<String, Program> PROGRAMS = Map.ofEntries(
            Map.entry("true", call -> 0),
            Map.entry("false", call -> 1),
            Map.entry("echo", call -> {
                call.print(String.join(
                        " ", call.arguments().subList(1, call.arguments().size())));
                return 0;
            }),
            Map.entry("cat", BuiltIns::cat),
            Map.entry("sleep", BuiltIns::sleep),
            Map.entry("sh", BuiltIns::sh),
            Map.entry("env", call -> {
                for (Map.Entry<String, String> variable : new TreeMap<>(call.environment()).entrySet()) {
                    call.print(variable.getKey() + "=" + variable.getValue());
                }
                return 0;
            }),
            Map.entry("pwd", call -> {
                call.print(call.workingDirectory());
                return 0;
            }),
            Map.entry("hostname", call -> {
                call.print(call.hostname());
                return 0;
            }),
            Map.entry("yes", BuiltIns::yes));

    private BuiltIns() {}

    /** A program in Java; interrupting its thread is how a signal ends it. */
    interface Program {
        int run(Call call) throws IOException, InterruptedException;
    }

    /** What a program sees. */
    record Call(
            List<String> arguments,
            Map<String, String> environment,
            String workingDirectory,
            String hostname,
            InputStream stdin,
            OutputStream stdout,
            OutputStream stderr) {
        void print(String line) throws IOException {
            stdout.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }

        void complain(String line) throws IOException {
            stderr.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** By name, or by path in {@code /bin} or {@code /usr/bin}. */
    static Optional<Program> find(String name) {
        String bare = DIRECTORIES.stream()
                .filter(name::startsWith)
                .findFirst()
                .map(directory -> name.substring(directory.length()))
                .orElse(name);
        return Optional.ofNullable(PROGRAMS.get(bare));
    }

    private static int cat(Call call) throws IOException {
        if (call.arguments().size() > 1) {
            call.complain("cat: an in-memory guest has no files");
            return 1;
        }
        call.stdin().transferTo(call.stdout());
        return 0;
    }

    private static int sleep(Call call) throws IOException, InterruptedException {
        try {
            Thread.sleep(
                    Duration.ofNanos((long) (Double.parseDouble(call.arguments().get(1)) * 1e9)));
            return 0;
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            call.complain("sleep: invalid time interval");
            return 1;
        }
    }

    private static int sh(Call call) throws IOException {
        Matcher exit = EXIT.matcher(call.arguments().getLast());
        if (call.arguments().size() == 3 && call.arguments().get(1).equals("-c") && exit.matches()) {
            return Integer.parseInt(exit.group(1)) & 0xFF;
        }
        call.complain("sh: an in-memory guest knows only: sh -c 'exit N'");
        return 2;
    }

    private static int yes(Call call) throws IOException {
        byte[] lines = "y\n".repeat(4096).getBytes(StandardCharsets.UTF_8);
        while (true) {
            call.stdout().write(lines);
        }
    }
}
