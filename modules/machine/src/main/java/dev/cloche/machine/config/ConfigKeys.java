package dev.cloche.machine.config;

import java.util.Set;

/** Names the keys of config.toml; docs/machines.md says what each means. */
public final class ConfigKeys {
    public static final String SCHEMA_VERSION = "schema_version";
    public static final String NAME = "name";
    public static final String RENAMED_TO = "renamed_to";
    public static final String VM_ID = "vm_id";
    public static final String CREATED_AT = "created_at";
    public static final String CPUS = "cpus";
    public static final String MEMORY_MB = "memory_mb";
    public static final String DISK_GB = "disk_gb";
    public static final String IMAGE = "image";
    public static final String IMAGE_DIGEST = "image_digest";
    public static final String DISTRO = "distro";
    public static final String DISTRO_VERSION = "distro_version";
    public static final String KERNEL = "kernel";
    public static final String CMDLINE = "cmdline";
    public static final String BLOCK_DEVICES = "block_devices";
    public static final String PATH = "path";
    public static final String READ_ONLY = "read_only";
    public static final String DISK_PATH = "disk_path";
    public static final String SSH_KEY_PATH = "ssh_key_path";
    public static final String INIT = "init";
    public static final String NETWORK = "network";
    public static final String PUBLISH = "publish";
    public static final String ENV = "env";
    public static final String LABELS = "labels";
    public static final String AUTOSTART = "autostart";
    public static final String RESTART_POLICY = "restart_policy";
    public static final String ISOLATION = "isolation";
    public static final String DISK_IOPS = "disk_iops";
    public static final String DISK_BPS = "disk_bps";
    public static final String PROVISION = "provision";
    public static final String STATE = "state";
    public static final String IP_ADDRESS = "ip_address";
    public static final String STARTED_AT = "started_at";
    public static final String PROVISIONED_AT = "provisioned_at";
    public static final String LAST_ERROR = "last_error";
    public static final String LAST_END = "last_end";

    /** All but those of a block device, which has a table of its own. */
    public static final Set<String> TOP_LEVEL = Set.of(
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
            ISOLATION,
            DISK_IOPS,
            DISK_BPS,
            PROVISION,
            STATE,
            IP_ADDRESS,
            STARTED_AT,
            PROVISIONED_AT,
            LAST_ERROR,
            LAST_END);

    private ConfigKeys() {}
}
