package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real images, made of Debian packages by {@code mmdebstrap} and changed layer by layer by {@code umoci}: every entry, as the
 * guest's kernel shows it, is what {@code umoci} unpacks on the host. Both are listed by the image's own Python.
 */
class ImageFidelityIT {
    /** Each begins with an unpacked bundle in {@code b}, its root in {@code $r}, and an image tagged {@code t}. */
    enum Image {
        /** What containers get wrong first, in few layers; the one of these that every build looks at. */
        EVERYTHING("minbase", "", """
                cp /bin/true $r/bin/cap; cp /bin/true $r/bin/suid; chmod 4755 $r/bin/suid
                setcap cap_setuid,cap_net_raw+ep $r/bin/cap
                echo acl > $r/etc/acl; setfacl -m u:1234:rw,g:77:r $r/etc/acl; setfacl -d -m u:5:rwx $r/srv
                setfattr -n user.bytes -v 0x0080ff00 $r/etc/acl
                echo one > $r/etc/one; ln $r/etc/one $r/etc/hard; mkdir -p $r/opt/opaque/sub; echo x > $r/opt/opaque/sub/x
                long=$(printf 'n%.0s' $(seq 1 240)); mkdir -p $r/$long/$long; echo deep > $r/$long/$long/$long
                mkdir $r/$'na\\303\\257ve \\360\\237\\224\\224'; echo x > $r/$'na\\303\\257ve \\360\\237\\224\\224'/$'\\377'
                touch -d '1999-12-31 23:59:59.123456789' $r/bin/suid; mkfifo $r/opt/fifo; mknod $r/opt/null c 1 3
                repack
                rm $r/etc/one; ln $r/etc/hard $r/etc/third; rm -r $r/usr/share/doc; chown 5:6 $r/opt; repack
                mkdir new; echo shown > new/shown; umoci insert --opaque --image oci:t new /opt/opaque
                umoci insert --whiteout --image oci:t /opt/fifo
                """),
        ESSENTIAL("essential", "", ""),
        APT("apt", "", ""),
        STANDARD("important", "", ""),
        /** Programs of packages that have capabilities and hard links of their own. */
        CAPABILITIES("minbase", "iputils-ping,git,perl", """
                setcap cap_setuid+ep $r/usr/bin/perl; repack
                ln $r/usr/bin/git $r/opt/git-hard; rm $r/usr/bin/git; ln $r/opt/git-hard $r/usr/bin/git; repack
                """),
        WHITEOUTS("minbase", "", """
                for d in var/lib/dpkg usr/share/locale usr/share/zoneinfo etc/apt; do rm -rf $r/$d; repack; mkdir -p $r/$d; echo $d > $r/$d/new; repack; done
                mkdir new; echo shown > new/shown; umoci insert --opaque --image oci:t new /usr/share
                umoci insert --whiteout --image oci:t /etc/debian_version
                """),
        /** More than 2 GiB in one file, most of it holes. */
        SPARSE("minbase", "", """
                mkdir s; truncate -s 2400000001 s/sparse; echo begin | dd of=s/sparse conv=notrunc status=none
                echo middle | dd of=s/sparse bs=1 seek=2147483647 conv=notrunc status=none
                printf end | dd of=s/sparse bs=1 seek=2399999998 conv=notrunc status=none
                tar -C s --sparse --format=pax -cf s.tar sparse; umoci raw add-layer --image oci:t s.tar
                """),
        MANY_LAYERS("minbase", "", """
                for i in $(seq 1 40); do echo $i > $r/opt/layer-$i; rm -f $r/opt/layer-$((i - 2)); mkdir -p $r/$'\\346\\227\\245\\346\\234\\254'/$i; repack; done
                """);

        private final String variant;
        private final String packages;
        private final String changes;

        Image(String variant, String packages, String changes) {
            this.variant = variant;
            this.packages = packages;
            this.changes = changes;
        }
    }

