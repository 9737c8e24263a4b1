package dev.cloche.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The program {@code cloche}: parses the arguments, runs one command and passes its exit code on. */
@Command(
        name = "cloche",
        description = "Runs untrusted code in fast local microVMs.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
public final class Main implements Runnable {
    Main() {}

    public static void main(String[] args) {
        System.exit(execute(writer(System.out), writer(System.err), args));
    }

    /** Runs one command as {@link #main} does, but returns its exit code instead of ending the JVM. */
    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return new CommandLine(new Main()).setOut(out).setErr(err).execute(args);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, stream.charset());
    }

    /** Without a command there is only the help to show. */
    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /** Says the version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"cloche " + (version == null ? "(not packaged)" : version)};
        }
    }
}
