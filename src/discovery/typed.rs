//! What a user may have meant who typed an address without its scheme.

use url::{Host, Url};

/// Endings of files, which a name of two parts rather is than a host.
const FILES: [&str; 6] = ["json", "card", "txt", "yaml", "yml", "toml"];

/// The URL, with `--local` where it takes that, if `text` looks like `host:port` or `host.tld` (with a path or
/// without). Asked only when there is no file of that name.
pub fn did_you_mean(text: &str) -> Option<String> {
    let authority = text.split('/').next().filter(|part| !part.is_empty())?;
    let port = authority.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
    });
    let url = Url::parse(&format!("http://{text}")).ok().filter(|url| url.username().is_empty())?;
    let local = match url.host()? {
        Host::Ipv4(address) if port || authority.parse() == Ok(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        Host::Ipv6(address) if authority.starts_with('[') => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Host::Domain(name) => {
            let last = name.rsplit_once('.').map(|(_, last)| last);
            let local = name == "localhost" || last == Some("local") || (last.is_none() && port);
            let tld = |last: &str| {
                last.len() > 1 && last.bytes().all(|b| b.is_ascii_alphabetic()) && !FILES.contains(&last)
            };
            if !local && !port && (name.starts_with('.') || !last.is_some_and(tld)) {
                return None;
            }
            local
        }
        _ => return None,
    };
    Some(if local { format!("http://{text} --local") } else { format!("https://{text}") })
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn an_address_without_a_scheme_is_recognised() {
        for (typed, meant) in [
            ("127.0.0.1:8787", "http://127.0.0.1:8787 --local"),
            ("192.168.1.7", "http://192.168.1.7 --local"),
            ("[::1]:8787", "http://[::1]:8787 --local"),
            ("localhost", "http://localhost --local"),
            ("router:8080/card.json", "http://router:8080/card.json --local"),
            ("printer.local", "http://printer.local --local"),
            ("agent.example", "https://agent.example"),
            ("agent.example:8443/a", "https://agent.example:8443/a"),
            ("8.8.8.8:80", "https://8.8.8.8:80"),
        ] {
            assert_eq!(did_you_mean(typed).as_deref(), Some(meant), "{typed}");
        }
    }

    #[test]
    fn the_path_of_a_file_is_none() {
        for typed in [
            "card.json",
            "./card.json",
            "/tmp/agent.example",
            "cards/mine.json",
            "../x.y",
            "card",
            "",
            "1",
            "~/agent.example",
            "C:\\card.json",
            "me@agent.example",
            "a b",
            "v1.2",
            "my card.txt",
        ] {
            assert_eq!(did_you_mean(typed), None, "{typed}");
        }
    }
}
