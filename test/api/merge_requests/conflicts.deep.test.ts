import { beforeAll, describe, expect, test } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { shell } from '../../support/git.ts'
import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
let dev: TestUser
let reporter: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

const TEXT = Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join('')
const at = (iid: number) => `/-/projects/${project.id}/merge_requests/${iid}/conflicts`
const onDisk = (id: number) => {
  const ctx = w.ctx()
  return repoOf(ctx, projectById(ctx.db, id)!)
}
const read = (ref: string, path: string, id: number = project.id) =>
  shell(onDisk(id), ['cat-file', 'blob', `${ref}:${path}`])

let targets = 0

/** A merge request into a branch of its own, where both branches changed the same files. */
async function conflicting(
  ours: Record<string, string>,
  theirs: Record<string, string>,
  options: { source?: { id: number }; author?: TestUser } & Record<string, unknown> = {},
) {
  const target = `target-${(targets += 1)}`
  await pushTo(w, project, target, theirs)
  const request = await openMergeRequest(w, project, { files: ours, target_branch: target, ...options })
  const { body, status } = await root.get(at(request.iid))
  return { request, target, body, status, shas: { source_sha: body.source_sha, target_sha: body.target_sha } }
}

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  reporter = w.make.user({ username: 'reporter' })
  project = await w.make.project({ with: 'readme', visibility: 'public' })
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, reporter, 20)
  await pushTo(w, project, 'main', { 'a.txt': TEXT, 'b.txt': TEXT })
})

