import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { fill, watchEvents } from '../../repository/fill.ts'

const instance = await world()
const { as, make } = instance
const developer = make.user({ username: 'developer' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let sha: string
let loose: string

beforeEach(async () => {
  project = await make.project()
  ;[sha, loose] = fill(instance, project, [
    { files: { 'a.txt': 'a\n' } },
    { branch: 'gone', files: { 'b.txt': 'b\n' } },
  ]) as [string, string]
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
})

const post = (params: object, at = sha, user = developer) =>
  as(user).post(`/projects/${project.id}/statuses/${at}`, params)
const list = (query = '', at = sha, user: typeof developer | null = reporter) =>
  as(user).get(`/projects/${project.id}/repository/commits/${at}/statuses${query}`)

// oxlint-disable-next-line typescript/no-explicit-any
async function pipelines(after: { status: number }): Promise<any> {
  expect(after.status).toBe(201)
  return (await as(developer).get(`/projects/${project.id}/pipelines`)).body
}

describe('an external commit status', () => {
  it('is stored, published and listed', async () => {
    const received = watchEvents(instance, 'commit_status.changed')
    const made = await post({
      state: 'pending',
      context: 'ci/lint',
      target_url: 'https://ci.example.test/1',
      description: 'Waiting',
      coverage: 92.5,
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(Number),
      sha,
      ref: 'main',
      status: 'pending',
      name: 'ci/lint',
      target_url: 'https://ci.example.test/1',
      description: 'Waiting',
      created_at: expect.any(String),
      started_at: null,
      finished_at: null,
      allow_failure: false,
      coverage: 92.5,
      author: expect.objectContaining({ username: 'developer' }),
    })
    const { body, headers } = await list()
    expect(body).toEqual([made.body])
    expect(headers.get('x-total')).toBe('1')
    expect(received).toEqual([
      {
        project_id: project.id,
        actor_id: developer.id,
        status_id: made.body.id,
        sha,
        ref: 'main',
        name: 'ci/lint',
        status: 'pending',
      },
    ])
  })

  it('is updated under the same name and ref until it is finished, and then replaced by a new one', async () => {
    const first = (await post({ state: 'pending', description: 'Waiting' })).body
    const running = (await post({ state: 'running' })).body
    expect(running).toMatchObject({
      id: first.id,
      status: 'running',
      description: 'Waiting',
      finished_at: null,
    })
    expect(running.started_at).not.toBeNull()
    const done = (await post({ state: 'failed', description: 'Bad' })).body
    expect(done).toMatchObject({ id: first.id, status: 'failed', description: 'Bad' })
    expect(done.finished_at).not.toBeNull()
    const next = (await post({ state: 'success' })).body
    expect(next.id).not.toBe(first.id)
    expect((await list()).body).toEqual([next])
    expect((await list('?all=true')).body.map((commitStatus: never) => commitStatus['id'])).toEqual([
      first.id,
      next.id,
    ])
    expect((await list('?all=true&sort=desc')).body[0].id).toBe(next.id)
  })

  it('with another name or ref is separate', async () => {
    await post({ state: 'success' })
    await post({ state: 'success', name: 'other' })
    await post({ state: 'running', ref: 'next' })
    expect((await list()).body).toHaveLength(3)
    expect((await list('?ref=next')).body).toMatchObject([{ ref: 'next', name: 'default' }])
    expect((await list('?name=other')).body).toMatchObject([{ name: 'other' }])
    expect((await list('?stage=external')).body).toHaveLength(3)
    expect((await list('?stage=build')).body).toEqual([])
    const paged = await list('?per_page=2&page=2')
    expect([paged.body.length, paged.headers.get('x-total')]).toEqual([1, '3'])
  })

  it('cannot return to an earlier status', async () => {
    const refusal = (step: string, from: string) => ({
      message: `Cannot transition status via :${step} from :${from} (Reason(s): Status cannot transition via "${step}")`,
    })
    await post({ state: 'pending' })
    const twice = await post({ state: 'pending' })
    expect([twice.status, twice.body]).toEqual([400, refusal('enqueue', 'pending')])
    await post({ state: 'running' })
    expect((await post({ state: 'running' })).body).toEqual(refusal('run', 'running'))
    expect((await post({ state: 'pending' })).body).toEqual(refusal('enqueue', 'running'))
    expect((await post({ state: 'canceled' })).status).toBe(201)
  })

  it('also accepts a branch as the commit, and requires a ref that contains the commit', async () => {
    expect((await post({ state: 'success' }, 'main')).body.sha).toBe(sha)
    expect((await list('', 'main')).body).toHaveLength(1)
    await as(instance.root).delete(`/projects/${project.id}/repository/branches/gone`)
    const lost = await post({ state: 'success' }, loose)
    expect([lost.status, lost.body]).toEqual([404, { message: '404 References for commit Not Found' }])
    expect((await post({ state: 'success', ref: 'gone' }, loose)).status).toBe(201)
    const missing = await post({ state: 'success' }, '0'.repeat(40))
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Commit Not Found' }])
    expect((await list('', 'nope')).body).toEqual({ message: '404 Commit Not Found' })
    expect((await post({ state: 'success', pipeline_id: 999_999 })).body).toEqual({
      message: '404 Not found',
    })
  })

  it('can name its pipeline', async () => {
    const [pipeline] = await pipelines(await post({ state: 'success' }))
    expect(pipeline).toMatchObject({ source: 'external', sha, ref: 'main', status: 'success' })
    const more = await post({ state: 'failed', name: 'more', ref: 'main', pipeline_id: pipeline.id })
    expect(more.body).toMatchObject({ ref: 'main', status: 'failed' })
    expect(await pipelines(more)).toMatchObject([{ id: pipeline.id, status: 'failed' }])
    const other = await post({ state: 'success', pipeline_id: pipeline.id }, loose)
    expect([other.status, other.body]).toEqual([404, { message: '404 Not found' }])
    expect((await post({ state: 'success', ref: 'next', pipeline_id: pipeline.id })).status).toBe(404)
  })

  it('without a ref belongs to the newest pipeline of the commit', async () => {
    const [pipeline] = await pipelines(await post({ state: 'success', ref: 'next' }))
    const more = await post({ state: 'running', name: 'more' })
    expect(more.body).toMatchObject({ ref: 'next' })
    expect(await pipelines(more)).toMatchObject([{ id: pipeline.id, status: 'running' }])
  })

  it('is part of a pipeline with jobs, and counts for its status', async () => {
    const [file] = fill(instance, project, [
      {
        branch: 'main',
        files: { '.gitlab-ci.yml': 'a: { script: [x] }\nb: { stage: deploy, script: [x], when: manual }' },
      },
    ]) as [string]
    const made = await as(developer).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    expect(made.status).toBe(201)
    const failed = await post({ state: 'failed', name: 'outside' }, file)
    expect(
      (await list('', file)).body.map((commitStatus: never) => [
        commitStatus['name'],
        commitStatus['status'],
        commitStatus['ref'],
      ]),
    ).toEqual([
      ['a', 'pending', 'main'],
      ['b', 'created', 'main'],
      ['outside', 'failed', 'main'],
    ])
    expect(await pipelines(failed)).toMatchObject([{ id: made.body.id, status: 'running', source: 'api' }])
    expect((await list('?stage=external', file)).body).toEqual([failed.body])
  })

  it('is validated', async () => {
    expect((await post({})).body).toEqual({ error: 'state is missing' })
    expect((await post({ state: 'skipped' })).body).toEqual({ error: 'state does not have a valid value' })
    expect((await post({ state: 'success', coverage: 'much' })).body).toEqual({
      error: 'coverage is invalid',
    })
    expect((await post({ state: 'success', description: 'x'.repeat(256) })).body).toEqual({
      message: { description: ['is too long (maximum is 255 characters)'] },
    })
    expect((await post({ state: 'success', target_url: 'javascript:alert(1)' })).body).toEqual({
      message: { target_url: ['is blocked: Only allowed schemes are http, https'] },
    })
    expect((await list()).body).toEqual([])
  })

  it('can be created by developers and read by users who can read code', async () => {
    expect((await post({ state: 'success' }, sha, reporter)).status).toBe(403)
    expect((await post({ state: 'success' }, sha, stranger)).body).toEqual({
      message: '404 Project Not Found',
    })
    expect((await list('', sha, guest)).status).toBe(403)
    expect((await list('', sha, null)).status).toBe(404)
    await as(instance.root).put(`/projects/${project.id}`, { visibility: 'public' })
    expect((await list('', sha, null)).status).toBe(200)
    expect(
      (await as(null).post(`/projects/${project.id}/statuses/${sha}`, { state: 'success' })).status,
    ).toBe(401)
  })

  it('is included in the status of its commit', async () => {
    const status = async () =>
      (await as(reporter).get(`/projects/${project.id}/repository/commits/${sha}`)).body.status
    expect(await status()).toBeNull()
    await post({ state: 'success', name: 'a' })
    expect(await status()).toBe('success')
    await post({ state: 'failed', name: 'b' })
    expect(await status()).toBe('failed')
    await post({ state: 'running', name: 'b' })
    expect(await status()).toBe('running')
    await post({ state: 'success', name: 'b' })
    expect(await status()).toBe('success')
  })
})
