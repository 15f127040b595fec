import { beforeEach, describe, expect, it } from 'vitest'

import { FIRST_COMMIT_TIME, shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'private' })
  await make.member('projects', project.id, developer, 30)
  ids = fill(instance, project, [
    {
      message: 'First\n\nWith a body\n\nReviewed-by: Rita <rita@example.test>\n',
      files: { 'a.txt': 'one\ntwo\n' },
    },
    { message: 'Second', author: 'Bea Builder', email: 'bea@example.test', files: { 'b.txt': 'b\n' } },
    { message: 'Rename', files: { 'a.txt': null, 'c.txt': 'one\ntwo\n' } },
    { message: 'Side', branch: 'side', from: ':1', files: { 's.txt': 's\n' } },
  ])
  at = `/projects/${project.id}/repository/commits`
})

const titles = (body: { title: string }[]) => body.map((commit) => commit.title)
const list = async (query = '') => {
  const { status, body } = await as(developer).get(at + query)
  return [status, status === 200 ? titles(body) : body]
}
const time = (commit: number) => new Date((FIRST_COMMIT_TIME + commit * 60) * 1000).toISOString()

describe('GET /projects/:id/repository/commits', () => {
  it('lists the default branch, newest first, without totals', async () => {
    const { body, headers } = await as(developer).get(at)
    expect(titles(body)).toEqual(['Rename', 'Second', 'First'])
    expect(body[2]).toEqual({
      id: ids[0],
      short_id: ids[0]!.slice(0, 8),
      created_at: '2024-01-01T00:00:00.000+00:00',
      parent_ids: [],
      title: 'First',
      message: 'First\n\nWith a body\n\nReviewed-by: Rita <rita@example.test>',
      author_name: 'Ada Author',
      author_email: 'ada@example.com',
      authored_date: '2024-01-01T00:00:00.000+00:00',
      committer_name: 'Ada Author',
      committer_email: 'ada@example.com',
      committed_date: '2024-01-01T00:00:00.000+00:00',
      trailers: { 'Reviewed-by': 'Rita <rita@example.test>' },
      web_url: `${instance.url}/root/${project.path}/-/commit/${ids[0]}`,
    })
    expect(headers.has('x-total')).toBe(false)
    expect(headers.get('x-next-page')).toBe('')
  })

  it('filters by ref, range, time, path and author, and lists all refs', async () => {
    expect(await list('?ref_name=side')).toEqual([200, ['Side', 'First']])
    expect(await list('?ref_name=main..side')).toEqual([200, ['Side']])
    expect(await list(`?since=${time(1)}`)).toEqual([200, ['Rename', 'Second']])
    expect(await list(`?until=${time(0)}`)).toEqual([200, ['First']])
    expect(await list('?path=b.txt')).toEqual([200, ['Second']])
    expect(await list('?path=c.txt')).toEqual([200, ['Rename', 'First']])
    expect(await list('?author=BEA')).toEqual([200, ['Second']])
    expect(await list('?all=true&per_page=100')).toEqual([200, ['Side', 'Rename', 'Second', 'First']])
    expect(await list('?per_page=1&page=2')).toEqual([200, ['Second']])
    expect(await list('?ref_name=nope')).toEqual([200, []])
    expect(await list('?path=nope')).toEqual([200, []])
  })

  it('counts lines on request', async () => {
    const { body } = await as(developer).get(`${at}?with_stats=true&ref_name=side`)
    expect(body.map((commit: { stats: object }) => commit.stats)).toEqual([
      { additions: 1, deletions: 0, total: 1 },
      { additions: 2, deletions: 0, total: 2 },
    ])
  })

  it('treats filters as plain text, not as options or patterns', async () => {
    for (const ref of ['--output=/tmp/x', '-1', ':/First', '@{upstream}', 'main..--all', 'x y', '..']) {
      const { status, body } = await as(developer).get(`${at}?ref_name=${encodeURIComponent(ref)}`)
      expect([ref, status, body]).toEqual([ref, 200, ref === '..' ? [] : []])
    }
    expect(await list('?author=.*')).toEqual([200, []])
    expect((await as(developer).get(`${at}?path=..%2Fx`)).status).toBe(400)
    expect((await as(developer).get(`${at}?since=yesterday`)).body).toEqual({ error: 'since is invalid' })
  })
})

