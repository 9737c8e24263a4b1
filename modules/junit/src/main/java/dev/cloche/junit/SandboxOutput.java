package dev.cloche.junit;

import java.io.Serial;

/** Brings what a sandbox wrote into the stack trace of a test's failure; never thrown. */
final class SandboxOutput extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    SandboxOutput(String sandbox, String image, String output) {
        super(
                "the sandbox " + sandbox + " of " + image + " wrote at last:" + System.lineSeparator() + output,
                null,
                false,
                false);
    }
}
