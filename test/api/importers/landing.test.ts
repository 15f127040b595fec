import { beforeAll, expect, it } from 'vitest'

import {
  LandingError,
  landingOf,
  type Landing,
} from '../../../server/domains/importers/hosts/landing/index.ts'
import { beginRun } from '../../../server/domains/import_export/index.ts'
import { tx } from '../../../server/db/database.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const w = await world()
let landing: Landing
let project: { id: number }
let shas: string[]
const time = '2024-03-01T10:00:00Z'

beforeAll(async () => {
  project = await w.make.project()
  shas = fill(w, project, [
    { files: { 'a.txt': 'one\ntwo\n' } },
    { branch: 'change', from: 'refs/heads/main', files: { 'a.txt': 'one\n2\n' } },
  ])
  const ctx = { ...w.ctx(), actor: { ...w.ctx().actor, id: w.root.id } as never }
  tx(ctx.db, () => beginRun(ctx, project, { import_type: 'github', stats: true }))
  landing = landingOf(ctx, project.id, { identity_provider: 'github' })
})

it('an importer finds users by identity or by a confirmed address', async () => {
  const [bob, eve] = [w.make.user({ username: 'bob' }), w.make.user({ username: 'eve' })]
  await w.as(w.root).put(`/users/${bob.id}`, { provider: 'github', extern_uid: '77' })
  expect(landing.account({ login: 'b', uid: '77' })).toEqual({ id: bob.id, isMatched: true })
  expect(landing.account({ login: 'b', uid: '77', email: 'eve@example.test' })).toEqual({
    id: bob.id,
    isMatched: true,
  })
  expect(landing.account({ login: 'e', uid: '78', email: 'EVE@example.test' })).toEqual({
    id: eve.id,
    isMatched: true,
  })
  w.ctx().db.exec('UPDATE users SET confirmed_at = NULL WHERE id = ?', eve.id)
  expect(landing.account({ login: 'e', email: 'eve@example.test' })).toEqual({
    id: w.root.id,
    isMatched: false,
  })
  const ghost = landing.account(null)
  expect(ghost.isMatched).toBe(true)
  expect((await w.as(w.root).get(`/users/${ghost.id}`)).body.username).toBe('ghost')
})

it('an importer creates a record only once', async () => {
  const issue = {
    source_key: '1',
    iid: 3,
    title: 'T',
    author: null,
    state: 'opened' as const,
    created_at: time,
  }
  const first = landing.issue(issue)
  expect(landing.issue({ ...issue, title: 'Other' })).toBe(first)
  expect(() => landing.issue({ ...issue, source_key: '2' })).toThrow(LandingError)
  expect((await w.as(w.root).get(`/projects/${project.id}/issues`)).body).toHaveLength(1)
})

it('an importer creates one thread from a note and its replies', async () => {
  const note = { issuable: { kind: 'Issue' as const, iid: 3 }, author: { login: 'x' }, created_at: time }
  landing.note({ ...note, source_key: 'a', body: 'One' })
  landing.note({ ...note, source_key: 'b', body: 'Two', reply_to: 'a' })
  landing.note({ ...note, source_key: 'c', body: ' ', reply_to: 'a' })
  const threads = (await w.as(w.root).get(`/projects/${project.id}/issues/3/discussions`)).body
  expect(threads).toHaveLength(1)
  expect(threads[0].notes.map((note: { body: string; type: string }) => [note.type, note.body])).toEqual([
    ['DiscussionNote', '*Created by: x*\n\nOne'],
    ['DiscussionNote', '*Created by: x*\n\nTwo'],
  ])
})

it('an importer keeps two open merge requests apart if their branches have the same name', async () => {
  const [base_sha, head_sha] = shas as [string, string]
  const request = {
    title: 'M',
    author: null,
    state: 'opened' as const,
    source_branch: 'fork/x',
    target_branch: 'main',
    head_sha,
    base_sha,
    created_at: time,
  }
  await landing.mergeRequest({ ...request, source_key: '1', iid: 1, restore_source_branch: true })
  await landing.mergeRequest({ ...request, source_key: '2', iid: 2 })
  await expect(
    landing.mergeRequest({ ...request, source_key: '3', iid: 3, source_branch: 'a..b' }),
  ).rejects.toThrow(LandingError)
  const found = (await w.as(w.root).get(`/projects/${project.id}/merge_requests?sort=asc`)).body
  expect(found.map((mergeRequest: { source_branch: string }) => mergeRequest.source_branch)).toEqual([
    'fork/x',
    'fork/x-2',
  ])
  const branches = (await w.as(w.root).get(`/projects/${project.id}/repository/branches`)).body
  expect(branches.map((branch: { name: string }) => branch.name)).toEqual(['change', 'fork/x', 'main'])
})

it('an imported comment names the file and line when no diff has the line', async () => {
  const note = {
    issuable: { kind: 'MergeRequest' as const, iid: 1 },
    author: null,
    created_at: time,
    body: 'Text',
  }
  await landing.diffNote({ ...note, source_key: 'd', path: 'gone.txt', line: { side: 'new', line: 1 } })
  await landing.diffNote({ ...note, source_key: 'e', path: 'a.txt', line: { side: 'new', line: 2 } })
  const notes = (await w.as(w.root).get(`/projects/${project.id}/merge_requests/1/notes?sort=asc`)).body
  expect(
    notes.map((note: { body: string; position?: { new_line: number } }) => [
      note.body,
      note.position?.new_line,
    ]),
  ).toEqual([
    ['*On gone.txt, line 1:*\n\nText', undefined],
    ['Text', 2],
  ])
})

it('an importer imports merge requests without commits in the repository', async () => {
  const request = {
    title: 'Lost',
    author: null,
    state: 'closed' as const,
    source_branch: 'gone',
    target_branch: 'gone-too',
    created_at: time,
  }
  await landing.mergeRequest({
    ...request,
    source_key: '9',
    iid: 9,
    head_sha: 'a'.repeat(40),
    base_sha: 'b'.repeat(40),
  })
  const path = `/projects/${project.id}/merge_requests/9`
  expect((await w.as(w.root).get(path)).body).toMatchObject({ iid: 9, state: 'closed', sha: null })
  for (const part of ['changes', 'commits', 'versions', 'diffs', 'discussions'])
    expect((await w.as(w.root).get(`${path}/${part}`)).status, part).toBe(200)
})
