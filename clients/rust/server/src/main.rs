// SPDX-License-Identifier: MIT
//! An HTTP/2 server on hyper, and its load generator. Each request has a timeout on both sides.
//!
//! server serve WORKERS                             prints its port, and serves until it is killed
//! server load PORT CONNECTIONS STREAMS REQUESTS    prints the requests per second
//!
//! The feature `wheel` exchanges the timeouts: it selects another `use` line.

use std::collections::HashMap;
use std::convert::Infallible;
use std::env;
use std::time::{Duration, Instant};

use hyper::client::HttpConnector;
use hyper::service::{make_service_fn, service_fn};
use hyper::{body, Body, Client, Request, Response, Server, StatusCode, Uri};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

#[cfg(not(feature = "wheel"))]
use tokio::time::timeout;
#[cfg(feature = "wheel")]
use wheel_tokio::timeout;

const LIMIT: Duration = Duration::from_secs(5);
const KEYS: usize = 1_000;

/// A request to the store: a key, and the sender of its value.
type Get = (String, oneshot::Sender<Option<String>>);

/// The store: a task with a table, as in a server whose data has one owner.
async fn store(mut requests: mpsc::Receiver<Get>) {
    let table: HashMap<_, _> =
        (0..KEYS).map(|key| (format!("/{}", key), format!("value {}", key))).collect();

    while let Some((key, reply)) = requests.recv().await {
        // A request that has timed out has no receiver.
        let _ = reply.send(table.get(&key).cloned());
    }
}

async fn get(store: mpsc::Sender<Get>, key: String) -> Option<String> {
    let (send, reply) = oneshot::channel();

    store.send((key, send)).await.ok()?;
    reply.await.ok()?
}

async fn respond(
    store: mpsc::Sender<Get>,
    request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    let (status, text) = match timeout(LIMIT, get(store, request.uri().path().into())).await {
        Ok(Some(value)) => (StatusCode::OK, value),
        Ok(None) => (StatusCode::NOT_FOUND, String::new()),
        Err(_) => (StatusCode::GATEWAY_TIMEOUT, String::new()),
    };
    let mut response = Response::new(Body::from(text));

    *response.status_mut() = status;
    Ok(response)
}

async fn serve() {
    let (sender, requests) = mpsc::channel(1_024);
    let service = make_service_fn(move |_| {
        let sender = sender.clone();
        async move {
            Ok::<_, Infallible>(service_fn(move |request| respond(sender.clone(), request)))
        }
    });
    let server = Server::bind(&([127, 0, 0, 1], 0).into()).http2_only(true).serve(service);

    tokio::spawn(store(requests));
    println!("{}", server.local_addr().port());
    server.await.expect("a server");
}

async fn request(client: &Client<HttpConnector>, uri: Uri) {
    let response = client.get(uri).await.expect("a response");

    assert_eq!(response.status(), StatusCode::OK);
    assert!(!body::to_bytes(response.into_body()).await.expect("a body").is_empty());
}

/// One request after the other.
async fn stream(client: Client<HttpConnector>, port: usize, requests: usize) {
    for at in 0..requests {
        let uri = format!("http://127.0.0.1:{}/{}", port, at % KEYS).parse().expect("a URI");
        timeout(LIMIT, request(&client, uri)).await.expect("in time");
    }
}

async fn load(port: usize, connections: usize, streams: usize, requests: usize) {
    let start = Instant::now();
    let mut tasks = Vec::new();

    for _ in 0..connections {
        let client = Client::builder().http2_only(true).build_http();
        // Later requests share the connection of the first.
        stream(client.clone(), port, 1).await;
        tasks.extend((0..streams).map(|_| tokio::spawn(stream(client.clone(), port, requests))));
    }
    for task in tasks {
        task.await.expect("a stream");
    }
    let count = connections * streams * requests;
    println!("{:.0}", count as f64 / start.elapsed().as_secs_f64());
}

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("a runtime")
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("no number '{}'", text));

    match words[..] {
        ["serve", workers] => runtime(number(workers)).block_on(serve()),
        ["load", port, connections, streams, requests] => runtime(2).block_on(load(
            number(port),
            number(connections),
            number(streams),
            number(requests),
        )),
        _ => panic!("see the head of main.rs"),
    }
}
