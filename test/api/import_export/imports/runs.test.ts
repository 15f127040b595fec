import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  addStats,
  beginRun,
  cancelProjectImport,
  credentialsOf,
  failRun,
  finishRun,
  cancelableImport,
  mark,
  markedId,
  recordFailures,
  runOf,
  startRun,
  storeProgress,
} from '../../../../server/domains/import_export/index.ts'
import { failStuck } from '../../../../server/domains/import_export/jobs.ts'
import { insertProject } from '../../../../server/domains/projects/index.ts'
import { tx } from '../../../../server/db/database.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { world } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const { as, root, make, ctx, drain, url, instance } = await world({ clock })
const ada = make.user({ username: 'ada' })
const other = make.user({ username: 'other' })
let count = 0

/** Creates a project for an importer of the test. */
function begun(more: Partial<Parameters<typeof beginRun>[2]> = {}): number {
  const at = ctx()
  return tx(at.db, () => {
    const path = `filled-${++count}`
    const project = insertProject(at, { path, name: path, columns: { visibility: 'public' } }, ada.id)
    beginRun(at, project, { import_type: 'github', user_id: ada.id, ...more })
    return project.id
  })
}
const statusOf = async (id: number, user: typeof ada | null = ada) =>
  (await as(user).get(`/projects/${id}/import`)).body
const progressOf = async (id: number) => (await as(ada).get(`/-/projects/${id}/import_progress`)).body
/** Works on an import until it is canceled. */
const untilAborted = (id: number): Promise<void> =>
  cancelableImport(ctx(), id, async (signal) => {
    await once(signal, 'abort')
    signal.throwIfAborted()
  })

describe('an import', () => {
  it('is scheduled, started and finished, and reports its progress', async () => {
    const id = begun({
      import_source: 'octo/repo',
      provider_link: 'https://host.test/octo/repo',
      credentials: { token: 'very-secret' },
      stats: true,
    })
    const running = { kind: 'import', name: `ada/filled-${count}` }
    expect(instance.runningWork()).toContainEqual(running)
    expect(await statusOf(id)).toMatchObject({
      import_status: 'scheduled',
      import_type: 'github',
      stats: { fetched: {}, imported: {} },
    })
    const { run } = startRun(ctx(), id)!
    expect(credentialsOf(ctx(), run!)).toEqual({ token: 'very-secret' })
    expect(run!.credentials).not.toContain('very-secret')
    storeProgress(ctx(), id, { step: 'issues', done: 3, total: 10 })
    for (const [side, kind, n] of [
      ['fetched', 'note', 2],
      ['fetched', 'issue', 5],
      ['imported', 'issue', 3],
      ['imported', 'issue', 1],
    ] as const)
      addStats(ctx(), id, side, kind, n)
    expect((await statusOf(id)).stats).toEqual({ fetched: { issue: 5, note: 2 }, imported: { issue: 4 } })
    expect(Object.keys((await statusOf(id)).stats.fetched)).toEqual(['issue', 'note'])
    expect(await progressOf(id)).toEqual({
      project: expect.objectContaining({ id, path_with_namespace: `ada/filled-${count}` }),
      import_type: 'github',
      import_source: 'octo/repo',
      provider_link: 'https://host.test/octo/repo',
      status: 'started',
      step: 'issues',
      done: 3,
      total: 10,
      waiting_until: null,
      started_at: '2026-03-01T12:00:00.000Z',
      finished_at: null,
      import_error: null,
      failures_count: 0,
      can_cancel: true,
      can_retry: false,
    })
    expect(instance.runningWork()).toContainEqual(running)
    finishRun(ctx(), id)
    expect(instance.runningWork()).not.toContainEqual(running)
    expect(await statusOf(id)).toMatchObject({ import_status: 'finished', import_error: null })
    expect(runOf(ctx().db, id)).toMatchObject({ credentials: null, file: null })
    expect(startRun(ctx(), id)).toBeNull()
  })

  it('stores its progress at most once a second, and always the last one', async () => {
    const id = begun()
    startRun(ctx(), id)
    const before = ctx().db.generation
    for (let done = 1; done <= 500; done++) storeProgress(ctx(), id, { step: 'notes', done, total: 500 })
    expect(ctx().db.generation - before).toBeLessThan(10)
    expect((await progressOf(id)).done).toBe(1)
    await expect.poll(async () => (await progressOf(id)).done).toBe(500)
    failRun(ctx(), id, 'Enough.')
  })

  it('that fails returns the reason without credentials and folders', async () => {
    const id = begun({ credentials: { token: 'x' } })
    startRun(ctx(), id)
    failRun(ctx(), id, 'fatal: https://me:pw@host.test/a.git at /data/repositories/@hashed/a/b.git is gone')
    const { body } = await as(ada).get(`/projects/${id}/import`)
    expect(body).toMatchObject({
      import_status: 'failed',
      import_error: 'fatal: https://host.test/a.git at the repository is gone',
      stats: null,
    })
    for (const user of [other, null])
      expect((await statusOf(id, user)).import_error).toBe(
        'Ask a maintainer to check the import status for more details.',
      )
    expect(runOf(ctx().db, id)!.credentials).toBeNull()
    // A finished import cannot end again.
    finishRun(ctx(), id)
    expect((await statusOf(id)).import_status).toBe('failed')
  })

  it('that is canceled ends its work', async () => {
    const id = begun()
    startRun(ctx(), id)
    const work = untilAborted(id)
    expect(cancelProjectImport(ctx(), { id }).import_status).toBe('canceled')
    await expect(work).rejects.toMatchObject({ name: 'RunInterrupted', reason: 'canceled' })
    finishRun(ctx(), id)
    failRun(ctx(), id, 'Too late.')
    expect(await statusOf(id)).toMatchObject({ import_status: 'canceled', import_error: null })
    expect(() => cancelProjectImport(ctx(), { id })).toThrow(
      'The import cannot be canceled because it is canceled',
    )
    const plain = await make.project({ owner: ada })
    const { status, body } = await as(ada).post(`/-/projects/${plain.id}/import/cancel`)
    expect([status, body.message]).toEqual([400, 'The import cannot be canceled because it is none'])
  })

  it('ends with its project', async () => {
    const id = begun()
    startRun(ctx(), id)
    const ended = untilAborted(id).catch((error: Error) => error.message)
    await as(ada).delete(`/projects/${id}`)
    expect(await ended).toBe('The work was canceled.')
    await drain()
    finishRun(ctx(), id)
    expect(startRun(ctx(), id)).toBeNull()
  })

  it('remembers imported records and skipped records', () => {
    const id = begun()
    expect(markedId(ctx().db, id, 'issue', 7)).toBeUndefined()
    mark(ctx(), id, 'issue', 7, 12)
    mark(ctx(), id, 'issue', 'x', null)
    mark(ctx(), id, 'issue', 7, 13)
    expect([7, 'x', 8].map((key) => markedId(ctx().db, id, 'issue', key))).toEqual([13, null, undefined])
    failRun(ctx(), id, 'Enough.')
  })

  it('shows the first hundred skipped records', async () => {
    const id = begun()
    const failure = { source: 'issues', exception_class: 'Oops', exception_message: 'No title' }
    const many = Array.from({ length: 120 }, (_, at) => ({
      ...failure,
      relation_name: 'issues',
      line_number: at + 1,
    }))
    recordFailures(ctx(), { project_id: id }, many)
    const { failed_relations } = await statusOf(id)
    expect(failed_relations).toHaveLength(100)
    expect(failed_relations[0]).toEqual({
      id: expect.any(Number),
      created_at: '2026-03-01T12:00:00.000Z',
      exception_class: 'Oops',
      exception_message: 'No title',
      source: 'issues',
      relation_name: 'issues',
      line_number: 1,
    })
    expect((await as(ada).get(`/-/projects/${id}/import_failures?per_page=100&page=2`)).body).toHaveLength(20)
    expect((await as(other).get(`/-/projects/${id}/import_failures`)).status).toBe(403)
    failRun(ctx(), id, 'Enough.')
  })

  it('fails after a day without progress', async () => {
    const [silent, alive] = [begun(), begun()]
    for (const id of [silent, alive]) startRun(ctx(), id)
    clock.advance(23 * 3_600_000)
    storeProgress(ctx(), alive, { step: 'notes' })
    failStuck(ctx())
    expect((await statusOf(silent)).import_status).toBe('started')
    clock.advance(2 * 3_600_000)
    failStuck(ctx())
    expect(await statusOf(silent)).toMatchObject({
      import_status: 'failed',
      import_error: expect.stringContaining('24 hours'),
    })
    expect((await statusOf(alive)).import_status).toBe('started')
    failRun(ctx(), alive, 'Enough.')
  })

  it('is listed for the user who started it', async () => {
    const { body, headers } = await as(ada).get('/-/imports?per_page=2')
    expect(body.map((run: { project: { path: string } }) => run.project.path)).toEqual([
      `filled-${count}`,
      `filled-${count - 1}`,
    ])
    expect(Number(headers.get('x-total'))).toBeGreaterThan(4)
    expect((await as(other).get('/-/imports')).body).toEqual([])
    expect((await as(null).get('/-/imports')).status).toBe(401)
  })
})

