import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
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
  project = await make.project()
  await make.member('projects', project.id, developer, 30)
  ids = fill(instance, project, [
    { message: 'First\n', files: { 'a.txt': 'one\ntwo\nthree\nfour\n' } },
    { branch: 'side', from: ':1', message: 'Add b\n\nBecause.\n', author: 'Bea', files: { 'b.txt': 'b\n' } },
    { branch: 'side', message: 'Edit a\n', files: { 'a.txt': 'ONE\ntwo\nthree\nfour\n' } },
    { message: 'Edit end\n', files: { 'a.txt': 'one\ntwo\nthree\nFOUR\n' } },
    { branch: 'clash', from: ':1', message: 'Clash\n', files: { 'a.txt': 'eins\ntwo\nthree\nvier\n' } },
    {
      branch: 'merged',
      from: ':4',
      merge: [':3'],
      message: 'Merge\n',
      files: { 'a.txt': 'ONE\ntwo\nthree\nFOUR\n', 'b.txt': 'b\n' },
    },
  ])
  at = `/projects/${project.id}/repository/commits`
})

const sentence = (verb: string, done: string) =>
  `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${done}, or a more recent commit may have updated some of its content.`
const fileOn = (branch: string, file: string) =>
  shell(onDisk(instance, project), ['cat-file', 'blob', `${branch}:${file}`])

describe('POST /projects/:id/repository/commits/:sha/cherry_pick', () => {
  it('repeats a commit on a branch, with its author', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const { status, body } = await as(developer).post(`${at}/${ids[1]}/cherry_pick`, { branch: 'main' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      parent_ids: [ids[3]],
      title: 'Add b',
      message: `Add b\n\nBecause.\n\n(cherry picked from commit ${ids[1]})`,
      author_name: 'Bea',
      authored_date: '2024-01-01T00:01:00.000+00:00',
      committer_name: 'DEVELOPER',
    })
    expect(fileOn('main', 'b.txt')).toBe('b')
    expect(received).toMatchObject([
      { source: 'api', updates: [{ ref: 'refs/heads/main', old: ids[3], new: body.id }] },
    ])
  })

  it('accepts a ref name and a message, and merges with other changes of the file', async () => {
    const { status, body } = await as(developer).post(`${at}/side/cherry_pick`, {
      branch: 'main',
      message: 'My own words',
    })
    expect([status, body.message]).toEqual([201, 'My own words'])
    expect(fileOn('main', 'a.txt')).toBe('ONE\ntwo\nthree\nFOUR')
  })

  it('takes the changes of a merge against its first parent', async () => {
    const { status } = await as(developer).post(`${at}/${ids[5]}/cherry_pick`, { branch: 'main' })
    expect(status).toBe(201)
    expect([fileOn('main', 'a.txt'), fileOn('main', 'b.txt')]).toEqual(['ONE\ntwo\nthree\nFOUR', 'b'])
  })

  it('refuses conflicts and changes that already exist', async () => {
    const message = sentence('cherry-pick', 'cherry-picked')
    expect(await as(developer).post(`${at}/${ids[4]}/cherry_pick`, { branch: 'main' })).toMatchObject({
      status: 400,
      body: { message, error_code: 'conflict' },
    })
    await as(developer).post(`${at}/${ids[1]}/cherry_pick`, { branch: 'main' })
    const again = await as(developer).post(`${at}/${ids[1]}/cherry_pick`, { branch: 'main' })
    expect([again.status, again.body]).toEqual([400, { message, error_code: 'empty' }])
    const dry = await as(developer).post(`${at}/${ids[4]}/cherry_pick`, { branch: 'main', dry_run: true })
    expect([dry.status, dry.body]).toEqual([400, { message, error_code: 'conflict', dry_run: 'error' }])
  })

  it('changes nothing in a dry run', async () => {
    const { status, body } = await as(developer).post(`${at}/${ids[1]}/cherry_pick`, {
      branch: 'main',
      dry_run: true,
    })
    expect([status, body]).toEqual([200, { dry_run: 'success' }])
    expect(shell(onDisk(instance, project), ['rev-parse', 'main'])).toBe(ids[3])
  })

  it('refuses unknown commits and branches, and branches without push access', async () => {
    const post = (sha: string, branch: string, user = developer) =>
      as(user).post(`${at}/${sha}/cherry_pick`, { branch })
    expect(await post('nope', 'main')).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    })
    expect(await post(ids[1]!, 'nope')).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    })
    expect((await as(developer).post(`${at}/${ids[1]}/cherry_pick`)).body).toEqual({
      error: 'branch is missing',
    })
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    expect(await post(ids[1]!, 'main')).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You are not allowed to push into this branch' },
    })
    const reporter = make.user()
    await make.member('projects', project.id, reporter, 20)
    expect((await post(ids[1]!, 'side', reporter)).status).toBe(403)
  })

  it('applies all of several concurrent requests', async () => {
    const branches = ['one', 'two', 'three', 'four', 'five', 'six']
    const many = fill(
      instance,
      project,
      branches.map((branch) => ({ branch, from: 'refs/heads/main^0', files: { [`${branch}.txt`]: 'x\n' } })),
    )
    const answers = await Promise.all(
      many.map((id) => as(developer).post(`${at}/${id}/cherry_pick`, { branch: 'main' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(branches.map(() => 201))
    const { body } = await as(developer).get(`/projects/${project.id}/repository/tree`)
    expect(body).toHaveLength(7)
  })
})

describe('POST /projects/:id/repository/commits/:sha/revert', () => {
  it('reverts a commit, but only once', async () => {
    const { status, body } = await as(developer).post(`${at}/${ids[3]}/revert`, { branch: 'main' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      parent_ids: [ids[3]],
      message: `Revert "Edit end"\n\nThis reverts commit ${ids[3]}`,
      author_name: 'DEVELOPER',
    })
    expect(fileOn('main', 'a.txt')).toBe('one\ntwo\nthree\nfour')
    const again = await as(developer).post(`${at}/${ids[3]}/revert`, { branch: 'main' })
    expect([again.status, again.body]).toEqual([
      400,
      { message: sentence('revert', 'reverted'), error_code: 'empty' },
    ])
  })

  it('reverts a merge and the first commit', async () => {
    const merge = await as(developer).post(`${at}/${ids[5]}/revert`, { branch: 'merged' })
    expect(merge.status).toBe(201)
    expect(fileOn('merged', 'a.txt')).toBe('one\ntwo\nthree\nFOUR')
    const first = fill(instance, project, [{ branch: 'other', files: { 'x.txt': 'x\n' } }])
    expect((await as(developer).post(`${at}/${first[0]}/revert`, { branch: 'other' })).status).toBe(201)
    expect(shell(onDisk(instance, project), ['ls-tree', 'other'])).toBe('')
    const clash = await as(developer).post(`${at}/${ids[0]}/revert`, { branch: 'main', dry_run: true })
    expect(clash.body).toMatchObject({ error_code: 'conflict', dry_run: 'error' })
  })
})