describe('GET /projects/:id/repository/commits/:sha', () => {
  it('finds a commit by id, branch and id prefix, with its stats', async () => {
    for (const name of [ids[1]!, ids[1]!.slice(0, 7), 'main~1']) {
      const { status, body } = await as(developer).get(`${at}/${name}`)
      expect(status, name).toBe(200)
      expect(body).toMatchObject({
        id: ids[1],
        project_id: project.id,
        status: null,
        last_pipeline: null,
        stats: { additions: 1, deletions: 0, total: 1 },
      })
    }
    expect((await as(developer).get(`${at}/side?stats=false`)).body).not.toHaveProperty('stats')
    expect((await as(developer).get(`${at}/nope`)).body).toEqual({ message: '404 Commit Not Found' })
    expect((await as(developer).get(`${at}/--all`)).status).toBe(404)
  })

  it('lists the changed files', async () => {
    const { body, headers } = await as(developer).get(`${at}/${ids[2]}/diff`)
    expect(body).toEqual([
      {
        diff: '',
        old_path: 'a.txt',
        new_path: 'c.txt',
        a_mode: '100644',
        b_mode: '100644',
        new_file: false,
        renamed_file: true,
        deleted_file: false,
        collapsed: false,
        too_large: false,
        additions: 0,
        deletions: 0,
      },
    ])
    expect(headers.get('x-total')).toBe('1')
    const first = await as(developer).get(`${at}/${ids[0]}/diff`)
    expect(first.body[0]).toMatchObject({
      diff: '@@ -0,0 +1,2 @@\n+one\n+two\n',
      new_file: true,
      a_mode: '0',
    })
    expect((await as(developer).get(`${at}/nope/diff`)).status).toBe(404)
  })

  it('lists the refs that contain it', async () => {
    shell(onDisk(instance, project), ['tag', 'v1', ids[0]!])
    const refs = async (query: string) => (await as(developer).get(`${at}/${ids[0]}/refs${query}`)).body
    expect(await refs('')).toEqual([
      { type: 'branch', name: 'main' },
      { type: 'branch', name: 'side' },
      { type: 'tag', name: 'v1' },
    ])
    expect(await refs('?type=tag')).toEqual([{ type: 'tag', name: 'v1' }])
  })
})

