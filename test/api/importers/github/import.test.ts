import { beforeAll, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world } from '../../../support/world.ts'
import { LARGE_OID, demoCode, type Commits } from './demo-repository.ts'
import { ALICE, demoResponses, plainResponses, shown } from './demo-responses.ts'
import { stubHost } from './stub-host.ts'

const clock = frozenClock('2026-11-22T10:00:00Z')
const w = await world({ clock })
const host = await stubHost()
let commits: Commits
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any

const api = async (path: string): Promise<Any> => {
  const answer = await w.as(w.root).get(`/projects/${project.id}${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

beforeAll(async () => {
  w.make.user({ username: 'alice' })
  await w.as(w.root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  commits = demoCode(host)
  demoResponses(host, commits)
})

it('an import has everything, despite errors of the other host', async () => {
  const reset = String(Math.trunc(clock.now() / 1000) + 1800)
  const spent = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
  host.faults.push(
    { at: /\/labels\?/, status: 502 },
    { at: /\/milestones\?/, status: 200, body: '[{"id": 1,' },
    { at: /\/issues\?.*page=2/, status: 403, headers: spent, body: '{"message":"API rate limit exceeded"}' },
    { at: /\/issues\/comments\?.*page=2/, status: 429, headers: { 'retry-after': '90' } },
  )
  const begun = await w.as(w.root).post('/import/github', {
    personal_access_token: host.token,
    repo_id: 4711,
    target_namespace: 'root',
    new_name: 'demo-here',
    github_hostname: host.url,
    optional_stages: { single_endpoint_issue_events_import: true, attachments_import: true },
  })
  expect(begun.status, begun.text).toBe(201)
  expect(begun.body).toEqual({
    id: begun.body.id,
    name: 'demo-here',
    full_path: '/root/demo-here',
    full_name: expect.stringMatching(/ \/ demo-here$/),
  })
  project = begun.body
  await w.drain()
  const waiting = (await w.as(w.root).get(`/-/projects/${project.id}/import_progress`)).body
  expect(waiting.waiting_until).toBe(new Date(Number(reset) * 1000 + 5000).toISOString())
  expect(await api('/import')).toMatchObject({ import_status: 'started', import_type: 'github' })
  clock.advance(1_806_000)
  await w.drain()
  expect((await api('/import')).import_status).toBe('started')
  clock.advance(95_000)
  await w.drain()
  const status = await api('/import')
  expect(status.import_error).toBe(null)
  expect(status.import_status).toBe('finished')
  expect(status.stats).toEqual({
    fetched: {
      diff_note: 8,
      issue: 2,
      issue_attachment: 1,
      issue_event: 9,
      label: 4,
      lfs_object: 1,
      milestone: 3,
      note: 4,
      note_attachment: 1,
      protected_branch: 2,
      pull_request: 4,
      pull_request_merged_by: 1,
      pull_request_review: 3,
      pull_request_review_request: 1,
      release: 2,
      release_attachment: 1,
    },
    imported: {
      diff_note: 8,
      issue: 2,
      issue_attachment: 1,
      issue_event: 8,
      label: 4,
      lfs_object: 1,
      milestone: 2,
      note: 3,
      note_attachment: 1,
      protected_branch: 2,
      pull_request: 4,
      pull_request_merged_by: 1,
      pull_request_review: 2,
      pull_request_review_request: 1,
      release: 2,
      release_attachment: 1,
    },
  })
  expect(
    status.failed_relations.map((relation: Any) => [
      relation.relation_name,
      relation.source,
      relation.exception_message,
    ]),
  ).toEqual([
    ['milestone', 'Milestone Broken', 'A time is invalid.'],
    ['note', 'Comment 504', 'Issue 404 was not imported.'],
  ])
  expect(host.requests.every((request) => request.authorization === `Bearer ${host.token}`)).toBe(true)
  expect(host.requests.filter((request) => request.path.startsWith('/users/alice-there'))).toHaveLength(1)
})

it('an import has the code, the wiki and the LFS objects', async () => {
  expect(await api('')).toMatchObject({
    default_branch: 'main',
    description: 'A *demo* of another host',
    empty_repo: false,
    import_status: 'finished',
    only_allow_merge_if_all_discussions_are_resolved: true,
  })
  const branches = (await api('/repository/branches')).map((branch: Any) => [branch.name, branch.commit.id])
  expect(branches).toEqual([
    ['feature', commits.feature],
    ['github/fork/stranger/patch-1', commits.fork],
    ['main', commits.merge],
  ])
  expect(await api('/wikis/Home')).toMatchObject({ content: 'Welcome to the wiki\n' })
  const raw = await w
    .as(w.root)
    .get(`/projects/${project.id}/repository/files/large.bin/raw?ref=main&lfs=true`)
  expect(raw.text).toContain('the content of a large file')
  expect(LARGE_OID).toHaveLength(64)
})

it('an import has labels, milestones and releases', async () => {
  const labels = (await api('/labels')).map((label: Any) => [label.name, label.color, label.description])
  expect(labels).toEqual([
    ['a b', '#00FF00', null],
    ['bug', '#d73a4a', 'Something is broken'],
    ['made on the way', '#6699cc', null],
    ['no color', '#6699cc', null],
    ['odd color', '#ffffff', null],
  ])
  const milestones = (await api('/milestones')).map((milestone: Any) => [
    milestone.iid,
    milestone.title,
    milestone.state,
    milestone.due_date,
  ])
  expect(milestones).toEqual([
    [4, 'Second', 'active', null],
    [1, 'First', 'closed', '2024-05-01'],
  ])
  const [first, other] = await api('/releases')
  expect(first).toMatchObject({
    tag_name: 'v1.0',
    name: 'One',
    author: { username: 'alice' },
    released_at: shown(4),
  })
  expect(first.description).toMatch(/^See \/uploads\/[0-9a-f]{32}\//)
  expect(first.commit.id).toBe(commits.first)
  expect(first.assets.links.map((link: Any) => link.name)).toEqual(['demo.zip'])
  expect(other).toMatchObject({
    tag_name: 'v0.9',
    name: 'v0.9',
    description: 'Release for tag v0.9',
    author: { username: 'ghost' },
  })
})

it('an import has issues with their IIDs, users and texts', async () => {
  const issue = await api('/issues/5')
  expect(issue).toMatchObject({
    title: 'An issue',
    state: 'opened',
    author: { username: 'root' },
    assignees: [{ username: 'alice' }],
    labels: ['bug', 'made on the way'],
    milestone: { title: 'First' },
    created_at: shown(9),
    updated_at: shown(12),
    user_notes_count: 2,
  })
  expect(issue.description).toMatch(
    /^\*Created by: stranger\*\n\nIt is broken: !\[picture\]\(\/uploads\/[0-9a-f]{32}\//,
  )
  const closed = await api('/issues/6')
  expect(closed).toMatchObject({
    state: 'closed',
    author: { username: 'ghost' },
    closed_at: shown(11),
    closed_by: { username: 'alice' },
    description: null,
  })
  expect(closed.title).toHaveLength(255)
  const next = await w.as(w.root).post(`/projects/${project.id}/issues`, { title: 'The next one' })
  expect(next.body.iid).toBe(7)
  const [, address] = /\((\/uploads\/[^)]+)\)/.exec(issue.description)!
  expect((await w.as(w.root).get(`!/root/demo-here${address}`)).text).toBe('a picture')
})

it('an import has comments and events', async () => {
  const notes = await api('/issues/5/notes?sort=asc')
  const shownNotes = notes.map((note: Any) => [
    note.author.username,
    note.system,
    note.body.replace(/[0-9a-f]{32}/, 'SECRET'),
  ])
  expect(shownNotes).toEqual([
    ['root', true, 'assigned to @alice'],
    ['alice', true, 'changed title from **{-A bug-}** to **{+An issue+}**'],
    ['alice', true, 'mentioned in merge request !1'],
    ['alice', false, 'With [notes](/uploads/SECRET/notes.txt)'],
    ['root', false, '*Created by: stranger*\n\nMe too'],
  ])
  expect(notes[3]).toMatchObject({ created_at: shown(12), updated_at: shown(13) })
  expect(await api('/issues/5/resource_label_events')).toMatchObject([
    { action: 'add', label: { name: 'bug' }, created_at: shown(10) },
  ])
  expect(await api('/issues/5/resource_milestone_events')).toMatchObject([
    { action: 'add', milestone: { title: 'First' } },
  ])
  expect(await api('/merge_requests/3/resource_state_events')).toMatchObject([{ state: 'merged' }])
  expect(await api('/merge_requests/3/resource_label_events')).toMatchObject([{ action: 'add', label: null }])
  expect(await api('/issues/6/resource_state_events')).toMatchObject([
    { state: 'closed', user: { username: 'alice' } },
  ])
})

it('an import has merge requests with versions, users and states', async () => {
  const open = await api('/merge_requests/1')
  expect(open).toMatchObject({
    title: 'Draft: Feature',
    draft: true,
    state: 'opened',
    source_branch: 'feature',
    target_branch: 'main',
    sha: commits.feature,
    diff_refs: { base_sha: commits.first, start_sha: commits.first, head_sha: commits.feature },
    author: { username: 'alice' },
    assignees: [{ username: 'alice' }],
    labels: ['bug', 'odd color'],
    milestone: { title: 'Second' },
    changes_count: '1',
  })
  expect((await api('/merge_requests/1/commits')).map((commit: Any) => commit.id)).toEqual([
    commits.feature,
    commits.early,
  ])
  expect((await api('/merge_requests/2/closes_issues')).map((issue: Any) => issue.iid)).toEqual([5])
  const fork = await api('/merge_requests/2')
  expect(fork).toMatchObject({
    source_branch: 'github/fork/stranger/patch-1',
    author: { username: 'root' },
    description: '*Created by: stranger*\n\nCloses #5',
  })
  const merged = await api('/merge_requests/3')
  expect(merged).toMatchObject({ state: 'merged', merged_at: shown(8), merge_commit_sha: commits.merge })
  const [note] = await api('/merge_requests/3/notes')
  expect(note.body).toBe('*Merged by: stranger at 2024-03-01 08:00:00 UTC*')
  const gone = await api('/merge_requests/4')
  expect(gone).toMatchObject({
    state: 'closed',
    source_branch: 'github/fork/unknown/patch-1',
    author: { username: 'ghost' },
    closed_at: shown(9),
  })
  expect((await api('/merge_requests/4/changes')).changes).toHaveLength(1)
})

it('an import has reviews, with approvals of known users', async () => {
  const { approved_by: approved } = await api('/merge_requests/1/approvals')
  expect(approved.map((approval: Any) => approval.user.username)).toEqual(['alice'])
  const reviewers = await api('/merge_requests/1/reviewers')
  expect(reviewers.map((reviewer: Any) => reviewer.user.username)).toEqual(['alice'])
  const notes = await api('/merge_requests/1/notes?sort=asc&per_page=100')
  const bodies = notes
    .filter((note: Any) => note.position === undefined)
    .map((note: Any) => [note.author.username, note.body])
  expect(bodies).toEqual(
    expect.arrayContaining([
      ['alice', 'approved this merge request'],
      ['alice', '**Review:** Approved\n\nLooks good'],
      ['root', '*Created by: stranger*\n\n**Review:** Changes requested\n\nPlease change'],
      ['ghost', 'From somebody who left'],
    ]),
  )
})

it('an import has comments on their lines', async () => {
  const discussions = await api('/merge_requests/1/discussions?per_page=100')
  const lines = discussions.filter((discussion: Any) => discussion.notes[0].created_at === shown(15))
  const [added, removed, several, outdated, lost, file, unchanged] = lines
  expect(lines).toHaveLength(7)
  const refs = { base_sha: commits.first, start_sha: commits.first, head_sha: commits.feature }
  expect(added.notes.map((note: Any) => [note.type, note.author.username, note.body])).toEqual([
    ['DiffNote', 'alice', 'Why inserted?'],
    ['DiffNote', 'root', '*Created by: stranger*\n\nBecause'],
  ])
  expect(added.notes[0]).toMatchObject({
    resolvable: true,
    position: { ...refs, new_path: 'app.txt', old_line: null, new_line: 6 },
  })
  expect(removed.notes[0].position).toMatchObject({ ...refs, old_line: 10, new_line: null })
  expect(several.notes[0]).toMatchObject({
    body: 'Better:\n```suggestion:-1+0\nfive\nsix\n```',
    position: {
      new_line: 6,
      line_range: { start: { old_line: 5, new_line: 5 }, end: { type: 'new', new_line: 6 } },
    },
    suggestions: [
      {
        from_line: 5,
        to_line: 6,
        from_content: 'line 5\ninserted\n',
        to_content: 'five\nsix\n',
        appliable: true,
      },
    ],
  })
  expect(outdated.notes[0].position).toMatchObject({ head_sha: commits.early, new_line: 15 })
  expect(lost.notes[0]).toMatchObject({
    type: null,
    body: expect.stringContaining('*On app.txt, line 3:*\n\n```diff\n@@ -3,4 +3,5 @@'),
  })
  expect(file.notes[0].body).toContain('*On app.txt:*')
  expect(unchanged.notes[0].position).toMatchObject({ old_line: 4, new_line: 4 })
})

