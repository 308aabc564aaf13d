//! The rights of another role for a part of a call.

use pgrx::pg_sys;

/// The rights of a role, until they are given back. After an error, the end of the transaction or of the
/// subtransaction restores those of the caller.
pub struct Rights {
    role: pg_sys::Oid,
    context: i32,
}

impl Rights {
    /// Takes the rights of a role, as a function that is SECURITY DEFINER does. SET ROLE fails meanwhile.
    pub fn of(role: pg_sys::Oid) -> Self {
        let (mut caller, mut context) = Default::default();
        // SAFETY: variables of the backend, which are written and read by its one thread.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&raw mut caller, &raw mut context);
            let local = pg_sys::SECURITY_LOCAL_USERID_CHANGE as i32;
            pg_sys::SetUserIdAndSecContext(role, context | local);
        }
        Self { role: caller, context }
    }

    /// Restores the rights of the caller.
    pub fn give_back(self) {
        // SAFETY: as above.
        unsafe { pg_sys::SetUserIdAndSecContext(self.role, self.context) }
    }
}
