use perf_macros::scenario;

struct Target;

#[scenario(requests = 100)]
fn returns_nothing() {}

#[scenario(requests = 100)]
async fn is_async() -> Target {
    Target
}

#[scenario(requests = 100)]
fn takes_a_number(_size: usize) -> Target {
    Target
}

#[scenario(requests = 100, target = Target)]
fn has_a_target_key() -> Target {
    Target
}

#[scenario(requests = 100)]
fn is_generic<T>() -> Target
where
    T: Sized,
{
    Target
}

#[scenario(requests = 100)]
const unsafe extern "C" fn has_qualifiers() -> Target {
    Target
}

fn main() {}
