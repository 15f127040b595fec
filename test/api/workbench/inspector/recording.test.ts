import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { inspectorOf } from './support.ts'

const here = await world()
const root = here.as(here.root)
const inspector = inspectorOf(here)
await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const project = await here.make.project({ with: 'readme' })
await here.drain()

const names = (list: { name: string }[]) => list.map(({ name }) => name)

describe('the switch', () => {
  it('records nothing until it is switched on', async () => {
    expect(await inspector.state()).toMatchObject({
      recording: false,
      kept: false,
      count: 0,
      last_request: 0,
    })
    await root.get(`/projects/${project.id}`)
    expect(await inspector.list()).toEqual([])
    expect(here.ctx().db.observation.observer).toBeNull()
  })

  it('records requests, but not those to the inspector', async () => {
    const switched = await inspector.switchTo({ recording: true })
    expect(switched.body).toMatchObject({ recording: true, count: 0, most: 2000 })
    await root.get(`/projects/${project.id}`)
    await root.get('/-/health')
    const list = await inspector.list()
    expect(list).toHaveLength(1)
    expect(list[0]).toMatchObject({
      method: 'GET',
      target: `/api/v4/projects/${project.id}`,
      route: 'GET /projects/:id',
      status: 200,
      credential: 'personal_token',
      actor: { kind: 'user', username: 'root' },
    })
  })

  it('deletes all records when it is turned off or the records are cleared', async () => {
    await root.get('/version')
    expect((await inspector.clear()).status).toBe(204)
    expect(await inspector.list()).toEqual([])
    await root.get('/version')
    await inspector.switchTo({ recording: false })
    expect(here.ctx().db.observation.observer).toBeNull()
    expect(await inspector.list()).toEqual([])
    await inspector.switchTo({ recording: true })
    expect(await inspector.list()).toEqual([])
  })
})

describe('a recorded request', () => {
  it('has the steps, the statements and both bodies', async () => {
    const answer = await root.post(`/projects/${project.id}/labels`, { name: 'a label', color: '#112233' })
    expect(answer.status).toBe(201)
    const record = await inspector.of(answer)
    const steps = record.steps.map(({ step }: { step: string }) => step)
    expect(steps).toEqual(['authenticate', 'receive', 'params', 'scope', 'authorize', 'run', 'present'])
    expect(record.statement_count).toBeGreaterThan(0)
    const sql = record.statements.map((statement: { sql: string }) => statement.sql).join('\n')
    expect(sql).toMatch(/insert into "?labels"?/i)
    expect(sql).toContain('COMMIT')
    expect(JSON.parse(record.request_body.text)).toEqual({ name: 'a label', color: '#112233' })
    expect(JSON.parse(record.answer_body.text)).toEqual(answer.body)
    expect(record.request_headers['private-token']).toBe('[masked]')
  })

  it('has the headers that its client received, also if the answer is cached and sent to several clients', async () => {
    const url = `${here.url}/api/v4/projects/${project.id}/labels?per_page=1`
    const clients: Record<string, string>[] = [
      {},
      {},
      {},
      {},
      { origin: here.url },
      { origin: 'http://elsewhere.test' },
      {},
    ]
    let cached = 0
    for (const extra of clients) {
      const answer = await fetch(url, { headers: { 'private-token': here.root.token, ...extra } })
      const record = await inspector.of(answer)
      const recorded = Object.entries(record.answer_headers)
      expect(recorded.length).toBeGreaterThan(5)
      expect(recorded.map(([name]) => [name, answer.headers.get(name)])).toEqual(recorded)
      expect(record.answer_headers['access-control-allow-origin']).toBe(
        answer.headers.get('access-control-allow-origin') ?? undefined,
      )
      if (record.is_cached) cached++
    }
    expect(cached).toBeGreaterThan(2)
  })

  it('has the steps of a refused request with their durations', async () => {
    const record = await inspector.of(await root.post(`/projects/${project.id}/labels`, { color: 'x' }))
    expect(record.status).toBe(400)
    expect(record.steps.map(({ step }: { step: string }) => step)).toEqual(['authenticate', 'receive'])
    expect(record.answer_body.text).toContain('name is missing')
  })

  it('has only the git commands of its own', async () => {
    const [commits] = await Promise.all([
      root.get(`/projects/${project.id}/repository/commits?with_stats=true`),
      root.get('/version'),
    ])
    const record = await inspector.of(commits)
    expect(record.git_count).toBeGreaterThan(0)
    expect(record.git[0]).toMatchObject({
      code: 0,
      repository: expect.any(String),
      command: expect.any(String),
    })
    expect(record.git_ms).toBeGreaterThan(0)
  })

  it('has only its own statements among parallel requests', async () => {
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? root.post(`/projects/${project.id}/labels`, { name: `parallel ${index}`, color: '#112233' })
          : root.get(`/projects/${project.id}/repository/branches/main`),
      ),
    )
    for (const [index, answer] of many.entries()) {
      const record = await inspector.of(answer)
      const inserts = record.statements.filter(({ sql }: { sql: string }) =>
        /insert into "?labels"?/i.test(sql),
      )
      expect(inserts, record.target).toHaveLength(index % 2 === 0 ? 1 : 0)
    }
  })

  it('is found by its number, too, and returns 404 for an unknown one', async () => {
    const record = await inspector.of(await root.get('/version'))
    expect((await inspector.one(record.id)).request_id).toBe(record.request_id)
    const missing = await root.get('/-/workbench/inspector/requests/123456789')
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Request Not Found' }])
  })
})

