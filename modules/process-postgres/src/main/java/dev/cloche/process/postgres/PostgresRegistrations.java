package dev.cloche.process.postgres;

import dev.cloche.process.Backoff;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.RegistrationJson;
import java.util.Optional;

/** Registers the process of an id, in one transaction. */
record PostgresRegistrations(Statements statements) {
    /**
     * Inserts a process with its id locked ({@link #lockId}).
     *
     * @return false if the id is taken
     */
    boolean insert(ProcessRegistration registration, String hash, long fence, long lastSequence, long at) {
        RecoveryPolicy recovery = registration.recovery();
        Optional<Backoff> backoff = recovery instanceof RecoveryPolicy.Retrying retrying
                ? Optional.of(retrying.backoff())
                : Optional.empty();
        // Both tables in one statement: what leaves the one is in the other.
        return PostgresReads.sql(() -> statements.update(
                        "INSERT INTO process (id, hash, registration, input_type, host_profile, recovery,"
                                + " recovery_attempts, retry_first_ms, retry_most_ms, lease_required, status, fence,"
                                + " first_sequence, last_sequence, created_ms, updated_ms)"
                                + " SELECT ?, ?, ?, ?, ?, ?, ?, CAST(? AS bigint), CAST(? AS bigint), ?, 'running',"
                                + " b.fence, b.sequence + 1, b.sequence, ?, ? FROM (SELECT"
                                + " greatest(?, (SELECT f.fence FROM process_floor f WHERE NOT EXISTS"
                                + " (SELECT FROM process_tombstone t WHERE t.id = ?)),"
                                + " (SELECT t.fence FROM process_tombstone t WHERE t.id = ?)) AS fence,"
                                + " greatest(?, (SELECT f.sequence FROM process_floor f WHERE NOT EXISTS"
                                + " (SELECT FROM process_tombstone t WHERE t.id = ?)),"
                                + " (SELECT " + PostgresReads.LAST_OF_TOMBSTONE
                                + " FROM process_tombstone t WHERE t.id = ?)) AS sequence"
                                + ") b ON CONFLICT (id) DO NOTHING",
                        registration.id(),
                        hash,
                        RegistrationJson.write(registration).text(),
                        registration.input().type(),
                        registration.provenance().hostProfileId(),
                        word(recovery),
                        attempts(recovery),
                        backoff.map(pauses -> pauses.first().toMillis()),
                        backoff.map(pauses -> pauses.longest().toMillis()),
                        registration.leaseRequired(),
                        at,
                        at,
                        fence,
                        registration.id(),
                        registration.id(),
                        lastSequence,
                        registration.id(),
                        registration.id()))
                == 1;
    }

    private static int attempts(RecoveryPolicy recovery) {
        return switch (recovery) {
            case RecoveryPolicy.Rerunnable rerunnable -> rerunnable.attempts();
            case RecoveryPolicy.Retrying retrying -> retrying.times() + 1;
            case RecoveryPolicy.OwnerBound _, RecoveryPolicy.ExternallyOwned _ -> 0;
        };
    }

    private static String word(RecoveryPolicy recovery) {
        return switch (recovery) {
            case RecoveryPolicy.Rerunnable _, RecoveryPolicy.Retrying _ -> PostgresRows.RERUNNABLE;
            case RecoveryPolicy.OwnerBound _ -> PostgresRows.OWNER_BOUND;
            case RecoveryPolicy.ExternallyOwned _ -> PostgresRows.EXTERNALLY_OWNED;
        };
    }

    /** The id as such, whether or not there is a row; by a hash, so that two may share a lock, which does no harm. */
    void lockId(String id) {
        statements.alongside(_ -> id, "SELECT pg_advisory_xact_lock(hashtextextended(?, 25452))", id);
    }
}
