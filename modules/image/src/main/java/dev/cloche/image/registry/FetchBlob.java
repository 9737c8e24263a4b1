package dev.cloche.image.registry;

import dev.cloche.image.Digest;
import dev.cloche.image.PullFailed;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;

/**
 * GET {@code /v2/<name>/blobs/<digest>}, from some byte on.
 *
 * @param offset first byte that is wanted
 */
record FetchBlob(String repository, Digest digest, long offset) implements RegistryAction<InputStream> {
    private static final int RANGE_NOT_SATISFIABLE = 416;

    @Override
    public String describe() {
        return "fetch the blob " + digest;
    }

    @Override
    public URI target(URI base) {
        return base.resolve("/v2/" + repository + "/blobs/" + digest);
    }

    @Override
    public Map<String, String> headers() {
        return offset == 0 ? Map.of() : Map.of("Range", "bytes=" + offset + "-");
    }

    @Override
    public boolean answers(int status) {
        return status == 200 || (offset > 0 && (status == 206 || status == RANGE_NOT_SATISFIABLE));
    }

    /** Returns the rest of the blob. A registry may ignore the range and send it all. */
    @Override
    public InputStream read(RegistryResponse response) throws IOException {
        ResponseBody body = response.body();
        try {
            if (response.status() == RANGE_NOT_SATISFIABLE) {
                throw new InvalidResponse(
                        PullFailed.Reason.DIGEST_MISMATCH,
                        "the blob " + digest + " ends after " + offset + " bytes, before the length of its manifest");
            }
            if (response.status() == 206) {
                String range = response.headers().firstValue("Content-Range").orElse("");
                if (!range.startsWith("bytes " + offset + "-")) {
                    throw new IOException("asked for the bytes from " + offset + ", got '" + range + "'");
                }
            } else {
                body.skipNBytes(offset);
            }
            return body;
        } catch (IOException e) {
            body.close();
            throw e;
        }
    }
}
