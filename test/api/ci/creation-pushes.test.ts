import { describe, expect, test } from 'vitest'

import { commit, addressOf, git, local } from '../../git-http/remote.ts'
import { shell } from '../../support/git.ts'
import { world, type TestUser } from '../../support/world.ts'
import { pipelinesOf, type Row } from './creation-world.ts'

const w = await world()
const root = w.as(w.root)
const address = addressOf(w)
const { projectWith, all, names, variables } = pipelinesOf(w)

/** Commits files to a branch through the API. */
async function write(
  project: { id: number },
  files: Record<string, string>,
  more: { message?: string; branch?: string; start_branch?: string; by?: TestUser } = {},
): Promise<string> {
  const { by = w.root, message = 'Change', branch = 'main', start_branch } = more
  const answers = await Promise.all(
    Object.keys(files).map((file) =>
      root.get(
        `/projects/${project.id}/repository/files/${encodeURIComponent(file)}?ref=${start_branch ?? branch}`,
      ),
    ),
  )
  const actions = Object.entries(files).map(([file_path, content], index) => ({
    action: answers[index]!.status === 200 ? 'update' : 'create',
    file_path,
    content,
  }))
  const { status, body, text } = await w.as(by).post(`/projects/${project.id}/repository/commits`, {
    branch,
    commit_message: message,
    actions,
    ...(start_branch === undefined ? {} : { start_branch }),
  })
  if (status !== 201) throw new Error(text)
  await w.drain()
  return body.id
}

const last = (project: { id: number }): Row => all(project.id).at(-1)!

const CONFIG = `
always: {script: [x]}
docs: {script: [x], rules: [{changes: ["docs/**/*"]}]}
given: {script: [x], rules: [{if: $GIVEN == "a=b c"}]}
`

describe('a push with git', () => {
  test('starts a pipeline with the push options', async () => {
    const project = await w.make.project()
    const folder = local()
    commit(folder, '.gitlab-ci.yml', CONFIG)
    const push = async (...options: string[]) => {
      const { stderr, code } = await git(folder, 'push', ...options, address(project, w.root), 'main')
      expect([code, stderr]).toEqual([0, expect.stringContaining('main -> main')])
      await w.drain()
    }
    await push()
    const sha = shell(folder, ['rev-parse', 'HEAD'])
    expect(all(project.id)).toMatchObject([
      { source: 'push', ref: 'main', sha, status: 'pending', user_id: w.root.id, protected: true, iid: 1 },
    ])
    // A new branch cannot be compared, so all files count as changed.
    expect(names(last(project)['id'] as number)).toEqual(['always', 'docs'])

    commit(folder, 'code.txt', '1')
    await push('-o', 'ci.variable=GIVEN=a=b c', '-o', 'merge_request.create')
    expect(last(project)).toMatchObject({ iid: 2, before_sha: sha })
    expect(names(last(project)['id'] as number)).toEqual(['always', 'given'])
    expect(variables(last(project)['id'] as number)).toEqual({ GIVEN: 'a=b c' })

    commit(folder, 'code.txt', '2')
    await push('-o', 'ci.skip')
    expect(last(project)).toMatchObject({ iid: 3, status: 'skipped' })
    expect(names(last(project)['id'] as number)).toEqual([])
  })
})

