//! The ways to open a store's file, once for all stores that need nothing besides.

/// Gives a store with a field `db` its openers.
macro_rules! openers {
    ($store:ident, $shape:expr) => {
        impl $store {
            /// Opens the store to read and write it; creates what is missing, migrates what is old.
            pub fn open(path: &std::path::Path) -> Result<Self, $crate::db::DbError> {
                let db = $crate::db::connection::Db::open(path, &$shape)?;
                Ok(Self { db })
            }

            /// Opens the store only to read it.
            pub fn look(path: &std::path::Path) -> Result<Self, $crate::db::DbError> {
                let db = $crate::db::connection::Db::look(path, &$shape)?;
                Ok(Self { db })
            }

            /// Fails when the file is of a newer version, without changing it.
            pub fn refuse_newer(path: &std::path::Path) -> Result<(), $crate::db::DbError> {
                $crate::db::connection::Db::refuse_newer(path, &$shape)
            }

            /// The open file.
            pub fn db(&self) -> &$crate::db::connection::Db {
                &self.db
            }
        }
    };
}

pub(super) use openers;
