//! `cryptable serve health`: whether a server answers, for programs that monitor it where no other tool is installed.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

/// Longest time to wait for a connection, and for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Largest number of bytes that are read; answers are shorter.
const MOST_BYTES: u64 = 4096;

/// Asks the server at an address whether it serves.
pub fn check(address: SocketAddr) -> Result<()> {
    let asked = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let request =
            format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(MOST_BYTES).read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = asked().with_context(|| format!("no server answers at {address}"))?;
    ensure!(answer.starts_with(b"HTTP/1.1 200 "), "what answers at {address} is not healthy");
    Ok(())
}
