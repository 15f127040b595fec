import { describe, expect, it } from 'vitest'

import { compileConfig } from '../../../server/domains/ci_config/compile/compile.ts'
import { noProject } from '../../../server/domains/ci_config/includes/entry.ts'
import type { PipelineContext } from '../../../server/domains/ci_config/select/values.ts'
import { selectJobs } from '../../../server/domains/ci_config/select/select.ts'

const resolver = { ...noProject, remote: async () => ({ status: 404 }) as const }
const push: PipelineContext = {
  source: 'push',
  ref: 'main',
  kind: 'branch',
  project: 'group/one',
  predefined: [{ key: 'CI_COMMIT_BRANCH', value: 'main' }],
  stored: [],
  changes: ['docs/a.md', '.hidden', 'src/deep/b.ts'],
  files: ['Dockerfile', 'src/b.ts'],
}

async function select(yaml: string, more: Partial<PipelineContext> = {}) {
  const { built, errors } = await compileConfig(yaml, resolver, { origin: null })
  expect(errors).toEqual([])
  return selectJobs(built!, { ...push, ...more })
}

/** Whether a job `a` with these keywords is selected. The pipeline also has a job that always is. */
async function isIn(keys: string, more: Partial<PipelineContext> = {}): Promise<boolean> {
  const { jobs } = await select(`a: {script: x, ${keys}}\nb: {script: x, rules: [{when: always}]}`, more)
  return jobs.some(({ job }) => job.name === 'a')
}

const merge = { source: 'merge_request_event', kind: 'merge_request', ref: 'topic' } as const
const tag = { kind: 'tag', ref: 'v1.0' } as const

describe('rules', () => {
  it.each([
    ['rules: [{if: $CI_COMMIT_BRANCH == "main"}]', {}, true],
    ['rules: [{if: $CI_COMMIT_BRANCH == "x"}]', {}, false],
    ['rules: [{if: $CI_COMMIT_BRANCH, when: never}, {when: always}]', {}, false],
    ['rules: [{if: $CI_JOB_NAME == "a"}]', {}, true],
    ['variables: {X: "1"}, rules: [{if: $X == "1"}]', {}, true],
    ['variables: {X: "1"}, rules: [{if: $X == "2"}]', { stored: [{ key: 'X', value: '2' }] }, true],
    ['variables: {X: $Y, Y: z}, rules: [{if: $X == "z"}]', {}, true],
    ['rules: [{changes: ["*.md"]}]', {}, false],
    ['rules: [{changes: ["docs/*.md"]}]', {}, true],
    ['rules: [{changes: ["**/*.ts"]}]', {}, true],
    ['rules: [{changes: ["src/*.ts"]}]', {}, false],
    ['rules: [{changes: ["*"]}]', { changes: ['.hidden'] }, true],
    ['rules: [{changes: ["**/*.{js,ts}"]}]', {}, true],
    ['rules: [{changes: ["src/deep/[a-c].ts"]}]', {}, true],
    ['rules: [{changes: ["none"]}]', { changes: null }, true],
    ['rules: [{changes: ["**/*"]}]', { changes: [] }, false],
    ['rules: [{changes: {paths: [x], compare_to: old}}]', { changesSince: new Map([['old', ['x']]]) }, true],
    ['rules: [{changes: {paths: [x], compare_to: old}}]', { changesSince: new Map([['old', ['y']]]) }, false],
    ['rules: [{exists: [Dockerfile]}]', {}, true],
    ['rules: [{exists: ["*.ts"]}]', {}, false],
    ['rules: [{exists: ["**/*.ts"], if: $GONE}]', {}, false],
  ] as const)('%s, %o: %s', async (keys, more, expected) => {
    expect(await isIn(keys, more as Partial<PipelineContext>)).toBe(expected)
  })

  it('set `when`, `allow_failure` and variables', async () => {
    const { jobs } = await select(`
variables: {ROOT: r}
a:
  script: x
  when: manual
  allow_failure: {exit_codes: [1]}
  variables: {OWN: o}
  rules: [{if: $ROOT, when: delayed, start_in: 1 min, allow_failure: true, variables: {RULE: s}}]`)
    expect(jobs[0]).toMatchObject({
      when: 'delayed',
      start_in: 60,
      allow_failure: true,
      allowed_exit_codes: null,
      variables: [
        { key: 'ROOT', value: 'r' },
        { key: 'OWN', value: 'o' },
        { key: 'RULE', value: 's' },
      ],
    })
  })

  it('report errors that only appear in a pipeline', async () => {
    const missing = await select('a: {script: x, rules: [{when: never}]}\nb: {script: x, needs: [a]}')
    expect(missing.errors[0]).toMatch(/^'b' job needs 'a' job, but 'a' does not exist in the pipeline\./)
    const ref = await select('a: {script: x, rules: [{changes: {paths: [x], compare_to: gone}}]}')
    expect(ref.errors[0]).toBe('Failed to parse rule for a: rules:changes:compare_to is not a valid ref')
    const ring = await select('a: {script: x, variables: {A: $B, B: $A}}')
    expect(ring.errors).toEqual(['a: circular variable reference detected: ["A","B"]'])
    const many = Array.from({ length: 51 }, (_, at) => `j${at}: {script: x, stage: build}`).join('\n')
    const names = Array.from({ length: 51 }, (_, at) => `j${at}`).join(', ')
    expect((await select(`${many}\nz: {script: x, needs: [${names}]}`)).errors[0]).toMatch(
      /^z: one job can only need 50 others, but you have listed 51\./,
    )
    expect((await select('a: {script: x, rules: [{when: never}]}')).errors).toEqual([
      'No stages / jobs for this pipeline.',
    ])
  })
})

