import type { ProjectTemplate } from '../template.ts'

/** Pages of Markdown that are read where they lie. */
export const docsSite: ProjectTemplate = {
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
