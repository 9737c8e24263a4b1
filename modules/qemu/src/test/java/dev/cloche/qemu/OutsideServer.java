package dev.cloche.qemu;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A machine outside, for {@link OutsideNetwork}: TCP and UDP on {@link #PORT}, and a name server that knows every name as this
 * machine. Prints each datagram that comes to the port. Ends with its input, so that no network is left of a test that was killed.
 */
final class OutsideServer {
    static final int PORT = 8000;
    private static final int DNS = 53;

    private OutsideServer() {}

    public static void main(String[] arguments) throws Exception {
        InetAddress here = InetAddress.ofLiteral(arguments[0]);
        ServerSocket server = new ServerSocket();
        server.bind(new InetSocketAddress(here, PORT));
        DatagramSocket names = new DatagramSocket(new InetSocketAddress(here, DNS));
        DatagramSocket datagrams = new DatagramSocket(new InetSocketAddress(here, PORT));
        Thread.ofPlatform().daemon().start(() -> answer(names, here));
        Thread.ofPlatform().daemon().start(() -> print(datagrams));
        Thread.ofPlatform().daemon().start(() -> greet(server));
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
    }

    private static void greet(ServerSocket server) {
        while (true) {
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write("outside\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void print(DatagramSocket socket) {
        while (true) {
            DatagramPacket packet = receive(socket);
            System.out.println(
                    "datagram " + new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII));
        }
    }

    /** The question comes back with one answer: type A, class IN, this address (RFC 1035, section 4.1). */
    private static void answer(DatagramSocket socket, InetAddress address) {
        while (true) {
            DatagramPacket question = receive(socket);
            boolean asksForIpv4 = question.getData()[question.getLength() - 3] == 1;
            byte[] record = {(byte) 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 0, 0, 0, 0};
            System.arraycopy(address.getAddress(), 0, record, 12, 4);
            int length = question.getLength() + (asksForIpv4 ? record.length : 0);
            byte[] answer = Arrays.copyOf(Arrays.copyOf(question.getData(), question.getLength()), length);
            answer[2] = (byte) 0x81;
            answer[3] = (byte) 0x80;
            if (asksForIpv4) {
                answer[7] = 1;
                System.arraycopy(record, 0, answer, question.getLength(), record.length);
            }
            try {
                socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static DatagramPacket receive(DatagramSocket socket) {
        try {
            DatagramPacket packet = new DatagramPacket(new byte[1500], 1500);
            socket.receive(packet);
            return packet;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
