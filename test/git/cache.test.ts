import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { GitCache } from '../../server/git/cache.ts'
import { emptyRepo } from '../support/git.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a cache of an idle instance keeps the sixth that was used last', async () => {
  const repo = await emptyRepo()
  const cache = new GitCache(6000)
  const add = (id: string) => cache.set(repo, 'commit', id, { content: { id }, bytes: 500 })
  const ids = Array.from('abcdefghijkl')
  const kept = () => ids.filter((id) => cache.get(repo, 'commit', id) !== undefined)
  for (const id of ids) add(id)
  vi.advanceTimersByTime(7000)
  cache.get(repo, 'commit', 'b')
  vi.advanceTimersByTime(2000)
  expect(kept()).toEqual(ids)
  // The first check has seen the new entries, so the second one is the first of an idle instance.
  cache.get(repo, 'commit', 'b')
  vi.advanceTimersByTime(8000)
  expect(kept()).toEqual(['b', 'l'])
  add('m')
  expect(cache.get(repo, 'commit', 'm')).toEqual({ id: 'm' })
})
