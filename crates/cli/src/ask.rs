//! `beckon ask`: asks, waits, prints the result.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use beckon_core::ask::{AskArguments, AskOption, AskQuestion, AskResult, BadAsk};
use clap::Args;

use crate::{NO_ANSWER, Target, USAGE, interrupted};

#[derive(Args)]
#[command(
    after_help = "Prints the result as JSON. Exit status: 0 answered, 2 no answer, 64 wrong arguments, 1 anything else.\n\n\
    beckon ask --question \"Where should I deploy?\" --header Deploy \\\n      \
    --option \"Staging (Recommended)=Safe to break\" --option Production"
)]
pub(crate) struct Arguments {
    /// The question, one sentence
    #[arg(long, required_unless_present = "json", conflicts_with = "json")]
    question: Option<String>,
    /// A short label, cut to 12 characters
    #[arg(long, default_value = "Question", conflicts_with = "json")]
    header: String,
    /// An option, two to four times; `LABEL=DESCRIPTION` describes what choosing it means
    #[arg(long = "option", value_name = "LABEL[=DESCRIPTION]", conflicts_with = "json")]
    options: Vec<String>,
    /// Several options may be chosen
    #[arg(long, conflicts_with = "json")]
    multi: bool,
    /// Key of the answer in the result, `snake_case` [default: made from the header]
    #[arg(long, conflicts_with = "json")]
    id: Option<String>,
    /// Time limit in seconds, 30 to 3600 [default: 900]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    timeout: Option<i64>,
    /// The `ask_user` arguments as JSON, from a file or `-` for standard input
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Name of the program that asks; its questions are gathered in a chat of that name
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    #[command(flatten)]
    target: Target,
}

#[allow(clippy::print_stdout, reason = "the result")]
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let session_key = arguments.from.as_ref().map(|name| format!("shell:{name}"));
    let name = arguments.from.as_deref().unwrap_or("beckon ask").to_owned();
    let target = arguments.target.clone();
    let ask = match arguments.read().and_then(AskArguments::check) {
        Ok(ask) => ask,
        Err(BadAsk(faults)) => {
            for fault in faults {
                eprintln!("beckon ask: {fault}");
            }
            return Ok(ExitCode::from(USAGE));
        }
    };
    let interrupted = interrupted();
    let result = target.asker(&name, session_key)?.ask(ask, interrupted).await?;
    println!("{}", serde_json::to_string(&result)?);
    Ok(match result {
        AskResult::Answered { .. } => ExitCode::SUCCESS,
        AskResult::NoAnswer => ExitCode::from(NO_ANSWER),
    })
}

impl Arguments {
    fn read(self) -> Result<AskArguments, BadAsk> {
        let Some(file) = self.json else {
            return Ok(AskArguments {
                questions: vec![AskQuestion {
                    id: self.id.unwrap_or_else(|| answer_key(&self.header)),
                    header: self.header,
                    question: self.question.unwrap_or_default(),
                    options: self.options.iter().map(|option| split_option(option)).collect(),
                    multi_select: self.multi,
                }],
                timeout_seconds: self.timeout,
            });
        };
        let mut text = String::new();
        let read = if file.as_os_str() == "-" {
            std::io::stdin().read_to_string(&mut text)
        } else {
            std::fs::File::open(&file).and_then(|mut file| file.read_to_string(&mut text))
        };
        read.map_err(|error| BadAsk(vec![format!("{} can't be read: {error}", file.display())]))?;
        let json = serde_json::from_str(&text).map_err(|error| BadAsk(vec![format!("this is not JSON: {error}")]))?;
        let mut arguments = AskArguments::from_json(json)?;
        arguments.timeout_seconds = self.timeout.or(arguments.timeout_seconds);
        Ok(arguments)
    }
}

fn split_option(option: &str) -> AskOption {
    match option.split_once('=') {
        Some((label, description)) => AskOption { label: label.to_owned(), description: Some(description.to_owned()) },
        None => AskOption { label: option.to_owned(), description: None },
    }
}

/// `Deploy target` becomes `deploy_target`; a header without letters of ASCII becomes `answer`.
fn answer_key(header: &str) -> String {
    let lower = header.trim().to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.collect::<Vec<_>>().join("_");
    if key.starts_with(|first: char| first.is_ascii_lowercase()) { key } else { "answer".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_from_headers() {
        assert_eq!(answer_key("Deploy target"), "deploy_target");
        assert_eq!(answer_key(" E-mail? "), "e_mail");
        assert_eq!(answer_key("数据库"), "answer");
        assert_eq!(answer_key("2nd"), "answer");
    }

    #[test]
    fn an_option_may_describe_itself() {
        let option = split_option("Staging (Recommended)=Safe to break = really");
        assert_eq!(option.label, "Staging (Recommended)");
        assert_eq!(option.description.as_deref(), Some("Safe to break = really"));
        assert_eq!(split_option("Production").description, None);
    }
}
