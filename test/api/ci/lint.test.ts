import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
const reporter = make.user({ username: 'reporter' })
const stranger = make.user({ username: 'stranger' })
const external = make.user({ username: 'external', external: true })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any, secret: any, empty: any
let remote: Server
let address: string

const OWN = `
include: [ci/part.yml, "ci/more/*.yml"]
stages: [build, test]
test:
  extends: .base
  before_script: [prepare]
  environment: {name: review/$CI_COMMIT_REF_SLUG}
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      when: manual
    - exists: [Dockerfile]
`

beforeAll(async () => {
  project = await make.project()
  secret = await make.project()
  empty = await make.project()
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', empty.id, developer, 30)
  fill(instance, project, [
    {
      files: {
        '.gitlab-ci.yml': OWN,
        'ci/part.yml': '.base:\n  script: [one, [two]]\n  tags: [fast]\n',
        'ci/more/a.yml': 'build:\n  stage: build\n  script: make\n  only: [main]\n',
        'ci/more/b.yml': 'pack:\n  script: pack\n  needs: [build]\n',
        'ci/notes.txt': 'text',
      },
    },
    { branch: 'topic', files: { Dockerfile: 'FROM x\n', 'topic.yml': 'only_here: {script: x}\n' } },
  ])
  fill(instance, secret, [{ files: { 'a.yml': 'shared:\n  script: x\n' } }])
  remote = createServer((request, response) => {
    if (request.url === '/gone.yml') response.writeHead(404).end()
    else response.end(request.url === '/a.yml' ? 'far:\n  script: x\n' : '- no mapping')
  })
  await new Promise<void>((done) => remote.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`
})
afterAll(() => remote.close())

const at = (id: number) => `/projects/${id}/ci/lint`
const inProject = (content: string, more: object = {}, user = developer) =>
  as(user).post(at(project.id), { content, ...more })

describe('POST /ci/lint', () => {
  const lint = (params: object, user: typeof developer | null = developer) =>
    as(user).post('/ci/lint', params)

  it('reports a valid configuration', async () => {
    const { status, body } = await lint({ content: 'test: {script: x}' })
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'valid', errors: [], warnings: [], valid: true, includes: [] })
  })

  it('reports all errors', async () => {
    const { status, body } = await lint({ content: 'test: {script: x, foo: 1, when: y}', include_jobs: true })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'invalid',
      errors: [
        'jobs:test config contains unknown keys: foo',
        'jobs:test when should be one of: on_success, on_failure, always, manual, delayed',
      ],
      warnings: [],
      valid: false,
      includes: [],
      jobs: [],
    })
  })

  it('returns the merged configuration and the jobs on request', async () => {
    const content =
      '.b: {script: [a]}\nlate: {extends: .b, stage: deploy}\ntest: {script: b, needs: [], rules: [{if: $A}]}'
    const { body } = await lint({ content, include_merged_yaml: true, include_jobs: 'true' })
    expect(body.merged_yaml).toBe(
      '---\n.b:\n  script:\n  - a\nlate:\n  script:\n  - a\n  extends: .b\n  stage: deploy\n' +
        'test:\n  script: b\n  needs: []\n  rules:\n  - if: $A\n',
    )
    const usual = {
      before_script: [],
      after_script: [],
      tag_list: [],
      except: null,
      environment: null,
      when: 'on_success',
      allow_failure: false,
    }
    expect(body.jobs).toEqual([
      { ...usual, name: 'test', stage: 'test', script: ['b'], only: null, needs: [] },
      {
        ...usual,
        name: 'late',
        stage: 'deploy',
        script: ['a'],
        only: { refs: ['branches', 'tags'] },
        needs: null,
      },
    ])
  })

  it('requires content, which may be empty', async () => {
    const missing = await lint({})
    expect([missing.status, missing.body]).toEqual([400, { error: 'content is missing' }])
    expect((await lint({ content: '' })).body).toMatchObject({
      status: 'invalid',
      errors: ['Please provide content of .gitlab-ci.yml'],
    })
    expect((await lint({ content: 'a: \0' })).status).toBe(400)
    expect((await lint({ content: { a: 1 } })).status).toBe(400)
  })

  it('allows includes of addresses and templates, but not of files', async () => {
    expect((await lint({ content: 'include: {template: Bash}' })).body.includes).toEqual([
      {
        type: 'template',
        location: 'Bash',
        blob: null,
        raw: null,
        extra: {},
        context_project: null,
        context_sha: null,
      },
    ])
    const errors = async (content: string) => (await lint({ content })).body.errors
    expect(await errors('include: a.yml')).toEqual(['Local file `a.yml` does not have project!'])
    expect(await errors(`include: {project: ${secret.path_with_namespace}, file: a.yml}`)).toEqual([
      `Project \`${secret.path_with_namespace}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    ])
    // Requests to the local network require the setting.
    expect(await errors(`include: ${address}/a.yml`)).toEqual([
      `Remote file \`${address}/a.yml\` could not be fetched because of HTTP error!`,
    ])
  })

  it('fetches includes from addresses', async () => {
    const setting = { allow_local_requests_from_web_hooks_and_services: true }
    await as(root).put('/application/settings', setting)
    try {
      const ask = async (path: string) =>
        (await lint({ content: `include: ${address}/${path}`, include_jobs: true })).body
      expect((await ask('a.yml')).jobs).toMatchObject([{ name: 'far' }])
      expect((await ask('gone.yml')).errors).toEqual([
        `Remote file \`${address}/gone.yml\` could not be fetched because of HTTP code \`404\` error!`,
      ])
      expect((await ask('odd.yml')).errors).toEqual([`\`${address}/odd.yml\`: Invalid configuration format`])
      const unused = createServer().listen(0, '127.0.0.1')
      await new Promise((done) => unused.once('listening', done))
      const closedAt = `http://127.0.0.1:${(unused.address() as AddressInfo).port}/a.yml`
      await new Promise((done) => unused.close(done))
      const closed = await lint({ content: `include: ${closedAt}` })
      expect(closed.body.errors).toEqual([
        `Remote file \`${closedAt}\` could not be fetched because of a socket error!`,
      ])
    } finally {
      await as(root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
    }
  })

  it('requires sign-in if sign-up is disabled', async () => {
    const content = 'test: {script: x}'
    expect((await lint({ content }, null)).status).toBe(200)
    await as(root).put('/application/settings', { signup_enabled: false })
    try {
      const refused = await lint({ content }, null)
      expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }])
      expect((await lint({ content }, stranger)).status).toBe(200)
      expect((await lint({ content }, external)).status).toBe(401)
      await make.member('projects', project.id, external, 30)
      expect((await lint({ content }, external)).status).toBe(200)
    } finally {
      await as(root).put('/application/settings', { signup_enabled: true })
    }
  })
})

