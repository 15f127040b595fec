import { beforeAll, describe, expect, test } from 'vitest'

import { appendTrace } from '../../../server/domains/ci/traces/service.ts'
import { byId } from '../../../server/domains/ci/jobs/store.ts'
import { finishJob } from '../../../server/domains/ci/processing/run.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { makeRunner, run, take } from './run-job.ts'

const w = await world()
let owner: TestUser
let dev: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string
let runner: number
let sha: string

const CONFIG = `
stages: [build, deploy]
compile:
  stage: build
  tags: [linux]
  script: [make]
release:
  stage: deploy
  needs: []
  when: manual
  script: [make release]
child:
  stage: deploy
  trigger:
    include: child.yml
`
const CHILD = `
inner:
  script: [echo]
`

beforeAll(async () => {
  owner = w.make.user({ username: 'owner' })
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  project = await w.make.project({ owner, visibility: 'private' })
  at = `/projects/${project.id}`
  for (const [user, level] of [
    [dev, 30],
    [guest, 10],
  ] as const)
    await w.make.member('projects', project.id, user, level)
  sha = fill(w, project, [
    { branch: 'main', message: 'Begin', files: { '.gitlab-ci.yml': CONFIG, 'child.yml': CHILD } },
  ])[0]!
  runner = makeRunner(w, 'the quick one')
})

// oxlint-disable-next-line typescript/no-explicit-any
type Job = any
async function make(user = dev): Promise<{ id: number; jobs: Record<string, Job> }> {
  const made = await w.as(user).post(`${at}/pipeline`, { ref: 'main' })
  expect(made.status).toBe(201)
  const jobs = (await w.as(dev).get(`${at}/pipelines/${made.body.id}/jobs`)).body
  return { id: made.body.id, jobs: Object.fromEntries(jobs.map((job: Job) => [job.name, job])) }
}
const get = async (id: number) => (await w.as(dev).get(`${at}/jobs/${id}`)).body
const post = (id: number, what: string, body: object = {}, user = dev) =>
  w.as(user).post(`${at}/jobs/${id}/${what}`, body)
const write = (id: number, start: number, text: string) =>
  appendTrace(w.ctx(), byId(w.ctx().db, id)!, start, Buffer.from(text))

