//! A name server that lies: names that lead to private addresses, to both kinds, or to another one
//! each time. It listens wherever this machine looks for its name server.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use tokio::net::UdpSocket;

/// The only address that may be connected to. Everything is this machine, so it is one of ours.
pub(super) const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);

const A: u16 = 1;
const AAAA: u16 = 28;

/// Names and what they lead to, one after the other; all at once if there is a `+` between.
const NAMES: &[(&str, &[&str])] = &[
    ("loopback.example", &["127.0.0.1"]),
    ("ten.example", &["10.0.0.1"]),
    ("cloud.example", &["169.254.169.254"]),
    ("carrier.example", &["100.64.0.1"]),
    ("six.example", &["::1"]),
    ("local-six.example", &["fd00:ec2::254"]),
    ("mapped.example", &["::ffff:10.0.0.1"]),
    ("below.localhost", &["127.0.0.1"]),
    ("mixed.example", &["10.0.0.1+93.184.215.14"]),
    ("flip.example", &["93.184.215.14", "10.0.0.1", "127.0.0.1"]),
    ("flop.example", &["10.0.0.1", "93.184.215.14"]),
];

/// Answers until the process ends. `false` if nobody would ask.
pub(super) async fn serve(hostile: &'static str) -> bool {
    let configured = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = configured.lines().filter_map(|line| line.strip_prefix("nameserver "));
    let mut servers: Vec<IpAddr> = servers.filter_map(|it| it.trim().parse().ok()).collect();
    if servers.is_empty() {
        servers.push(Ipv4Addr::LOCALHOST.into());
    }
    for server in servers {
        let Ok(socket) = UdpSocket::bind((server, 53)).await else { return false };
        tokio::spawn(answer(socket, hostile));
    }
    let found = tokio::net::lookup_host((hostile, 1)).await;
    found.is_ok_and(|mut found| found.any(|address| address.ip() == IpAddr::from(PUBLIC)))
}

async fn answer(socket: UdpSocket, hostile: &str) {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    let mut query = [0; 512];
    while let Ok((length, from)) = socket.recv_from(&mut query).await {
        let Some((name, kind, end)) = question(&query[..length]) else { continue };
        let times = asked.entry(format!("{name} {kind}")).or_default();
        let addresses = addresses(&name, *times, hostile);
        *times += 1;
        let _ = socket.send_to(&reply(&query[..end], kind, &addresses), from).await;
    }
}

fn addresses(name: &str, times: usize, hostile: &str) -> Vec<IpAddr> {
    let public = IpAddr::from(PUBLIC);
    if name == hostile || name == "elsewhere.example" {
        return vec![public];
    }
    if name == "turncoat.example" {
        // Public for the connection, private for whoever asks again.
        return vec![if times == 0 { public } else { Ipv4Addr::new(10, 0, 0, 9).into() }];
    }
    let known = NAMES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, them)| them);
    let turn = known.get(times % known.len().max(1)).copied().unwrap_or_default();
    turn.split('+').filter_map(|address| address.parse().ok()).collect()
}

/// The name that is asked for, the kind of address, and where the question ends.
fn question(query: &[u8]) -> Option<(String, u16, usize)> {
    let (mut at, mut labels) = (12, Vec::new());
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(query.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes(query.get(at..at + 2)?.try_into().ok()?);
    Some((labels.join("."), kind, at + 4))
}

fn reply(question: &[u8], kind: u16, addresses: &[IpAddr]) -> Vec<u8> {
    let records: Vec<Vec<u8>> = addresses
        .iter()
        .filter_map(|address| match (kind, address) {
            (A, IpAddr::V4(address)) => Some(address.octets().to_vec()),
            (AAAA, IpAddr::V6(address)) => Some(address.octets().to_vec()),
            _ => None,
        })
        .collect();
    let count = u8::try_from(records.len()).unwrap_or(u8::MAX);
    let mut text = question.to_vec();
    // An answer, by one who may be asked further; one question, so many answers, nothing else.
    text[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
    for record in records {
        // The name of the question, the internet, good for no time at all.
        text.extend([0xc0, 12]);
        text.extend(kind.to_be_bytes());
        text.extend([0, 1, 0, 0, 0, 0, 0, u8::try_from(record.len()).unwrap_or_default()]);
        text.extend(record);
    }
    text
}
