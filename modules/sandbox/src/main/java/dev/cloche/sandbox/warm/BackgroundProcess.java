package dev.cloche.sandbox.warm;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Starts processes that are not waited for. That one cannot be started fails no caller. */
final class BackgroundProcess {
    /** No terminal's signal reaches it. */
    private static final String OWN_SESSION = "setsid";

    private BackgroundProcess() {}

    /** Starts a process that takes only the processor time that is left over; so do the VMs that it starts. */
    static void startIdle(List<String> command) {
        List<String> whole = new ArrayList<>(List.of("nice", "-n", "19"));
        whole.addAll(command);
        start(whole);
    }

    static void start(List<String> command) {
        List<String> whole = new ArrayList<>(List.of(OWN_SESSION));
        whole.addAll(command);
        try {
            Process process = new ProcessBuilder(whole)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            log("process " + process.pid() + " works in the background: " + command);
        } catch (IOException e) {
            log("no process works in the background: " + e);
        }
    }

    private static void log(String what) {
        System.getLogger(BackgroundProcess.class.getName()).log(System.Logger.Level.DEBUG, what);
    }
}