describe('a clone of a repository by URL', () => {
  const hanging = createServer((request, response) => {
    if (!request.url!.includes('info/refs')) return
    requests++
    if (requests > 1) return
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end('0000')
  })
  let requests = 0
  let base: string
  beforeAll(async () => {
    await as(root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`
  })
  afterAll(() => hanging.closeAllConnections())
  afterAll(() => void hanging.close())

  it('is listed as an import, too', async () => {
    const source = await make.project({ owner: ada, with: 'readme', visibility: 'public' })
    const import_url = `${url}/${source.path_with_namespace}.git`
    const { body } = await as(ada).post('/projects', { name: 'Clone', import_url })
    expect((await statusOf(body.id)).correlation_id).toMatch(/^[0-9a-f-]{36}$/)
    await drain()
    expect(await progressOf(body.id)).toMatchObject({
      import_type: 'git',
      import_source: import_url,
      status: 'finished',
      step: 'repository',
    })
  })

  it('can be canceled while the remote hangs, and retried after a failure', async () => {
    const { status, body } = await as(ada).post('/projects', { name: 'Hangs', import_url: `${base}/a.git` })
    expect(status).toBe(201)
    await expect.poll(() => requests).toBeGreaterThan(1)
    expect((await as(ada).post(`/-/projects/${body.id}/import/cancel`)).body.status).toBe('canceled')
    await drain()
    expect((await as(ada).get(`/projects/${body.id}/repository/branches`)).body).toEqual([])
    ctx().db.exec("UPDATE projects SET import_status = 'failed', import_error = 'x' WHERE id = ?", body.id)
    expect((await progressOf(body.id)).can_retry).toBe(true)
    const source = await make.project({ owner: ada, with: 'readme', visibility: 'public' })
    ctx().db.exec('UPDATE projects SET import_url = ? WHERE id = ?', source.http_url_to_repo, body.id)
    expect((await as(ada).post(`/-/projects/${body.id}/import/retry`)).body).toMatchObject({
      status: 'scheduled',
      import_error: null,
    })
    await drain()
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished', import_error: null })
    expect((await as(ada).get(`/projects/${body.id}/repository/branches`)).body).toHaveLength(1)
  })
})
