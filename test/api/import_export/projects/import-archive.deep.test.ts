import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world, type World } from '../../../support/world.ts'
import { archiveOf, importForm } from './archive-of.ts'
import { recordsOf } from './codec.ts'

let w: World
let here: string
/** Commits of a small history: main has two, and side adds another one to the first. */
let code: { bundle: Buffer; first: string; main: string; side: string }

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

function madeCode(): typeof code {
  const dir = join(here, 'code')
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: here,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.test',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.test',
      },
    }).trim()
  execFileSync('git', ['init', '-q', '-b', 'main', dir])
  const commit = (name: string, text: string): string => {
    execFileSync('sh', ['-c', `printf '%s' "${text}" > ${name}`], { cwd: dir })
    git('add', '.')
    git('commit', '-qm', `Write ${name}`)
    return git('rev-parse', 'HEAD')
  }
  const first = commit('a.txt', 'one')
  git('checkout', '-qb', 'side')
  const side = commit('b.txt', 'two')
  git('update-ref', 'refs/merge-requests/1/head', side)
  git('update-ref', 'refs/merge-requests/2/head', side)
  git('update-ref', `refs/keep-around/${side}`, side)
  git('checkout', '-q', 'main')
  const main = commit('c.txt', 'three')
  // The branch of the second merge request is in a fork.
  const file = join(here, 'project.bundle')
  git('bundle', 'create', '-q', file, '--all')
  return { bundle: readFileSync(file), first, main, side }
}

function request(iid: number, more: object = {}): object {
  return {
    iid,
    title: `Change ${iid}`,
    state: 'opened',
    source_branch: 'side',
    target_branch: 'main',
    source_project_id: 7,
    target_project_id: 7,
    author_id: 1,
    created_at: '2024-01-02T03:04:05.678Z',
    updated_at: '2024-02-02T03:04:05.678Z',
    diff_head_sha: code.side,
    merge_request_diff: {
      state: 'collected',
      base_commit_sha: code.first,
      start_commit_sha: code.first,
      head_commit_sha: code.side,
      real_size: '1',
      merge_request_diff_commits: [{ sha: code.side, relative_order: 0 }],
      merge_request_diff_files: [],
    },
    ...more,
  }
}

async function imported(name: string, entries: Record<string, string | Buffer | null>) {
  const answer = await w
    .as(w.root)
    .post('/projects/import', importForm(await archiveOf(entries), { path: name, namespace: 'root' }))
  expect(answer.status).toBe(201)
  await w.drain()
  return (await w.as(w.root).get(`/projects/${answer.body.id}/import`)).body
}

beforeAll(async () => {
  here = mkdtempSync(join(tmpdir(), 'deskforge-import-'))
  code = madeCode()
  w = await world()
  await w.as(w.root).put('/application/settings', { project_import_limit: 60 })
})
afterAll(() => rmSync(here, { recursive: true, force: true }))

const SECRET = 'a'.repeat(32)

