//! What kind of address an address is, seen through every form that carries an IPv4 address inside an IPv6
//! one. Called by `policy` for each resolved address, before anything is connected.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for, after unwrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// Reachable by everybody: the only class allowed without `--local`.
    Public,
    /// This machine; allowed with `--local`.
    Loopback,
    /// RFC 1918 and `fc00::/7`; allowed with `--local`.
    Private,
    /// `169.254.0.0/16`, `fe80::/10`, `fec0::/10`; never allowed.
    LinkLocal,
    /// An address under which clouds hand out credentials; never allowed.
    Metadata,
    /// `0.0.0.0/8` and `::`; never allowed.
    Unspecified,
    /// Never allowed.
    Multicast,
    /// Never allowed.
    Broadcast,
    /// Addresses for examples (RFC 5737, RFC 3849, RFC 9637); never allowed.
    Documentation,
    /// Shared by a provider's customers (RFC 6598, `100.64.0.0/10`); never allowed.
    Shared,
    /// For benchmarks (RFC 2544, RFC 5180); never allowed.
    Benchmarking,
    /// Set aside by IANA for protocols or for later; never allowed.
    Reserved,
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "a cloud metadata address",
            Self::Unspecified => "an unspecified address",
            Self::Multicast => "a multicast address",
            Self::Broadcast => "a broadcast address",
            Self::Documentation => "an address reserved for documentation",
            Self::Shared => "an address shared inside a provider's network",
            Self::Benchmarking => "an address reserved for benchmarks",
            Self::Reserved => "a reserved address",
        })
    }
}

/// How the address was written: plainly, or as an IPv4 address inside an IPv6 one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// Nothing is embedded.
    Plain,
    /// `::ffff:a.b.c.d` (RFC 4291).
    Mapped,
    /// `::a.b.c.d` (RFC 4291, deprecated).
    Compatible,
    /// `::ffff:0:a.b.c.d` (RFC 2765).
    Translated,
    /// `64:ff9b::a.b.c.d` (RFC 6052).
    Nat64,
    /// `64:ff9b:1::/48` (RFC 8215): the operator decides where the IPv4 address stands, so it cannot be
    /// checked and is always [`AddressClass::Reserved`].
    LocalNat64,
    /// `2002:a.b.c.d::` (RFC 3056).
    SixToFour,
    /// `2001:0:server:…:client` (RFC 4380); the less public of its two addresses counts.
    Teredo,
    /// `PREFIX:0:5efe:a.b.c.d` or `PREFIX:200:5efe:a.b.c.d` (RFC 5214), under a prefix of any kind; the less
    /// public of the prefix and the IPv4 address counts.
    Isatap,
}

impl fmt::Display for AddressForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Mapped => "IPv4-mapped",
            Self::Compatible => "IPv4-compatible",
            Self::Translated => "IPv4-translated",
            Self::Nat64 => "NAT64",
            Self::LocalNat64 => "local NAT64",
            Self::SixToFour => "6to4",
            Self::Teredo => "Teredo",
            Self::Isatap => "ISATAP",
        })
    }
}

/// An address seen through its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classified {
    /// What the address, or the one inside it, is for.
    pub class: AddressClass,
    /// How it was written.
    pub form: AddressForm,
}

impl Classified {
    /// Whether the policy lets a connection go there: public addresses always; with `local` also loopback
    /// and private ones, written plainly or IPv4-mapped (the one form an operating system itself uses).
    pub fn is_allowed(self, local: bool) -> bool {
        match self.class {
            AddressClass::Public => true,
            AddressClass::Loopback | AddressClass::Private => {
                local && matches!(self.form, AddressForm::Plain | AddressForm::Mapped)
            }
            _ => false,
        }
    }

    /// Whether this is the near end that `--local` means: loopback or private, in an allowed form.
    pub fn is_near(self) -> bool {
        self.class != AddressClass::Public && self.is_allowed(true)
    }
}

