package dev.cloche.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;

/** {@link System#out}, of which the JDK would keep to itself why something could not be written. */
public final class StandardOutput {
    private final Recording recording;

    private StandardOutput(Recording recording) {
        this.recording = recording;
    }

    /** Takes the place of the JDK's standard output. */
    public static StandardOutput install() {
        Recording recording = new Recording(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(new BufferedOutputStream(recording), false, System.out.charset()));
        return new StandardOutput(recording);
    }

    /**
     * Returns the exit code after all is written: a command whose result went nowhere has failed, unless its reader left because it had
     * read enough.
     */
    public int checked(int exitCode) {
        System.out.flush();
        Optional<IOException> failed = recording.failed.filter(failure -> !BrokenPipe.is(failure));
        if (failed.isEmpty() || exitCode != ExitCodes.OK) {
            return exitCode;
        }
        ErrorReport.print(new OutputLost(failed.get()), System.err);
        return ExitCodes.FAILURE;
    }

    private static final class Recording extends FilterOutputStream {
        private volatile Optional<IOException> failed = Optional.empty();

        Recording(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failed = failed.or(() -> Optional.of(e));
                throw e;
            }
        }
    }
}