describe('only and except', () => {
  it.each([
    ['tags: [x]', {}, true],
    ['tags: [x]', tag, true],
    ['tags: [x]', merge, false],
    ['only: [branches]', tag, false],
    ['only: [tags]', tag, true],
    ['only: [merge_requests]', merge, true],
    ['only: [merge_requests]', {}, false],
    ['only: [pushes]', {}, true],
    ['only: [schedules]', { source: 'schedule' }, true],
    ['only: [web, api]', { source: 'api' }, true],
    ['only: [triggers]', { source: 'trigger' }, true],
    ['only: [pipelines]', { source: 'pipeline' }, true],
    ['only: [main]', {}, true],
    ['only: [mai]', {}, false],
    ['only: ["/^ma/"]', {}, true],
    ['only: ["/^MA/"]', {}, false],
    ['only: ["/^MA/i"]', {}, true],
    ['only: ["main@group/one"]', {}, true],
    ['only: ["main@group/two"]', {}, false],
    ['only: [branches], except: [main]', {}, false],
    ['except: ["/^v/"]', tag, false],
    ['only: {refs: [main], variables: ["$X"]}', {}, false],
    ['only: {refs: [main], changes: ["docs/*"]}', {}, true],
    ['only: {changes: ["x/*"]}', {}, false],
    ['only: {variables: ["$CI_COMMIT_BRANCH"]}', merge, false],
    ['except: {variables: ["$CI_COMMIT_BRANCH"]}', {}, false],
    ['only: {kubernetes: active}', {}, false],
  ] as const)('%s, %o: %s', async (keys, more, expected) => {
    expect(await isIn(keys, more as Partial<PipelineContext>)).toBe(expected)
  })
})

describe('workflow', () => {
  const yaml = `
workflow:
  name: "For $CI_COMMIT_BRANCH $KIND"
  rules:
    - {if: $CI_COMMIT_TAG, when: never}
    - {if: $CI_COMMIT_BRANCH, variables: {KIND: branch}}
a: {script: x, rules: [{if: $KIND == "branch"}]}
b: {script: x}`

  it('decides whether a pipeline is created, names it and sets variables', async () => {
    const { jobs, name, isAllowed } = await select(yaml)
    expect({ isAllowed, name }).toEqual({ isAllowed: true, name: 'For main branch' })
    expect(jobs.map(({ job }) => job.name)).toEqual(['a', 'b'])
  })

  it('prevents a pipeline', async () => {
    const never = await select(yaml, { predefined: [{ key: 'CI_COMMIT_TAG', value: 'v1' }] })
    expect(never).toMatchObject({ isAllowed: false, errors: ['Pipeline filtered out by workflow rules.'] })
    expect(never.explain('a')).toMatchObject({ because: 'workflow', rule: 0 })
    const none = await select(yaml, { predefined: [] })
    expect(none.explain('a')).toMatchObject({ because: 'workflow', rule: null })
  })
})

it('the selection gives the reason for every job', async () => {
  const { explain, jobs, stages } = await select(`
z: {script: x, stage: deploy}
a: {script: x, rules: [{if: $NO}, {if: $CI_COMMIT_BRANCH == "main", when: manual}]}
b: {script: x, rules: [{if: $NO}]}
c: {script: x, rules: [{when: never}]}
d: {script: x, only: [tags]}
e: {script: x, except: [main]}`)
  expect(jobs.map(({ job }) => job.name)).toEqual(['a', 'z'])
  expect(stages).toEqual(['test', 'deploy'])
  expect(explain('z')).toEqual({ because: 'default', rule: null, text: 'Added: nothing excludes it.' })
  expect(explain('a')).toEqual({
    because: 'rule',
    rule: 1,
    text: 'Added: rule 2 matches (if: $CI_COMMIT_BRANCH == "main").',
  })
  expect(['b', 'c', 'd', 'e'].map((name) => explain(name)?.because)).toEqual([
    'no_rule',
    'never',
    'only',
    'except',
  ])
  expect(explain('gone')).toBeUndefined()
})
