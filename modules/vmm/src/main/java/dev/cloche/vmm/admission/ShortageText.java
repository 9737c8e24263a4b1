package dev.cloche.vmm.admission;

import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmLimits;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * Puts a shortage into words.
 *
 * @param holders whose claims count
 */
record ShortageText(Shortage shortage, VmLimits.Clones clones, List<Holder> holders) {
    private static final int NAMED = 3;

    VmException.NoRoom noRoom(boolean never) {
        List<Holder> holding = holding();
        String sentence = never
                ? "A VM" + needed() + " never has room: " + bound()
                : "There is no room for a VM" + needed() + ": " + left() + held(holding);
        return new VmException.NoRoom(
                sentence,
                remedy(never),
                shortage.kind().key(),
                shortage.needed(),
                shortage.free(),
                holding.stream().map(Holder::id).toList());
    }

    /** Returns the refusal of what is no VM, and would take of the disk. */
    VmException.NoRoom noDisk() {
        return new VmException.NoRoom(
                "There is too little space on the disk: " + left(),
                remedy(false),
                shortage.kind().key(),
                shortage.needed(),
                shortage.free(),
                List.of());
    }

    private String needed() {
        return switch (shortage.kind()) {
            case MEMORY, MEMORY_FLOOR -> " of " + mib(shortage.needed()) + " of memory";
            case CPUS -> " of " + shortage.needed() + " processors";
            case DISK -> " with a disk of " + mib(shortage.needed());
            case SANDBOXES, PRESSURE, DISK_FLOOR, STATE_DISK, TURN -> "";
        };
    }

    /** Returns what is short, as part of a sentence. */
    String left() {
        return switch (shortage.kind()) {
            case MEMORY, DISK -> "of the " + mib(shortage.bound()) + what() + ", " + mib(shortage.free()) + " are free";
            case CPUS, SANDBOXES ->
                "of the " + shortage.bound() + " " + shortage.kind().key() + what() + ", " + shortage.free()
                        + " are free";
            case MEMORY_FLOOR ->
                "this host has " + mib(shortage.free()) + " to give, beside " + mib(shortage.bound())
                        + " that are to be left";
            case PRESSURE ->
                "processes waited for memory in " + shortage.needed() + " % of the last ten seconds, and "
                        + shortage.bound() + " % are allowed";
            case DISK_FLOOR ->
                "of the " + mib(shortage.bound()) + " that are to be free on the disk, " + mib(shortage.free())
                        + " are";
            case STATE_DISK ->
                "by the last count the state root takes " + mib(shortage.needed()) + " of its disk, and "
                        + mib(shortage.bound()) + " are allowed";
            case TURN -> shortage.bound() + " wait for room, and pools and templates come after them";
        };
    }

    private String bound() {
        return switch (shortage.kind()) {
            case MEMORY, DISK -> "the limit is " + mib(shortage.bound()) + what();
            case CPUS, SANDBOXES ->
                "the limit is " + shortage.bound() + " " + shortage.kind().key() + what();
            case MEMORY_FLOOR -> "this host is to keep " + mib(shortage.bound()) + " of its memory free";
            case DISK_FLOOR -> "this disk has less than the " + mib(shortage.bound()) + " that are to be free on it";
            case PRESSURE, STATE_DISK, TURN -> left();
        };
    }

    private String what() {
        return shortage.label()
                .map(label -> " for the label " + Printable.brief(label))
                .orElse(" of all VMs");
    }

    private String held(List<Holder> holding) {
        ToLongFunction<Holder> size = size();
        if (holding.isEmpty() || shortage.kind() == Shortage.Kind.PRESSURE) {
            return "";
        }
        StringBuilder text = new StringBuilder("; held by");
        holding.stream()
                .limit(NAMED)
                .forEach(holder -> text.append(" VM ")
                        .append(holder.id())
                        .append(" (")
                        .append(unit(size.applyAsLong(holder)))
                        .append("),"));
        text.setLength(text.length() - 1);
        if (holding.size() > NAMED) {
            text.append(" and ").append(holding.size() - NAMED).append(" more");
        }
        return text.toString();
    }

    private String remedy(boolean never) {
        String key = shortage.label().isPresent()
                ? "the limits of that label"
                : shortage.kind().key();
        return switch (shortage.kind()) {
            case TURN -> "Fill pools, and make templates, when no process waits for room.";
            case PRESSURE -> "Wait for room with cloche.sandbox(…).waitForRoom(…), or end what uses the host's memory.";
            case DISK_FLOOR ->
                "Remove images and sandboxes that are not needed, or lower " + key + " in [limits] of config.toml.";
            case STATE_DISK ->
                "See what takes it with Cloche.catalog(options).diskUsage(), remove what is not needed, as"
                        + " Cloche.catalog(options).prune(…) does, and have it counted anew by cloche.maintain(), or raise "
                        + key + " in [limits] of config.toml.";
            case MEMORY, CPUS, SANDBOXES, DISK, MEMORY_FLOOR ->
                (never
                                ? "Ask for less, or change "
                                : "End sandboxes that are not needed, wait for room with"
                                        + " cloche.sandbox(…).waitForRoom(…), or change ")
                        + key + " in [limits] of config.toml.";
        };
    }

    /** The largest first; none where what is short is the disk, of which claims do not say what they have. */
    private List<Holder> holding() {
        if (shortage.kind() == Shortage.Kind.DISK_FLOOR || shortage.kind() == Shortage.Kind.STATE_DISK) {
            return List.of();
        }
        ToLongFunction<Holder> size = size();
        return holders.stream()
                .filter(holder -> shortage.label()
                        .filter(label -> !holder.claim().labels().contains(label))
                        .isEmpty())
                .filter(holder -> size.applyAsLong(holder) > 0)
                .sorted(Comparator.comparingLong(size).reversed().thenComparing(Holder::id))
                .toList();
    }

    private ToLongFunction<Holder> size() {
        return switch (shortage.kind()) {
            case CPUS -> holder -> holder.claim().cpus();
            case DISK -> holder -> holder.claim().diskMiB();
            case MEMORY, SANDBOXES, MEMORY_FLOOR, PRESSURE, DISK_FLOOR, STATE_DISK, TURN ->
                holder -> holder.claim().charged(clones, holder.ownMiB());
        };
    }

    private String unit(long size) {
        return shortage.kind() == Shortage.Kind.CPUS ? size + " processors" : mib(size);
    }

    private static String mib(long mib) {
        return String.format(Locale.ROOT, "%,d MiB", mib);
    }
}
