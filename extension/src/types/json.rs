//! Values of the type `jsonb` that are looked into, or made here.

use crate::error::Error;
use crate::jsonb;
use passage_core::Error as Request;
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, IntoDatum, pg_sys};
use serde::de::DeserializeOwned;

/// A value of the type `jsonb` as its text: pgrx's own takes an error for a value that is nested
/// deeply, and reports it as one of ours.
#[derive(Clone, Debug)]
pub struct Json(String);

impl Json {
    /// Returns what the text says.
    ///
    /// # Errors
    ///
    /// Returns [`Request::InvalidWindows`], for that is what is taken so, where it is nested too deeply or
    /// holds a number out of range.
    pub fn value(self) -> Result<serde_json::Value, Error> {
        self.read().ok_or(Error::Request(Request::InvalidWindows))
    }

    /// Takes a value.
    pub fn of(value: &serde_json::Value) -> Self {
        Self(value.to_string())
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns what the text says, if it can be read.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&self.0).ok()
    }
}

impl FromDatum for Json {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the value is a jsonb, as the declared type of an argument or the type of a column that
        // `Rows` compared; its text is a string in memory of the call that ends in NUL.
        unsafe {
            let text = pgrx::direct_function_call_as_datum(pg_sys::jsonb_out, &[Some(datum)])?;
            let text = std::ffi::CStr::from_ptr(text.cast_mut_ptr());
            Some(Self(text.to_string_lossy().into_owned()))
        }
    }
}

impl IntoDatum for Json {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(jsonb::read(&self.0))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: the value is a jsonb, which the install script declares.
unsafe impl BoxRet for Json {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the datum is a jsonb that was just made, in memory of the call.
        unsafe { fcinfo.return_raw_datum(self.into_datum().expect("it is not NULL")) }
    }
}

argument!(Json);

translate!(Json, "jsonb");

/// A JSON array that was written as text, in pieces that are arrays themselves, as the type `jsonb`.
#[derive(Clone, Debug)]
pub struct JsonArray(pub Vec<String>);

impl IntoDatum for JsonArray {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(jsonb::array(&self.0))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: the value is a jsonb, which the install script declares.
unsafe impl BoxRet for JsonArray {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the datum is a jsonb that was just made, in memory of the call.
        unsafe { fcinfo.return_raw_datum(self.into_datum().expect("it is not NULL")) }
    }
}

translate!(JsonArray, "jsonb");
