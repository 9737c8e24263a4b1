package dev.cloche.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * SHA-256 of OpenSSL 3 ({@code openssl/sha.h}), where it is installed. These functions work on memory that is given to
 * them and on nothing else: no configuration is read, no provider is loaded. So they may be called on arrays of the heap,
 * in steps that are short enough for the garbage collector, which waits for them.
 */
final class Libcrypto {
    /** {@code SHA256_CTX}: eight words of state, two of length, sixteen of data, two of counts. */
    static final int CONTEXT_BYTES = 112;

    static final int DIGEST_BYTES = 32;

    private static final String SONAME = "libcrypto.so.3";
    private static final int DONE = 1;

    private final MethodHandle init;
    private final MethodHandle update;
    private final MethodHandle end;

    private Libcrypto(SymbolLookup library) {
        init = bind(library, "SHA256_Init");
        update = bind(library, "SHA256_Update");
        end = bind(library, "SHA256_Final");
    }

    /** Each in the shape of the one with the most parameters, as in {@link NativeLibc}. */
    @SuppressWarnings("restricted")
    private static MethodHandle bind(SymbolLookup library, String function) {
        return Linker.nativeLinker()
                .downcallHandle(
                        library.findOrThrow(function),
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG),
                        Linker.Option.critical(true));
    }

    static Optional<Libcrypto> installed() {
        return Lazy.LIBRARY;
    }

    void init(MemorySegment context) {
        try {
            done((int) init.invokeExact(context, MemorySegment.NULL, 0L));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    void update(MemorySegment context, MemorySegment data, long length) {
        try {
            done((int) update.invokeExact(context, data, length));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    void end(MemorySegment digest, MemorySegment context) {
        try {
            done((int) end.invokeExact(digest, context, 0L));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void done(int result) {
        if (result != DONE) {
            throw new IllegalStateException("libcrypto could not hash");
        }
    }

    private static final class Lazy {
        /** FIPS 180-4, examples of the Secure Hash Standard with one and with two blocks. */
        private static final Map<String, String> EXAMPLES = Map.of(
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");

        static final Optional<Libcrypto> LIBRARY = load();

        @SuppressWarnings("restricted")
        private static Optional<Libcrypto> load() {
            if (!System.getProperty("os.arch", "").equals("amd64")
                    || !System.getProperty("os.name", "").equals("Linux")
                    || NativeAccess.denial().isPresent()) {
                return Optional.empty();
            }
            try {
                return Optional.of(new Libcrypto(SymbolLookup.libraryLookup(SONAME, Arena.global())))
                        .filter(Lazy::works);
            } catch (IllegalArgumentException | NoSuchElementException notInstalled) {
                return Optional.empty();
            }
        }

        private static boolean works(Libcrypto library) {
            return EXAMPLES.entrySet().stream().allMatch(example -> {
                byte[] text = example.getKey().getBytes(StandardCharsets.US_ASCII);
                FastSha256 sha256 = new FastSha256(library);
                sha256.update(text, 0, 1);
                sha256.update(text, 1, text.length - 1);
                return HexFormat.of().formatHex(sha256.digest()).equals(example.getValue());
            });
        }
    }
}
