package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads and writes the rows of networks and published ports: a start and {@code inspect} read them, sweeps do not. */
final class NetworkRows {
    private NetworkRows() {}

    static void insert(CatalogTransaction transaction, long id, NetworkSpec network) throws SQLException {
        switch (network) {
            case NetworkSpec.None none -> insertPorts(transaction, id, none.ports());
            case NetworkSpec.User user -> insertUser(transaction, id, user);
        }
    }

    private static void insertPorts(CatalogTransaction transaction, long id, List<PublishedPort> ports)
            throws SQLException {
        for (int i = 0; i < ports.size(); i++) {
            PublishedPort port = ports.get(i);
            transaction.update("""
                    INSERT INTO sandbox_channel_port (sandbox_id, position, host_address, host_port, guest_port)
                    VALUES (?, ?, ?, ?, ?)
                    """, id, i, port.hostAddress(), port.hostPort(), port.guestPort());
        }
    }

    private static void insertUser(CatalogTransaction transaction, long id, NetworkSpec.User user) throws SQLException {
        transaction.update(
                "INSERT INTO sandbox_network (sandbox_id, name_server) VALUES (?, ?)", id, user.nameServer());
        for (int i = 0; i < user.ports().size(); i++) {
            PublishedPort port = user.ports().get(i);
            transaction.update(
                    """
                    INSERT INTO sandbox_port (sandbox_id, position, protocol, host_address, host_port, guest_port)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, id, i, port.protocol().name(), port.hostAddress(), port.hostPort(), port.guestPort());
        }
    }

    static NetworkSpec read(CatalogTransaction transaction, long id) throws SQLException {
        Optional<Optional<String>> network = transaction.first(
                row -> Optional.ofNullable(row.getString(1)),
                "SELECT name_server FROM sandbox_network WHERE sandbox_id = ?",
                id);
        if (network.isEmpty()) {
            return NetworkSpec.none().withPorts(channelPorts(transaction, id));
        }
        List<PublishedPort> ports = transaction.list(
                row -> new PublishedPort(
                        PublishedPort.Protocol.valueOf(row.getString(1)),
                        row.getString(2),
                        row.getInt(3),
                        row.getInt(4)),
                """
                SELECT protocol, host_address, host_port, guest_port FROM sandbox_port
                WHERE sandbox_id = ? ORDER BY position
                """,
                id);
        return new NetworkSpec.User(ports, network.get());
    }

    private static List<PublishedPort> channelPorts(CatalogTransaction transaction, long id) throws SQLException {
        return transaction.list(
                row -> new PublishedPort(PublishedPort.Protocol.TCP, row.getString(1), row.getInt(2), row.getInt(3)),
                """
                SELECT host_address, host_port, guest_port FROM sandbox_channel_port
                WHERE sandbox_id = ? ORDER BY position
                """,
                id);
    }
}
