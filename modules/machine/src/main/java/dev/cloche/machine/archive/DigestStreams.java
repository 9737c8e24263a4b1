package dev.cloche.machine.archive;

import dev.cloche.linux.FastSha256;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Makes streams that know the SHA-256 of all that has gone through them. */
final class DigestStreams {
    private DigestStreams() {}

    static final class Output extends FilterOutputStream {
        private final MessageDigest digest = FastSha256.fastest();

        Output(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            digest.update((byte) b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            digest.update(bytes, from, length);
        }

        String hex() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }

    static final class Input extends FilterInputStream {
        private final MessageDigest digest = FastSha256.fastest();

        Input(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            if (b >= 0) {
                digest.update((byte) b);
            }
            return b;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = in.read(bytes, from, length);
            if (read > 0) {
                digest.update(bytes, from, read);
            }
            return read;
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        String hex() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }
}
