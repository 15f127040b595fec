import type { ProjectTemplate } from '../template.ts'

/** Pages of plain HTML and CSS. */
export const staticSite: ProjectTemplate = {
  title: 'Static site',
  description: 'Two pages of plain HTML with a style sheet, checked and packed by a pipeline.',
  files: {
    'README.md': `# {{name}}

A small website: plain HTML and CSS, no build step.

- \`public/index.html\` is the first page, \`public/about.html\` the second.
- \`public/style.css\` is their look, in light and in dark.

Open \`public/index.html\` in a browser, change it, and look again. Every push checks that the pages link to files that are there;
on the default branch the folder \`public\` becomes an artifact of the job \`pages\`.
`,
    '.gitignore': `.DS_Store
Thumbs.db
*.swp
`,
    '.gitlab-ci.yml': `stages: [check, publish]

default:
  image: alpine:3

links:
  stage: check
  script:
    - |
      cd public
      for page in *.html; do
        for target in $(grep -o 'href="[^"#:]*"' "$page" | cut -d'"' -f2); do
          test -e "$target" || { echo "$page leads to $target, which is missing"; exit 1; }
        done
      done

pages:
  stage: publish
  script:
    - ls public
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
    'public/index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>{{path}}</title>
    <link rel="stylesheet" href="style.css" />
  </head>
  <body>
    <main>
      <h1>Hello</h1>
      <p>This is the first page. <a href="about.html">There is another.</a></p>
    </main>
  </body>
</html>
`,
    'public/about.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>About</title>
    <link rel="stylesheet" href="style.css" />
  </head>
  <body>
    <main>
      <h1>About</h1>
      <p>Say what this is. <a href="index.html">Back</a></p>
    </main>
  </body>
</html>
`,
    'public/style.css': `:root {
  color-scheme: light dark;
  font: 16px/1.6 system-ui, sans-serif;
}

main {
  max-width: 60ch;
  margin: 15vh auto;
  padding: 0 1rem;
}
`,
  },
}
