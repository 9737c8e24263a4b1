package dev.cloche.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * The streaming decompressor of Intel's ISA-L ({@code igzip_lib.h}, version 2), where it is installed. Offsets are those of
 * {@code struct inflate_state} on x86-64. The library keeps its binary interface within {@code libisal.so.2}; whether it
 * really does is found out by a trial before the first use.
 */
final class Isal {
    static final long STATE_BYTES = 96 * 1024;
    static final long NEXT_OUT = 0;
    static final long AVAILABLE_OUT = 8;
    static final long NEXT_IN = 16;
    static final long AVAILABLE_IN = 32;
    static final long BLOCK_STATE = 21_160;
    static final long WRAPPER = 21_172;

    /** Header and trailer are read, and the checksum is verified. */
    static final int GZIP = 1;

    static final int FINISHED = 5;

    private static final String SONAME = "libisal.so.2";

    /** Of all three, as in {@link NativeLibc}; of the two that return nothing the result says nothing. */
    private static final FunctionDescriptor ON_STATE = FunctionDescriptor.of(JAVA_INT, ADDRESS);

    private final MethodHandle init;
    private final MethodHandle reset;
    private final MethodHandle inflate;

    @SuppressWarnings("restricted")
    private Isal(SymbolLookup library) {
        Linker linker = Linker.nativeLinker();
        init = linker.downcallHandle(library.findOrThrow("isal_inflate_init"), ON_STATE);
        reset = linker.downcallHandle(library.findOrThrow("isal_inflate_reset"), ON_STATE);
        inflate = linker.downcallHandle(library.findOrThrow("isal_inflate"), ON_STATE);
    }

    static boolean installed() {
        return Lazy.LIBRARY.isPresent();
    }

    static Isal library() {
        return Lazy.LIBRARY.orElseThrow();
    }

    void init(MemorySegment state) {
        try {
            int _ = (int) init.invokeExact(state);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    void reset(MemorySegment state) {
        try {
            int _ = (int) reset.invokeExact(state);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Below 0 if the data is damaged. */
    int inflate(MemorySegment state) {
        try {
            return (int) inflate.invokeExact(state);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Lazy {
        static final Optional<Isal> LIBRARY = load();

        @SuppressWarnings("restricted")
        private static Optional<Isal> load() {
            if (!System.getProperty("os.arch", "").equals("amd64")
                    || !System.getProperty("os.name", "").equals("Linux")
                    || NativeAccess.denial().isPresent()) {
                return Optional.empty();
            }
            try {
                return Optional.of(new Isal(SymbolLookup.libraryLookup(SONAME, Arena.global())))
                        .filter(Lazy::works);
            } catch (IllegalArgumentException | NoSuchElementException notInstalled) {
                return Optional.empty();
            }
        }

        private static boolean works(Isal library) {
            byte[] plain = new byte[20_000];
            new Random(1).nextBytes(plain);
            Arrays.fill(plain, 1000, 15_000, (byte) 'x');
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
                gzip.write(plain);
            } catch (IOException e) {
                return false;
            }
            try (FastGunzip gunzip = new FastGunzip(new ByteArrayInputStream(compressed.toByteArray()), library)) {
                return Arrays.equals(gunzip.readAllBytes(), plain);
            } catch (IOException e) {
                return false;
            }
        }
    }
}
