//! Embedding services that fail in the ways that real ones do.

use crate::embedding_service::{Reply, Request, Service};
use passage::embed::{
    ApiKey, Embedder, EmbeddingKind, Error, RemoteEmbedder, ServiceConfig as Settings, ServiceError,
};
use passage_tests::cases;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-xyzzy-hunter2";

/// Settings with pauses that are short enough for a test.
fn settings(service: &Service) -> Settings {
    let mut settings = Settings::new(service.url(), "tiny");
    settings.key = Some(ApiKey::new(KEY));
    settings.pause = Duration::from_millis(1);
    settings.timeout = Duration::from_secs(20);
    settings
}

/// Embeds texts as an ingest does, all at once.
async fn embed(settings: Settings, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
    let embedder = Arc::new(Embedder::from(RemoteEmbedder::connect(settings).await?));
    let submitted = {
        let (embedder, texts) = (Arc::clone(&embedder), texts.to_vec());
        tokio::task::spawn_blocking(move || {
            let submit = |text| embedder.submit(EmbeddingKind::Document, text);
            texts.into_iter().map(submit).collect::<Vec<_>>()
        })
    };
    let mut embeddings = Vec::new();
    for pending in submitted.await.unwrap() {
        embeddings.push(pending.wait().await?);
    }
    Ok(embeddings)
}

fn texts(number: usize) -> Vec<String> {
    (0..number).map(|number| format!("text number {number}")).collect()
}

