//! The languages, each in a file and with a feature of its own.

#[cfg(feature = "grammar-bash")]
mod bash;
#[cfg(feature = "grammar-c")]
mod c;
#[cfg(feature = "grammar-cpp")]
mod cpp;
#[cfg(feature = "grammar-csharp")]
mod csharp;
#[cfg(feature = "grammar-css")]
mod css;
#[cfg(feature = "grammar-dart")]
mod dart;
#[cfg(feature = "grammar-elixir")]
mod elixir;
#[cfg(feature = "grammar-go")]
mod go;
#[cfg(feature = "grammar-graphql")]
mod graphql;
#[cfg(feature = "grammar-hcl")]
mod hcl;
#[cfg(feature = "grammar-java")]
mod java;
#[cfg(feature = "grammar-javascript")]
mod javascript;
#[cfg(feature = "grammar-kotlin")]
mod kotlin;
#[cfg(feature = "grammar-lua")]
mod lua;
#[cfg(feature = "grammar-php")]
mod php;
#[cfg(feature = "grammar-powershell")]
mod powershell;
#[cfg(feature = "grammar-protobuf")]
mod protobuf;
#[cfg(feature = "grammar-python")]
mod python;
#[cfg(feature = "grammar-ruby")]
mod ruby;
#[cfg(feature = "grammar-rust")]
mod rust;
#[cfg(feature = "grammar-scala")]
mod scala;
#[cfg(feature = "grammar-sql")]
mod sql;
#[cfg(feature = "grammar-swift")]
mod swift;
#[cfg(feature = "grammar-typescript")]
mod typescript;

use super::language::Language;
use std::sync::LazyLock;

/// Every language that this build splits by its syntax.
pub(super) static ALL: LazyLock<Box<[Language]>> = LazyLock::new(|| {
    Box::new([
        #[cfg(feature = "grammar-rust")]
        Language::new("text/x-rust", || tree_sitter_rust::LANGUAGE.into(), &[rust::TABLE]),
        #[cfg(feature = "grammar-typescript")]
        Language::new(
            "text/x-typescript",
            || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            &[javascript::TABLE, typescript::TABLE],
        ),
        #[cfg(feature = "grammar-typescript")]
        Language::new(
            "text/x-tsx",
            || tree_sitter_typescript::LANGUAGE_TSX.into(),
            &[javascript::TABLE, typescript::TABLE],
        ),
        #[cfg(feature = "grammar-javascript")]
        Language::new(
            "text/javascript",
            || tree_sitter_javascript::LANGUAGE.into(),
            &[javascript::TABLE],
        ),
        #[cfg(feature = "grammar-javascript")]
        Language::new(
            "text/x-jsx",
            || tree_sitter_javascript::LANGUAGE.into(),
            &[javascript::TABLE],
        ),
        #[cfg(feature = "grammar-python")]
        Language::new("text/x-python", || tree_sitter_python::LANGUAGE.into(), &[python::TABLE]),
        #[cfg(feature = "grammar-go")]
        Language::new("text/x-go", || tree_sitter_go::LANGUAGE.into(), &[go::TABLE]),
        #[cfg(feature = "grammar-java")]
        Language::new("text/x-java", || tree_sitter_java::LANGUAGE.into(), &[java::TABLE]),
        #[cfg(feature = "grammar-c")]
        Language::new("text/x-c", || tree_sitter_c::LANGUAGE.into(), &[c::TABLE])
            .with_stand_ins(c::stand_ins),
        #[cfg(feature = "grammar-cpp")]
        Language::new("text/x-c++", || tree_sitter_cpp::LANGUAGE.into(), &[c::TABLE, cpp::TABLE])
            .with_stand_ins(c::stand_ins),
        #[cfg(feature = "grammar-csharp")]
        Language::new("text/x-csharp", || tree_sitter_c_sharp::LANGUAGE.into(), &[csharp::TABLE]),
        #[cfg(feature = "grammar-ruby")]
        Language::new("text/x-ruby", || tree_sitter_ruby::LANGUAGE.into(), &[ruby::TABLE]),
        #[cfg(feature = "grammar-php")]
        Language::new("text/x-php", || tree_sitter_php::LANGUAGE_PHP.into(), &[php::TABLE]),
        #[cfg(feature = "grammar-bash")]
        Language::new("text/x-shellscript", || tree_sitter_bash::LANGUAGE.into(), &[bash::TABLE]),
        #[cfg(feature = "grammar-sql")]
        Language::new("text/x-sql", || tree_sitter_sequel::LANGUAGE.into(), &[sql::TABLE])
            .with_stand_ins(sql::stand_ins),
        #[cfg(feature = "grammar-css")]
        Language::new("text/css", || tree_sitter_css::LANGUAGE.into(), &[css::TABLE]),
        #[cfg(feature = "grammar-kotlin")]
        Language::new("text/x-kotlin", || tree_sitter_kotlin_ng::LANGUAGE.into(), &[kotlin::TABLE]),
        #[cfg(feature = "grammar-swift")]
        Language::new("text/x-swift", || tree_sitter_swift::LANGUAGE.into(), &[swift::TABLE]),
        #[cfg(feature = "grammar-scala")]
        Language::new("text/x-scala", || tree_sitter_scala::LANGUAGE.into(), &[scala::TABLE]),
        #[cfg(feature = "grammar-lua")]
        Language::new("text/x-lua", || tree_sitter_lua::LANGUAGE.into(), &[lua::TABLE]),
        #[cfg(feature = "grammar-dart")]
        Language::new("text/x-dart", || tree_sitter_dart::LANGUAGE.into(), &[dart::TABLE]),
        #[cfg(feature = "grammar-hcl")]
        Language::new("text/x-hcl", || tree_sitter_hcl::LANGUAGE.into(), &[hcl::TABLE]),
        #[cfg(feature = "grammar-protobuf")]
        Language::new("text/x-protobuf", || tree_sitter_proto::LANGUAGE.into(), &[protobuf::TABLE]),
        #[cfg(feature = "grammar-graphql")]
        Language::new("text/x-graphql", || tree_sitter_graphql::LANGUAGE.into(), &[graphql::TABLE]),
        #[cfg(feature = "grammar-powershell")]
        Language::new(
            "text/x-powershell",
            || tree_sitter_powershell::LANGUAGE.into(),
            &[powershell::TABLE],
        ),
        #[cfg(feature = "grammar-elixir")]
        Language::new("text/x-elixir", || tree_sitter_elixir::LANGUAGE.into(), &[elixir::TABLE]),
    ])
});

