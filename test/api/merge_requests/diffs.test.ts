import { beforeAll, describe, expect, test } from 'vitest'

import { repoOf, projectById } from '../../../server/domains/projects/index.ts'
import { client, shell, tempDir } from '../../support/git.ts'
import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
let dev: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let fork: any
let path: string

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  project = await w.make.project({ with: 'readme', visibility: 'public' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 30)
  const { body } = await w.as(dev).post(`/projects/${project.id}/fork`, { path: 'forked', name: 'forked' })
  await w.drain()
  fork = (await w.as(dev).get(`/projects/${body.id}`)).body
})

const open = (options: Parameters<typeof openMergeRequest>[2] = {}) => openMergeRequest(w, project, options)
const show = async (iid: number) => (await root.get(`${path}/${iid}`)).body
const versions = async (iid: number) => (await root.get(`${path}/${iid}/versions`)).body
const notes = async (iid: number): Promise<string[]> =>
  (await root.get(`${path}/${iid}/notes`)).body.map((note: { body: string }) => note.body)
const repository = () => {
  const ctx = w.ctx()
  return repoOf(ctx, projectById(ctx.db, project.id)!)
}
const tipOf = async (branch: string) =>
  (await root.get(`/projects/${project.id}/repository/branches/${branch}`)).body.commit.id

const README = { old_path: 'README.md', new_path: 'README.md', a_mode: '100644', b_mode: '100644' }

const SMALL = { collapsed: false, too_large: false, additions: 1, deletions: 0 }