    private static final String BUILD = """
            umoci init --layout oci; umoci new --image oci:t
            mmdebstrap --quiet --variant="$1" --include="$2" bookworm root
            umoci insert --image oci:t root /; rm -rf root
            umoci unpack --image oci:t b; r=b/rootfs
            repack() { umoci repack --refresh-bundle --image oci:t b; }
            eval "$3"
            rm -rf b; umoci unpack --image oci:t final
            """;

    @TempDir
    Path directory;

    private Program cloche;

    @BeforeEach
    void install() throws IOException {
        for (String tool : List.of("mmdebstrap", "umoci", "setcap", "setfacl", "setfattr")) {
            Assumptions.assumeTrue(
                    List.of("/usr/bin", "/usr/sbin", "/sbin", "/bin").stream()
                            .anyMatch(place -> Files.isExecutable(Path.of(place, tool))),
                    tool + " is missing: run ./setup --tests");
        }
        Assumptions.assumeTrue(Program.isRoot(), "only root can make a Debian root file system");
        // An emulated guest reads gigabytes of the largest image.
        cloche = Program.in(Files.createDirectory(directory.resolve("home"))).patient(Duration.ofMinutes(40));
        Files.setPosixFilePermissions(cloche.home(), PosixFilePermissions.fromString("rwx------"));
    }

    /** A root file system is full of links that lead out of it, which JUnit's own clean-up warns of one by one. */
    @AfterEach
    void removeTheRootFileSystems() throws IOException, InterruptedException {
        script("rm -rf final b root");
    }

    @Test
    void whatContainersGetWrongFirstIsRight() throws Exception {
        isWhatUmociUnpacks(Image.EVERYTHING);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EVERYTHING")
    void everyEntryIsAsUmociUnpacksIt(Image image) throws Exception {
        isWhatUmociUnpacks(image);
    }

    private void isWhatUmociUnpacks(Image image) throws Exception {
        String packages = "python3-minimal,mount" + (image.packages.isEmpty() ? "" : "," + image.packages);
        script(BUILD, image.variant, packages, image.changes);
        Result loaded = cloche.run(
                "image", "load", "--name", "it:1", directory.resolve("oci").toString());
        assertThat(loaded.exitCode()).as(loaded.stderr()).isZero();

        Result guest = cloche.run(
                listing(),
                "run",
                "-i",
                "it:1",
                "--",
                "sh",
                "-c",
                "mount -t erofs -o ro /dev/vda /mnt && exec python3 -I - /mnt");
        assertThat(guest.exitCode()).as(guest.stderr()).isZero();
        Path host = directory.resolve("listing");
        Files.write(directory.resolve("listing.py"), listing());
        script("chroot final/rootfs /usr/bin/python3 -I - / < listing.py > listing");

        assertSame(Files.readString(host, StandardCharsets.UTF_8), guest.stdout());
    }

    /** Only what differs is shown, of tens of thousands of lines. */
    private static void assertSame(String host, String guest) {
        TreeSet<String> onlyGuest = new TreeSet<>(guest.lines().toList());
        TreeSet<String> onlyHost = new TreeSet<>(host.lines().toList());
        assertThat(onlyHost).hasSizeGreaterThan(1000);
        onlyGuest.removeAll(host.lines().toList());
        onlyHost.removeAll(guest.lines().toList());
        assertThat(Map.of("host", onlyHost, "guest", onlyGuest))
                .isEqualTo(Map.of("host", new TreeSet<String>(), "guest", new TreeSet<String>()));
    }

    private static byte[] listing() throws IOException {
        try (InputStream in = Objects.requireNonNull(ImageFidelityIT.class.getResourceAsStream("listing.py"))) {
            return in.readAllBytes();
        }
    }

    private void script(String text, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-euc", text, "bash"));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.flush();
        }
        assertThat(process.waitFor(30, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }
}
