//! Where a hostile server sends others: private and special addresses in every way to write them,
//! names that lead there, and addresses that look like other addresses.

/// Addresses, as hosts are written.
const HOSTS: &[&str] = &[
    // This machine.
    "127.0.0.1",
    "127.8.8.8",
    "127.1",
    "127.0.1",
    "0.0.0.0",
    "0",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "below.localhost",
    // In other numbers.
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    // Private networks, carriers, the cloud.
    "10.0.0.1",
    "10.255.255.254",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "192.168.255.254",
    "100.64.0.1",
    "100.127.255.254",
    "169.254.169.254",
    "169.254.170.2",
    "2852039166",
    "0xa9fea9fe",
    "10.0.0.1.",
    // Set apart for something else.
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.254",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    // IPv6, and IPv4 inside it.
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::1]",
    "[2002:a00:1::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2001::1]",
    "[100::1]",
    "[3fff::1]",
    "[5f00::1]",
    // Names that lead there, always or sometimes.
    "loopback.example",
    "ten.example",
    "ten.example.",
    "cloud.example",
    "carrier.example",
    "six.example",
    "local-six.example",
    "mapped.example",
    "mixed.example",
    "flip.example",
    "flop.example",
];

/// Whole addresses.
const ADDRESSES: &[&str] = &[
    "http://127.0.0.1:{port}/x",
    "http://localhost:{port}/x",
    "http://10.0.0.1:{port}/x",
    "https://hostile.example@127.0.0.1:{port}/x",
    "https://127.0.0.1:{port}#@hostile.example/",
    "https://127.0.0.1:{port}\\@hostile.example/",
    "https:127.0.0.1:{port}/x",
    "https:/\\127.0.0.1:{port}/x",
];

/// All of them, with the port of the canary.
pub(super) fn all(port: u16) -> Vec<String> {
    let hosts = HOSTS.iter().map(|host| format!("https://{host}:{port}/x"));
    let addresses = ADDRESSES.iter().map(|address| address.replace("{port}", &port.to_string()));
    hosts.chain(addresses).collect()
}
