package dev.cloche.vm.testing;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.ResourceLimit;
import java.util.Optional;
import java.util.Set;

/** Why a guest in memory does not start a program: what the real agent and its kernel say in the same place. */
final class InMemoryRules {
    private static final long MOST_FILES = 1 << 20;

    private final InMemoryExecutions executions;
    private final Set<String> directories;

    /** @param directories those of the guest; one that is to be created is added */
    InMemoryRules(InMemoryExecutions executions, Set<String> directories) {
        this.executions = executions;
        this.directories = directories;
    }

    /** @param needsIdentity whether the guest waits for a new identity */
    Optional<GuestFailure> refuses(ExecRequest request, boolean needsIdentity) {
        if (needsIdentity) {
            return Optional.of(GuestFailure.NEEDS_IDENTITY);
        }
        if (request.key().filter(executions::hasKey).isPresent()) {
            return Optional.of(GuestFailure.KEY_TAKEN);
        }
        if (executions.full()) {
            return Optional.of(GuestFailure.OUT_OF_RESOURCES);
        }
        String program = request.arguments().getFirst();
        String[] user = request.user().split(":", 2);
        if (!Set.of("", "root", "0").contains(user[0])) {
            return Optional.of(GuestFailure.UNKNOWN_USER);
        }
        if (user.length > 1 && !Set.of("root", "0").contains(user[1])) {
            return Optional.of(GuestFailure.UNKNOWN_GROUP);
        }
        if (request.has(ExecRequest.Option.CREATE_WORKING_DIRECTORY)) {
            directories.add(request.workingDirectory());
        }
        if (!directories.contains(request.workingDirectory())) {
            return Optional.of(GuestFailure.BAD_WORKING_DIRECTORY);
        }
        if (directories.contains(program)) {
            return Optional.of(GuestFailure.COMMAND_NOT_EXECUTABLE);
        }
        if (request.limits().stream().anyMatch(InMemoryRules::cannotBeSet)) {
            return Optional.of(GuestFailure.BAD_LIMIT);
        }
        return BuiltIns.find(program).isEmpty() ? Optional.of(GuestFailure.COMMAND_NOT_FOUND) : Optional.empty();
    }

    /** As Linux has it by default: fs.nr_open. */
    private static boolean cannotBeSet(ResourceLimit limit) {
        return limit.resource() == ResourceLimit.Resource.NOFILE && Long.compareUnsigned(limit.hard(), MOST_FILES) > 0;
    }
}
