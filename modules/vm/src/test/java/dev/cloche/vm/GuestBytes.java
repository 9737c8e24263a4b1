package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Feeds arbitrary bytes to everything that reads a guest's bytes. The entry for a fuzzer, too. */
final class GuestBytes {
    private GuestBytes() {}

    /** For Jazzer, which looks for this name: anything but the typed error is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
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
        } catch (GuestProtocolException refused) {
            return false;
        }
    }
}
