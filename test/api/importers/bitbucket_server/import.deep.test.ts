import { beforeAll, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world } from '../../../support/world.ts'
import { at, demoCode, demoResponses, type Commits } from './demo.ts'
import { stubHost } from './stub-host.ts'

const clock = frozenClock('2026-11-22T10:00:00Z')
const w = await world({ clock })
const host = await stubHost()
let commits: Commits
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any

const api = async (path: string, id: number = project.id): Promise<Any> => {
  const answer = await w.as(w.root).get(`/projects/${id}${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const access = () => ({
  bitbucket_server_url: host.url,
  bitbucket_server_username: host.username,
  personal_access_token: host.token,
})
const begin = (more: object = {}, who: typeof w.root | null = w.root) =>
  w.as(who).post('/import/bitbucket_server', {
    ...access(),
    bitbucket_server_project: 'TIDE',
    bitbucket_server_repo: 'watch',
    target_namespace: 'root',
    ...more,
  })

beforeAll(async () => {
  w.make.user({ username: 'alice' })
  await w.as(w.root).put('/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
    project_import_limit: 600,
  })
  commits = demoCode(host)
  demoResponses(host, commits)
})

it('an import has code, pull requests and comments, despite errors of the other host', async () => {
  host.faults.push(
    { at: /\/pull-requests\?.*start=0/, status: 502 },
    { at: /\/pull-requests\?.*start=2/, status: 429, headers: { 'retry-after': '90' } },
    { at: /\/1\/activities\?.*start=2/, status: 200, body: '{"values": [' },
  )
  const begun = await begin({ new_name: 'watch-here', recover_missing_commits: true })
  expect(begun.status, begun.text).toBe(201)
  project = begun.body
  expect(begun.body).toEqual({
    id: project.id,
    name: 'watch-here',
    full_path: '/root/watch-here',
    full_name: expect.stringMatching(/ \/ watch-here$/),
  })
  await w.drain()
  expect(await api('/import')).toMatchObject({ import_status: 'started', import_type: 'bitbucket_server' })
  clock.advance(91_000)
  await w.drain()
  const status = await api('/import')
  expect(status).toMatchObject({ import_status: 'finished', import_type: 'bitbucket_server', stats: null })
  expect(JSON.parse(status.import_error)).toEqual({
    message: 'The remote data could not be fully imported.',
    errors: [
      {
        type: 'pull_request',
        source: 'Pull request 4',
        errors: 'Source branch is not a valid branch name',
      },
    ],
  })
})

it('an import has the branches, tags and the default branch', async () => {
  expect(await api('')).toMatchObject({
    default_branch: 'trunk',
    visibility: 'private',
    description: 'Knows the tides',
  })
  const branches: Any[] = await api('/repository/branches')
  expect(branches.map((branch) => branch.name)).toEqual(['feature', 'trunk'])
  expect((await api('/repository/tags')).map((tag: Any) => tag.name)).toEqual(['v1'])
  expect(host.branches).toEqual([
    '+ gitlab/import/pull-request/3/from',
    '- refs/heads/gitlab/import/pull-request/3/from',
  ])
})

it('an import has merge requests with their authors, reviewers and the merging users', async () => {
  const all: Any[] = await api('/merge_requests?state=all&order_by=created_at&sort=asc')
  expect(
    all.map((mergeRequest) => [
      mergeRequest.iid,
      mergeRequest.state,
      mergeRequest.author.username,
      mergeRequest.sha,
    ]),
  ).toEqual([
    [1, 'opened', 'alice', commits.feature],
    [2, 'merged', 'root', commits.merged],
    [3, 'closed', 'root', commits.lost],
  ])
  expect(all[0].reviewers.map((reviewer: Any) => reviewer.username)).toEqual(['alice'])
  expect(all[0].description).toBe('What request 1 is about')
  expect(all[1].description).toBe('*Created by: stranger*\n\nWhat request 2 is about')
  expect(all[1]).toMatchObject({
    merge_commit_sha: commits.merge,
    merged_at: new Date(at(12)).toISOString(),
    merge_user: { username: 'alice' },
  })
  const { changes } = await api('/merge_requests/3/changes')
  expect(changes[0].diff).toContain('+line seven')
})

it('an import has every comment with its lines, and replies in one thread', async () => {
  const threads: Any[] = await api('/merge_requests/1/discussions?per_page=100')
  const shown = threads.map((thread) =>
    thread.notes.map((note: Any) => [
      note.author.username,
      note.body,
      note.position ? [note.position.old_line, note.position.new_line] : null,
    ]),
  )
  const long = `> ${'Then so be it. '.repeat(8).slice(0, 77)}...`
  expect(long.length).toBeLessThan(90)
  expect(shown).toEqual([
    [['root', '*Created by: stranger*\n\nHello', null]],
    [
      ['alice', 'Is it?', [null, 3]],
      ['root', '*Created by: stranger*\n\n> Is it?\n\nIt is', [null, 3]],
      ['alice', `> It is\n\n${'Then so be it. '.repeat(8)}`, [null, 3]],
      ['root', '*Created by: stranger*\n\n> Is it?\n\nDone', [null, 3]],
    ],
    [['alice', 'Was better', [3, null]]],
    [['alice', 'As before', [5, 5]]],
    [['root', '*Created by: stranger*\n\n*On gone.txt, line 400:*\n\nFar away', null]],
    [['root', '*Created by: stranger*\n\n*On app.txt:*\n\nAbout a file', null]],
  ])
})

it('the importer lists the repositories of the user', async () => {
  const answer = await w.as(w.root).post('/-/imports/host_b_server/repositories', {
    hostB_server_url: host.url,
    hostB_server_username: host.username,
    personal_access_token: host.token,
    search: 'w',
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body).toEqual([
    {
      project_key: 'TIDE',
      repository_slug: 'watch',
      full_name: 'Tides / watch',
      description: 'Knows the tides',
      imported_as: 'root/watch-here',
    },
    expect.objectContaining({ repository_slug: 'other', imported_as: null }),
  ])
  expect(answer.headers.get('x-next-page')).toBe('')
})

it('an import continues after errors of the other host, and creates no record twice', async () => {
  const { id } = (await begin({ new_name: 'cut-off' })).body
  let cut = false
  host.faults.push(
    { at: /\/1\/activities\?.*start=4/, status: 500 },
    { at: /\/1\/activities\?.*start=4/, status: 500 },
    { at: /\/1\/activities\?.*start=4/, status: 500 },
  )
  host.watch = () => {
    cut = true
  }
  await w.drain()
  expect(cut).toBe(true)
  host.watch = undefined
  expect((await api('/import', id)).import_status).toBe('started')
  clock.advance(61_000)
  await w.drain()
  expect((await api('/import', id)).import_status).toBe('finished')
  expect(await api('/merge_requests/1/discussions', id)).toHaveLength(6)
  // Without `recover_missing_commits`, commits that no ref reaches are not imported.
  expect((await api('/merge_requests/3', id)).sha).toBe(null)
})

it('an import can be canceled while it waits, and leaves no record', async () => {
  const { id } = (await begin({ new_name: 'taken-back' })).body
  host.faults.push({ at: /\/activities/, status: 429, headers: { 'retry-after': '900' } })
  await w.drain()
  expect((await api('/import', id)).import_status).toBe('started')
  const canceled = await w.as(w.root).post(`/-/projects/${id}/import/cancel`)
  expect(canceled.status, canceled.text).toBeLessThan(300)
  await w.drain()
  expect((await api('/import', id)).import_status).toBe('canceled')
  expect(await api('/merge_requests?state=all', id)).toEqual([])
})

it.each([
  [
    'another token',
    { personal_access_token: 'wrong' },
    422,
    'The other host does not accept the user name and the token.',
  ],
  [
    'an address that is none',
    { bitbucket_server_url: 'ftp://example.com' },
    400,
    'Invalid URL: ftp://example.com',
  ],
  ['an unknown repository', { bitbucket_server_repo: 'none' }, 404, 'Project TIDE/none could not be found'],
  [
    'an unknown namespace',
    { target_namespace: 'nobody' },
    422,
    "You don't have permissions to create this project",
  ],
  ['a name that is taken', { new_name: 'watch-here' }, 422, 'Name has already been taken'],
  [
    'a host that is not there',
    { bitbucket_server_url: 'http://127.0.0.1:1' },
    503,
    'Import failed: The other host cannot be reached, or did not answer in time.',
  ],
])('the importer refuses %s', async (_, more, status, errors) => {
  const answer = await begin(more)
  expect([answer.status, answer.body]).toEqual([status, { errors }])
})

it('the importer requires all parameters, and an enabled import source', async () => {
  const missing = await w.as(w.root).post('/import/bitbucket_server', access())
  expect(missing.status).toBe(400)
  await w.as(w.root).put('/application/settings', { import_sources: ['git'] })
  expect((await begin()).status).toBe(403)
  expect((await begin({}, null)).status).toBe(401)
})
