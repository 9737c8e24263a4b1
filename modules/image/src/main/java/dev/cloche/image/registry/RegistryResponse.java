package dev.cloche.image.registry;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * A response whose head has arrived. What breaks after that is the body's to say, when all that came before has been read:
 * the JDK's client may throw for it instead, on a busy host, and drop what had arrived.
 *
 * @param from the address that answered
 */
record RegistryResponse(int status, HttpHeaders headers, URI from, ResponseBody body) {

    /** Takes the head of a response. For one request; its methods are called one after the other. */
    static final class Receiver implements HttpResponse.BodyHandler<ResponseBody> {
        private final URI from;
        private final ResponseBody body;
        private volatile @Nullable RegistryResponse response;

        Receiver(URI from, ResponseBody body) {
            this.from = from;
            this.body = body;
        }

        @Override
        public ResponseBody apply(HttpResponse.ResponseInfo head) {
            response = new RegistryResponse(head.statusCode(), head.headers(), from, body);
            return body;
        }

        /**
         * Returns the response to a request that ended with this failure.
         *
         * @throws IOException the failure, if it came before the head
         */
        RegistryResponse after(IOException failure) throws IOException {
            RegistryResponse begun = response;
            if (begun == null) {
                throw failure;
            }
            body.onError(failure);
            return begun;
        }
    }
}