describe('the diff of a merge request', () => {
  test('is returned as changes, as pages and as a patch', async () => {
    const request = await open({
      files: { 'README.md': '# New\n', 'ä b.txt': 'one\n' },
      message: 'Two files',
    })
    const main = await tipOf('main')
    expect(request).toMatchObject({
      changes_count: '2',
      diff_refs: { base_sha: main, start_sha: main, head_sha: request.sha },
    })
    const changes = await root.get(`${path}/${request.iid}/changes`)
    expect(changes.status).toBe(200)
    const { changes: files, overflow, ...rest } = changes.body
    expect(rest).toMatchObject({ iid: request.iid, changes_count: '2', subscribed: true })
    expect(overflow).toBe(false)
    expect(files).toEqual([
      {
        ...README,
        ...SMALL,
        new_file: false,
        renamed_file: false,
        deleted_file: false,
        diff: expect.any(String),
        deletions: 1,
      },
      {
        ...SMALL,
        old_path: 'ä b.txt',
        new_path: 'ä b.txt',
        a_mode: '0',
        b_mode: '100644',
        new_file: true,
        renamed_file: false,
        deleted_file: false,
        diff: '@@ -0,0 +1 @@\n+one\n',
      },
    ])
    const diffs = await root.get(`${path}/${request.iid}/diffs?per_page=1&page=2&unidiff=true`)
    expect(diffs.headers.get('x-total')).toBe('2')
    expect(diffs.body).toEqual([{ ...files[1], diff: '--- /dev/null\n+++ b/ä b.txt\n@@ -0,0 +1 @@\n+one\n' }])
    const patch = await root.get(`${path}/${request.iid}/raw_diffs`)
    expect(patch.headers.get('content-type')).toContain('text/plain')
    expect(patch.text).toBe(
      `${shell(repository(), ['-c', 'core.quotePath=false', 'diff', '--full-index', `${main}..${request.sha}`])}\n`,
    )
    const commits = await root.get(`${path}/${request.iid}/commits`)
    expect(commits.body).toMatchObject([{ id: request.sha, title: 'Two files', parent_ids: [main] }])
    expect(commits.headers.get('x-total')).toBe('1')
  })

  test('counts a huge file and leaves out its text', async () => {
    const text = Array.from({ length: 12_000 }, (_, at) => `${at} waters flow by the harbor\n`).join('')
    const request = await open({ files: { 'huge.txt': text, 'small.txt': 'one\n' } })
    const huge = {
      new_path: 'huge.txt',
      new_file: true,
      diff: '',
      too_large: true,
      collapsed: false,
      additions: 12_000,
      deletions: 0,
    }
    const small = { new_path: 'small.txt', ...SMALL }
    const [version] = await versions(request.iid)
    const repositoryPath = `/projects/${project.id}/repository`
    const range = `from=${version.base_commit_sha}&to=${request.sha}`
    const answers = [
      (await root.get(`${path}/${request.iid}/changes`)).body.changes,
      (await root.get(`${path}/${request.iid}/diffs`)).body,
      (await root.get(`${path}/${request.iid}/versions/${version.id}`)).body.diffs,
      (await root.get(`${repositoryPath}/commits/${request.sha}/diff`)).body,
      (await root.get(`${repositoryPath}/compare?${range}`)).body.diffs,
    ]
    for (const answer of answers) expect(answer).toMatchObject([huge, small])
    const raised = (await root.get(`${path}/${request.iid}/changes?access_raw_diffs=true`)).body.changes
    expect(raised[0]).toMatchObject({ too_large: false, additions: 12_000 })
    const single = await root.get(`/-${repositoryPath}/file_diff?${range}&path=huge.txt`)
    expect(single.body).toEqual(raised[0])
  })

  test('is available right after the merge request is opened', async () => {
    const made = await open({ drain: false, files: { 'early.txt': 'early\n' } })
    const { body } = await root.get(`${path}/${made.iid}/changes`)
    expect(body.changes).toHaveLength(1)
    expect(body.sha).toMatch(/^[0-9a-f]{40}$/)
    await w.drain()
    expect(await versions(made.iid)).toHaveLength(1)
  })

  test('respects the limits', async () => {
    const actions = Array.from({ length: 1001 }, (_, at) => ({
      action: 'create',
      file_path: `many/${at}.txt`,
      content: `${at}\n`,
    }))
    await root.post(`/projects/${project.id}/repository/commits`, {
      branch: 'many',
      start_branch: 'main',
      commit_message: 'Many',
      actions,
    })
    const { body } = await root.post(path, { source_branch: 'many', target_branch: 'main', title: 'Many' })
    await w.drain()
    expect((await show(body.iid)).changes_count).toBe('1000+')
    const changes = (await root.get(`${path}/${body.iid}/changes`)).body
    expect([changes.overflow, changes.changes.length]).toEqual([true, 1000])
    expect((await versions(body.iid))[0]).toMatchObject({ state: 'overflow', real_size: '1000+' })
    const whole = (await root.get(`${path}/${body.iid}/changes?access_raw_diffs=true`)).body
    expect([whole.overflow, whole.changes.length]).toEqual([false, 1001])
  })

  test('returns 404 for unknown IIDs and invisible projects', async () => {
    for (const what of ['changes', 'diffs', 'raw_diffs', 'commits', 'versions', 'versions/1', 'merge_ref']) {
      const missing = await root.get(`${path}/4711/${what}`)
      expect([what, missing.status, missing.body]).toEqual([what, 404, { message: '404 Not found' }])
    }
    const request = await open()
    const other = await root.get(`${path}/${request.iid}/versions/999999`)
    expect([other.status, other.body]).toEqual([404, { message: '404 Not found' }])
  })
})

test('the diff is hidden from users who may not read the code', async () => {
  const request = await open()
  const stranger = w.as(w.make.user())
  expect((await stranger.get(`${path}/${request.iid}/changes`)).status).toBe(200)
  await root.put(`/projects/${project.id}`, {
    repository_access_level: 'private',
    merge_requests_access_level: 'enabled',
  })
  const codes: number[] = []
  for (const what of ['changes', 'diffs', 'raw_diffs', 'commits', 'versions', 'merge_ref', 'conflicts']) {
    codes.push((await stranger.get(`${path}/${request.iid}/${what}`)).status)
  }
  expect(codes).toEqual(Array.from({ length: 7 }, () => 403))
  await root.put(`/projects/${project.id}`, { repository_access_level: 'enabled' })
})

