package dev.cloche.image.tar;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes archives of plain files (POSIX ustar; lengths from 8 GiB in GNU's base-256). Everything but names and contents
 * is the same always, so the same files give the same archive. Names are short and ours.
 */
public final class TarWriter {
    private static final int NAME_BYTES = 100;
    private static final long OCTAL_END = 1L << 33;

    private final OutputStream out;

    public TarWriter(OutputStream out) {
        this.out = out;
    }

    public void file(String path, byte[] content) throws IOException {
        header(path, content.length);
        out.write(content);
        pad(content.length);
    }

    /**
     * Writes a file.
     *
     * @throws EOFException if the content is not of the length that was said
     */
    public void file(String path, long length, InputStream content) throws IOException {
        header(path, length);
        byte[] buffer = new byte[1 << 16];
        long left = length;
        while (left > 0) {
            int read = content.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                throw new EOFException("the content of " + path + " is " + left + " bytes short");
            }
            out.write(buffer, 0, read);
            left -= read;
        }
        pad(length);
    }

    public void finish() throws IOException {
        out.write(new byte[2 * TarInput.BLOCK]);
    }

    private void pad(long length) throws IOException {
        out.write(new byte[(int) (-length & (TarInput.BLOCK - 1))]);
    }

    private void header(String path, long length) throws IOException {
        byte[] name = path.getBytes(StandardCharsets.US_ASCII);
        if (name.length >= NAME_BYTES) {
            throw new IllegalArgumentException("too long for a header: " + path);
        }
        byte[] block = new byte[TarInput.BLOCK];
        System.arraycopy(name, 0, block, 0, name.length);
        text(block, 100, "0000644");
        text(block, 108, "0000000");
        text(block, 116, "0000000");
        if (length < OCTAL_END) {
            text(block, 124, String.format("%011o", length));
        } else {
            block[124] = (byte) 0x80;
            for (int i = 0; i < Long.BYTES; i++) {
                block[135 - i] = (byte) (length >>> (Byte.SIZE * i));
            }
        }
        text(block, 136, "00000000000");
        text(block, 148, "        ");
        text(block, 156, "0");
        text(block, 257, "ustar");
        text(block, 263, "00");
        int sum = 0;
        for (byte value : block) {
            sum += Byte.toUnsignedInt(value);
        }
        text(block, 148, String.format("%06o", sum));
        block[154] = 0;
        out.write(block);
    }

    private static void text(byte[] block, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, offset, bytes.length);
    }
}