#[track_caller]
fn problem(result: Result<Vec<Vec<f32>>, Error>) -> ServiceError {
    match result {
        Err(Error::Service { error, .. }) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn texts_are_sent_in_concurrent_batches_and_return_in_order() {
    let service = Service::good(64).await;
    let mut settings = settings(&service);
    settings.batch_texts = NonZero::new(8).unwrap();
    settings.concurrency = NonZero::new(3).unwrap();
    let mut given = texts(100);
    // At three bytes a token this text exceeds a batch, and is sent alone.
    given[50] = "long ".repeat(6_000);
    let embeddings = embed(settings.clone(), &given).await.unwrap();
    for (text, embedding) in given.iter().zip(&embeddings) {
        assert_eq!(
            embed(settings.clone(), std::slice::from_ref(text)).await.unwrap()[0],
            *embedding,
            "{text}"
        );
        let length: f32 = embedding.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
    }
    let seen: Vec<Request> =
        service.seen().into_iter().take_while(|asked| asked.texts().len() < 100).collect();
    assert!(seen.iter().all(|asked| asked.texts().len() <= 8));
    assert!(seen.iter().any(|asked| asked.texts().len() == 8));
    assert!(seen.iter().any(|asked| asked.texts() == given[50..=50]));
    assert!((2..=3).contains(&service.busiest()), "{}", service.busiest());
    let first = &seen[0];
    assert_eq!(
        (&*first.path, first.authorization.as_deref()),
        ("/v1/embeddings", Some(&*format!("Bearer {KEY}")))
    );
    assert_eq!((&first.body["model"], first.body.get("dimensions")), (&"tiny".into(), None));
}

#[tokio::test]
async fn a_busy_or_failing_service_is_retried() {
    let service = Service::start(|number, _| match number {
        1 => Reply::Status(429, vec![("Retry-After", "0".into())], String::new()),
        2 => Reply::Status(429, vec![], "{}".into()),
        3 => Reply::Status(500, vec![], String::new()),
        4 => Reply::Status(
            503,
            vec![("Retry-After", "Sun, 22 Nov 2020 02:00:00 GMT".into())],
            String::new(),
        ),
        5 => Reply::Break,
        _ => Reply::Embeddings(8),
    })
    .await;
    let embeddings = embed(settings(&service), &texts(1)).await.unwrap();
    assert_eq!((embeddings.len(), service.seen().len()), (1, 7));
}

#[tokio::test]
async fn a_service_that_stays_busy_fails_after_the_last_retry() {
    let service = Service::start(|number, _| match number {
        0 => Reply::Embeddings(8),
        _ => Reply::Status(502, vec![], String::new()),
    })
    .await;
    let mut asked = settings(&service);
    asked.retries = 2;
    assert_eq!(problem(embed(asked, &texts(1)).await), ServiceError::Busy(502, 3));
    assert_eq!(service.seen().len(), 4);

    let later = Service::start(|_, _| {
        Reply::Status(429, vec![("Retry-After", "7200".into())], String::new())
    })
    .await;
    assert_eq!(
        problem(embed(settings(&later), &texts(1)).await),
        ServiceError::RetryLater(429, 7_200)
    );
    assert_eq!(later.seen().len(), 1);

    let silent = Service::start(|_, _| Reply::Silence).await;
    let mut asked = settings(&silent);
    (asked.retries, asked.timeout) = (1, Duration::from_millis(200));
    assert_eq!(problem(embed(asked, &texts(1)).await), ServiceError::Unreachable("timeout", 2));
    assert_eq!(silent.seen().len(), 2);

    let mut nobody = settings(&silent);
    (nobody.url, nobody.retries) = ("http://127.0.0.1:1/v1".into(), 0);
    assert_eq!(
        problem(embed(nobody, &texts(1)).await),
        ServiceError::Unreachable("connection failed", 1)
    );
}

#[tokio::test]
async fn a_text_that_is_too_long_is_halved_until_the_service_accepts_it() {
    let service = Service::start(|_, asked| {
        let texts = asked.texts();
        if texts.iter().map(String::len).sum::<usize>() > 40 {
            let body =
                r#"{"error": {"message": "This model's maximum context length is 10 tokens"}}"#;
            return Reply::Status(400, vec![], body.into());
        }
        Reply::Embeddings(8)
    })
    .await;
    let mut given = texts(9);
    given[4] = "é".repeat(100);
    let embeddings = embed(settings(&service), &given).await.unwrap();
    assert_eq!(embeddings.len(), 9);
    let taken: Vec<String> = service
        .seen()
        .iter()
        .filter(|asked| asked.texts().iter().map(String::len).sum::<usize>() <= 40)
        .flat_map(Request::texts)
        .collect();
    assert!(taken.contains(&given[0]) && taken.contains(&given[8]));
    // 200 bytes, 100, 50, and then the beginning that is short enough.
    assert!(taken.contains(&"é".repeat(12)), "{taken:?}");

    let never = Service::start(|_, asked| {
        if asked.is_first() {
            Reply::Embeddings(8)
        } else {
            Reply::Status(413, vec![], String::new())
        }
    })
    .await;
    assert_eq!(problem(embed(settings(&never), &given).await), ServiceError::TooLong);
}

#[tokio::test]
async fn dimensions_are_detected_requested_and_checked() {
    let service =
        Service::start(|number, _| Reply::Embeddings(if number < 2 { 8 } else { 9 })).await;
    let mut asked = settings(&service);
    asked.batch_texts = NonZero::new(1).unwrap();
    asked.concurrency = NonZero::new(1).unwrap();
    let wrong = embed(asked, &texts(2)).await;
    assert_eq!(problem(wrong), ServiceError::Dimensions { expected: 8, actual: 9 });

    let fixed = Service::good(8).await;
    let mut asked = settings(&fixed);
    asked.dimensions = NonZero::new(4);
    let wrong = problem(embed(asked, &texts(1)).await);
    assert_eq!(wrong, ServiceError::Dimensions { expected: 4, actual: 8 });
    assert_eq!(fixed.seen()[0].body["dimensions"], 4);
}

#[tokio::test]
async fn an_invalid_answer_is_refused() {
    for (body, what) in cases([
        ("<html>It works!</html>", "it is not JSON with \"data\" and \"embedding\""),
        (r#"{"data": []}"#, "the number of embeddings differs from the number of texts"),
        (r#"{"data": [{"embedding": []}]}"#, "an embedding is zero or not finite"),
    ]) {
        let service = Service::start(|_, _| Reply::Status(200, vec![], body.into())).await;
        assert_eq!(
            problem(embed(settings(&service), &texts(1)).await),
            ServiceError::InvalidResponse(what)
        );
        assert_eq!(service.seen().len(), 1, "it is asked once");
    }
}

#[tokio::test]
async fn a_refusal_is_final_and_its_message_repeats_no_input() {
    for (status, expected) in cases([
        (401, ServiceError::Unauthorized(401)),
        (403, ServiceError::Unauthorized(403)),
        (404, ServiceError::NotFound(404)),
        (418, ServiceError::Rejected(418)),
        (302, ServiceError::Rejected(302)),
    ]) {
        let elsewhere = Service::good(8).await;
        let location = format!("{}/embeddings", elsewhere.url());
        let service = Service::start(move |_, asked| {
            let echo = format!(
                "{{\"error\": \"{} {}\"}}",
                asked.authorization.clone().unwrap(),
                asked.body
            );
            Reply::Status(status, vec![("Location", location.clone())], echo)
        })
        .await;
        let error = embed(settings(&service), &["xyzzy".into()]).await.unwrap_err();
        let said = format!("{error} {error:?} {}", error.remedy());
        assert!(!said.contains("xyzzy") && !said.contains("hunter2"), "{said}");
        assert_eq!(problem(Err(error)), expected);
        assert_eq!((service.seen().len(), elsewhere.seen().len()), (1, 0), "{status}");
    }
    let said = format!("{:?}", settings(&Service::good(8).await));
    assert!(said.contains("tiny") && !said.contains("hunter2"), "{said}");
}
