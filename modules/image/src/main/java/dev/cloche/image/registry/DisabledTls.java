package dev.cloche.image.registry;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Stands in for the TLS of a client that is to speak none. Every client of the JDK has to have one, and its own costs a new JVM
 * 150 ms of processor time: its providers, and every authority that the host trusts. An attempt to use this fails.
 */
final class DisabledTls extends SSLContext {
    DisabledTls() {
        super(new Nothing(), null, "none");
    }

    private static final class Nothing extends SSLContextSpi {
        private static UnsupportedOperationException none() {
            return new UnsupportedOperationException("this client speaks no TLS");
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
            throw none();
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw none();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw none();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw none();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw none();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw none();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw none();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            throw none();
        }
    }
}
