/*!
The receiver of a statement's rows, which copies their values one by one.

SPI would form a tuple of each row, from which the values are read again: an eighth of the instructions of a call with ten
hits.

# Source

`spi_printtup` of `spi.c`, and `datumCopy` of `datum.c`.
*/

use pgrx::{PgTupleDesc, pg_guard, pg_sys, varlena};
use std::ptr::null_mut;

/// The sizes of the first block of memory for values, and of the largest, in bytes.
const BLOCK: [usize; 2] = [1 << 13, 1 << 20];

/// The size from which a value has a block of its own.
const LARGE: usize = BLOCK[1] / 8;

/// The alignment of values, which is that of each type of PostgreSQL.
const ALIGNMENT: usize = 8;

/// Receives the rows of one statement.
#[repr(C)]
pub(super) struct Receiver {
    /// The part that PostgreSQL knows, which passes its address back.
    base: pg_sys::DestReceiver,
    /// The values of all rows, row by row, each with whether it is NULL.
    pub(super) values: Vec<(pg_sys::Datum, bool)>,
    columns: Vec<ReceivedColumn>,
    memory: ValueMemory,
}

/// A column: its type, whether its values are passed without a pointer, and their length.
struct ReceivedColumn {
    oid: pg_sys::Oid,
    by_value: bool,
    length: i16,
}

/// Memory for values, which lives as long as the connection.
struct ValueMemory {
    context: pg_sys::MemoryContext,
    next: *mut u8,
    left: usize,
    block: usize,
}

impl Receiver {
    /// Creates a receiver that copies values to the memory of the open connection.
    pub(super) fn new(context: pg_sys::MemoryContext) -> Self {
        let base = pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(start),
            rShutdown: Some(end),
            rDestroy: Some(end),
            mydest: pg_sys::CommandDest::DestTuplestore,
        };
        let memory = ValueMemory { context, next: null_mut(), left: 0, block: BLOCK[0] / 2 };
        Self { base, values: Vec::new(), columns: Vec::new(), memory }
    }

    /// Returns the receiver as PostgreSQL knows it.
    pub(super) fn base(&mut self) -> *mut pg_sys::DestReceiver {
        std::ptr::from_mut(self).cast()
    }

    /// Returns the type of each column.
    pub(super) fn types(&self) -> Vec<pg_sys::Oid> {
        self.columns.iter().map(|column| column.oid).collect()
    }
}

impl ValueMemory {
    /// Copies a value that is not NULL.
    ///
    /// # Safety
    ///
    /// The value must be one of the column.
    unsafe fn copy(&mut self, value: pg_sys::Datum, column: &ReceivedColumn) -> pg_sys::Datum {
        if column.by_value {
            return value;
        }
        let from = value.cast_mut_ptr::<u8>();
        // SAFETY: a value that is passed by reference is as long as its type or the value itself says, and so many bytes are
        // reserved.
        unsafe {
            if column.length == -1 && is_expanded(from.cast()) {
                let expanded = pg_sys::DatumGetEOHP(value);
                let length = pg_sys::EOH_get_flat_size(expanded);
                let to = self.reserve(length);
                pg_sys::EOH_flatten_into(expanded, to.cast(), length);
                return pg_sys::Datum::from(to);
            }
            let length = match column.length {
                -1 => varlena::varsize_any(from.cast()),
                length => usize::try_from(length).expect("no statement returns a C string"),
            };
            let to = self.reserve(length);
            std::ptr::copy_nonoverlapping(from, to, length);
            pg_sys::Datum::from(to)
        }
    }

    /// Returns memory for a number of bytes.
    fn reserve(&mut self, length: usize) -> *mut u8 {
        let length = length.next_multiple_of(ALIGNMENT);
        // SAFETY: the memory lives as long as the connection, and `left` bytes follow `next`.
        unsafe {
            if length >= LARGE {
                return pg_sys::MemoryContextAlloc(self.context, length).cast();
            }
            if length > self.left {
                self.block = (2 * self.block).clamp(2 * length, BLOCK[1]);
                self.next = pg_sys::MemoryContextAlloc(self.context, self.block).cast();
                self.left = self.block;
            }
            let place = self.next;
            self.next = place.add(length);
            self.left -= length;
            place
        }
    }
}

/// Returns whether a value of variable length is one in memory, such as an array that is being built.
///
/// # Safety
///
/// The value must be one of variable length.
unsafe fn is_expanded(value: *const pg_sys::varlena) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        varlena::varatt_is_1b_e(value)
            && varlena::vartag_is_expanded(varlena::vartag_external(value).into())
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn start(
    receiver: *mut pg_sys::DestReceiver,
    _operation: std::ffi::c_int,
    description: pg_sys::TupleDesc,
) {
    // SAFETY: PostgreSQL passes the receiver that it was given, and the description of the rows, which is copied.
    unsafe {
        let columns = PgTupleDesc::from_pg_unchecked(description);
        let columns = columns.iter().map(|column| ReceivedColumn {
            oid: column.atttypid,
            by_value: column.attbyval,
            length: column.attlen,
        });
        (*receiver.cast::<Receiver>()).columns = columns.collect();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    receiver: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: PostgreSQL passes the receiver that it was given, and a row of the columns that it has described.
    unsafe {
        let Receiver { values, columns, memory, .. } = &mut *receiver.cast::<Receiver>();
        if ((*slot).tts_nvalid as usize) < columns.len() {
            pg_sys::slot_getallattrs(slot);
        }
        for (index, column) in columns.iter().enumerate() {
            let is_null = *(*slot).tts_isnull.add(index);
            let value = *(*slot).tts_values.add(index);
            let value = if is_null { value } else { memory.copy(value, column) };
            values.push((value, is_null));
        }
    }
    true
}

#[pg_guard]
unsafe extern "C-unwind" fn end(_receiver: *mut pg_sys::DestReceiver) {}