describe('POST /projects/:id/repository/commits', () => {
  const commit = (more: object) =>
    as(developer).post(at, { branch: 'main', commit_message: 'Several', ...more })

  it('makes one commit of several actions', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const { status, body } = await commit({
      actions: [
        { action: 'create', file_path: 'new/n.txt', content: 'n\n' },
        { action: 'update', file_path: 'b.txt', content: 'b2\n' },
        { action: 'move', file_path: 'd.txt', previous_path: 'c.txt' },
        { action: 'chmod', file_path: 'd.txt', execute_filemode: true },
      ],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      title: 'Several',
      parent_ids: [ids[2]],
      stats: { additions: 2, deletions: 1, total: 3 },
    })
    expect(
      shell(onDisk(instance, project), ['ls-tree', '-r', 'main', '--format=%(objectmode) %(path)']),
    ).toBe('100644 b.txt\n100755 d.txt\n100644 new/n.txt')
    expect(received).toHaveLength(1)
  })

  it('changes nothing if one action is invalid', async () => {
    const { status, body } = await commit({
      actions: [
        { action: 'create', file_path: 'new.txt', content: 'n\n' },
        { action: 'delete', file_path: 'nope.txt' },
      ],
    })
    expect([status, body]).toEqual([400, { message: "A file with this name doesn't exist" }])
    expect(await list()).toEqual([200, ['Rename', 'Second', 'First']])
  })

  it('creates a branch, and replaces one with force', async () => {
    const actions = [{ action: 'create', file_path: 'x.txt', content: 'x\n' }]
    const made = await commit({ branch: 'fresh', start_branch: 'side', actions })
    expect(made.body.parent_ids).toEqual([ids[3]])
    const again = await commit({ branch: 'fresh', start_branch: 'main', actions })
    expect(again.status).toBe(400)
    const forced = await commit({ branch: 'fresh', start_branch: 'main', actions, force: true })
    expect(forced.body.parent_ids).toEqual([ids[2]])
    const fromCommit = await commit({ branch: 'third', start_sha: ids[0], actions })
    expect(fromCommit.body.parent_ids).toEqual([ids[0]])
    expect((await commit({ branch: 'y', start_sha: ids[0], start_branch: 'main', actions })).body).toEqual({
      error: 'start_branch, start_sha are mutually exclusive',
    })
    expect((await commit({ branch: 'y', start_branch: 'nope', actions })).status).toBe(400)
  })

  it("returns 403 with the contract's message on a protected branch", async () => {
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    const { status, body } = await commit({ actions: [{ action: 'delete', file_path: 'b.txt' }] })
    expect([status, body]).toEqual([
      403,
      { message: '403 Forbidden - You are not allowed to push into this branch' },
    ])
  })

  it('returns the same 403 if the caller may not push at all, or if the project is archived', async () => {
    const actions = [{ action: 'create', file_path: 'new.txt', content: 'x' }]
    const words = { message: '403 Forbidden - You are not allowed to push into this branch' }
    const made = await make.project({ owner: root, with: 'readme', visibility: 'public' })
    const post = (user: typeof root) =>
      as(user).post(`/projects/${made.id}/repository/commits`, {
        branch: 'main',
        commit_message: 'm',
        actions,
      })
    const stranger = await post(make.user())
    expect([stranger.status, stranger.body]).toEqual([403, words])
    await as(root).post(`/projects/${made.id}/archive`)
    const archived = await post(root)
    expect([archived.status, archived.body]).toEqual([403, words])
  })

  it('does not force-push to a protected branch', async () => {
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main', push_access_level: 30 })
    const actions = [{ action: 'create', file_path: 'x.txt', content: 'x\n' }]
    const { status } = await commit({ start_branch: 'side', force: true, actions })
    expect(status).toBe(403)
    expect(await list('?per_page=1')).toEqual([200, ['Rename']])
  })

  it('reports every invalid part of every action', async () => {
    const { status, body } = await commit({
      actions: [{ file_path: 'x' }, { action: 'explode', file_path: 'y' }],
    })
    expect(status).toBe(400)
    expect(body.error).toContain('actions[0][action] is missing')
    expect((await commit({})).body.error).toContain('actions is missing')
  })
})

describe('GET /projects/:id/repository/compare and merge_base', () => {
  const ask = (path: string) => as(developer).get(`/projects/${project.id}/repository/${path}`)

  it('compares from the common ancestor, or directly', async () => {
    const { body } = await ask('compare?from=side&to=main')
    expect(titles(body.commits)).toEqual(['Second', 'Rename'])
    expect(body).toMatchObject({ commit: { id: ids[2] }, compare_same_ref: false, compare_timeout: false })
    expect(body.diffs.map((diff: { new_path: string }) => diff.new_path).toSorted()).toEqual([
      'b.txt',
      'c.txt',
    ])
    expect(body.web_url).toBe(`${instance.url}/root/${project.path}/-/compare/side...main`)
    const straight = await ask('compare?from=side&to=main&straight=true')
    expect(straight.body.diffs.map((diff: { old_path: string }) => diff.old_path)).toContain('s.txt')
    expect((await ask('compare?from=main&to=main')).body).toMatchObject({
      commit: null,
      commits: [],
      diffs: [],
      compare_same_ref: true,
    })
    expect((await ask('compare?from=nope&to=main')).body).toEqual({ message: '404 Ref Not Found' })
  })

  it('returns the common ancestor', async () => {
    expect((await ask('merge_base?refs[]=main&refs[]=side')).body.id).toBe(ids[0])
    expect((await ask('merge_base?refs[]=main')).body).toEqual({ message: 'Provide at least 2 refs' })
    expect((await ask('merge_base?refs[]=main&refs[]=x')).body).toEqual({ message: 'Could not find ref: x' })
    expect((await ask('merge_base?refs[]=y&refs[]=x')).body).toEqual({ message: 'Could not find refs: y, x' })
  })
})
