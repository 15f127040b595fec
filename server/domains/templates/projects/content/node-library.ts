import type { ProjectTemplate } from '../template.ts'

/** A module for Node without dependencies. */
export const nodeLibrary: ProjectTemplate = {
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
    'src/index.js': `/** What to say to somebody. Without a name, to everybody. */
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
