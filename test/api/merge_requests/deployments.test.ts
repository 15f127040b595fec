import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

beforeAll(async () => {
  guest = w.make.user()
  outsider = w.make.user()
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  at = `/projects/${project.id}`
  await w.make.member('projects', project.id, guest, 10)
})

/** Opens and merges a merge request. */
async function merge(options: object = {}): Promise<{ iid: number }> {
  const request = await openMergeRequest(w, project)
  const merged = await root.put(`${at}/merge_requests/${request.iid}/merge`, options)
  expect(merged.body.state).toBe('merged')
  return merged.body
}

async function deploy(environment: string, status = 'success', sha?: string): Promise<number> {
  const head = sha ?? (await root.get(`${at}/repository/branches/main`)).body.commit.id
  const made = await root.post(`${at}/deployments`, {
    environment,
    sha: head,
    ref: 'main',
    tag: false,
    status,
  })
  expect(made.status).toBe(201)
  await w.drain()
  return made.body.id
}

const brought = async (id: number, query = ''): Promise<number[]> =>
  (await root.get(`${at}/deployments/${id}/merge_requests?sort=asc${query}`)).body.map(
    (mergeRequest: { iid: number }) => mergeRequest.iid,
  )
const show = async ({ iid }: { iid: number }) => (await root.get(`${at}/merge_requests/${iid}`)).body

test('a deployment lists what was merged since the previous one', async () => {
  const first = await merge()
  const second = await merge({ squash: true })
  const old = (await root.get(`${at}/repository/branches/main`)).body.commit.id
  const running = await deploy('production', 'running')
  expect(await brought(running)).toEqual([])
  expect((await show(first)).first_deployed_to_production_at).toBeNull()
  await root.put(`${at}/deployments/${running}`, { status: 'success' })
  await w.drain()
  expect(await brought(running)).toEqual([first.iid, second.iid])
  const finished = (await root.get(`${at}/deployments/${running}`)).body.updated_at
  expect((await show(first)).first_deployed_to_production_at).toBe(finished)
  await root.put(at, { merge_method: 'ff' })
  const third = await merge()
  const staging = await deploy('staging')
  expect(await brought(staging)).toEqual([first.iid, second.iid, third.iid])
  expect((await show(third)).first_deployed_to_production_at).toBeNull()
  const next = await deploy('production')
  expect(await brought(next)).toEqual([third.iid])
  expect((await show(first)).first_deployed_to_production_at).toBe(finished)
  // A rollback deploys no merge request.
  expect(await brought(await deploy('production', 'success', old))).toEqual([])
  expect(await brought(next, '&state=opened')).toEqual([])
  expect((await root.get(`${at}/merge_requests?environment=staging`)).body).toHaveLength(3)
})

test('it is visible to users who may see deployments and merge requests', async () => {
  const id = await deploy('production', 'failed')
  const path = `${at}/deployments/${id}/merge_requests`
  expect((await root.get(path)).body).toEqual([])
  expect([(await w.as(guest).get(path)).status, (await w.as(outsider).get(path)).status]).toEqual([403, 404])
  const missing = await root.get(`${at}/deployments/999999/merge_requests`)
  expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }])
  await root.put(at, { merge_requests_access_level: 'disabled' })
  expect((await root.get(path)).status).toBe(403)
  await root.put(at, { merge_requests_access_level: 'enabled' })
})
