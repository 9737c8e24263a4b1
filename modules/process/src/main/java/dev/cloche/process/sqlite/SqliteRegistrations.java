package dev.cloche.process.sqlite;

import dev.cloche.process.Backoff;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.RegistrationJson;
import dev.cloche.process.store.StoreTime;
import java.util.Optional;

/** Writes a new process, in one transaction. */
record SqliteRegistrations(SqlStatements sql, StoreTime now) {
    /** Returns false if the id is taken, and has then written nothing. */
    boolean insert(ProcessRegistration registration, String hash, long fence, long lastSequence) {
        RecoveryPolicy recovery = registration.recovery();
        Optional<Backoff> backoff = recovery instanceof RecoveryPolicy.Retrying retrying
                ? Optional.of(retrying.backoff())
                : Optional.empty();
        Optional<Long> key = sql.first(
                row -> row.getLong(1),
                """
                INSERT INTO process (id, hash, input_type, host_profile, recovery, attempts_allowed, retry_first,
                                     retry_most, lease_required, status, first_sequence, last_sequence, fence, attempts,
                                     created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, 0, ?, ?)
                ON CONFLICT (id) DO NOTHING RETURNING key
                """,
                registration.id(),
                hash,
                registration.input().type(),
                registration.provenance().hostProfileId(),
                switch (recovery) {
                    case RecoveryPolicy.Rerunnable _, RecoveryPolicy.Retrying _ -> "rerunnable";
                    case RecoveryPolicy.OwnerBound _ -> "owner_bound";
                    case RecoveryPolicy.ExternallyOwned _ -> "externally_owned";
                },
                switch (recovery) {
                    case RecoveryPolicy.Rerunnable rerunnable -> Optional.of(rerunnable.attempts());
                    case RecoveryPolicy.Retrying retrying -> Optional.of(retrying.times() + 1);
                    case RecoveryPolicy.OwnerBound _, RecoveryPolicy.ExternallyOwned _ -> Optional.empty();
                },
                backoff.map(pauses -> pauses.first().toMillis()),
                backoff.map(pauses -> pauses.longest().toMillis()),
                registration.leaseRequired() ? 1 : 0,
                lastSequence + 1,
                lastSequence,
                fence,
                now.wall().toEpochMilli(),
                now.wall().toEpochMilli());
        key.ifPresent(made -> sql.update(
                "INSERT INTO process_detail (process, registration) VALUES (?, ?)",
                made,
                RegistrationJson.write(registration).text()));
        return key.isPresent();
    }
}
