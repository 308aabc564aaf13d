//! The options that each service has: its address, its model, and how often and how long it is asked.

use crate::embed::ApiKey;
use clap::Args;
use std::marker::PhantomData;
use std::num::NonZero;
use std::time::Duration;

/// An option with its variable and its help.
pub struct OptionText {
    /// The name in the parsed arguments.
    pub id: &'static str,
    /// The name after the two dashes.
    pub long: &'static str,
    /// The variable of the environment; empty if the option has none.
    pub variable: &'static str,
    pub help: &'static str,
}

/// The names of the options of a service.
pub trait ServiceNames: Clone {
    /// The heading in the help.
    const HEADING: &'static str;
    const URL: OptionText;
    const MODEL: OptionText;
    /// The value of the option for the model.
    const MODEL_VALUE: &'static str = "NAME";
    const TIMEOUT: OptionText;
    const RETRIES: OptionText;
}

/// A service. The type `N` has the names of the options.
#[derive(Args, Clone)]
#[group(skip)]
pub struct Service<N: ServiceNames> {
    #[arg(
        id = N::URL.id,
        long = N::URL.long,
        env = N::URL.variable,
        help = N::URL.help,
        help_heading = N::HEADING,
        hide_env_values = true,
        value_name = "URL"
    )]
    url: Option<String>,
    #[arg(
        id = N::MODEL.id,
        long = N::MODEL.long,
        env = N::MODEL.variable,
        help = N::MODEL.help,
        help_heading = N::HEADING,
        hide_env_values = true,
        hide_short_help = true,
        value_name = N::MODEL_VALUE
    )]
    model: Option<String>,
    #[arg(
        id = N::TIMEOUT.id,
        long = N::TIMEOUT.long,
        help = N::TIMEOUT.help,
        help_heading = N::HEADING,
        hide_short_help = true,
        value_name = "SECONDS"
    )]
    timeout: Option<NonZero<u32>>,
    #[arg(
        id = N::RETRIES.id,
        long = N::RETRIES.long,
        help = N::RETRIES.help,
        help_heading = N::HEADING,
        hide_short_help = true,
        value_name = "N"
    )]
    retries: Option<u32>,
    #[arg(skip)]
    names: PhantomData<N>,
}

impl<N: ServiceNames> Service<N> {
    /// Returns the address. An empty one counts as none.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref().filter(|url| !url.is_empty())
    }

    /// Returns the name of the model. An empty one counts as none.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref().filter(|model| !model.is_empty())
    }

    /// Sets the given limits of a request.
    pub fn limit(&self, timeout: &mut Duration, retries: &mut u32) {
        if let Some(seconds) = self.timeout {
            *timeout = Duration::from_secs(seconds.get().into());
        }
        *retries = self.retries.unwrap_or(*retries);
    }

    /// Ignores the service.
    pub fn clear(&mut self) {
        self.url = None;
    }
}

/// Returns the API key: that of the client's variable, else that of the service's own variables. It is never an option,
/// because all users of the machine can see command lines. An empty one counts as none.
pub fn api_key(variable: &str, of_service: &[&str]) -> Option<ApiKey> {
    let key = |name: &&str| {
        let key = std::env::var(name).ok()?.trim().to_owned();
        (!key.is_empty()).then_some(key)
    };
    [variable].iter().chain(of_service).find_map(key).map(ApiKey::new)
}
