//! The interface's files, inside the program. A debug build reads them from the checkout at each request.

use std::borrow::Cow;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Interface;

/// A file by its path, without a leading slash.
pub(crate) fn file(path: &str) -> Option<Cow<'static, [u8]>> {
    Interface::get(path).map(|file| file.data)
}
