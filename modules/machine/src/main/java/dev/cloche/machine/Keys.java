package dev.cloche.machine;

import java.util.Set;

/** The keys of config.toml; docs/machines.md says what each means. */
final class Keys {
    static final String SCHEMA_VERSION = "schema_version";
    static final String NAME = "name";
    static final String RENAMED_TO = "renamed_to";
    static final String VM_ID = "vm_id";
    static final String CREATED_AT = "created_at";
    static final String CPUS = "cpus";
    static final String MEMORY_MB = "memory_mb";
    static final String DISK_GB = "disk_gb";
    static final String IMAGE = "image";
    static final String IMAGE_DIGEST = "image_digest";
    static final String DISTRO = "distro";
    static final String DISTRO_VERSION = "distro_version";
    static final String KERNEL = "kernel";
    static final String CMDLINE = "cmdline";
    static final String BLOCK_DEVICES = "block_devices";
    static final String PATH = "path";
    static final String READ_ONLY = "read_only";
    static final String DISK_PATH = "disk_path";
    static final String SSH_KEY_PATH = "ssh_key_path";
    static final String INIT = "init";
    static final String NETWORK = "network";
    static final String PUBLISH = "publish";
    static final String ENV = "env";
    static final String LABELS = "labels";
    static final String AUTOSTART = "autostart";
    static final String RESTART_POLICY = "restart_policy";
    static final String PROVISION = "provision";
    static final String STATE = "state";
    static final String IP_ADDRESS = "ip_address";
    static final String STARTED_AT = "started_at";
    static final String PROVISIONED_AT = "provisioned_at";
    static final String LAST_ERROR = "last_error";
    static final String LAST_END = "last_end";

    /** All but those of a block device, which has a table of its own. */
    static final Set<String> TOP_LEVEL = Set.of(
            SCHEMA_VERSION,
            NAME,
            RENAMED_TO,
            VM_ID,
            CREATED_AT,
            CPUS,
            MEMORY_MB,
            DISK_GB,
            IMAGE,
            IMAGE_DIGEST,
            DISTRO,
            DISTRO_VERSION,
            KERNEL,
            CMDLINE,
            BLOCK_DEVICES,
            DISK_PATH,
            SSH_KEY_PATH,
            INIT,
            NETWORK,
            PUBLISH,
            ENV,
            LABELS,
            AUTOSTART,
            RESTART_POLICY,
            PROVISION,
            STATE,
            IP_ADDRESS,
            STARTED_AT,
            PROVISIONED_AT,
            LAST_ERROR,
            LAST_END);

    private Keys() {}
}