describe('a job', () => {
  test('has the format of the contract while it waits, runs and after it ended', async () => {
    const made = await make()
    const { id } = made.jobs['compile']
    expect(made.jobs['compile']).toEqual({
      id,
      status: 'pending',
      stage: 'build',
      name: 'compile',
      ref: 'main',
      tag: false,
      coverage: null,
      allow_failure: false,
      created_at: expect.any(String),
      started_at: null,
      finished_at: null,
      erased_at: null,
      duration: null,
      queued_duration: expect.any(Number),
      user: expect.objectContaining({ username: 'dev' }),
      commit: expect.objectContaining({ id: sha, title: 'Begin', short_id: sha.slice(0, 8) }),
      pipeline: expect.objectContaining({ id: made.id, sha, status: 'pending' }),
      web_url: `${w.url}/${project.path_with_namespace}/-/jobs/${id}`,
      project: { ci_job_token_scope_enabled: false },
      artifacts: [],
      runner: null,
      artifacts_expire_at: null,
      tag_list: ['linux'],
    })
    take(w, id, runner)
    expect(await get(id)).toMatchObject({
      status: 'running',
      duration: expect.any(Number),
      runner: { id: runner, description: 'the quick one', runner_type: 'instance_type', is_shared: true },
    })
    finishJob(w.ctx(), { id }, { status: 'failed', failure_reason: 'script_failure', exit_code: 1 })
    const over = await get(id)
    expect(over).toMatchObject({ status: 'failed', failure_reason: 'script_failure' })
    expect(over.duration).toBe((Date.parse(over.finished_at) - Date.parse(over.started_at)) / 1000)
  })

  test('lists its archive and its other artifacts', async () => {
    const { jobs } = await make()
    const { id } = jobs['compile']
    const { db, now } = w.ctx()
    for (const [type, format, name, size] of [
      ['archive', 'zip', 'artifacts.zip', 1000],
      ['trace', null, 'job.log', 1500],
    ])
      db.exec(
        `INSERT INTO ci_artifacts (job_id, project_id, file_type, file_format, filename, size, sha256, stored_as, created_at)
         VALUES (?, ?, ?, ?, ?, ?, 'digest', ?, ?)`,
        id,
        project.id,
        type,
        format,
        name,
        size,
        `${id}-${type}`,
        now,
      )
    expect(await get(id)).toMatchObject({
      artifacts_file: { filename: 'artifacts.zip', size: 1000 },
      artifacts: [
        { file_type: 'archive', size: 1000, filename: 'artifacts.zip', file_format: 'zip' },
        { file_type: 'trace', size: 1500, filename: 'job.log', file_format: null },
      ],
    })
    db.exec('DELETE FROM ci_artifacts WHERE job_id = ?', id)
  })

  test('that is missing, in another project or a trigger job returns 404', async () => {
    const made = await make()
    const other = await w.make.project({ owner })
    const bridge = (await w.as(dev).get(`${at}/pipelines/${made.id}/bridges`)).body[0]
    for (const path of [
      `${at}/jobs/999999`,
      `/projects/${other.id}/jobs/${made.jobs['compile'].id}`,
      `${at}/jobs/${bridge.id}`,
    ]) {
      const { status, body } = await w.as(owner).get(path)
      expect([status, body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await w.as(outsider).get(`${at}/jobs/${made.jobs['compile'].id}`)).status).toBe(404)
    // With public pipelines, guests can read jobs but no code.
    const seen = await w.as(guest).get(`${at}/jobs/${made.jobs['compile'].id}`)
    expect([seen.status, seen.body.commit]).toEqual([200, null])
  })

  test('can be found by its token while it runs', async () => {
    const { jobs } = await make()
    const token = take(w, jobs['compile'].id, runner)
    const own = (headers: Record<string, string>) => w.as(null).get('/job', headers)
    expect((await own({ 'job-token': token })).body).toMatchObject({
      id: jobs['compile'].id,
      status: 'running',
    })
    expect((await w.as(null).get(`/job?job_token=${token}`)).body.id).toBe(jobs['compile'].id)
    const other = await w.as(dev).get('/job')
    expect([other.status, other.body]).toEqual([404, { message: '404 Job Not Found' }])
    expect([(await w.as(null).get('/job')).status, (await own({ 'job-token': 'wrong' })).status]).toEqual([
      401, 401,
    ])
    const jobsOfPipeline = `${at}/pipelines/${jobs['compile'].pipeline.id}/jobs`
    expect((await w.as(null).get(jobsOfPipeline, { 'job-token': token })).status).toBe(200)
    finishJob(w.ctx(), jobs['compile'], { status: 'success' })
    expect((await own({ 'job-token': token })).status).toBe(401)
  })
})

describe('lists of jobs', () => {
  test('of a project are sorted by newest first, with a status filter', async () => {
    // The child pipelines of earlier tests exist now.
    await w.drain()
    const { jobs } = await make()
    const list = async (query: string) =>
      (await w.as(dev).get(`${at}/jobs?${query}`)).body.map((job: Job) => job.id)
    expect((await list('')).slice(0, 2)).toEqual([jobs['release'].id, jobs['compile'].id])
    expect((await list('scope=manual'))[0]).toBe(jobs['release'].id)
    expect((await list('scope[]=manual&scope[]=pending')).slice(0, 2)).toEqual([
      jobs['release'].id,
      jobs['compile'].id,
    ])
    expect(await list('scope[]=preparing')).toEqual([])
    const wrong = await w.as(dev).get(`${at}/jobs?scope[]=wrong`)
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'scope does not have a valid value' }])
  })

  test('of a project support keyset pagination', async () => {
    await make()
    await w.drain()
    const seen: number[] = []
    let path = `${at}/jobs?pagination=keyset&per_page=3`
    for (let pages = 0; path !== '' && pages < 100; pages++) {
      const answer = await w.as(dev).get(path)
      expect(answer.status).toBe(200)
      seen.push(...answer.body.map((job: Job) => job.id))
      const [, next = ''] = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? []
      path = next.replace(`${w.url}/api/v4`, '')
    }
    const all = (await w.as(dev).get(`${at}/jobs?per_page=100`)).body.map((job: Job) => job.id)
    expect(seen).toEqual(all)
    const wrong = await w.as(dev).get(`${at}/jobs?pagination=keyset&cursor=wrong`)
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'cursor is invalid' }])
  })

  test('support keyset pagination for signed-in callers only', async () => {
    await make()
    await w.drain()
    await w.as(w.root).put(at, { visibility: 'public' })
    expect((await w.as(null).get(`${at}/jobs`)).status).toBe(200)
    expect(await w.as(null).get(`${at}/jobs?pagination=keyset`)).toMatchObject({
      status: 405,
      body: { error: 'Keyset pagination is not yet available for this type of request' },
    })
    expect((await w.as(outsider).get(`${at}/jobs?pagination=keyset`)).status).toBe(200)
    await w.as(w.root).put(at, { visibility: 'private' })
  })

  test('of a pipeline omit retried jobs, and trigger jobs are a separate list', async () => {
    const made = await make()
    run(w, made.jobs['compile'].id, runner, 'failed')
    const again = (await post(made.jobs['compile'].id, 'retry')).body
    const list = async (query: string) =>
      (await w.as(dev).get(`${at}/pipelines/${made.id}/jobs?${query}`)).body.map((job: Job) => job.id)
    expect(await list('')).toEqual([made.jobs['release'].id, again.id])
    expect(await list('include_retried=true')).toEqual([
      made.jobs['compile'].id,
      made.jobs['release'].id,
      again.id,
    ])
    expect(await list('include_retried=true&scope=failed')).toEqual([made.jobs['compile'].id])
    const bridges = await w.as(dev).get(`${at}/pipelines/${made.id}/bridges`)
    expect(bridges.body).toMatchObject([{ name: 'child', status: 'created', downstream_pipeline: null }])
    expect(bridges.body[0]).not.toHaveProperty('artifacts')
    expect((await w.as(dev).get(`${at}/pipelines/${made.id}/bridges?scope=success`)).body).toEqual([])
  })

  test('include the downstream pipeline of a trigger job for users who can read it', async () => {
    const made = await make()
    run(w, made.jobs['compile'].id, runner)
    await w.drain()
    const { body } = await w.as(dev).get(`${at}/pipelines/${made.id}/bridges`)
    expect(body).toMatchObject([
      { status: 'success', downstream_pipeline: { project_id: project.id, source: 'parent_pipeline' } },
    ])
    const child = body[0].downstream_pipeline.id
    const graph = await w.as(dev).get(`/-/projects/${project.id}/pipelines/${child}/graph`)
    expect(graph.body.upstream).toMatchObject({ id: made.id, project_path: project.path_with_namespace })
    // A deleted pipeline is deleted with its child pipelines.
    await w.as(owner).delete(`${at}/pipelines/${made.id}`)
    expect((await w.as(dev).get(`${at}/pipelines/${child}`)).status).toBe(404)
  })
})

