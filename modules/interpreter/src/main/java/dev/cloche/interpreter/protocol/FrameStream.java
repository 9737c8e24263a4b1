package dev.cloche.interpreter.protocol;

import dev.cloche.base.JsonValue;
import dev.cloche.vm.GuestStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A connection to a driver as frames: two lengths of four bytes each, the larger byte first, then a JSON object of the first
 * length and a payload of the second. Texts of cells, outputs and images are payload, so that no parser sees them.
 *
 * <p>One thread may read while another one writes; {@link #close} is for any.
 */
public final class FrameStream implements AutoCloseable {
    private static final JsonFactory JSON = JsonFactory.builder().build();
    /** Of the JSON before each payload, in bytes. */
    static final int LONGEST_HEADER = 256 << 10;
    /** Of one value in all its forms, of one piece of output, or of the code of a cell, in bytes. */
    public static final int LONGEST_PAYLOAD = 16 << 20;

    private static final int LENGTHS = 8;
    /** A length that a guest only claims takes no memory: what is read grows with what has come. */
    private static final int STEP = 64 << 10;

    private final GuestStream stream;
    private final ByteBuffer lengths = ByteBuffer.allocate(LENGTHS);

    public FrameStream(GuestStream stream) {
        this.stream = stream;
    }

    /**
     * A frame of a guest.
     *
     * @param header what it says
     * @param payload the bytes behind
     */
    @SuppressWarnings("ArrayRecordComponent") // Passed on, and never compared.
    record Frame(JsonValue.Fields header, byte[] payload) {}

    /** Asks for something by a word and a payload. */
    public void send(String operation, byte[] payload) throws IOException {
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), header)) {
            json.writeStartObject();
            json.writeStringProperty("op", operation);
            json.writeEndObject();
        }
        ByteBuffer whole = ByteBuffer.allocate(LENGTHS + header.size() + payload.length);
        whole.putInt(header.size())
                .putInt(payload.length)
                .put(header.toByteArray())
                .put(payload)
                .flip();
        while (whole.hasRemaining()) {
            stream.write(whole);
        }
    }

    /**
     * Waits for the next answer; empty at the end of the stream.
     *
     * @throws BrokenFrame if it is none
     * @throws IOException if the connection is lost
     */
    public Optional<Answer> receive() throws IOException, BrokenFrame {
        lengths.clear();
        if (!fill(lengths)) {
            if (lengths.position() == 0) {
                return Optional.empty();
            }
            throw new BrokenFrame("it ends in the middle");
        }
        lengths.flip();
        long header = Integer.toUnsignedLong(lengths.getInt());
        long payload = Integer.toUnsignedLong(lengths.getInt());
        if (header > LONGEST_HEADER || payload > LONGEST_PAYLOAD) {
            throw new BrokenFrame("it is longer than an answer can be");
        }
        byte[] said = read((int) header);
        byte[] data = read((int) payload);
        try {
            return Optional.of(AnswerReading.answer(new Frame(JsonValue.parse(said), data)));
        } catch (JsonValue.Malformed malformed) {
            throw new BrokenFrame("it is no JSON that can be read");
        }
    }

    private byte[] read(int length) throws IOException, BrokenFrame {
        ByteArrayOutputStream read = new ByteArrayOutputStream(Math.min(length, STEP));
        byte[] step = new byte[Math.min(length, STEP)];
        for (int left = length; left > 0; ) {
            ByteBuffer piece = ByteBuffer.wrap(step, 0, Math.min(left, step.length));
            if (!fill(piece)) {
                throw new BrokenFrame("it ends in the middle");
            }
            read.write(step, 0, piece.position());
            left -= piece.position();
        }
        return read.toByteArray();
    }

    /** Returns whether it is full, and not the stream at its end. */
    private boolean fill(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (stream.read(target) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Waits for an answer that has to come. */
    public Answer require() throws IOException, BrokenFrame {
        return receive().orElseThrow(() -> new EOFException("the driver has closed the connection"));
    }

    /** Closes both sides at once, which the driver sees; a read that waits fails. */
    @Override
    public void close() {
        stream.abort();
    }
}
