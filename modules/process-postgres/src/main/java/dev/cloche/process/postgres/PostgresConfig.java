package dev.cloche.process.postgres;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Says where the registry's database is, and how it is used.
 *
 * @param url {@code jdbc:postgresql://host:port/database}, with any parameters of the driver but user and password. Not
 *     by way of a pool of connections that hands them out by transaction: notifications need one of their own
 * @param user the role that owns the tables
 * @param password empty where none is needed; it is in no message and in no log
 * @param schema the schema of the tables, which is created if it is missing: lower case letters, digits and underscores
 * @param connections how many at most run transactions, at least 1; two more carry notifications
 * @param statementTimeout after which a statement, a wait for a lock or a lost server is an error, from 100 ms to 1 h
 * @param safetyPoll how long another program's commit can stay unnoticed if its notification was lost, from 10 ms to 1 h
 */
public record PostgresConfig(
        String url,
        String user,
        String password,
        String schema,
        int connections,
        Duration statementTimeout,
        Duration safetyPoll) {
    /** Names of notification channels have 63 bytes, like those of schemas; the suffix needs some. */
    private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,47}");

    private static final Pattern CREDENTIAL = Pattern.compile("(?i)[?&](user|password|sslpassword)=|//[^/?]*@");

    public PostgresConfig {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new PostgresException.Refused("the URL of a database begins with jdbc:postgresql:");
        }
        if (CREDENTIAL.matcher(url).find()) {
            throw new PostgresException.Refused("credentials do not belong into the URL of a database");
        }
        if (user.isBlank()) {
            throw new PostgresException.Refused("the user of the database is blank");
        }
        if (!SCHEMA.matcher(schema).matches() || schema.startsWith("pg_")) {
            throw new PostgresException.Refused("\"" + schema + "\" cannot be the name of a schema");
        }
        if (connections < 1 || connections > 1000) {
            throw new PostgresException.Refused("a store has 1 to 1000 connections, not " + connections);
        }
        requireBetween("the statement timeout", statementTimeout, Duration.ofMillis(100));
        requireBetween("the safety poll", safetyPoll, Duration.ofMillis(10));
    }

    /** Returns one in schema {@code cloche}, with 8 connections, statements of up to 30 s and a safety poll every 5 s. */
    public static PostgresConfig of(String url, String user, String password) {
        return new PostgresConfig(url, user, password, "cloche", 8, Duration.ofSeconds(30), Duration.ofSeconds(5));
    }

    public PostgresConfig withSchema(String name) {
        return new PostgresConfig(url, user, password, name, connections, statementTimeout, safetyPoll);
    }

    public PostgresConfig withConnections(int count) {
        return new PostgresConfig(url, user, password, schema, count, statementTimeout, safetyPoll);
    }

    public PostgresConfig withStatementTimeout(Duration timeout) {
        return new PostgresConfig(url, user, password, schema, connections, timeout, safetyPoll);
    }

    public PostgresConfig withSafetyPoll(Duration interval) {
        return new PostgresConfig(url, user, password, schema, connections, statementTimeout, interval);
    }

    /** Returns the channel of notifications; channels are a database's, so each schema has its own. */
    String channel() {
        return schema + "_committed";
    }

    private static void requireBetween(String what, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(Duration.ofHours(1)) > 0) {
            throw new PostgresException.Refused(
                    String.format(Locale.ROOT, "%s is %d ms to 1 h, not %s", what, least.toMillis(), value));
        }
    }

    /** Returns a text without the password. */
    @Override
    public String toString() {
        return "PostgresConfig[" + url + ", user " + user + ", schema " + schema + "]";
    }
}
