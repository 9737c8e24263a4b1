package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** Feeds arbitrary bytes to everything that reads a guest's bytes. The entry for a fuzzer, too. */
final class GuestBytes {
    /** A byte each for type, stream and request, two for the length. */
    private static final int FRAME_CHOICES = 5;

    private GuestBytes() {}

    /**
     * For Jazzer, which looks for this name: anything but the typed error is a finding. Bytes are tried as they come, and as
     * what sound frames may contain, which a fuzzer would hardly find behind two checksums.
     */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
        consume(framed(bytes));
    }

    /** Frames, each of which takes from the bytes its type, stream, request, length and payload. */
    static byte[] framed(byte[] bytes) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        ByteBuffer left = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (left.remaining() >= FRAME_CHOICES) {
            int type = Byte.toUnsignedInt(left.get());
            int stream = left.get();
            int request = left.get();
            byte[] payload = new byte[Math.min(Short.toUnsignedInt(left.getShort()), left.remaining())];
            left.get(payload);
            frames.writeBytes(FrameEncoder.frame(type, stream, request, payload).array());
        }
        return frames.toByteArray();
    }

    /** Whether all of it was frames that the protocol knows; any error but the typed one is thrown. */
    static boolean consume(byte[] bytes) {
        FrameDecoder decoder = new FrameDecoder();
        decoder.becomeStrict();
        ByteBuffer left = ByteBuffer.wrap(bytes);
        try {
            while (left.hasRemaining()) {
                ByteBuffer space = decoder.space();
                int count = Math.min(space.remaining(), left.remaining());
                space.put(left.slice(left.position(), count));
                left.position(left.position() + count);
                decoder.filled();
                Optional<GuestMessage> message = decoder.next().map(GuestMessage::parse);
                while (message.isPresent()) {
                    message = decoder.next().map(GuestMessage::parse);
                }
            }
            return true;
        } catch (GuestException.ProtocolBroken refused) {
            return false;
        }
    }
}