/// Returns the language of a text. Headers of C++ mostly end in `.h` like those of C, but some of their
/// lines begin with words that C does not have.
pub(super) fn dialect(language: &'static Language, text: &str) -> &'static Language {
    const OF_CPP: [&str; 4] = ["namespace ", "class ", "template", "public:"];
    let is_cpp = || text.lines().any(|line| OF_CPP.iter().any(|word| line.starts_with(word)));
    let cpp = ALL.iter().find(|other| other.media_type == "text/x-c++");
    cpp.filter(|_| language.media_type == "text/x-c" && is_cpp()).unwrap_or(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_in_a_table_is_in_the_grammar() {
        for language in ALL.iter() {
            let grammar = (language.grammar)();
            let known: Vec<&str> = (0..grammar.node_kind_count())
                .filter_map(|kind| grammar.node_kind_for_id(kind as u16))
                .collect();
            // TypeScript also uses JavaScript's table, and C++ uses C's.
            let table = language.tables.last().expect("a language has a table");
            for kind in table.iter().flat_map(|(kinds, _)| kinds.split(' ')) {
                let shared = matches!(kind, "public_field_definition" | "html_comment");
                assert!(known.contains(&kind) || shared, "{}: {kind}", language.media_type);
            }
        }
    }

    #[test]
    fn media_types_without_a_grammar_are_known() {
        let built: Vec<_> = ALL.iter().map(|language| language.media_type).collect();
        let lacks = |name: &&str| crate::split::lacks_grammar(&crate::MediaType::new(name));
        let (lacking, others): (Vec<_>, Vec<_>) =
            crate::split::GRAMMARS.into_iter().partition(lacks);
        assert_eq!(others, built);
        assert_eq!(lacking.is_empty(), cfg!(all(feature = "code", feature = "more-code")));
    }

    #[test]
    fn media_types_are_unique() {
        for (index, language) in ALL.iter().enumerate() {
            let again = ALL[..index].iter().any(|other| other.media_type == language.media_type);
            assert!(!again, "{}", language.media_type);
        }
    }
}
