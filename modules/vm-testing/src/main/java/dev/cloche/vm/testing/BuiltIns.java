package dev.cloche.vm.testing;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.TerminalSize;
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
    private static final String SECRETS = "/run/secrets/";
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
                call.print(call.request().workingDirectory());
                return 0;
            }),
            Map.entry("hostname", call -> {
                call.print(call.hostname());
                return 0;
            }),
            Map.entry("seq", BuiltIns::seq),
            Map.entry("yes", BuiltIns::yes));

    private BuiltIns() {}

    /** A program in Java; interrupting its thread is how a signal ends it. */
    interface Program {
        int run(Call call) throws IOException, InterruptedException;
    }

    /** Says what a program sees. */
    record Call(
            ExecRequest request,
            Map<String, String> environment,
            String hostname,
            Map<String, byte[]> secrets,
            InputStream stdin,
            OutputStream stdout,
            OutputStream stderr,
            Optional<InMemoryTerminal> terminal) {
        List<String> arguments() {
            return request.arguments();
        }

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
        if (call.arguments().size() == 1) {
            call.stdin().transferTo(call.stdout());
            return 0;
        }
        String path = call.arguments().getLast();
        byte[] secret = path.startsWith(SECRETS) ? call.secrets().get(path.substring(SECRETS.length())) : null;
        if (secret == null) {
            call.complain("cat: an in-memory guest has no files but secrets");
            return 1;
        }
        call.stdout().write(secret);
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
        String script = call.arguments().getLast();
        Matcher exit = EXIT.matcher(script);
        if (exit.matches()) {
            return Integer.parseInt(exit.group(1)) & 0xFF;
        }
        switch (script) {
            case "ulimit -n" -> call.print(openFiles(call));
            case "read line; stty size" -> {
                readLine(call.stdin());
                TerminalSize size =
                        call.terminal().orElseThrow(IOException::new).size();
                call.print(size.rows() + " " + size.columns());
            }
            default -> {
                call.complain("sh: an in-memory guest knows only: exit N, ulimit -n, and read line; stty size");
                return 2;
            }
        }
        return 0;
    }

    private static String openFiles(Call call) {
        return call.request().limits().stream()
                .filter(limit -> limit.resource() == ResourceLimit.Resource.NOFILE)
                .map(limit -> Long.toUnsignedString(limit.soft()))
                .findFirst()
                .orElse("1024");
    }

    private static void readLine(InputStream in) throws IOException {
        int b = in.read();
        while (b >= 0 && b != '\n') {
            b = in.read();
        }
    }

    private static int seq(Call call) throws IOException {
        int last = Integer.parseInt(call.arguments().getLast());
        for (int number = 1; number <= last; number++) {
            call.print(String.valueOf(number));
        }
        return 0;
    }

    private static int yes(Call call) throws IOException {
        byte[] lines = "y\n".repeat(4096).getBytes(StandardCharsets.UTF_8);
        while (true) {
            call.stdout().write(lines);
        }
    }
}