describe('a commit through the API', () => {
  test('starts a pipeline as its author, for the changed files', async () => {
    const project = await projectWith(CONFIG)
    const author = w.make.user()
    await w.make.member('projects', project.id, author, 40)
    const sha = await write(project, { 'docs/a/b.md': 'text' }, { by: author })
    expect(last(project)).toMatchObject({ source: 'push', sha, before_sha: project.sha, user_id: author.id })
    expect(names(last(project)['id'] as number)).toEqual(['always', 'docs'])
    await write(project, { 'README.md': 'text' }, { by: author })
    expect(names(last(project)['id'] as number)).toEqual(['always'])
  })

  test('with the skip option skips the pipeline', async () => {
    const project = await projectWith(CONFIG)
    await write(project, { a: '1' }, { message: 'Typo [Skip CI]' })
    expect(last(project)).toMatchObject({ status: 'skipped', yaml_errors: null })
    await write(project, { a: '2' }, { message: 'Typo\n\nlater [ci-skip]' })
    expect(last(project)).toMatchObject({ iid: 2, status: 'skipped' })
    // A pipeline that a user starts ignores the skip option.
    expect((await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })).body.status).toBe('pending')
  })

  test('with a broken configuration creates a failed pipeline', async () => {
    const project = await projectWith(CONFIG)
    await write(project, { '.gitlab-ci.yml': 'a: {script: [x], when: soon}\nb: {script: []}' })
    expect(last(project)).toMatchObject({ status: 'failed', failure_reason: 'config_error' })
    const { body } = await root.get(`/projects/${project.id}/pipelines/${String(last(project)['id'])}`)
    expect(body.yaml_errors).toBe(
      'jobs:a when should be one of: on_success, on_failure, always, manual, delayed, ' +
        "jobs:b script can't be blank",
    )
    await write(project, {
      '.gitlab-ci.yml': 'a: {script: [x], rules: [{if: $NO}]}\nb: {script: [x], needs: [a]}',
    })
    expect(last(project)).toMatchObject({ iid: 2, failure_reason: 'config_error' })
  })

  test('creates no pipeline without jobs or without permission', async () => {
    const plain = await projectWith(null)
    await write(plain, { a: '1' }, { message: 'Without configuration [ci skip]' })
    expect(all(plain.id)).toEqual([])
    const filtered = await projectWith('a: {script: [x], only: [tags]}')
    await write(filtered, { a: '1' })
    expect(all(filtered.id)).toEqual([])
    const off = await projectWith(CONFIG, {}, { builds_access_level: 'disabled' })
    await write(off, { a: '1' })
    expect(all(off.id)).toEqual([])
  })

  test('cancels the pipelines of the previous commit', async () => {
    const project = await projectWith('a: {script: [x], interruptible: true}')
    await write(project, { a: '1' })
    await write(project, { a: '2' })
    await write(project, { a: '3' }, { branch: 'topic', start_branch: 'main' })
    // Simulates a crash before the end of the job was recorded.
    const { db } = w.ctx()
    db.exec("UPDATE jobs SET state = 'ready' WHERE name = 'ci.pipeline_of_push'")
    await w.drain()
    expect(all(project.id).map(({ ref, status }) => [ref, status])).toEqual([
      ['main', 'canceled'],
      ['main', 'pending'],
      ['topic', 'pending'],
    ])
  })
})

test('new tags and branches from the API start pipelines, deleted ones do not', async () => {
  const project = await projectWith('tag: {script: [x], only: [tags]}\nbranch: {script: [x], except: [tags]}')
  await root.post(`/projects/${project.id}/repository/tags`, {
    tag_name: 'v1',
    ref: 'main',
    message: 'One',
  })
  await w.drain()
  await root.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await w.drain()
  expect(all(project.id).map(({ ref, tag, sha, id }) => [ref, tag, sha, names(id as number)])).toEqual([
    ['v1', true, project.sha, ['tag']],
    ['topic', false, project.sha, ['branch']],
  ])
  await root.delete(`/projects/${project.id}/repository/tags/v1`)
  await root.delete(`/projects/${project.id}/repository/branches/topic`)
  await w.drain()
  expect(all(project.id)).toHaveLength(2)
})

test('the first four refs of one push have pipelines', async () => {
  const project = await w.make.project()
  const folder = local()
  commit(folder, '.gitlab-ci.yml', CONFIG)
  for (const name of ['b1', 'b2', 'b3', 'b4', 'b5']) shell(folder, ['branch', name])
  await git(folder, 'push', address(project, w.root), 'b1', 'b2', 'b3', 'b4', 'b5')
  await w.drain()
  expect(
    all(project.id)
      .map(({ ref }) => ref)
      .toSorted(),
  ).toEqual(['b1', 'b2', 'b3', 'b4'])
})
