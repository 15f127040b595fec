import { expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { lfsOf } from './client.ts'

const instance = await world()
const { as, make, root } = instance
const owner = make.user({ username: 'owner' })
const project = await make.project({ owner })
const [reporter, developer, other] = ['r', 'd', 'o'].map((name) =>
  make.user({ username: `user-${name}` }),
) as [typeof owner, typeof owner, typeof owner]
await make.member('projects', project.id, reporter, 20)
await make.member('projects', project.id, developer, 30)
await make.member('projects', project.id, other, 30)
const of = (who: typeof owner | null) => lfsOf(instance, project.path_with_namespace, who)

it('locks reserve a path for one user', async () => {
  const ref = { name: 'refs/heads/main' }
  const made = await of(developer).ask('POST', 'locks', { path: 'art/a.psd', ref })
  expect(made.status).toBe(201)
  expect(made.body.lock).toEqual({
    id: expect.any(String),
    path: 'art/a.psd',
    locked_at: expect.stringMatching(/^\d{4}-.*Z$/),
    owner: { name: 'USER-D' },
  })
  const again = await of(other).ask('POST', 'locks', { path: 'art/a.psd' })
  expect([again.status, again.body]).toEqual([409, { lock: made.body.lock, message: 'already locked' }])
  const ours = await of(developer).ask('POST', 'locks/verify', { ref })
  expect(ours.body).toEqual({ ours: [made.body.lock], theirs: [] })
  const theirs = await of(other).ask('POST', 'locks/verify', {})
  expect(theirs.body).toEqual({ ours: [], theirs: [made.body.lock] })
  const { body: byPath } = await of(reporter).ask('GET', 'locks?path=art%2Fa.psd')
  expect(byPath.locks).toEqual([made.body.lock])
  expect((await of(reporter).ask('GET', 'locks?path=b')).body).toEqual({ locks: [] })
  expect((await of(reporter).ask('GET', `locks?id=${made.body.lock.id}`)).body.locks).toHaveLength(1)

  const unlock = (who: typeof owner, force: boolean) =>
    of(who).ask('POST', `locks/${made.body.lock.id}/unlock`, { force })
  const refused = await unlock(other, false)
  expect([refused.status, refused.body.message]).toEqual([403, 'art/a.psd is locked by USER-D'])
  const forced = await unlock(other, true)
  expect([forced.status, forced.body.message]).toEqual([
    403,
    'You must have maintainer access to force delete a lock',
  ])
  expect((await unlock(owner, true)).body).toEqual({ lock: made.body.lock })
  expect((await unlock(owner, true)).status).toBe(404)
})

it('locks are listed in pages', async () => {
  for (const path of ['1', '2', '3']) await of(developer).ask('POST', 'locks', { path })
  const { body: first } = await of(developer).ask('GET', 'locks?limit=2')
  expect(first.locks.map(({ path }: { path: string }) => path)).toEqual(['1', '2'])
  const { body: second } = await of(developer).ask('GET', `locks?limit=2&cursor=${first.next_cursor}`)
  expect(second).toEqual({ locks: [expect.objectContaining({ path: '3' })] })
})

it('locks require the right to push, and a path', async () => {
  expect((await of(null).ask('GET', 'locks')).status).toBe(401)
  expect((await of(reporter).ask('POST', 'locks', { path: 'x' })).status).toBe(403)
  expect((await of(reporter).ask('POST', 'locks/verify', {})).status).toBe(403)
  for (const path of ['', '/', '../x', 'a//b', 'a\0', 7])
    expect((await of(developer).ask('POST', 'locks', { path })).status).toBe(422)
  expect((await of(developer).ask('POST', 'locks/x/unlock', {})).status).toBe(404)
})

it('locks have their own rate limit, as files do', async () => {
  const set = (enabled: boolean) =>
    as(root).put('/application/settings', {
      throttle_authenticated_git_lfs_enabled: enabled,
      throttle_authenticated_git_lfs_requests_per_period: 2,
      throttle_authenticated_git_lfs_period_in_seconds: 60,
    })
  await set(true)
  const statuses = [1, 2, 3].map(() => of(developer).ask('GET', 'locks'))
  const answers = await Promise.all(statuses)
  await set(false)
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
  const refused = answers.find(({ status }) => status === 429)!
  expect(refused.body.message).toBe('Retry later')
  expect(refused.headers.get('ratelimit-name')).toBe('throttle_authenticated_git_lfs')
  expect((await of(developer).ask('GET', 'locks')).status).toBe(200)
})
