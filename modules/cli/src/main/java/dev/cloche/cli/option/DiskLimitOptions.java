package dev.cloche.cli.option;

import dev.cloche.SandboxBuilder;
import dev.cloche.base.BinarySize;
import dev.cloche.vm.WritableLayer.Throttle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that limit what a guest may ask of its disk. */
public final class DiskLimitOptions {
    @Option(
            names = "--disk-iops",
            paramLabel = "N",
            description =
                    "Requests per second that the guest may make of its disk, 10 to 1000000; none for any number.",
            converter = Requests.class)
    private @Nullable Limit iops;

    @Option(
            names = "--disk-bps",
            paramLabel = "SIZE",
            description =
                    "Bytes per second that the guest may read from its disk and write to it, 64k to 1t, for example"
                            + " 20m; none for any number.",
            converter = Bytes.class)
    private @Nullable Limit bytes;

    /** Is one that was given; without a value it lifts the limit. */
    private record Limit(OptionalLong value) {
        static Limit parse(String text, OptionalLong value, String example) {
            boolean none = text.toLowerCase(Locale.ROOT).equals("none");
            if (!none && value.isEmpty()) {
                throw new TypeConversionException(
                        "\"" + text + "\" is no limit of a disk: write for example " + example + ", or none");
            }
            return new Limit(none ? OptionalLong.empty() : value);
        }
    }

    private static final class Requests implements ITypeConverter<Limit> {
        @Override
        public Limit convert(String text) {
            boolean number = text.matches("\\d{1,9}");
            return Limit.parse(text, number ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty(), "500");
        }
    }

    private static final class Bytes implements ITypeConverter<Limit> {
        @Override
        public Limit convert(String text) {
            return Limit.parse(text, BinarySize.parse(text), "20m");
        }
    }

    /** Returns whether nothing was said. */
    public boolean isEmpty() {
        return iops == null && bytes == null;
    }

    /**
     * Returns limits as they were, but for what was said.
     *
     * @throws dev.cloche.base.ClocheException if a limit is out of range
     */
    public Throttle changed(Throttle before) {
        Throttle changed = before;
        if (iops != null) {
            changed = iops.value().isPresent()
                    ? changed.withIops((int) iops.value().getAsLong())
                    : changed.withAnyIops();
        }
        if (bytes != null) {
            changed = bytes.value().isPresent()
                    ? changed.withBytesPerSecond(bytes.value().getAsLong())
                    : changed.withAnyBytes();
        }
        return changed;
    }

    /** Gives a sandbox that is about to be made these limits. */
    public void applyTo(SandboxBuilder builder) {
        Throttle limits = changed(Throttle.none());
        limits.iops().ifPresent(builder::diskIops);
        limits.bytesPerSecond().ifPresent(builder::diskBytesPerSecond);
    }

    /** Returns limits for people; empty if there is none. */
    public static Optional<String> words(Throttle limits) {
        List<String> words = new ArrayList<>();
        limits.iops().ifPresent(iops -> words.add(iops + " requests/s"));
        limits.bytesPerSecond().ifPresent(bytes -> words.add(bytes + " bytes/s"));
        return words.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", words));
    }
}