describe('GET /projects/:id/ci/lint', () => {
  const get = (query = '', user: typeof developer | null = reporter, id = project.id) =>
    as(user).get(at(id) + query)

  it('checks the configuration of the default branch', async () => {
    const { status, body } = await get('?include_jobs=true')
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: true, errors: [], warnings: [] })
    expect(body.merged_yaml).toMatch(/^---\n\.base:\n {2}script:\n {2}- one\n {2}- - two\n/)
    expect(body.jobs.map((job: { name: string }) => job.name)).toEqual(['build', 'pack', 'test'])
    expect(body.jobs[1].needs).toEqual([{ name: 'build', artifacts: true, optional: false }])
    expect(body.jobs[2]).toMatchObject({
      script: ['one', 'two'],
      tag_list: ['fast'],
      only: null,
      environment: 'review/$CI_COMMIT_REF_SLUG',
    })
    expect(body.includes.map((include: { location: string }) => include.location)).toEqual([
      'ci/part.yml',
      'ci/more/a.yml',
      'ci/more/b.yml',
    ])
    const [first] = body.includes
    const base = `${instance.url}/${project.path_with_namespace}/-`
    expect(first).toEqual({
      type: 'local',
      location: 'ci/part.yml',
      blob: `${base}/blob/${first.context_sha}/ci/part.yml`,
      raw: `${base}/raw/${first.context_sha}/ci/part.yml`,
      extra: {},
      context_project: project.path_with_namespace,
      context_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
  })

  it('lists in a dry run the jobs that a push would create', async () => {
    const { body } = await get('?dry_run=true&include_jobs=true', developer)
    expect(body.jobs.map((job: { name: string; when: string }) => [job.name, job.when])).toEqual([
      ['build', 'on_success'],
      ['pack', 'on_success'],
      ['test', 'manual'],
    ])
    expect(Object.keys(body.jobs[0])).not.toContain('needs')
    expect(Object.keys(body.jobs[0])).not.toContain('only')
    const topic = await get('?dry_run=true&include_jobs=true&ref=topic', developer)
    expect(topic.body).toMatchObject({ valid: false, jobs: [] })
    expect(topic.body.errors[0]).toMatch(
      /^'pack' job needs 'build' job, but 'build' does not exist in the pipeline/,
    )
    expect((await get('?dry_run=true&ref=gone', developer)).body.errors).toEqual(['Reference not found'])
    expect((await get('?dry_run=true')).body.errors).toEqual([
      'Insufficient permissions to create a new pipeline',
    ])
  })

  it('supports projects without a configuration, and commits', async () => {
    const { status, body } = await get('', developer, empty.id)
    expect(status).toBe(200)
    expect(body).toEqual({
      valid: false,
      errors: ['Please provide content of .gitlab-ci.yml'],
      warnings: [],
      merged_yaml: null,
      includes: null,
    })
    expect((await get('?sha=topic')).body.errors).toEqual(['Please provide content of .gitlab-ci.yml'])
    expect((await get('?content_ref=gone')).status).toBe(404)
  })

  it('is limited to users who can read the code', async () => {
    const refused = await get('', stranger)
    expect([refused.status, refused.body]).toEqual([404, { message: '404 Project Not Found' }])
    expect((await get('', null)).status).toBe(404)
  })
})

