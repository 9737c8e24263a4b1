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
        if (!(network instanceof NetworkSpec.User user)) {
            return;
        }
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
            return NetworkSpec.none();
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
}
