package dev.cloche.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the running program, from the manifest of its jar. */
final class Version implements IVersionProvider {
    static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"cloche " + current()};
    }
}
