//! The threads of the engine, and how they are told what to do next.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Threads that each carry out one order at a time and hand back what came of it.
///
/// Dropping the crew ends its threads when they are done with the order at hand.
#[derive(Debug)]
pub(super) struct Crew<'scope, Order, Done> {
    hands: Vec<Hand<'scope, Order, Done>>,
}

#[derive(Debug)]
struct Hand<'scope, Order, Done> {
    orders: SyncSender<Order>,
    done: Receiver<Done>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope, Order, Done> Crew<'scope, Order, Done>
where
    Order: Copy + Send + 'scope,
    Done: Send + 'scope,
{
    /// Starts `count` threads; `work` makes what each does with an order, on its own thread.
    pub(super) fn hire<Act>(
        scope: &'scope Scope<'scope, '_>,
        count: usize,
        work: impl Fn(usize) -> Act + Clone + Send + 'scope,
    ) -> io::Result<Self>
    where
        Act: FnMut(Order) -> Done,
    {
        let hire = |number| Hand::hire(scope, number, work.clone());
        Ok(Self {
            hands: (0..count).map(hire).collect::<io::Result<_>>()?,
        })
    }

    /// Has all threads carry out `order` side by side; a panic of one goes on here.
    pub(super) fn carry_out(&mut self, order: Order) -> Vec<Done> {
        for hand in &self.hands {
            // Who cannot be told has panicked, which is found out next.
            hand.orders.send(order).ok();
        }
        let outcomes: Vec<_> = self.hands.iter().map(|hand| hand.done.recv()).collect();
        outcomes
            .into_iter()
            .enumerate()
            .map(|(number, outcome)| outcome.unwrap_or_else(|_| self.panic_of(number)))
            .collect()
    }

    fn panic_of(&mut self, number: usize) -> ! {
        let panic = self.hands.swap_remove(number).thread.join();
        resume_unwind(panic.expect_err("a thread hangs up early only by a panic"))
    }
}

impl<'scope, Order, Done> Hand<'scope, Order, Done>
where
    Order: Send + 'scope,
    Done: Send + 'scope,
{
    fn hire<Act>(
        scope: &'scope Scope<'scope, '_>,
        number: usize,
        work: impl FnOnce(usize) -> Act + Send + 'scope,
    ) -> io::Result<Self>
    where
        Act: FnMut(Order) -> Done,
    {
        let (orders, told) = sync_channel::<Order>(1);
        let (tell, done) = sync_channel(1);
        let thread = thread::Builder::new()
            .name(format!("http1-engine-{number}"))
            .spawn_scoped(scope, move || {
                let mut act = work(number);
                for order in told {
                    if tell.send(act(order)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            orders,
            done,
            thread,
        })
    }
}