describe('versions', () => {
  test('follow pushes and list the new commits', async () => {
    const request = await open({ author: dev })
    const first = request.sha
    const head = await pushTo(
      w,
      project,
      request.source_branch,
      { 'b.txt': '<b>\n' },
      { message: 'Add <b>', author: dev },
    )
    await w.drain()
    const after = await show(request.iid)
    expect(after.sha).toBe(head)
    const list = await versions(request.iid)
    expect(list).toMatchObject([
      { head_commit_sha: head, state: 'collected', real_size: '2', merge_request_id: request.id },
      { head_commit_sha: first, state: 'collected', real_size: '1' },
    ])
    const version = await root.get(`${path}/${request.iid}/versions/${list[0].id}?unidiff=true`)
    expect(version.body).toMatchObject({ ...list[0], commits: [{ id: head }, { id: first }] })
    expect(version.body.diffs.map((file: { new_path: string }) => file.new_path)).toEqual([
      'b.txt',
      `${request.source_branch}.txt`,
    ])
    const [note] = await notes(request.iid)
    expect(note).toContain('added 1 commit\n\n')
    expect(note).toContain(`<ul><li>${head.slice(0, 8)} - Add &lt;b&gt;</li></ul>`)
    expect(note).toContain(`/diffs?diff_id=${list[0].id}&start_sha=${first})`)
  })

  test('a rebase moves the base without changing the change', async () => {
    const request = await open({ author: dev })
    await pushTo(w, project, 'main', { 'base.txt': 'on\n' })
    await root.put(`${path}/${request.iid}/rebase`)
    await w.drain()
    const [now, before] = await versions(request.iid)
    expect(now.base_commit_sha).toBe(await tipOf('main'))
    expect(before.base_commit_sha).toBe(request.diff_refs.base_sha)
    const rows = w
      .ctx()
      .db.many<{ patch_id: string }>(
        'SELECT patch_id FROM merge_request_diffs WHERE merge_request_id = ?',
        request.id,
      )
    expect(new Set(rows.map((row) => row.patch_id)).size).toBe(1)
    // The earlier version stays readable.
    const old = await root.get(`${path}/${request.iid}/versions/${before.id}`)
    expect(old.body.commits).toMatchObject([{ id: request.sha }])
  })

  test('a new target branch creates a version with a new base', async () => {
    await root.post(`/projects/${project.id}/repository/branches`, { branch: 'stable', ref: 'main' })
    await pushTo(w, project, 'main', { 'newer.txt': 'on\n' })
    const request = await open()
    expect(request.changes_count).toBe('1')
    await root.put(`${path}/${request.iid}`, { target_branch: 'stable' })
    await w.drain()
    const after = await show(request.iid)
    expect(after).toMatchObject({ changes_count: '2', sha: request.sha })
    expect(after.diff_refs.start_sha).toBe(await tipOf('stable'))
  })

  test('a moved target branch triggers a new check; a missing branch prevents the merge', async () => {
    const request = await open()
    await w.drain()
    expect(await show(request.iid)).toMatchObject({
      merge_status: 'can_be_merged',
      detailed_merge_status: 'mergeable',
    })
    await pushTo(w, project, 'main', { 'again.txt': 'on\n' })
    await w.drain()
    expect(await show(request.iid)).toMatchObject({
      merge_status: 'checking',
      detailed_merge_status: 'checking',
    })
    await w.drain()
    expect((await show(request.iid)).merge_status).toBe('can_be_merged')
    await root.delete(`/projects/${project.id}/repository/branches/${request.source_branch}`)
    await w.drain()
    await show(request.iid)
    await w.drain()
    expect(await show(request.iid)).toMatchObject({ state: 'opened', detailed_merge_status: 'broken_status' })
    expect((await notes(request.iid))[0]).toBe(`deleted source branch \`${request.source_branch}\``)
    // The changes stay readable.
    expect((await root.get(`${path}/${request.iid}/changes`)).body.changes).toHaveLength(1)
  })
})