it('an import protects branches with the stricter rules of both hosts', async () => {
  const branches = await api('/protected_branches')
  const levels = (branch: Any) => [
    branch.name,
    branch.push_access_levels[0].access_level,
    branch.merge_access_levels[0].access_level,
    branch.allow_force_push,
  ]
  expect(branches.map(levels)).toEqual([
    ['main', 0, 40, false],
    ['feature', 40, 40, true],
  ])
  expect(await api('/push_rule')).toMatchObject({ reject_unsigned_commits: true })
})

it('an import requests comments separately for each issue and pull request on request', async () => {
  clock.advance(61_000)
  const begun = await w.as(w.root).post('/import/github', {
    personal_access_token: host.token,
    repo_id: 4711,
    target_namespace: 'root',
    new_name: 'one-by-one',
    github_hostname: `${host.url}/api/v3/`,
    optional_stages: { single_endpoint_notes_import: true },
  })
  host.requests.length = 0
  const id = begun.body.id
  await w.drain()
  const get = async (path: string) => (await w.as(w.root).get(`/projects/${id}${path}`)).body
  const { import_status, stats } = await get('/import')
  expect(import_status).toBe('finished')
  expect(stats.fetched).toMatchObject({ note: 3, diff_note: 8 })
  expect(stats.imported).toMatchObject({ note: 3, diff_note: 8 })
  expect((await get('/merge_requests/1')).user_notes_count).toBe(11)
  expect(host.requests.some((request) => /\/(issues|pulls)\/comments/.test(request.path))).toBe(false)
  // The cached users are not requested again for a day.
  expect(host.requests.some((request) => request.path.startsWith('/users/'))).toBe(false)
  clock.advance(25 * 3600_000)
  const path = '/repos/octo/demo/issues'
  const [, first] = host.responses[path] as { user: unknown }[]
  plainResponses(host, commits)
  host.responses[path] = [{ ...first, user: ALICE }]
  await w.as(w.root).post('/import/github', {
    personal_access_token: host.token,
    repo_id: 4711,
    target_namespace: 'root',
    new_name: 'a-day-later',
    github_hostname: host.url,
  })
  await w.drain()
  const again = host.requests.filter((request) => request.path === '/users/alice-there')
  expect(again.map((request) => request.etag)).toEqual(['"/users/alice-there"'])
})
