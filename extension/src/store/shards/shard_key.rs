//! The ids that lead a query of Citus to a shard.

use crate::server::types::to_sql;
use passage_split::interrupt::poll_periodically as pause;
use pgrx::{IntoDatum, pg_sys};
use uuid::Uuid;

/// The function that Citus hashes an id with, `uuid_hash`.
const UUID_HASH: u32 = 2963;

/// How many of the ids 0, 1, 2, ... have a row in each table `shard_keys`, and for each of many shards.
const ROWS: usize = 4_096;
const ROWS_PER_SHARD: usize = 32;

/// An id whose hash is in the range of a shard.
#[derive(Clone, Copy)]
pub struct ShardKey {
    pub id: Uuid,
    /// Whether the table `shard_keys` has a row with the id.
    pub has_row: bool,
}

/// Returns a key for each range of hashes. The ranges are sorted and do not overlap.
///
/// The key is the first of the ids 0, 1, 2, ... in the range that has a row. Few hashes have none, such as the only one
/// of a shard that Citus has isolated for one document. Their id is computed.
pub fn shard_keys(ranges: &[(i32, i32)]) -> Vec<ShardKey> {
    let mut first: Vec<Option<Uuid>> = vec![None; ranges.len()];
    let mut missing = ranges.len();
    for number in 0..ROWS.max(ROWS_PER_SHARD * ranges.len()) {
        if missing == 0 {
            break;
        }
        pause(number);
        let id = Uuid::from_u128(number as u128);
        let hash = hash(id);
        let index = ranges.partition_point(|(_, greatest)| *greatest < hash);
        let is_within = ranges.get(index).is_some_and(|(least, _)| *least <= hash);
        if is_within && first[index].is_none() {
            first[index] = Some(id);
            missing -= 1;
        }
    }
    let key = |(first, (_, greatest)): (Option<Uuid>, &(i32, i32))| match first {
        Some(id) => ShardKey { id, has_row: true },
        None => ShardKey { id: id_of_hash(*greatest), has_row: false },
    };
    first.into_iter().zip(ranges).map(key).collect()
}

/// Returns the hash of a document's id.
pub fn hash(document: Uuid) -> i32 {
    // SAFETY: the function of PostgreSQL reads the 16 bytes of the id, and returns an integer of 32 bits.
    let hash = unsafe {
        let id = to_sql(document).into_datum().expect("an id is NOT NULL");
        pg_sys::OidFunctionCall1Coll(pg_sys::Oid::from(UUID_HASH), pg_sys::InvalidOid, id)
    };
    hash.value() as i32
}

/// Returns an id with a hash.
///
/// PostgreSQL hashes with [lookup3](https://burtleburtle.net/bob/c/lookup3.c), whose steps are reversible: it mixes
/// the first twelve bytes into a state of three words, adds the last four, and returns a word of the final state. The
/// other two are free. Trying ids would take four thousand million of them.
fn id_of_hash(hash: i32) -> Uuid {
    // hash_bytes of PostgreSQL starts with it for 16 bytes.
    const START: u32 = 0x9e37_79b9 + 16 + 3_923_095;
    let (mut a, mut b, mut c) = (0_u32, 0_u32, hash as u32);
    // Each line of `final` is c ^= b; c -= rotated b.
    let undo_final = |x: &mut u32, y: u32, bits| *x = x.wrapping_add(y.rotate_left(bits)) ^ y;
    undo_final(&mut c, b, 24);
    undo_final(&mut b, a, 14);
    undo_final(&mut a, c, 4);
    undo_final(&mut c, b, 16);
    undo_final(&mut b, a, 25);
    undo_final(&mut a, c, 11);
    undo_final(&mut c, b, 14);
    // The last word of the id is 0. Each line of `mix` is x -= y; x ^= rotated y; y += z.
    let undo_mix = |x: &mut u32, y: &mut u32, z: u32, bits| {
        *y = y.wrapping_sub(z);
        *x = (*x ^ y.rotate_left(bits)).wrapping_add(*y);
    };
    undo_mix(&mut c, &mut b, a, 4);
    undo_mix(&mut b, &mut a, c, 19);
    undo_mix(&mut a, &mut c, b, 16);
    undo_mix(&mut c, &mut b, a, 8);
    undo_mix(&mut b, &mut a, c, 6);
    undo_mix(&mut a, &mut c, b, 4);
    let mut bytes = [0; 16];
    for (place, word) in bytes.chunks_exact_mut(4).zip([a, b, c]) {
        place.copy_from_slice(&word.wrapping_sub(START).to_ne_bytes());
    }
    Uuid::from_bytes(bytes)
}
