import { describe, expect, it } from 'vitest'

import { compileConfig } from '../../../server/domains/ci_config/compile/compile.ts'
import { globOf } from '../../../server/domains/ci_config/language/patterns.ts'
import { noProject, type Resolver } from '../../../server/domains/ci_config/includes/entry.ts'
import { isTrue } from '../../../server/domains/ci_config/language/expressions.ts'
import { selectJobs } from '../../../server/domains/ci_config/select/select.ts'
import { expandAll } from '../../../server/domains/ci_config/language/variables.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const TOO_BIG = 'The parsed YAML is too big'
const alone = { ...noProject, remote: async () => ({ status: 404 }) as const }
const messages = async (yaml: string, resolver: Resolver = alone, origin = { project: 'a/b', sha: 'c' }) =>
  (await compileConfig(yaml, resolver, { origin })).errors.map(({ message }) => message)
const files = (content: Record<string, string>): Resolver => ({
  ...alone,
  read: async (_, path) => content[path] ?? null,
  list: async () => Object.keys(content),
})

describe('hostile configurations', () => {
  it('large patterns are not matched against long texts', async () => {
    const long = 'a'.repeat(128 * 1024)
    const values = (name: string) => ({ LONG: long, SHORT: 'aab' })[name]
    const begun = cpuTime()
    expect(isTrue('$LONG =~ /(a?){1000}[bc]/', values)).toBe(false)
    expect(cpuTime() - begun).toBeLessThan(500)
    expect(isTrue('$SHORT =~ /(a?){1000}[bc]/', values)).toBe(true)
    expect(isTrue('$LONG =~ /a$/', values)).toBe(true)
  })

  it('rules that take too long are aborted', async () => {
    const { built } = await compileConfig('a: {script: x, rules: [{if: $A}]}', alone, { origin: null })
    const nothing = { predefined: [], stored: [], changes: null, files: null, project: 'a/b' }
    const context = { ...nothing, source: 'push', ref: 'main', kind: 'branch' as const, isLate: () => true }
    expect(selectJobs(built!, context).errors[0]).toBe('Failed to parse rule for a: the rules take too long')
  })

  it('alias bombs are refused for their size', async () => {
    const levels = Array.from({ length: 12 }, (_, at) =>
      at === 0
        ? '.a0: &a0 [x, x, x, x, x, x, x, x, x]'
        : `.a${at}: &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join()}]`,
    )
    expect(await messages(`${levels.join('\n')}\nt: {script: x}`)).toEqual([TOO_BIG])
  })

  it('reference bombs are refused for their size', async () => {
    const levels = Array.from({ length: 9 }, (_, at) => {
      const below = Array.from({ length: 9 }, () => `!reference [.a${at - 1}, v]`).join(', ')
      return `.a${at}: {v: [${at === 0 ? 'x' : below}]}`
    })
    expect(await messages(`${levels.join('\n')}\nt: {script: !reference [.a8, v]}`)).toEqual([TOO_BIG])
  })

  it('bases that are extended repeatedly are read once', async () => {
    const bases = Array.from(
      { length: 10 },
      (_, at) =>
        `.a${at}: {script: x${at === 0 ? '' : `, extends: [.a${at - 1}, .a${at - 1}, .a${at - 1}]`}}`,
    )
    expect(await messages(`${bases.join('\n')}\nt: {extends: .a9}`)).toEqual([])
  })

  it.each([
    ['flow lists', '['.repeat(20_000)],
    ['flow mappings', '{a: '.repeat(10_000)],
    ['block lists', '- '.repeat(10_000)],
    ['keys of keys', '? '.repeat(10_000)],
    ['indents', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('deep %s end with a message', async (_, yaml) => {
    const [message] = await messages(yaml)
    expect(message).toMatch(/^(?:The parsed YAML is too big|\(<unknown>\): )/)
  })

  it.each([
    '\0',
    'a: \0',
    'a: "\\uD800"',
    '\uFEFFa: {script: x}',
    '%YAML 9.9\n---\na: b',
    'a: !!binary x',
    '!!map [a]',
    '&',
    '*',
    '!',
    '?',
    '- - -',
    '"',
    "'",
    '|',
    '>',
    '{',
    '[',
    'a: |9\n b',
    'a: &b &c d',
    '---\n---\n---',
    '...',
    '\r\n\r',
    '\u2028',
  ])('odd text %j ends with an answer', async (yaml) => {
    const { errors, built } = await compileConfig(yaml, alone, { origin: null })
    expect(errors.length === 0).toBe(built !== null)
  })

  it('names of object properties are ordinary names', async () => {
    const compiled = await compileConfig(
      '__proto__: {script: x}\nconstructor: {script: x, variables: {__proto__: y}}\ntoString: {script: x, needs: [__proto__]}',
      alone,
      { origin: null },
    )
    expect(compiled.errors).toEqual([])
    expect(compiled.built!.jobs.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(compiled.merged_yaml).toContain('__proto__:\n  script: x\n')
  })

  it('files that include each other are refused', async () => {
    const resolver = files({ 'a.yml': 'include: b.yml', 'b.yml': 'include: a.yml' })
    expect(await messages('include: a.yml', resolver)).toEqual([
      'Maximum of 150 nested includes are allowed!',
    ])
  })

  it('a file with too many includes is refused', async () => {
    const resolver = files({ 'a.yml': 'include: "*.yml"', 'b.yml': 'include: "*.yml"' })
    expect(await messages('include: "*.yml"', resolver)).toEqual([
      'Maximum of 150 nested includes are allowed!',
    ])
  })

  it('includes that are too slow are refused', async () => {
    const resolver = files({ 'a.yml': 't: {script: x}' })
    const { errors } = await compileConfig('include: a.yml', resolver, {
      origin: { project: 'a/b', sha: 'c' },
      deadline: () => true,
    })
    expect(errors[0]?.message).toBe('Resolving config took longer than expected')
  })

  it('thousands of parallel copies are refused', async () => {
    const jobs = Array.from({ length: 300 }, (_, at) => `j${at}: {script: x, parallel: 50}`).join('\n')
    expect(await messages(jobs)).toEqual(['The number of jobs has exceeded the limit of 10000.'])
  })

  it('a long chain of needs is supported', async () => {
    const jobs = Array.from(
      { length: 5000 },
      (_, at) => `j${at}: {script: x${at === 0 ? '' : `, needs: [j${at - 1}]`}}`,
    )
    expect(await messages(jobs.join('\n'))).toEqual([])
  })

  it('variables that double each other stay small', () => {
    const doubling = Array.from({ length: 60 }, (_, at) => ({
      key: `V${at}`,
      value: at === 0 ? 'xx' : `$V${at - 1}$V${at - 1}`,
    }))
    const { values, cycle } = expandAll(doubling.toReversed())
    expect(cycle).toBeNull()
    expect(values.get('V59')!.length).toBeLessThanOrEqual(128 * 1024)
  })

  it('chains and cycles of variables are expanded in limited time', async () => {
    const chain = Array.from({ length: 3000 }, (_, at) => `V${at}: "$V${at + 1}"`).join(', ')
    const { built } = await compileConfig(
      `t: {script: x, variables: {${chain}}, rules: [{if: $V0}]}`,
      alone,
      { origin: null },
    )
    const { jobs, errors } = selectJobs(built!, {
      source: 'push',
      ref: 'main',
      kind: 'branch',
      project: 'a/b',
      predefined: [],
      stored: [],
      changes: null,
      files: null,
    })
    expect(jobs).toHaveLength(1)
    expect(errors).toEqual([])
    expect(expandAll([{ key: 'PATH', value: '$PATH:/more' }])).toEqual({
      values: new Map([['PATH', '$PATH:/more']]),
      cycle: null,
    })
    const refs = Array.from({ length: 20_000 }, (_, at) => ({ key: `R${at}`, value: 'x' }))
    const all = { key: 'ALL', value: refs.map(({ key }) => `$${key}`).join('') }
    expect(expandAll([all, ...refs]).values.get('ALL')).toBe('x'.repeat(20_000))
  })

  it('nested braces in patterns are limited', () => {
    const start = cpuTime()
    expect(globOf('{a,b}'.repeat(40)).covers('c')).toBe(false)
    expect(globOf('{'.repeat(5000)).covers('c')).toBe(false)
    expect(cpuTime() - start).toBeLessThan(1000)
  })

  it('masked values do not appear in errors', async () => {
    const { errors } = await compileConfig('include: $FILE', files({}), {
      origin: { project: 'a/b', sha: 'c' },
      variables: new Map([['FILE', 'secret-name.yml']]),
      masked: ['secret-name'],
    })
    expect(errors[0]?.message).toBe('Local file `[MASKED].yml` does not exist!')
  })
})

describe('locations', () => {
  it('are kept for every error, of included files too', async () => {
    const resolver = files({ 'a.yml': '# first\nt:\n  script: x\n  foo: 1\n' })
    const { errors } = await compileConfig('include: a.yml\nb:\n  script: x\n  stage: gone\n', resolver, {
      origin: { project: 'a/b', sha: 'c' },
    })
    expect(errors).toEqual([
      { message: 'jobs:t config contains unknown keys: foo', file: 'a.yml', line: 2, column: 1 },
    ])
    const own = await compileConfig('b:\n  script: x\n  stage: gone\n', alone, { origin: null })
    expect(own.errors[0]).toMatchObject({ file: null, line: 3, column: 3 })
  })
})

describe('the merged configuration', () => {
  it('is the same when it is compiled again', async () => {
    const yaml = `
include: {template: Docker}
.base: &base
  script: [one, "two: 3", "yes", "1.0", '- x', "# no", "multi\\nline", " lead", "", "tab\\t", "ü", "a'b", "*x", "key:"]
  variables: {A: 1.50, B: 0644, C: yes, D: null-ish, E: "012"}
t: {<<: *base, extends: .base, rules: [{if: '$A =~ /^x/'}, {when: never}]}
`
    const template = async () => 'docker-build:\n  image: docker:cli\n  script: docker build .\n'
    const first = await compileConfig(yaml, { ...alone, template }, { origin: null })
    const text = first.merged_yaml!
    const second = await compileConfig(text, alone, { origin: null })
    expect(first.errors).toEqual([])
    expect(second.built!.jobs).toEqual(first.built!.jobs)
    expect(second.merged_yaml).toBe(text)
    expect(text).toMatch(/^---\ndocker-build:\n {2}image: docker:cli\n/)
    expect(text).not.toContain('include')
  })
})
