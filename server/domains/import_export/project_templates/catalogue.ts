import type { BuiltInTemplate } from '../../projects/index.ts'
import { ciExample } from './content/ci-example.ts'
import { goModule } from './content/go-module.ts'
import { pythonPackage } from './content/python-package.ts'
import { rails } from './content/rails.ts'
import { staticSite } from './content/static-site.ts'
import type { ProjectTemplate } from './template.ts'

/** A crate for Rust. */
const rustCrate: ProjectTemplate = {
  title: 'Rust crate',
  description:
    'A library with tests next to the code. The pipeline tests it and keeps the build between runs.',
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

/// A greeting for one person, or for everyone if there is no name.
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

/** A module for Node without dependencies. */
const nodeLibrary: ProjectTemplate = {
  title: 'Node library',
  description: 'A JavaScript module with tests by the runner that comes with Node. No dependencies.',
  files: {
    'README.md': `# {{name}}

A module for Node 22 or newer.

    import { greet } from './src/index.js'

    greet('world') // "Hello, world!"

Run the tests with \`npm test\`.
`,
    '.gitignore': `node_modules/
coverage/
*.log
.env
`,
    '.gitlab-ci.yml': `default:
  image: node:22-alpine

test:
  script:
    - node --version
    - npm test
`,
    'package.json': `{
  "name": "{{path}}",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "exports": "./src/index.js",
  "scripts": {
    "test": "node --test"
  },
  "engines": {
    "node": ">=22"
  }
}
`,
    'src/index.js': `/** A greeting for one person, or for everyone if there is no name. */
export function greet(name = 'world') {
  return \`Hello, \${name}!\`
}
`,
    'test/index.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'

import { greet } from '../src/index.js'

test('greets by name', () => {
  assert.equal(greet('Ada'), 'Hello, Ada!')
})

test('greets the world', () => {
  assert.equal(greet(), 'Hello, world!')
})
`,
  },
}

/** Pages of Markdown that are read in the repository. */
const docsSite: ProjectTemplate = {
  title: 'Documentation',
  description: 'A handbook in Markdown with a table of contents, and a check that finds links to nowhere.',
  files: {
    'README.md': `# {{name}}

- [First steps](docs/first-steps.md)
- [How it works](docs/how-it-works.md)
- [Questions and answers](docs/questions.md)

Each page is one Markdown file in \`docs\`. A new page gets a line in the list above.
`,
    '.gitignore': `.DS_Store
Thumbs.db
*.swp
`,
    '.gitlab-ci.yml': `default:
  image: python:3-alpine

links:
  script:
    - python3 tools/check_links.py
  rules:
    - changes:
        - "**/*.md"
        - tools/*
`,
    'docs/first-steps.md': `# First steps

1. Say what the reader needs before they begin.
2. Show the shortest way to something that works.
3. Lead on: [how it works](how-it-works.md).
`,
    'docs/how-it-works.md': `# How it works

Begin with the one idea that explains the most, then its parts.

| Part | What it does |
|---|---|
| First | … |
| Second | … |
`,
    'docs/questions.md': `# Questions and answers

## Where do I begin?

With the [first steps](first-steps.md).
`,
    'tools/check_links.py': `"""Finds links between the pages that lead nowhere."""
import pathlib
import re
import sys

broken = []
for page in pathlib.Path(".").rglob("*.md"):
    for target in re.findall(r"\\]\\(([^)#\\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            broken.append(f"{page}: {target}")

print("\\n".join(broken) or "All links lead somewhere.")
sys.exit(1 if broken else 0)
`,
  },
}

/** The project templates, in the order of the window. */
export const TEMPLATES: Readonly<Record<BuiltInTemplate, ProjectTemplate>> = {
  static_site: staticSite,
  docs_site: docsSite,
  node_library: nodeLibrary,
  python_package: pythonPackage,
  go_module: goModule,
  rust_crate: rustCrate,
  rails,
  ci_example: ciExample,
}
