//! What a developer reads in place of a scenario that cannot be right: one file for each
//! family of messages, with the compiler's output beside it.

#[test]
fn each_mistake_is_explained_where_it_was_made() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