describe('the chain', () => {
  it('leads from the request over events and jobs to the delivery', async () => {
    const there = await receiver()
    const hook = await root.post(`/projects/${project.id}/hooks`, {
      url: `${there.url}/x`,
      issues_events: true,
    })
    expect(hook.status).toBe(201)
    await here.drain()
    const answer = await root.post(`/projects/${project.id}/issues`, { title: 'a chain' })
    await here.drain()
    const record = await inspector.of(answer)
    const created = record.events.find(({ name }: { name: string }) => name === 'issue.created')
    expect(created).toMatchObject({ job: null })
    expect(JSON.parse(created.payload)).toMatchObject({ project_id: project.id })
    const sent = record.deliveries
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ hook_id: hook.body.id, is_ok: true })
    expect(there.requests.filter(({ path }) => path === '/x')).toHaveLength(1)
    // Follows the jobs from the delivery back to the request.
    const byId = new Map(record.jobs.map((job: { id: number }) => [job.id, job] as const))
    const trail: string[] = []
    let job = byId.get(sent[0].job) as { name: string; job: number | null; events: number[] } | undefined
    while (job) {
      trail.push(job.name)
      job = byId.get(job.job ?? 0) as typeof job
    }
    expect(trail.length).toBeGreaterThan(1)
    expect(names(record.jobs)).toContain(trail.at(-1))
    expect(record.jobs.every((each: { state: string }) => each.state === 'done')).toBe(true)
    expect(record.jobs.some((each: { statement_count: number }) => each.statement_count > 0)).toBe(true)
  })

  it('leads to the pipeline of a commit through the API', async () => {
    const commit = await root.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'run',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'job:\n  script: [true]\n' }],
    })
    expect(commit.status, commit.text).toBe(201)
    await here.drain()
    const record = await inspector.of(commit)
    expect(names(record.events)).toEqual(expect.arrayContaining(['refs.updated', 'pipeline.created']))
    const pipeline = record.events.find(({ name }: { name: string }) => name === 'pipeline.created')
    const runOf = (id: number | null) => record.jobs.find((each: { id: number }) => each.id === id)
    // A subscriber may pass the work to another job.
    let maker = runOf(pipeline.job)
    while (maker.events.length === 0) maker = runOf(maker.job)
    const [cause] = maker.events
    expect(record.events.find(({ id }: { id: number }) => id === cause).name).toBe('refs.updated')
  })
})

it('the inspector keeps records over a restart if they are stored on disk', async () => {
  const dataDir = here.ctx().config.dataDir
  expect(dataDir).toBe(here.dataDir)
  await inspector.switchTo({ recording: true, kept: true })
  const answer = await root.post(`/projects/${project.id}/labels`, { name: 'kept', color: '#112233' })
  const before = await inspector.of(answer)
  await here.instance.close()
  const again = await world({ dataDir: here.dataDir })
  const after = inspectorOf(again)
  await expect.poll(async () => (await after.list('&path=labels&method=POST')).length).toBeGreaterThan(0)
  const found = await after.one(before.request_id)
  expect(found).toEqual({ ...before, hints: found.hints, jobs: found.jobs })
  expect((await after.state()).last_request).toBeGreaterThanOrEqual(before.id)
})
