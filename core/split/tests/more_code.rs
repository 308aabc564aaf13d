//! The languages of the feature `more-code`: sections, imports, and no loss.

#![cfg(feature = "more-code")]

use crate::invariants::inputs::{edited, limits};
use crate::invariants::splitting::{find_repeated_section, find_violation};
use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use proptest::prelude::*;

/// A name of a file, its text, the sections that it has, and the names that it imports.
type Sample = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const SAMPLES: [Sample; 10] = [
    (
        "User.kt",
        "package com.shop\n\nimport kotlin.math.max\nimport java.util.List as JList\n\n/** A user. */\n@Serializable\n\
         data class User(val id: Int) : Base() {\n    val label: String\n        get() = \"x\"\n\n    fun greet(): String {\n\
         \x20       return \"hi\"\n    }\n\n    companion object {\n        fun of(x: Int) = User(x)\n    }\n}\n\n\
         object Single {\n    fun run() {\n    }\n}\n\nfun String.shout(): String = uppercase()\n\nval TOP = 1\n",
        &["User", "User/label", "User/greet", "User/Companion", "Single", "shout", "TOP"],
        &["max", "JList"],
    ),
    (
        "User.swift",
        "import Foundation\nimport UIKit.UIView\n\n/// A user.\n@objc public class User: Base {\n    let id: Int\n    init(id: Int) {\n\
         \x20       self.id = id\n    }\n\n    func greet() -> String {\n        return \"hi\"\n    }\n}\n\n\
         extension String {\n    static func == (a: String, b: String) -> Bool {\n        true\n    }\n}\n\n\
         protocol Repo {\n    func find(id: Int) -> User?\n}\n\nfunc top<T>(_ x: T) -> T {\n    x\n}\n",
        &["User", "User/init", "User/greet", "String", "String/==", "Repo", "top"],
        &["Foundation", "UIView"],
    ),
    (
        "User.scala",
        "package com.shop\n\nimport scala.collection.mutable\nimport java.util.{List => JList, Map}\n\n/** A user. */\n\
         case class User(id: Int) extends Base {\n  def greet(): String = {\n    \"hi\"\n  }\n}\n\nobject Users {\n\
         \x20 def apply(): User = {\n    ???\n  }\n}\n\ntrait Repo {\n  def find(id: Int): User\n}\n\ntype H = Int\n\ndef top(x: Int) = x\n",
        &["User", "User/greet", "Users", "Users/apply", "Repo", "H", "top"],
        &["mutable", "JList", "Map"],
    ),
    (
        "user.lua",
        "local json = require(\"cjson\")\nlocal M = {}\n\n-- Greets.\nfunction M.greet(name)\n  return \"hi\"\nend\n\n\
         function M:method()\n  return 1\nend\n\nlocal function helper(x)\n  return x\nend\n\nM.field = function()\n  return 2\nend\n\nreturn M\n",
        &["M.greet", "M:method", "helper", "M.field"],
        &["json"],
    ),
    (
        "user.dart",
        "import 'dart:math' as math;\nimport 'package:shop/basket.dart';\n\n/// A user.\nclass User extends Base {\n  final int id;\n\
         \x20 User(this.id);\n  User.named(int x) : id = x;\n\n  @override\n  String greet() {\n    return 'hi';\n  }\n\n\
         \x20 bool operator ==(Object other) {\n    return true;\n  }\n}\n\nextension Ext on String {\n  String shout() {\n    return toUpperCase();\n  }\n}\n\n\
         int top(int x) {\n  return x;\n}\n",
        &[
            "User",
            "User/User",
            "User/User.named",
            "User/greet",
            "User/operator ==",
            "Ext",
            "Ext/shout",
            "top",
        ],
        &["math", "basket"],
    ),
    (
        "main.tf",
        "# The server.\nresource \"aws_instance\" \"web\" {\n  ami = \"x\"\n\n  root_block_device {\n    size = 1\n  }\n}\n\n\
         variable \"region\" {\n  default = \"eu\"\n}\n\nlocals {\n  a = 1\n}\n",
        &["resource aws_instance web", "variable region", "locals"],
        &[],
    ),
    (
        "user.proto",
        "syntax = \"proto3\";\npackage shop.v1;\nimport \"google/protobuf/any.proto\";\n\n// A user.\nmessage User {\n  int32 id = 1;\n\n\
         \x20 message Inner {\n    string x = 1;\n    string y = 2;\n  }\n}\n\nenum Color {\n  RED = 0;\n}\n\nservice Users {\n\
         \x20 rpc Get(GetRequest) returns (User);\n  rpc List(ListRequest) returns (stream User);\n}\n",
        &["User", "User/Inner", "Color", "Users", "Users/Get", "Users/List"],
        &["any"],
    ),
    (
        "schema.graphql",
        "\"\"\"A user.\"\"\"\ntype User implements Node @key(fields: \"id\") {\n  id: ID!\n  posts(first: Int = 1): [Post!]!\n}\n\n\
         enum Role {\n  ADMIN\n  USER\n}\n\nscalar Date\n\nquery GetUser($id: ID!) {\n  user(id: $id) {\n    ...F\n  }\n}\n\nfragment F on User {\n  id\n}\n",
        &["User", "User/posts", "Role", "Date", "GetUser", "F"],
        &[],
    ),
    (
        "User.ps1",
        "Import-Module Bar\n\n# Gets.\nfunction Get-User {\n    param([int]$Id)\n    return $Id\n}\n\nclass User : Base {\n    [int]$Id\n\
         \x20   User([int]$id) {\n        $this.Id = $id\n    }\n\n    [string] Greet() {\n        return \"hi\"\n    }\n}\n",
        &["Get-User", "User", "User/Greet"],
        &[],
    ),
    (
        "user.ex",
        "defmodule Shop.User do\n  use GenServer\n  alias Shop.{Repo, Mail}\n\n  @doc \"Greets.\"\n  def greet(%User{} = user) when is_map(user) do\n\
         \x20   \"hi\"\n  end\n\n  defp helper(x), do: x\n\n  defmacro twice(x) do\n    x\n  end\nend\n\ndefimpl P, for: Shop.User do\n  def f(x), do: x\nend\n",
        &[
            "Shop.User",
            "Shop.User/greet",
            "Shop.User/helper",
            "Shop.User/twice",
            "P, for: Shop.User",
            "P, for: Shop.User/f",
        ],
        &["GenServer", "Repo", "Mail"],
    ),
];

