package dev.cloche.migration;

/**
 * Describes a migration that a history has.
 *
 * @param version from 1
 * @param file name of its script
 * @param checksum of its script, see {@link MigrationScript#checksum}
 * @param appliedMillis when it was applied, in milliseconds since 1970; 0 if it was carried over from Flyway's history
 */
public record AppliedMigration(int version, String file, int checksum, long appliedMillis) {}
