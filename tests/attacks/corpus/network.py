"""Attacks that connect to other machines."""

from tests.attacks.attack import Attack

NETWORK = (
    Attack(
        name="network-tcp",
        theme="escaping",
        named=True,
        attempts="Connects to a server on this machine over TCP.",
        first="""
def call(address):
    with socket.create_connection((address, PLACES["tcp port"]), timeout=0.5) as line:
        line.sendall(PLACES["me"].encode())
for address in ("127.0.0.1", "localhost", "::1", PLACES["address"]):
    tried(call, address)
""",
    ),
    Attack(
        name="network-udp",
        theme="escaping",
        attempts="Sends a datagram, which needs no connection.",
        first="""
for address in ("127.0.0.1", PLACES["address"]):
    line = tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    tried(lambda: line.sendto(PLACES["me"].encode(), (address, PLACES["udp port"])))
""",
    ),
    Attack(
        name="network-names",
        theme="escaping",
        attempts="Asks the name servers, which carries data out in the name.",
        first="""
servers = re.findall(r"nameserver (\\S+)", str(tried(lambda: open("/etc/resolv.conf").read())))
query = bytes.fromhex("abcd01000001000000000000") + b"\\x07example\\x03org\\x00\\x00\\x01\\x00\\x01"
for server in servers:
    line = tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    tried(lambda: line.settimeout(0.3))
    if isinstance(tried(lambda: line.sendto(query, (server, 53))), int):
        won(server)
""",
    ),
    Attack(
        name="network-abstract",
        theme="escaping",
        attempts="Connects to a unix socket that has no file, and to one that has.",
        first="""
for address in ("\\0" + PLACES["abstract socket"], PLACES["socket"]):
    line = tried(lambda: socket.socket(socket.AF_UNIX))
    tried(lambda: line.connect(address))
    tried(lambda: line.sendall(PLACES["me"].encode()))
""",
    ),
    Attack(
        name="network-raw",
        theme="escaping",
        attempts="Opens raw, packet and virtual-machine sockets.",
        first="""
for family, kind, protocol in ((17, 3, 0x0300), (2, 3, 1), (40, 1, 0), (38, 5, 0)):
    if not isinstance(tried(socket.socket, family, kind, protocol), BaseException):
        won(family)
""",
    ),
)