#[test]
fn each_language_has_sections_and_imports() {
    // These limits give each unit a chunk of its own.
    let options = SplitOptions::new(ChunkLimits { min: 0, preferred: 1, max: 30, window: 1_000 });
    for (name, text, sections, imports) in SAMPLES {
        let media_type = MediaType::from_path(name).unwrap();
        let split = split(text, &media_type, &options, &Characters).unwrap();
        assert_eq!(split.syntax_error, None, "{name}");
        let found: Vec<String> = split.chunks.iter().map(|chunk| chunk.section.join("/")).collect();
        for section in sections {
            assert!(found.iter().any(|found| found == section), "{name}: {section} of {found:?}");
        }
        let bound: Vec<&str> =
            split.chunks.iter().flat_map(|chunk| &chunk.imports).map(String::as_str).collect();
        assert_eq!(bound, imports, "{name}");
    }
}

#[test]
fn a_comment_belongs_to_the_unit_below() {
    let options = SplitOptions::new(ChunkLimits { min: 0, preferred: 60, max: 120, window: 1_000 });
    for (name, text, ..) in SAMPLES {
        let marks = [
            "/** A user. */",
            "/// A user.",
            "-- Greets.",
            "# The server.",
            "// A user.",
            "# Gets.",
            "@doc \"Greets.\"",
        ];
        let Some(mark) = marks.iter().find(|mark| text.contains(**mark)) else { continue };
        let split =
            split(text, &MediaType::from_path(name).unwrap(), &options, &Characters).unwrap();
        let chunk = split.chunks.iter().find(|chunk| chunk.content.contains(mark)).unwrap();
        assert!(chunk.content.trim_start().starts_with(mark), "{name}: {:?}", chunk.content);
        assert!(!chunk.section.is_empty(), "{name}: {:?}", chunk.content);
    }
}

proptest! {
    #[test]
    fn any_text_is_split_without_loss(
        sample in 0..SAMPLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40), 0..6),
        piece in prop::sample::select(vec!["", "{", "}", "(", "\"", "end\n", "/*", "\u{e9}\r\n"]),
        limits in limits(1..300),
    ) {
        // A real text with errors.
        let (name, text, ..) = SAMPLES[sample];
        let twice = text.repeat(2);
        let text = edits.into_iter().fold(twice, |text, (at, length)| edited(&text, at, length, piece));
        let media_type = MediaType::from_path(name).unwrap();
        let split = split(&text, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
        prop_assert_eq!(find_violation(&text, &split.chunks, limits, &Characters), None);
        prop_assert_eq!(find_repeated_section(&media_type, &split.chunks), None);
    }
}
