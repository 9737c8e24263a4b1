package dev.cloche;

import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;

/** Starts sandboxes in a JVM without the module of Flight Recorder. Arguments: state root, share directory. */
final class UnrecordedProgram {
    private UnrecordedProgram() {}

    public static void main(String[] arguments) {
        System.out.println(ModuleLayer.boot().findModule("jdk.jfr").isPresent());
        ClocheOptions options = ClocheOptions.ofEnvironment()
                .withHome(Path.of(arguments[0]))
                .withShare(Path.of(arguments[1]))
                .withTemplateMaking(new TemplateMaking.Never())
                .withListener(operation -> {
                    if (operation instanceof SandboxOperation.Start) {
                        System.out.println("heard a start");
                    }
                });
        try (Cloche cloche = Cloche.open(options);
                Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            say(sandbox);
            try (Fork fork = sandbox.fork(1)) {
                say(fork.children().getFirst());
            }
            cloche.maintain();
        }
    }

    private static void say(Sandbox sandbox) {
        System.out.print(sandbox.startTimings().orElseThrow().kind() + " "
                + sandbox.exec("echo", "hello").stdoutText());
    }
}
