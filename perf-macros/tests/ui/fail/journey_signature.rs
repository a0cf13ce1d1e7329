use perf_macros::scenario;

struct Target;

struct User;

#[scenario(requests = 100)]
async fn no_target(_user: &mut User) -> Result<(), ()> {
    Ok(())
}

#[scenario(target = Target, requests = 100)]
fn not_async(_user: &mut User) -> Result<(), ()> {
    Ok(())
}

#[scenario(target = Target, requests = 100)]
async fn no_user() -> Result<(), ()> {
    Ok(())
}

#[scenario(target = Target, requests = 100)]
async fn two_users(_one: &mut User, _other: &mut User) -> Result<(), ()> {
    Ok(())
}

#[scenario(target = Target, requests = 100)]
async fn returns_nothing(_user: &mut User) {}

#[scenario(target = Target, requests = 100)]
async fn is_generic<'a>(_user: &'a mut User) -> Result<(), ()> {
    Ok(())
}

impl User {
    #[scenario(target = Target, requests = 100)]
    async fn is_a_method(&mut self) -> Result<(), ()> {
        Ok(())
    }
}

fn main() {}
