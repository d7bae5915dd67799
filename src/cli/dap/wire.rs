//! Messages of the Debug Adapter Protocol: a header with the length, then JSON. Source: Debug Adapter Protocol,
//! "Base Protocol".

use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// Bytes that a message may have.
const MOST_BYTES: u64 = 16 << 20;
/// Bytes and number of header lines.
const MOST_HEADER: (u64, usize) = (4096, 32);

/// What was read.
#[derive(Debug)]
pub enum Incoming {
    /// A JSON value.
    Message(Value),
    /// A body that is no JSON; the next message can be read.
    Broken(String),
    /// Nothing can be read any more, for this reason if it is not just the end.
    End(Option<String>),
}

/// Reads one message. Nothing is made room for before its size is known to be allowed.
pub fn read(from: &mut impl BufRead) -> Incoming {
    let length = match header(from) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End(None),
        Err(why) => return Incoming::End(Some(why)),
    };
    let mut body = Vec::new();
    match from.take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => {}
        Ok(read) => return Incoming::End(Some(format!("{read} bytes of a message of {length}"))),
        Err(error) => return Incoming::End(Some(error.to_string())),
    }
    match serde_json::from_slice(&body) {
        Ok(value) => Incoming::Message(value),
        Err(error) => Incoming::Broken(format!("a message is not JSON: {error}")),
    }
}

/// The length that a header gives; `None` at the end of the input.
fn header(from: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    for number in 0..MOST_HEADER.1 {
        let mut line = Vec::new();
        let read = from.take(MOST_HEADER.0).read_until(b'\n', &mut line);
        let read = read.map_err(|error| error.to_string())?;
        if read == 0 && number == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err("a header that does not end".to_string());
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| "a header without Content-Length".to_string());
        }
        let Some((name, value)) = line.split_once(':') else {
            let start: String = line.chars().take(40).collect();
            return Err(format!("`{start}` is no line of a header"));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value = value.trim().parse().ok();
            let value = value.filter(|length| *length <= MOST_BYTES);
            let value =
                value.ok_or_else(|| format!("Content-Length is a number up to {MOST_BYTES}"))?;
            length = Some(value);
        }
    }
    Err(format!("a header of more than {} lines", MOST_HEADER.1))
}

/// Writes messages, numbered from 1.
pub struct Writer {
    to: Box<dyn Write + Send>,
    number: u64,
    /// Nobody reads any more.
    pub closed: bool,
}

impl Writer {
    /// Writes to a stream.
    pub fn new(to: Box<dyn Write + Send>) -> Writer {
        Writer {
            to,
            number: 0,
            closed: false,
        }
    }

    fn send(&mut self, mut message: Value) {
        self.number += 1;
        message["seq"] = json!(self.number);
        let body = message.to_string();
        if self.write(&body).is_err() {
            self.closed = true;
        }
    }

    fn write(&mut self, body: &str) -> io::Result<()> {
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.to.flush()
    }

    /// Tells what has happened.
    pub fn event(&mut self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    /// Prints text in the console of the client.
    pub fn output(&mut self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({ "category": category, "output": text }));
        }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Value, answer: Result<Value, String>) {
        let mut message = json!({
            "type": "response", "request_seq": request["seq"], "command": request["command"],
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["message"] = json!(why);
                message["body"] = json!({ "error": { "id": 1, "format": why, "showUser": true } });
            }
        }
        self.send(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_others_refused() {
        let message = |text: &str| read(&mut text.as_bytes());
        let good = message("Content-Length: 2\r\nX: y\r\n\r\n{}rest");
        assert!(matches!(good, Incoming::Message(value) if value == json!({})));
        assert!(matches!(message(""), Incoming::End(None)));
        assert!(matches!(
            message("Content-Length: 2\r\n\r\n{["),
            Incoming::Broken(_)
        ));
        for wrong in [
            "Content-Length: 3\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 18446744073709551616\r\n\r\n",
            "hello\r\n\r\n",
            "\r\n",
            "Content-Length: 2",
        ] {
            assert!(
                matches!(message(wrong), Incoming::End(Some(_))),
                "{wrong:?}"
            );
        }
        let long = format!("Content-Length: 2\r\nX: {}", "y".repeat(1 << 16));
        assert!(matches!(message(&long), Incoming::End(Some(_))));
    }
}
