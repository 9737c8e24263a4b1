package dev.cloche.runtime;

import dev.cloche.base.Deadline;
import java.nio.file.Path;

/** Says that it is ready, waits for the end of its input, unpacks the artefact of its class path, and says where it is. */
final class UnpackingProgram {
    private UnpackingProgram() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) {}
        System.out.println(RuntimeArtefact.find(UnpackingProgram.class.getClassLoader())
                .orElseThrow()
                .unpacked(Path.of(arguments[0]), Deadline.none()));
    }
}
