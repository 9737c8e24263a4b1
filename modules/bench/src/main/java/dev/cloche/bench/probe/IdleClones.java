package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Measures what a bare clone of a template takes of the host's memory while it is idle. */
public final class IdleClones {
    /** How many run at once. */
    public static final int CLONES = 4;

    /** After their last answer. */
    public static final int SETTLE_MILLIS = 500;

    private IdleClones() {}

    /** Returns the mean of {@value #CLONES} that run at once and have answered a ping (PSS), in MiB. */
    public static double mebibytes(Setting setting, BareMachine machine, BootedTemplate template)
            throws IOException, InterruptedException {
        List<BareClone> clones = new ArrayList<>();
        try {
            for (int i = 0; i < CLONES; i++) {
                BareClone clone =
                        BareClone.restore(machine, template, Files.createTempDirectory(setting.directory(), "clone"));
                clones.add(clone);
                clone.guest().ping();
            }
            Thread.sleep(SETTLE_MILLIS);
            double sum = 0;
            for (BareClone clone : clones) {
                sum += ProportionalSize.mebibytes(clone.pid());
            }
            return sum / CLONES;
        } finally {
            for (BareClone clone : clones) {
                clone.close();
            }
        }
    }
}
