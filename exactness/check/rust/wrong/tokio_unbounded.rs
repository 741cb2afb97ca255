// invented: unbounded; right: unbounded_channel
use std::time::Duration;

use tokio::sync::mpsc;

#[tokio::main]
async fn main() {
    let (sender, mut receiver) = mpsc::unbounded::<u32>();
    tokio::spawn(async move {
        for n in 0..3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let _ = sender.send(n);
        }
    });
    while let Some(n) = receiver.recv().await {
        println!("{n}");
    }
}
