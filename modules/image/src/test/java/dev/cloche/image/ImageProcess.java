package dev.cloche.image;

import java.nio.file.Path;

/** The program of the test with several processes: waits for the end of its input, acquires an image and says so. */
final class ImageProcess {
    private ImageProcess() {}

    public static void main(String[] arguments) throws Exception {
        PullPolicy policy = PullPolicy.valueOf(arguments[3]);
        System.out.println("ready");
        System.in.readAllBytes();
        try (StoreFixture fixture = StoreFixture.in(Path.of(arguments[0]))) {
            ImageDisk disk = fixture.acquire(ImageReference.parse(arguments[1]), policy, arguments[2]);
            System.out.println("disk " + disk.manifest());
        }
    }
}
