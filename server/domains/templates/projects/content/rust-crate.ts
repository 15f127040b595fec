import type { ProjectTemplate } from '../template.ts'

/** A crate for Rust. */
export const rustCrate: ProjectTemplate = {
  title: 'Rust crate',
  description:
    'A library with tests beside the code. The pipeline tests it and keeps the build between runs.',
  files: {
    'README.md': `# {{name}}

    use greeting::greet;

    assert_eq!(greet("Ada"), "Hello, Ada!");

Run the tests with \`cargo test\`.
`,
    '.gitignore': `/target/
`,
    '.gitlab-ci.yml': `default:
  image: rust:1-slim

variables:
  CARGO_HOME: $CI_PROJECT_DIR/.cargo

test:
  cache:
    key:
      files:
        - Cargo.toml
    paths:
      - .cargo/registry
      - target
  script:
    - cargo test --verbose
`,
    'Cargo.toml': `[package]
name = "greeting"
version = "0.1.0"
edition = "2021"
description = "Says hello"
publish = false
`,
    'src/lib.rs': `//! Says hello.

/// What to say to somebody; without a name, to everybody.
///
/// \`\`\`
/// assert_eq!(greeting::greet("Ada"), "Hello, Ada!");
/// \`\`\`
pub fn greet(name: &str) -> String {
    let name = if name.is_empty() { "world" } else { name };
    format!("Hello, {name}!")
}

#[cfg(test)]
mod tests {
    use super::greet;

    #[test]
    fn greets_the_world() {
        assert_eq!(greet(""), "Hello, world!");
    }
}
`,
  },
}