describe('the conflicts of a merge request', () => {
  test('are listed with both heads and a message', async () => {
    const { request, target, body } = await conflicting(
      { 'a.txt': TEXT.replace('line 4', 'ours'), 'c.txt': 'ours\n' },
      { 'a.txt': TEXT.replace('line 4', 'theirs'), 'c.txt': 'theirs\n' },
    )
    expect(body).toEqual({
      source_branch: request.source_branch,
      target_branch: target,
      source_sha: request.sha,
      target_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      commit_message: `Merge branch '${target}' into '${request.source_branch}'\n\n# Conflicts:\n#   a.txt\n#   c.txt`,
      problem: null,
      files: [
        { path: 'a.txt', problem: null },
        { path: 'c.txt', problem: null },
      ],
    })
    const file = await root.get(`${at(request.iid)}/file?path=a.txt`)
    expect(file.body).toEqual({
      path: 'a.txt',
      source_sha: body.source_sha,
      target_sha: body.target_sha,
      sections: [
        { conflict: false, text: 'line 0\nline 1\nline 2\nline 3\n' },
        { conflict: true, id: '1', ours: 'ours\n', base: 'line 4\n', theirs: 'theirs\n' },
        { conflict: false, text: 'line 5\nline 6\nline 7\nline 8\n' },
      ],
    })
    expect(await root.get(`${at(request.iid)}/file?path=README.md`)).toMatchObject({
      status: 404,
      body: { message: '404 File Not Found' },
    })
  })

  test('are resolved by choices and by hand, in one merge commit', async () => {
    const both = TEXT.replace('line 1', 'A').replace('line 6', 'B')
    const { request, body, shas, target } = await conflicting(
      { 'a.txt': both, 'b.txt': 'ours' },
      { 'a.txt': both.replace('A', 'C').replace('B', 'D'), 'b.txt': 'theirs', 'new.txt': 'new\n' },
    )
    expect(body.files).toHaveLength(2)
    const resolved = await w.as(dev).post(`${at(request.iid)}/resolve`, {
      ...shas,
      commit_message: 'Together',
      files: [
        {
          path: 'a.txt',
          sections: [
            { id: '2', use: 'theirs' },
            { id: '1', use: 'both' },
          ],
        },
        { path: 'b.txt', content: 'by hand\n' },
      ],
    })
    expect(resolved.status).toBe(201)
    const id = resolved.body.commit_id
    const commit = (await root.get(`/projects/${project.id}/repository/commits/${id}`)).body
    expect(commit).toMatchObject({
      message: 'Together',
      author_name: 'DEV',
      parent_ids: [shas.source_sha, shas.target_sha],
    })
    expect(read(id, 'a.txt')).toBe(both.replace('A', 'A\nC').replace('B', 'D').trimEnd())
    expect(read(id, 'b.txt')).toBe('by hand')
    expect(read(id, 'new.txt')).toBe('new')
    await w.drain()
    const after = (await root.get(`/projects/${project.id}/merge_requests/${request.iid}`)).body
    expect(after).toMatchObject({ sha: id, has_conflicts: false, target_branch: target })
    expect(await root.get(at(request.iid))).toMatchObject({
      status: 409,
      body: { message: 'There are no conflicts to resolve.' },
    })
    const merged = await root.put(`/projects/${project.id}/merge_requests/${request.iid}/merge`)
    expect(merged.body.state).toBe('merged')
    expect((await root.get(at(request.iid))).body).toEqual({ message: 'The merge request is not open.' })
  })

  test('are refused with a sentence when a resolution does not fit', async () => {
    const { request, shas } = await conflicting({ 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' })
    const files = [{ path: 'a.txt', sections: [{ id: '1', use: 'ours' }] }]
    const send = (more: object) =>
      root.post(`${at(request.iid)}/resolve`, { ...shas, commit_message: 'x', files, ...more })
    const a = (more: object) => ({ files: [{ path: 'a.txt', ...more }] })
    const missing = 'Choose a version for each conflict of a.txt, or provide its content.'
    const cases: [object, number, string][] = [
      [{ files: [] }, 400, 'a.txt is not resolved.'],
      [{ files: [...files, { path: 'b.txt', content: '' }] }, 400, 'b.txt has no conflicts.'],
      [{ files: [...files, ...files] }, 400, 'A file is resolved twice.'],
      [a({}), 400, missing],
      [a({ sections: [] }), 400, missing],
      [a({ sections: files[0]!.sections, content: 'x' }), 400, missing],
      [
        a({
          sections: [
            { id: '1', use: 'ours' },
            { id: '7', use: 'ours' },
          ],
        }),
        400,
        'a.txt has no conflict 7.',
      ],
      [
        a({
          sections: [
            { id: '1', use: 'ours' },
            { id: '1', use: 'theirs' },
          ],
        }),
        400,
        'A conflict of a.txt is resolved twice.',
      ],
      [a({ content: '<<<<<<< branch\nours\n=======\n' }), 400, 'a.txt still has conflict markers.'],
      [a({ content: 'theirs\r\n>>>>>>> main\r\n' }), 400, 'a.txt still has conflict markers.'],
      [a({ content: 'x'.repeat(500_000) }), 400, 'The content of a.txt is too large.'],
      [{ source_sha: shas.target_sha }, 409, 'The branches have changed. Load the conflicts again.'],
      [{ target_sha: 'HEAD' }, 409, 'The branches have changed. Load the conflicts again.'],
    ]
    for (const [more, status, message] of cases)
      expect([more, await send(more)]).toMatchObject([more, { status, body: { message } }])
    expect((await send(a({ sections: [{ id: '1', use: 'mine' }] }))).status).toBe(400)
    expect((await send({ commit_message: '' })).status).toBe(400)
    expect((await root.get(`/projects/${project.id}/merge_requests/${request.iid}`)).body.sha).toBe(
      request.sha,
    )
  })

  test('are refused when a branch has moved', async () => {
    const { request, shas, target } = await conflicting({ 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' })
    const files = [{ path: 'a.txt', content: 'both\n' }]
    for (const branch of [request.source_branch, target]) {
      await pushTo(w, project, branch, { [`${branch}.md`]: 'more\n' })
      const answer = await root.post(`${at(request.iid)}/resolve`, { ...shas, commit_message: 'x', files })
      expect(answer).toMatchObject({
        status: 409,
        body: { message: 'The branches have changed. Load the conflicts again.' },
      })
    }
    await w.drain()
    const fresh = (await root.get(at(request.iid))).body
    const { source_sha, target_sha } = fresh
    const again = { source_sha, target_sha, commit_message: 'x', files }
    const answers = await Promise.all([1, 2].map(() => root.post(`${at(request.iid)}/resolve`, again)))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409])
  })

  test('keep markers that a file always had, and line ends', async () => {
    const own = 'a\r\n<<<<<<< example\r\n=======\r\nb\r\n'
    const { request, shas } = await conflicting({ 'm.txt': `${own}ours` }, { 'm.txt': `${own}theirs` })
    const send = (file: object) =>
      root.post(`${at(request.iid)}/resolve`, {
        ...shas,
        commit_message: 'x',
        files: [{ path: 'm.txt', ...file }],
      })
    const { sections } = (await root.get(`${at(request.iid)}/file?path=m.txt`)).body
    expect(sections.at(-1)).toMatchObject({ ours: 'ours', theirs: 'theirs' })
    expect((await send({ content: `${own}done` })).status).toBe(201)
    expect(read(request.source_branch, 'm.txt')).toBe(`${own}done`)
  })

  test('name files that only a clone can resolve', async () => {
    const large = 'x\n'.repeat(150_000)
    const commit = (branch: string, actions: object[]) =>
      root.post(`/projects/${project.id}/repository/commits`, {
        branch,
        start_branch: 'main',
        commit_message: branch,
        actions,
      })
    const change = (side: string) => [
      { action: 'update', file_path: 'a.txt', content: `${side}\n` },
      { action: 'create', file_path: 'binary.dat', content: btoa(`a\0${side}`), encoding: 'base64' },
      { action: 'create', file_path: 'large.txt', content: `${side}\n${large}` },
    ]
    await commit('left', [...change('ours'), { action: 'delete', file_path: 'b.txt' }])
    await commit('right', [...change('theirs'), { action: 'update', file_path: 'b.txt', content: 'x\n' }])
    const opened = { source_branch: 'left', target_branch: 'right', title: 'Files' }
    const request = (await root.post(`/projects/${project.id}/merge_requests`, opened)).body
    const { body } = await root.get(at(request.iid))
    const shas = { source_sha: body.source_sha, target_sha: body.target_sha }
    expect(body.problem).toBe('Some files can only be resolved in a clone.')
    expect(body.files).toEqual([
      { path: 'a.txt', problem: null },
      {
        path: 'b.txt',
        problem: 'The source branch deleted or moved this file, and the target branch changed it.',
      },
      { path: 'binary.dat', problem: 'This is a binary file.' },
      { path: 'large.txt', problem: 'This file is too large to resolve here.' },
    ])
    expect(await root.get(`${at(request.iid)}/file?path=binary.dat`)).toMatchObject({
      status: 422,
      body: { message: 'This is a binary file.' },
    })
    const files = body.files.map((file: { path: string }) => ({ path: file.path, content: 'x' }))
    expect(
      await root.post(`${at(request.iid)}/resolve`, { ...shas, commit_message: 'x', files }),
    ).toMatchObject({
      status: 422,
      body: { message: 'Some files can only be resolved in a clone.' },
    })
  })
})

describe('who resolves conflicts', () => {
  const files = [{ path: 'a.txt', content: 'both\n' }]

  test('may push to the source branch', async () => {
    const { request, shas } = await conflicting({ 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' })
    const params = { ...shas, commit_message: 'x', files }
    expect((await w.as(reporter).get(at(request.iid))).body.problem).toBe(
      'You cannot push to the source branch.',
    )
    expect(await w.as(reporter).post(`${at(request.iid)}/resolve`, params)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You cannot push to the source branch.' },
    })
    await root.post(`/projects/${project.id}/protected_branches`, {
      name: request.source_branch,
      push_access_level: 40,
    })
    expect((await w.as(dev).post(`${at(request.iid)}/resolve`, params)).status).toBe(403)
    expect((await root.post(`${at(request.iid)}/resolve`, params)).status).toBe(201)
  })

  test('may be a member who merges a fork that allows collaboration', async () => {
    const owner = w.make.user()
    const { body } = await w.as(owner).post(`/projects/${project.id}/fork`, { path: 'fork', name: 'fork' })
    await w.drain()
    const fork = (await w.as(owner).get(`/projects/${body.id}`)).body
    const options = { source: fork, author: owner, source_branch: 'forked' }
    const { request, shas } = await conflicting(
      { 'a.txt': 'ours\n' },
      { 'a.txt': 'theirs\n' },
      {
        ...options,
        allow_collaboration: false,
      },
    )
    const params = { ...shas, commit_message: 'x', files }
    expect((await w.as(dev).post(`${at(request.iid)}/resolve`, params)).status).toBe(403)
    await w
      .as(owner)
      .put(`/projects/${project.id}/merge_requests/${request.iid}`, { allow_collaboration: true })
    const resolved = await w.as(dev).post(`${at(request.iid)}/resolve`, params)
    expect(resolved.status).toBe(201)
    expect(read('forked', 'a.txt', fork.id)).toBe('both')
    await w.drain()
    const after = (await root.get(`/projects/${project.id}/merge_requests/${request.iid}`)).body
    expect(after).toMatchObject({ sha: resolved.body.commit_id, has_conflicts: false })
  })
})
