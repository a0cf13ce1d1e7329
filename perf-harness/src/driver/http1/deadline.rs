//! Deadlines by one coarse clock: a task that looks at all connections every so often.
//!
//! A timer armed for each request would cost more than the request's own bookkeeping. The price
//! is that a connection learns of its deadline up to one tick late; what is recorded is exact.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// The deadline of what one connection waits for.
#[derive(Debug, Default)]
pub(super) struct Watch {
    due: Cell<Option<Instant>>,
    expired: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl Watch {
    /// Polls `step` until it is ready; `None` when it was not by `due`.
    pub(super) async fn until<T>(
        &self,
        due: Instant,
        mut step: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Option<T> {
        self.expired.set(false);
        self.due.set(Some(due));
        let result = poll_fn(|cx| match step(cx) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if self.expired.get() => Poll::Ready(None),
            Poll::Pending => self.wait(cx),
        });
        let result = result.await;
        self.due.set(None);
        result
    }

    fn wait<T>(&self, cx: &Context<'_>) -> Poll<T> {
        let mut waiting = self.waiting.borrow_mut();
        match &mut *waiting {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    fn expire(&self, now: Instant) {
        if self.due.get().is_none_or(|due| now < due) {
            return;
        }
        self.due.set(None);
        self.expired.set(true);
        if let Some(waker) = &*self.waiting.borrow() {
            waker.wake_by_ref();
        }
    }
}

/// Looks at the watches for ever, often enough for `timeout`.
pub(super) async fn tick(watches: Vec<Rc<Watch>>, timeout: Duration) {
    let pause = (timeout / 32).clamp(Duration::from_millis(1), Duration::from_millis(100));
    loop {
        tokio::time::sleep(pause).await;
        let now = Instant::now();
        watches.iter().for_each(|watch| watch.expire(now));
    }
}
