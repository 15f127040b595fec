import type { ProjectTemplate } from '../template.ts'

/** A package for Python with its metadata and tests. */
export const pythonPackage: ProjectTemplate = {
  title: 'Python package',
  description:
    'A package with metadata in pyproject.toml and tests by unittest, run for two versions of Python.',
  files: {
    'README.md': `# {{name}}

A package for Python 3.11 or newer.

    from greeting import greet

    greet("world")  # "Hello, world!"

Run the tests with \`python -m unittest\`.
`,
    '.gitignore': `__pycache__/
*.py[cod]
*.egg-info/
build/
dist/
.venv/
.coverage
`,
    '.gitlab-ci.yml': `test:
  image: python:$PYTHON-slim
  parallel:
    matrix:
      - PYTHON: ["3.11", "3.13"]
  script:
    - python -m unittest -v
`,
    'pyproject.toml': `[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "greeting"
version = "0.1.0"
description = "Says hello"
readme = "README.md"
requires-python = ">=3.11"

[tool.setuptools]
packages = ["greeting"]
`,
    'greeting/__init__.py': `"""Says hello."""


def greet(name: str = "world") -> str:
    """Return a greeting for one person, or for everyone if there is no name."""
    return f"Hello, {name}!"
`,
    'tests/__init__.py': '',
    'tests/test_greet.py': `import unittest

from greeting import greet


class GreetTest(unittest.TestCase):
    def test_by_name(self):
        self.assertEqual(greet("Ada"), "Hello, Ada!")

    def test_the_world(self):
        self.assertEqual(greet(), "Hello, world!")
`,
  },
}
