package dev.cloche.vm.testing;

/**
 * Says how a JVM of a {@link KillableProgram} ended.
 *
 * @param exitCode 128 and the number of the signal, if one ended it
 * @param output what it wrote, without space at its end
 */
public record PlayedProgram(int exitCode, String output) {
    private static final int SIGKILLED = 128 + 9;

    /** Says whether it was killed. */
    public boolean killed() {
        return exitCode == SIGKILLED;
    }

    /** Returns the last line of what it wrote; it names the deadly step. */
    public String lastLine() {
        return output.substring(output.lastIndexOf('\n') + 1);
    }
}
