import type { Case } from './case.ts'

const NO_CONTENT = 'Please provide content of .gitlab-ci.yml'
const NOT_A_MAP = 'Invalid configuration format'
const TOO_BIG = 'The parsed YAML is too big'
const chain = (length: number) =>
  Array.from({ length }, (_, at) => `.j${at}: {${at === 0 ? 'script: x' : `extends: .j${at - 1}`}}`).join(
    '\n',
  )

/** Reading, extends, references and anchors (spec ci 4.1, 4.2, 4.11). */
export const load: readonly Case[] = [
  ['', [NO_CONTENT]],
  ['  \n\n', [NO_CONTENT]],
  ['# only a comment', [NO_CONTENT]],
  ['just text', [NOT_A_MAP]],
  ['- a\n- b', [NOT_A_MAP]],
  ['42', [NOT_A_MAP]],
  ['test: {script: *gone}', ['Unknown alias: gone']],
  ['&a [*a]', ['Unknown alias: a']],
  [
    'test:\n\tscript: x',
    [
      '(<unknown>): found character that cannot start any token while scanning for the next token at line 2 column 1',
    ],
  ],
  ['test: {script: "a\0b"}', ['(<unknown>): control characters are not allowed at line 1 column 18']],
  ['a: b: c', ['(<unknown>): mapping values are not allowed in this context at line 1 column 4']],
  [`test: {script: ${'['.repeat(101)}${']'.repeat(101)}}`, [TOO_BIG]],
  ['['.repeat(10_000), [TOO_BIG]],
  [`test: {script: "${'x'.repeat(1_600_000)}"}`, [TOO_BIG]],
  ['test: {script: x}'],
  ['--- \ntest: {script: x}\n...\n'],
  ['spec: {inputs: {}}\n---\ntest: {script: x}'],
  ['.base: &base {script: x}\ntest: {<<: *base}'],
  ['.base: &base {script: x}\ntest:\n  <<: [*base, {stage: build}]'],
  ['test: {<<: 5, script: x}', ['(<unknown>): expected a mapping or list of mappings for merging']],
  // The last of two equal keys counts.
  ['test: {script: 5}\ntest: {script: x}'],
  // A plain key written as a Ruby symbol is the same key.
  [':test:\n  :script: x\n  :"stage": test'],
  [
    'test: {":script": x}',
    [
      'jobs test config should implement a script: or a trigger: keyword',
      'jobs config should contain at least one visible job',
    ],
  ],
  ['.a: {script: x}\ntest: {extends: .a}'],
  ['.a: {script: x}\n.b: {stage: build}\ntest: {extends: [.a, .b]}'],
  ['test: {extends: .gone, script: x}', ['test: unknown keys in `extends` (.gone)']],
  ['test: {extends: [.a, .b], script: x}', ['test: unknown keys in `extends` (.a, .b)']],
  ['.a: text\ntest: {extends: .a, script: x}', ['test: invalid base hashes in `extends` (.a)']],
  ['test: {extends: test, script: x}', ['test: circular dependency detected in `extends`']],
  [
    '.a: {extends: .b}\n.b: {extends: .a}\ntest: {script: x}',
    ['.b: circular dependency detected in `extends`'],
  ],
  [`${chain(10)}\ntest: {extends: .j9}`],
  [`${chain(12)}\ntest: {script: x}`, ['.j1: nesting too deep in `extends`']],
  ['.a: {script: [one]}\ntest: {script: [!reference [.a, script], two]}'],
  ['.a: {rules: [{if: $A}]}\ntest: {script: x, rules: [!reference [.a, rules]]}'],
  ['test: {script: !reference [gone, script]}', ['!reference ["gone", "script"] could not be found']],
  [
    'test: {script: !reference [test, script]}',
    ['!reference ["test", "script"] is part of a circular chain'],
  ],
  ['test: {script: !reference []}', ['!reference [] is not valid']],
  ['include: notes.txt', ['Included file `notes.txt` does not have YAML extension!']],
  ['include: a.yml', ['Local file `a.yml` does not have project!']],
  ['include: {local: 5}', ['Included file `5` needs to be a string']],
  ['include: 5', ['include config should be an array or a string']],
  [
    'include: {foo: 1}',
    [
      '`{"foo":1}` does not have a valid subkey for include. Valid subkeys are: `local`, `project`, `remote`, `template`, `artifact`',
    ],
  ],
  [
    'include: {local: a.yml, remote: b}',
    ['Each include must use only one of: `local`, `project`, `remote`, `template`, `artifact`'],
  ],
  ['include: {project: a/b}', ['include config must specify the file where to fetch the config from']],
  [
    'include: {project: a/b, file: c.yml}',
    [
      'Project `a/b` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.',
    ],
  ],
  [
    'include: {remote: "ftp://x.test/a.yml"}',
    ['Remote file `ftp://x.test/a.yml` does not have a valid address!'],
  ],
  ['include: {template: Bash.gitlab-ci.yml}'],
  ['include: {template: Nope}', ['Template file `Nope` is not a valid location!']],
  ['include: []\ntest: {script: x}'],
  ['include: {local: a.yml, rules: [{when: never}]}\ntest: {script: x}'],
  ['include: {local: a.yml, rules: [{if: $NO}]}\ntest: {script: x}'],
]
