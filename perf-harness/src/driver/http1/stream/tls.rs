//! TLS over a socket that never blocks, by rustls.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, Error};

use super::socket::Socket;
use crate::driver::tls::{TlsError, client_config};
use crate::endpoint::Endpoint;
use crate::load::Trust;

/// What the connections of one round share: whom they trust, and the name they ask for.
#[derive(Debug)]
pub(in crate::driver::http1) struct TlsSetup {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsSetup {
    /// Connections to `endpoint` that trust as `trust` says. They offer HTTP/1.1 alone, and never
    /// resume a session: every handshake is a full one.
    ///
    /// # Errors
    ///
    /// [`TlsError`] when there is nobody to trust, or no certificate can be for the host.
    pub(in crate::driver::http1) fn new(
        trust: &Trust,
        endpoint: &Endpoint,
    ) -> Result<Self, TlsError> {
        let host = endpoint.host();
        let name = ServerName::try_from(host).map_err(|_| TlsError::Host {
            host: host.to_owned(),
        })?;
        Ok(Self {
            name: name.to_owned(),
            config: Arc::new(client_config(trust, &[b"http/1.1"])?),
        })
    }

    pub(super) fn begin(&self, socket: Socket) -> io::Result<TlsStream> {
        let session = ClientConnection::new(Arc::clone(&self.config), self.name.clone())
            .map_err(io::Error::other)?;
        Ok(TlsStream { socket, session })
    }
}

/// Why TLS failed, in words, if it was TLS that failed.
pub(super) fn reason(error: &io::Error) -> Option<String> {
    let cause = error.get_ref()?.downcast_ref::<Error>()?;
    Some(match cause {
        Error::General(reason) => reason.clone(),
        other => other.to_string(),
    })
}

/// A connection under TLS.
#[derive(Debug)]
pub(in crate::driver::http1) struct TlsStream {
    socket: Socket,
    session: ClientConnection,
}

impl TlsStream {
    pub(super) fn socket(&mut self) -> &mut Socket {
        &mut self.socket
    }

    pub(super) fn handshake(&mut self) -> io::Result<bool> {
        match self.shake_hands() {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn shake_hands(&mut self) -> io::Result<()> {
        loop {
            self.send_records()?;
            if !self.session.is_handshaking() {
                return Ok(());
            }
            if self.receive_records()? == 0 {
                let reason = "the server closed the connection within the handshake".to_owned();
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    Error::General(reason),
                ));
            }
        }
    }

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
            self.receive_records()?;
        }
    }

    /// Takes nothing more as long as earlier records wait, so that they do not pile up.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send_records()?;
        let taken = self.session.writer().write(bytes)?;
        self.flush()?;
        Ok(taken)
    }

    pub(super) fn flush(&mut self) -> io::Result<bool> {
        match self.send_records() {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn send_records(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            if self.session.write_tls(&mut self.socket)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }

    /// Reads and decrypts once; 0 at the end of the stream.
    fn receive_records(&mut self) -> io::Result<usize> {
        let count = self.session.read_tls(&mut self.socket)?;
        if let Err(error) = self.session.process_new_packets() {
            // The alert tells the server why; whether it arrives changes nothing here.
            let _ = self.send_records();
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(count)
    }
}
