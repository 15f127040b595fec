import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  stranger = w.make.user({ username: 'stranger' })
  project = await w.make.project({ owner, name: 'heron', with: 'readme' })
  const as = w.as(owner)
  await as.post(`/projects/${project.id}/repository/commits`, {
    branch: 'fix/torn-tail',
    start_branch: 'main',
    commit_message: 'Recover',
    actions: [
      { action: 'create', file_path: 'src/recover#1.rs', content: 'fn main() {}' },
      { action: 'create', file_path: 'recover/notes.txt', content: 'notes' },
    ],
  })
  await as.post(`/projects/${project.id}/merge_requests`, {
    source_branch: 'fix/torn-tail',
    target_branch: 'main',
    title: 'Recover a torn tail',
  })
  await as.post(`/projects/${project.id}/issues`, { title: 'The tail is torn after a crash' })
  await w.drain()
})

/** Returns the results, each as `kind reference-or-title to`. */
async function found(user: TestUser, search: string, ids: number[] = [project.id]): Promise<string[]> {
  const query = new URLSearchParams({ search })
  for (const id of ids) query.append('project_ids[]', String(id))
  const { status, body } = await w.as(user).get(`/-/jump?${query}`)
  expect(status).toBe(200)
  return body.map((row: { kind: string; to: string }) => `${row.kind} ${row.to}`)
}

describe('the palette', () => {
  it('finds merge requests and issues by the words of their titles', async () => {
    expect(await found(owner, 'recover torn', [])).toEqual(['merge_request /owner/heron/-/merge_requests/1'])
    expect(await found(owner, 'torn tail', [])).toEqual([
      'merge_request /owner/heron/-/merge_requests/1',
      'issue /owner/heron/-/issues/1',
    ])
  })

  it('finds them by their numbers', async () => {
    expect(await found(owner, '!1')).toEqual(['merge_request /owner/heron/-/merge_requests/1'])
    expect(await found(owner, '#1')).toEqual(['issue /owner/heron/-/issues/1'])
    expect(await found(owner, '!2')).toEqual([])
    expect(await found(owner, '!x')).toEqual([])
  })

  it('finds branches and files of the named projects only', async () => {
    expect(await found(owner, 'fix/torn')).toContain('branch /owner/heron/-/tree/fix/torn-tail')
    expect(await found(owner, 'fix/torn', [])).toEqual([])
    expect(await found(owner, 'readme')).toEqual(['file /owner/heron/-/blob/main/README.md'])
  })

  it('finds people by name', async () => {
    expect(await found(owner, '@stranger')).toEqual(['user /stranger'])
  })

  it('returns nothing from a private project to others', async () => {
    expect(await found(stranger, 'torn')).toEqual([])
    expect(await found(stranger, 'readme')).toEqual([])
    expect(await found(stranger, '!1')).toEqual([])
  })

  it('returns 400 for an empty text, and requires a session', async () => {
    expect((await w.as(owner).get('/-/jump?search=%20')).status).toBe(400)
    expect((await w.as(null).get('/-/jump?search=a')).status).toBe(401)
  })

  it('encodes file names in paths', async () => {
    await w.as(owner).put(`/projects/${project.id}/merge_requests/1/merge`)
    await w.drain()
    expect(await found(owner, 'recover#1')).toEqual(['file /owner/heron/-/blob/main/src/recover%231.rs'])
    // A match in the name of a file comes before a match in its folder.
    expect((await found(owner, 'recover')).filter((line) => line.startsWith('file'))).toEqual([
      'file /owner/heron/-/blob/main/src/recover%231.rs',
      'file /owner/heron/-/blob/main/recover/notes.txt',
    ])
  })
})