describe('actions of a job', () => {
  test('cancel it, unless it has ended', async () => {
    const { jobs } = await make()
    const { id } = jobs['compile']
    expect((await post(id, 'cancel', {}, guest)).status).toBe(403)
    const canceled = await post(id, 'cancel')
    expect([canceled.status, canceled.body]).toMatchObject([201, { id, status: 'canceled' }])
    const again = await post(id, 'cancel', { force: true })
    expect([again.status, again.body.status]).toEqual([201, 'canceled'])
  })

  test('retry it once, as a new job', async () => {
    const { jobs } = await make()
    const { id } = jobs['compile']
    const early = await post(id, 'retry')
    expect([early.status, early.body]).toEqual([403, { message: '403 Forbidden - Job is not retryable' }])
    run(w, id, runner)
    const made = await post(id, 'retry', {}, owner)
    expect([made.status, made.body]).toMatchObject([
      201,
      { name: 'compile', status: 'pending', user: { username: 'owner' }, runner: null },
    ])
    expect(made.body.id).toBeGreaterThan(id)
    expect((await post(id, 'retry')).status).toBe(403)
    expect((await post(made.body.id, 'retry', {}, guest)).status).toBe(403)
  })

  test('start it by hand, with variables', async () => {
    const { jobs } = await make()
    const { id } = jobs['release']
    const unplayable = await post(jobs['compile'].id, 'play')
    expect([unplayable.status, unplayable.body]).toEqual([
      400,
      { message: '400 Bad request - Unplayable Job' },
    ])
    expect((await post(id, 'play', {}, guest)).status).toBe(403)
    const wrong = await post(id, 'play', { job_variables_attributes: [{ value: 'x' }] })
    expect(wrong.status).toBe(400)
    const played = await post(
      id,
      'play',
      { job_variables_attributes: [{ key: 'WHERE', value: 'here' }] },
      owner,
    )
    expect([played.status, played.body]).toMatchObject([
      200,
      { id, status: 'pending', user: { username: 'owner' } },
    ])
    const stored = w
      .ctx()
      .db.one<{ own_variables: string }>('SELECT own_variables FROM ci_job_details WHERE job_id = ?', id)
    expect(stored!.own_variables).not.toContain('here')
  })

  test('require permission to push on a protected branch', async () => {
    const { jobs } = await make(owner)
    await w.as(owner).post(`${at}/protected_branches`, { name: 'main' })
    for (const what of ['cancel', 'retry', 'erase'])
      expect((await post(jobs['compile'].id, what)).body).toEqual({ message: '403 Forbidden' })
    expect((await post(jobs['release'].id, 'play')).body).toEqual({ message: '403 Forbidden' })
    await w.as(owner).delete(`${at}/protected_branches/main`)
  })

  test('give no protected variables to jobs of a branch that is no longer protected', async () => {
    await w.as(owner).post(`${at}/protected_branches`, { name: 'main' })
    const { jobs } = await make(owner)
    const { id } = jobs['release']
    expect(byId(w.ctx().db, id)!.protected).toBe(true)
    await w.as(owner).delete(`${at}/protected_branches/main`)
    expect((await post(id, 'play')).status).toBe(200)
    expect(byId(w.ctx().db, id)!.protected).toBe(false)
  })

  test('limit variables to maintainers if the project requires it', async () => {
    const { jobs } = await make()
    const { id } = jobs['release']
    const params = { job_variables_attributes: [{ key: 'WHERE', value: 'here' }] }
    await w.as(owner).put(at, { restrict_user_defined_variables: true })
    expect((await post(id, 'play', params, dev)).body).toEqual({ message: '403 Forbidden' })
    expect((await post(id, 'play', params, owner)).status).toBe(200)
    await w.as(owner).put(at, { restrict_user_defined_variables: false })
  })

  test('erase its log and artifacts, for the user who ran it and for maintainers', async () => {
    const made = await make(owner)
    const { id } = made.jobs['compile']
    const early = await post(id, 'erase', {}, owner)
    expect([early.status, early.body]).toEqual([403, { message: '403 Forbidden - Job is not erasable!' }])
    take(w, id, runner)
    write(id, 0, 'some text\n')
    finishJob(w.ctx(), { id }, { status: 'success' })
    expect((await post(id, 'erase', {}, dev)).body).toEqual({ message: '403 Forbidden' })
    const erased = await post(id, 'erase', {}, owner)
    expect([erased.status, erased.body.erased_at]).toEqual([201, expect.any(String)])
    expect((await w.as(dev).get(`${at}/jobs/${id}/trace`)).text).toBe('')
    expect((await post(id, 'erase', {}, owner)).status).toBe(403)
  })
})

