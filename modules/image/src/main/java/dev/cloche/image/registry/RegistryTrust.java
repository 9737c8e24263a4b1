package dev.cloche.image.registry;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Decides which certificate authorities to trust for registries: the JDK's, and those that the user added. */
final class RegistryTrust {
    private static final long MOST_BYTES = 4 << 20;

    private RegistryTrust() {}

    /**
     * Makes TLS that trusts the JDK's authorities and these.
     *
     * @param files each with one or more certificates, in PEM
     * @throws IOException if one cannot be read or has no certificate
     */
    static SSLContext with(List<Path> files) throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (X509Certificate known : issuers(null)) {
                add(trusted, known);
            }
            for (Path file : files) {
                for (Certificate added : certificates(file)) {
                    add(trusted, added);
                }
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers(trusted), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates of registries cannot be used: " + e.getMessage(), e);
        }
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        Collection<? extends Certificate> read;
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException("it is longer than " + MOST_BYTES + " bytes");
            }
            try (InputStream in = Files.newInputStream(file)) {
                read = CertificateFactory.getInstance("X.509").generateCertificates(in);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException("the certificates in " + file + " cannot be read: " + e.getMessage(), e);
        }
        if (read.isEmpty()) {
            throw new IOException("there is no certificate in " + file);
        }
        return read;
    }

    private static void add(KeyStore trusted, Certificate certificate) throws GeneralSecurityException {
        trusted.setCertificateEntry(String.valueOf(trusted.size()), certificate);
    }

    private static List<X509Certificate> issuers(@Nullable KeyStore store) throws GeneralSecurityException {
        return Arrays.stream(managers(store))
                .filter(X509TrustManager.class::isInstance)
                .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
                .toList();
    }

    /** @param store empty for the JDK's own */
    private static TrustManager[] managers(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }
}