describe('refs', () => {
  test('the head can be fetched by IID, and the internal refs are hidden', async () => {
    const request = await open()
    const clone = tempDir()
    const url = `${w.url}/${project.path_with_namespace}.git`
    expect((await client(clone, ['init', '-q', '.'])).code).toBe(0)
    const fetched = await client(clone, ['fetch', '-q', url, `merge-requests/${request.iid}/head`])
    expect(fetched).toMatchObject({ code: 0 })
    expect(shell(clone, ['rev-parse', 'FETCH_HEAD'])).toBe(request.sha)
    const advertised = (await client(clone, ['ls-remote', url])).stdout
    expect(advertised).toContain(`refs/merge-requests/${request.iid}/head`)
    expect(advertised).not.toContain('keep-around')
    expect(shell(repository(), ['for-each-ref', 'refs/keep-around'])).toContain(request.sha)
    const push = await client(clone, [
      'push',
      '-q',
      url.replace('://', `://root:${w.root.token}@`),
      `FETCH_HEAD:refs/merge-requests/${request.iid}/head`,
    ])
    expect(push.code).not.toBe(0)
  })

  test('commits of a fork are copied to the target project', async () => {
    const request = await open({ source: fork, author: dev, files: { 'forked.txt': 'from afar\n' } })
    expect(request).toMatchObject({ source_project_id: fork.id, target_project_id: project.id })
    expect(shell(repository(), ['cat-file', '-t', request.sha])).toBe('commit')
    const head = await pushTo(w, fork, request.source_branch, { 'forked.txt': 'again\n' }, { author: dev })
    await w.drain()
    expect(await show(request.iid)).toMatchObject({ sha: head })
    await pushTo(w, project, 'main', { 'meanwhile.txt': 'on\n' })
    await w.as(dev).put(`${path}/${request.iid}/rebase`)
    await w.drain()
    const rebased = await show(request.iid)
    expect(rebased.diff_refs.base_sha).toBe(await tipOf('main'))
    const merged = await root.put(`${path}/${request.iid}/merge`, { should_remove_source_branch: true })
    expect(merged.body).toMatchObject({ state: 'merged', sha: rebased.sha })
    await w.drain()
    const left = await w.as(dev).get(`/projects/${fork.id}/repository/branches/${request.source_branch}`)
    expect(left.status).toBe(404)
  })

  test('users who may merge can push to the fork when the author allows it', async () => {
    const request = await open({ source: fork, author: dev })
    const maintainer = w.make.user({ username: 'maintainer' })
    await w.make.member('projects', project.id, maintainer, 40)
    const clone = tempDir()
    const url = `${w.url}/${fork.path_with_namespace}.git`.replace(
      '://',
      `://maintainer:${maintainer.token}@`,
    )
    const git = (...args: string[]) => client(clone, ['-c', 'commit.gpgsign=false', ...args])
    await git('clone', '-q', '-b', request.source_branch, url, '.')
    await git('commit', '-q', '--allow-empty', '-m', 'Helped')
    const push = () => git('push', '-q', 'origin', `HEAD:${request.source_branch}`)
    expect((await push()).stderr).toContain('You are not allowed to push code to this project')
    await w.as(dev).put(`${path}/${request.iid}`, { allow_collaboration: true })
    expect(await push()).toMatchObject({ code: 0 })
    const elsewhere = await git('push', '-q', 'origin', 'HEAD:other')
    expect(elsewhere.stderr).toContain('You may only push to branches of merge requests')
    await w.drain()
    expect((await root.get(`${path}/${request.iid}/commits`)).body[0].title).toBe('Helped')
    const rebase = await w.as(maintainer).put(`${path}/${request.iid}/rebase`)
    expect(rebase.status).toBe(202)
    await w.drain()
    // Collaboration ends when the fork is not visible any more.
    const { visibility } = (await w.as(dev).get(`/projects/${fork.id}`)).body
    await w.as(dev).put(`/projects/${fork.id}`, { visibility: 'private' })
    expect((await w.as(maintainer).put(`${path}/${request.iid}/rebase`)).status).toBe(403)
    await w.as(dev).put(`/projects/${fork.id}`, { visibility })
    await w.as(dev).put(`${path}/${request.iid}`, { state_event: 'close' })
    await git('commit', '-q', '--allow-empty', '-m', 'Too late')
    expect((await push()).code).not.toBe(0)
  })

  test('the commits stay when the fork is deleted', async () => {
    const { body } = await w.as(dev).post(`/projects/${project.id}/fork`, { path: 'brief', name: 'brief' })
    await w.drain()
    const request = await open({ source: body, author: dev })
    await w.as(dev).delete(`/projects/${body.id}`)
    await w.drain()
    expect((await root.get(`${path}/${request.iid}/changes`)).body.changes).toHaveLength(1)
    expect(await show(request.iid)).toMatchObject({ state: 'closed', source_project_id: null })
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
  })
})