describe('the log', () => {
  test('is plain text, and supports ranges', async () => {
    const { jobs } = await make()
    const { id } = jobs['compile']
    const trace = (headers: Record<string, string> = {}, user = dev) =>
      w.as(user).get(`${at}/jobs/${id}/trace`, headers)
    const none = await trace()
    expect([none.status, none.text, none.headers.get('content-disposition')]).toEqual([
      200,
      '',
      `infile; filename="${id}.log"`,
    ])
    expect(none.headers.get('content-type')).toBe('text/plain')
    take(w, id, runner)
    write(id, 0, 'first\n')
    write(id, 6, 'second\n')
    expect((await trace()).text).toBe('first\nsecond\n')
    const part = await trace({ range: 'bytes=6-' })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
      206,
      'second\n',
      'bytes 6-12/13',
    ])
    expect((await trace({ range: 'bytes=0-4' })).text).toBe('first')
    expect((await trace({ range: 'bytes=-7' })).text).toBe('second\n')
    expect((await trace({ range: 'bytes=0-1,3-4' })).status).toBe(200)
    const behind = await trace({ range: 'bytes=13-' })
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */13'])
  })

  test('of a debug trace is limited to developers', async () => {
    const { jobs } = await make()
    const { id } = jobs['compile']
    const status = async (user: TestUser) => (await w.as(user).get(`${at}/jobs/${id}/trace`)).status
    expect([await status(guest), await status(dev), await status(outsider)]).toEqual([200, 200, 404])
    w.ctx().db.exec('UPDATE ci_jobs SET debug_trace = 1 WHERE id = ?', id)
    expect([await status(guest), await status(dev), await status(w.root)]).toEqual([403, 200, 200])
  })
})