describe('POST /projects/:id/ci/lint', () => {
  it('checks the content as a configuration of the project', async () => {
    const { status, body } = await inProject('include: /ci/more/a.yml\nt: {script: x}', {
      include_jobs: true,
    })
    expect(status).toBe(200)
    expect(body.valid).toBe(true)
    expect(body.jobs.map((job: { name: string }) => job.name)).toEqual(['build', 't'])
  })

  it('includes files of other projects with the permissions of the caller', async () => {
    const content = `include: {project: ${secret.path_with_namespace}, file: [a.yml]}`
    expect((await inProject(content)).body.errors).toEqual([
      `Project \`${secret.path_with_namespace}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    ])
    const allowed = await inProject(content, { include_jobs: true }, root)
    expect(allowed.body.jobs).toMatchObject([{ name: 'shared' }])
    expect(allowed.body.includes).toMatchObject([
      { type: 'file', location: 'a.yml', extra: { project: secret.path_with_namespace, ref: 'HEAD' } },
    ])
    const errors = async (more: string) =>
      (await inProject(`include: {project: ${secret.path_with_namespace}, ${more}}`, {}, root)).body.errors
    expect(await errors('file: a.yml, ref: gone')).toEqual([
      `Project \`${secret.path_with_namespace}\` reference \`gone\` does not exist!`,
    ])
    expect(await errors('file: b.yml')).toEqual([
      `Project \`${secret.path_with_namespace}\` file \`b.yml\` does not exist!`,
    ])
  })

  it('reports errors of included files', async () => {
    const errors = async (include: string) => (await inProject(`include: ${include}`)).body.errors
    expect(await errors('ci/notes.txt')).toEqual([
      'Included file `ci/notes.txt` does not have YAML extension!',
    ])
    expect(await errors('ci/gone.yml')).toEqual(['Local file `ci/gone.yml` does not exist!'])
    expect(await errors('ci/none/*.yml')).toEqual(['Local file `ci/none/*.yml` does not exist!'])
    expect(await errors('../../etc/passwd.yml')).toEqual([
      'Local file `../../etc/passwd.yml` does not exist!',
    ])
    expect(await errors('[{local: ci/part.yml, rules: [{exists: [gone]}]}]\nt: {script: x}')).toEqual([])
  })

  it('uses the variables of the project in a dry run, protected ones on protected branches only', async () => {
    const set = (key: string, more = {}) =>
      as(root).post(`/projects/${project.id}/variables`, { key, value: 'yes', ...more })
    expect((await set('DEPLOY', { protected: true })).status).toBe(201)
    expect((await set('CHECK')).status).toBe(201)
    const content =
      'a: {script: x, rules: [{if: $DEPLOY == "yes"}]}\nb: {script: x, variables: {CHECK: no}, rules: [{if: $CHECK == "yes"}]}'
    const names = async (ref: string) =>
      (await inProject(content, { dry_run: true, ref, include_jobs: true }, root)).body.jobs.map(
        (job: { name: string }) => job.name,
      )
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    expect(await names('main')).toEqual(['a', 'b'])
    expect(await names('topic')).toEqual(['b'])
    const refused = await inProject(content, { dry_run: true, ref: 'main' })
    expect(refused.body.errors).toEqual([
      "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.",
    ])
    const shown = await as(developer).post(`/-/projects/${project.id}/ci/check`, { content, ref: 'main' })
    expect(shown.body.jobs.map(({ included }: { included: boolean }) => included)).toEqual([false, true])
    await as(root).delete(`/projects/${project.id}/protected_branches/main`)
  })

  it('does not reveal variables to users who may not start pipelines', async () => {
    const open = await make.project({ visibility: 'public' })
    await as(root).post(`/projects/${open.id}/variables`, { key: 'SECRET', value: 'hidden' })
    const config = 'include: "$SECRET.yml"\na: {script: x, rules: [{if: $SECRET =~ /^h/}]}'
    fill(instance, open, [{ files: { '.gitlab-ci.yml': config } }])
    const get = (query: string) => as(stranger).get(`${at(open.id)}${query}`)
    expect((await get('')).body.errors).toEqual(['Local file `$SECRET.yml` does not exist!'])
    expect((await get('?dry_run=true')).body.errors).toContain(
      'Insufficient permissions to create a new pipeline',
    )
    const own = await as(root).get(at(open.id))
    expect(own.body.errors).toEqual(['Local file `hidden.yml` does not exist!'])
  })

  it('reads files of the ref in a dry run', async () => {
    const { body } = await inProject('include: topic.yml', {
      dry_run: true,
      ref: 'topic',
      include_jobs: true,
    })
    expect(body.jobs).toMatchObject([{ name: 'only_here' }])
  })

  it('parses large configurations and large included files in a separate thread', async () => {
    const jobs = Array.from(
      { length: 300 },
      (_, n) => `job-${n}:\n  extends: .base\n  stage: build\n  needs: []\n`,
    )
    const large = `include: ci/part.yml\n${jobs.join('')}`
    const { body } = await inProject(large, { dry_run: true, include_jobs: true })
    expect(body.errors).toEqual([])
    expect(body.jobs).toHaveLength(300)
    expect(body.jobs[299]).toMatchObject({ name: 'job-299', script: ['one', 'two'], tag_list: ['fast'] })
    fill(instance, project, [
      { branch: 'large', files: { 'large.yml': large, 'ci/part.yml': '.base: {script: x}' } },
    ])
    const from = await inProject('include: large.yml', { dry_run: true, ref: 'large', include_jobs: true })
    expect(from.body.jobs).toHaveLength(300)
    expect((await inProject(`${large}last: 5\n`)).body.errors).toEqual([
      'jobs last config should implement a script: or a trigger: keyword',
    ])
    expect((await inProject('['.repeat(50_000))).body.errors).toEqual(['The parsed YAML is too big'])
  })

  it('requires content and permission to start pipelines', async () => {
    const missing = await as(developer).post(at(project.id), {})
    expect([missing.status, missing.body]).toEqual([400, { error: 'content is missing' }])
    expect((await inProject('a: b', {}, reporter)).status).toBe(403)
    expect((await inProject('a: b', {}, stranger)).status).toBe(404)
  })
})

it('the check of the window returns the locations of errors, and why each job is in the pipeline', async () => {
  const check = async (content: string) =>
    (await as(developer).post(`/-/projects/${project.id}/ci/check`, { content })).body
  expect((await check('t:\n  script: x\n  foo: 1\n')).errors).toEqual([
    { message: 'jobs:t config contains unknown keys: foo', file: null, line: 1, column: 1 },
  ])
  const { jobs, stages } = await check(
    'a: {script: x, only: [tags]}\nb: {script: x, needs: [{job: a, optional: true}]}',
  )
  expect(stages).toEqual(['.pre', 'build', 'test', 'deploy', '.post'])
  expect(jobs).toEqual([
    {
      name: 'a',
      stage: 'test',
      needs: [],
      included: false,
      because: 'only',
      reason: 'Left out: `only` does not match (branch main, source push).',
    },
    {
      name: 'b',
      stage: 'test',
      needs: ['a'],
      included: true,
      because: 'default',
      reason: 'Added: nothing excludes it.',
    },
  ])
})
