//! What a call of git has come to.

/// What git answered.
#[derive(Debug, Clone)]
pub struct GitOutput {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl GitOutput {
    /// Returns stdout as text without the final newline.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout)
            .trim_end_matches(['\n', '\r'])
            .to_owned()
    }
}

/// Everything that comes out of a pipe.
pub(super) fn read_all(pipe: Option<impl std::io::Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        std::io::Read::read_to_end(&mut pipe, &mut bytes)?;
    }
    Ok(bytes)
}
