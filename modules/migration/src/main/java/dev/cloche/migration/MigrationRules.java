package dev.cloche.migration;

import java.util.List;

/** Decides by a history which scripts are due. Pure. */
final class MigrationRules {
    private MigrationRules() {}

    /**
     * Returns the scripts that are still to be applied, in their order.
     *
     * @param scripts all that this program has, the first is version 1
     * @param applied in the order of their versions
     * @param recorded the version that is recorded beside the history. Flyway's history may be ahead of it, for the two were
     *     not written together
     */
    static List<MigrationScript> due(List<MigrationScript> scripts, List<AppliedMigration> applied, int recorded)
            throws MigrationException {
        int found = applied.isEmpty() ? 0 : applied.getLast().version();
        if (Math.max(found, recorded) > scripts.size()) {
            throw new MigrationException.Newer(Math.max(found, recorded), scripts.size());
        }
        for (int i = 0; i < applied.size(); i++) {
            compare(scripts.get(i), applied.get(i));
        }
        if (recorded > found) {
            throw new MigrationException.Unfit(
                    "version " + recorded + " is recorded, and the history ends with " + found);
        }
        return scripts.subList(found, scripts.size());
    }

    private static void compare(MigrationScript script, AppliedMigration applied) throws MigrationException {
        if (applied.version() != script.version()) {
            throw new MigrationException.Unfit(
                    "it has " + applied.version() + " where " + script.version() + " should stand");
        }
        if (applied.checksum() != script.checksum()) {
            throw new MigrationException.Unfit(applied.file() + " was applied with the checksum " + applied.checksum()
                    + ", and this program's has " + script.checksum());
        }
    }
}
