package dev.cloche.image;

import java.nio.file.Path;
import java.util.Optional;

/** The program that is killed: does one thing with the images of a state root. */
final class CrashProcess {
    private CrashProcess() {}

    enum Work {
        PULL,
        START,
        LOAD,
        REMOVE,
        PRUNE
    }

    public static void main(String[] arguments) {
        Path layout = Path.of(arguments[1]);
        try (StoreFixture fixture = ThreeImages.open(Path.of(arguments[0]), layout)) {
            switch (Work.valueOf(arguments[2])) {
                case PULL -> fixture.pull(ThreeImages.B);
                case START -> fixture.acquire(ThreeImages.B, "starting");
                case LOAD ->
                    fixture.store.load(
                            layout.resolveSibling("b.tar"), Optional.empty(), PullListener.none(), StoreFixture.soon());
                case REMOVE -> fixture.store.remove(ThreeImages.B, false);
                case PRUNE -> fixture.store.prune(ImagePruneRequest.everything());
            }
        }
        System.out.println("done");
    }
}