describe('an archive', () => {
  it('becomes a working project', async () => {
    const status = await imported('works', {
      'project.bundle': code.bundle,
      'tree/project/merge_requests.ndjson': [
        line(
          request(1, {
            notes: [
              {
                note: 'Please',
                author_id: 1,
                created_at: '2024-01-03T00:00:00.000Z',
                type: 'DiscussionNote',
                discussion_id: 'abc',
              },
            ],
          }),
        ),
        line(request(2, { source_project_id: 9, source_branch: 'patch' })),
        line(
          request(5, {
            state: 'merged',
            source_branch: 'gone',
            metrics: { merged_at: '2024-01-09T00:00:00.000Z', merged_by_id: 1 },
          }),
        ),
      ].join(''),
      'tree/project/labels.ndjson': line({ title: 'bug', color: '#ff0000' }),
      [`uploads/${SECRET}/notes.txt`]: 'attached',
    })
    expect(status).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
    const at = `/projects/${status.id}`
    const project = (await w.as(w.root).get(at)).body
    expect(project).toMatchObject({
      default_branch: 'main',
      empty_repo: false,
      visibility: 'public',
      description: 'From far away',
    })
    const protections = await w.as(w.root).get(`${at}/protected_branches`)
    expect(protections.body.map((protection: { name: string }) => protection.name)).toEqual(['main'])
    const file = await w.as(w.root).get(`!/root/works/uploads/${SECRET}/notes.txt`)
    expect([file.status, file.text]).toEqual([200, 'attached'])

    const first = (await w.as(w.root).get(`${at}/merge_requests/1`)).body
    expect(first).toMatchObject({
      state: 'opened',
      sha: code.side,
      diff_refs: { base_sha: code.first, head_sha: code.side, start_sha: code.first },
    })
    const changes = (await w.as(w.root).get(`${at}/merge_requests/1/changes`)).body
    expect(changes.changes.map((change: { new_path: string }) => change.new_path)).toEqual(['b.txt'])
    expect((await w.as(w.root).get(`${at}/merge_requests/1/versions`)).body).toHaveLength(1)
    expect((await w.as(w.root).get(`${at}/merge_requests/1/commits`)).body[0]).toMatchObject({
      id: code.side,
    })
    expect((await w.as(w.root).get(`${at}/merge_requests/1/discussions`)).body[0].notes[0]).toMatchObject({
      body: expect.stringContaining('Please'),
    })

    // The fork does not exist here, so its branch was created in the project.
    const second = (await w.as(w.root).get(`${at}/merge_requests/2`)).body
    expect(second).toMatchObject({ source_project_id: status.id, source_branch: 'patch' })
    const branch = (await w.as(w.root).get(`${at}/repository/branches/patch`)).body
    expect(branch.commit.id).toBe(code.side)

    const merged = await w.as(w.root).put(`${at}/merge_requests/1/merge`, {})
    expect([merged.status, merged.body.state]).toEqual([200, 'merged'])
    expect((await w.as(w.root).get(`${at}/merge_requests/5`)).body).toMatchObject({
      state: 'merged',
      merged_at: '2024-01-09T00:00:00.000Z',
      merged_by: { username: 'root' },
    })
    const opened = await w.as(w.root).post(`${at}/issues`, { title: 'next' })
    expect(opened.body.iid).toBe(1)
    const next = await w
      .as(w.root)
      .post(`${at}/merge_requests`, { title: 'next', source_branch: 'side', target_branch: 'patch' })
    expect([next.status, next.body.iid ?? next.text]).toEqual([201, 6])
  })

  it('may refer to missing commits', async () => {
    const missingId = 'd'.repeat(40)
    const version = {
      state: 'collected',
      base_commit_sha: code.first,
      start_commit_sha: code.first,
      head_commit_sha: missingId,
      real_size: '1',
      merge_request_diff_commits: [{ sha: missingId, relative_order: 0 }],
    }
    const status = await imported('without', {
      'project.bundle': code.bundle,
      'tree/project/merge_requests.ndjson': line(
        request(1, {
          state: 'closed',
          source_branch: 'gone',
          diff_head_sha: missingId,
          merge_request_diff: version,
          notes: [
            {
              note: 'added 12 commits\n\n<ul><li>one</li></ul>',
              system: true,
              author_id: 1,
              author: { name: 'Ada' },
              created_at: '2024-01-03T00:00:00.000Z',
              system_note_metadata: { action: 'commit', commit_count: 12 },
            },
          ],
        }),
      ),
    })
    expect(status).toMatchObject({ import_status: 'finished', failed_relations: [] })
    const at = `/projects/${status.id}/merge_requests/1`
    const get = async (path: string) => await w.as(w.root).get(`${at}${path}`)
    const versions = (await get('/versions')).body
    expect(versions).toMatchObject([{ head_commit_sha: missingId }])
    expect((await get('/changes')).body).toMatchObject({ iid: 1, changes: [] })
    expect((await get(`/versions/${versions[0].id}`)).body).toMatchObject({ commits: [], diffs: [] })
    for (const list of ['/diffs', '/commits']) {
      const answer = await get(list)
      expect([answer.status, answer.body], list).toEqual([200, []])
    }
    const raw = await get('/raw_diffs')
    expect([raw.status, raw.text]).toEqual([200, ''])
    // An export has the metadata of system notes.
    const [record] = await recordsOf(w, status.id, 'merge_requests')
    expect(record!['notes']).toMatchObject([{ system_note_metadata: { action: 'commit', commit_count: 12 } }])
  })

  it('leaves nothing behind if its code is damaged', async () => {
    const status = await imported('broken', {
      'project.bundle': code.bundle.subarray(0, code.bundle.length - 40),
      'tree/project/labels.ndjson': line({ title: 'bug', color: '#ff0000' }),
    })
    expect(status).toMatchObject({ import_status: 'failed' })
    expect(status.import_error).toMatch(/^The repository could not be imported\. The bundle is/)
    const at = `/projects/${status.id}`
    expect((await w.as(w.root).get(at)).body).toMatchObject({ empty_repo: true, visibility: 'private' })
    expect((await w.as(w.root).get(`${at}/labels`)).body).toEqual([])
    expect((await w.as(w.root).get(`${at}/repository/branches`)).body).toEqual([])
  })

  it('must have a known version and layout', async () => {
    const status = await imported('older', { VERSION: '0.1.0\n' })
    expect(status).toMatchObject({
      import_status: 'failed',
      import_error: 'Import version mismatch: Required 0.2.4 but was 0.1.0',
    })
    expect((await imported('none', { VERSION: null })).import_error).toBe(
      'The archive is not a project export: it has no file VERSION.',
    )
    expect((await imported('empty', { 'tree/project.json': null })).import_error).toBe(
      'The archive is not a project export: it has no project.json.',
    )
  })

  it('may have the older layout with one file', async () => {
    const status = await imported('nested', {
      'tree/project.json': null,
      'project.json': JSON.stringify({
        description: 'Old',
        visibility_level: 0,
        labels: [{ title: 'bug', color: '#ff0000' }],
        merge_requests: [request(3, { state: 'closed' })],
      }),
    })
    expect(status).toMatchObject({ import_status: 'finished', failed_relations: [] })
    expect((await w.as(w.root).get(`/projects/${status.id}`)).body).toMatchObject({
      description: 'Old',
      visibility: 'private',
    })
    expect((await w.as(w.root).get(`/projects/${status.id}/merge_requests/3`)).body.title).toBe('Change 3')
  })

  it('makes its project read-only during the import, and leaves nothing behind when it is canceled', async () => {
    const { at, count } = await underWay('canceled')
    expect((await w.as(w.root).post(`${at}/labels`, { name: 'mine', color: '#ffffff' })).status).toBe(403)
    expect((await w.as(w.root).get(`${at}/labels`)).status).toBe(200)
    expect((await w.as(w.root).post(`/-${at}/import/cancel`)).status).toBe(201)
    await w.drain()
    expect((await w.as(w.root).get(`${at}/import`)).body).toMatchObject({ import_status: 'canceled' })
    for (const table of ['merge_requests', 'notes', 'labels', 'uploads', 'internal_ids'])
      expect([table, count(table)]).toEqual([table, 0])
    expect((await w.as(w.root).get(`${at}/repository/branches`)).body).toEqual([])
  })

  it('leaves nothing behind when its project is deleted during the import', async () => {
    const { at, count, files } = await underWay('deleted')
    expect(files()).toEqual([true, true])
    expect((await w.as(w.root).delete(at)).status).toBe(202)
    await w.drain()
    expect((await w.as(w.root).get(at)).status).toBe(404)
    for (const table of ['merge_requests', 'notes', 'import_failures'])
      expect([table, count(table)]).toEqual([table, 0])
    expect(files()).toEqual([false, false])
  })
})