/// Classifies an address, unwrapping every IPv6 form that carries an IPv4 address.
pub fn classify(address: IpAddr) -> Classified {
    match address {
        IpAddr::V4(v4) => Classified { class: classify_v4(v4), form: AddressForm::Plain },
        IpAddr::V6(v6) => classify_v6(v6),
    }
}

fn classify_v4(address: Ipv4Addr) -> AddressClass {
    use AddressClass as C;
    match address.octets() {
        // 168.63.129.16 is public in form, but inside a cloud it is the platform's own control address.
        [169, 254, 169, 254]
        | [169, 254, 170, 2]
        | [100, 100, 100, 200]
        | [192, 0, 0, 192]
        | [168, 63, 129, 16] => C::Metadata,
        [0, ..] => C::Unspecified,
        [127, ..] => C::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => C::Private,
        [169, 254, ..] => C::LinkLocal,
        [100, 64..=127, ..] => C::Shared,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => C::Documentation,
        [198, 18..=19, ..] => C::Benchmarking,
        [255, 255, 255, 255] => C::Broadcast,
        [224..=239, ..] => C::Multicast,
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => C::Reserved,
        _ => C::Public,
    }
}

fn classify_v6(address: Ipv6Addr) -> Classified {
    let seen = classify_embedded(address)
        .unwrap_or_else(|| Classified { class: classify_plain(address), form: AddressForm::Plain });
    // A router that knows ISATAP sends to the IPv4 address in the lower half, whatever the prefix is. Teredo
    // has its port and its flags in that place, and never a prefix of 64 bits.
    let prefixed = matches!(seen.form, AddressForm::Plain | AddressForm::SixToFour);
    match isatap(address).filter(|_| prefixed) {
        None => seen,
        Some(inner) => {
            let inner = classify_v4(inner);
            let class = if inner == AddressClass::Public { seen.class } else { inner };
            Classified { class, form: AddressForm::Isatap }
        }
    }
}

/// The IPv4 address of an ISATAP interface identifier (RFC 5214, section 6.1), whatever its `u` and `g` bits
/// say: not every router looks at them.
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    (s[4] & !0x0300 == 0 && s[5] == 0x5efe).then(|| v4(s[6], s[7]))
}

fn classify_plain(address: Ipv6Addr) -> AddressClass {
    use AddressClass as C;
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => C::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => C::Loopback,
        [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254] => C::Metadata,
        [0xfc00..=0xfdff, ..] => C::Private,
        [0xfe80..=0xfeff, ..] => C::LinkLocal,
        [0xff00..=0xffff, ..] => C::Multicast,
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => C::Documentation,
        [0x2001, 0x0002, 0, ..] => C::Benchmarking,
        // 2001::/23 belongs to protocols; the rest of 2000::/3 is what the public internet uses.
        [0x2001, 0..=0x01ff, ..] => C::Reserved,
        [0x2000..=0x3fff, ..] => C::Public,
        _ => C::Reserved,
    }
}

/// The address inside, if `address` has one of the forms that carry an IPv4 address.
fn classify_embedded(address: Ipv6Addr) -> Option<Classified> {
    let s = address.segments();
    let low = || classify_v4(v4(s[6], s[7]));
    let (class, form) = match s {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => return None,
        [0, 0, 0, 0, 0, 0xffff, ..] => (low(), AddressForm::Mapped),
        [0, 0, 0, 0, 0xffff, 0, ..] => (low(), AddressForm::Translated),
        [0, 0, 0, 0, 0, 0, ..] => (low(), AddressForm::Compatible),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => (low(), AddressForm::Nat64),
        [0x64, 0xff9b, 1, ..] => (AddressClass::Reserved, AddressForm::LocalNat64),
        [0x2002, high, low, ..] => (classify_v4(v4(high, low)), AddressForm::SixToFour),
        [0x2001, 0, ..] => {
            let server = classify_v4(v4(s[2], s[3]));
            let client = classify_v4(v4(!s[6], !s[7]));
            let class = if client == AddressClass::Public { server } else { client };
            (class, AddressForm::Teredo)
        }
        _ => return None,
    };
    Some(Classified { class, form })
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}