/** Starts an import by another user, and waits until its first rows are written. */
async function underWay(path: string) {
  const many = Array.from({ length: 1500 }, (_, index) =>
    line(request(index + 1, { state: 'closed', notes: [{ note: 'Please', author_id: 1 }] })),
  )
  const archive = await archiveOf({
    'project.bundle': code.bundle,
    'tree/project/merge_requests.ndjson': many.join(''),
    [`uploads/${SECRET}/notes.txt`]: 'attached',
  })
  // A user may start only six imports per minute.
  const { body } = await w.as(w.make.user()).post('/projects/import', importForm(archive, { path }))
  const selectOne = <T>(sql: string) => w.ctx().db.one<T>(sql, body.id)
  const count = (table: string) =>
    selectOne<{ total: number }>(`SELECT count(*) AS total FROM ${table} WHERE project_id = ?`)!.total
  const seen = () => ({
    ...selectOne<object>('SELECT import_status, import_error FROM projects WHERE id = ?'),
    any: count('merge_requests') > 0,
  })
  await expect
    .poll(seen, { interval: 1, timeout: 60_000 })
    .toEqual({ import_status: 'started', import_error: null, any: true })
  const { disk_path } = selectOne<{ disk_path: string }>('SELECT disk_path FROM projects WHERE id = ?')!
  const folders = [
    join(w.dataDir, 'repositories', disk_path),
    join(w.dataDir, 'tmp', `import-${body.id as number}`),
  ]
  return {
    at: `/projects/${body.id as number}`,
    count,
    files: () => folders.map((folder) => existsSync(folder)),
  }
}
