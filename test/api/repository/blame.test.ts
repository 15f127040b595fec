import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeAll(async () => {
  project = await make.project({ visibility: 'private' })
  ids = fill(instance, project, [
    { message: 'First\n', files: { 'src/a b.txt': 'one\ntwo\nthree\n' } },
    { message: 'Second\n', author: 'Bea', files: { 'src/a b.txt': 'one\nTWO\nnew\nthree\n' } },
  ])
  at = `/projects/${project.id}/repository/files/src%2Fa%20b.txt/blame`
})

describe('GET /projects/:id/repository/files/:file_path/blame', () => {
  it('lists the lines with their commits', async () => {
    const { status, body, headers } = await as(root).get(`${at}?ref=main`)
    expect(status).toBe(200)
    expect(body.map((part: { lines: string[] }) => part.lines)).toEqual([['one'], ['TWO', 'new'], ['three']])
    expect(body[1].commit).toEqual({
      id: ids[1],
      parent_ids: [ids[0]],
      message: 'Second',
      authored_date: '2024-01-01T00:01:00.000+00:00',
      author_name: 'Bea',
      author_email: 'ada@example.com',
      committed_date: '2024-01-01T00:01:00.000+00:00',
      committer_name: 'Bea',
      committer_email: 'ada@example.com',
    })
    expect(headers.has('x-page')).toBe(false)
    expect(headers.get('x-gitlab-last-commit-id')).toBe(ids[1])
  })

  it('takes a range of lines', async () => {
    const lines = async (range: string) => {
      const { status, body } = await as(root).get(`${at}?ref=main&${range}`)
      return [status, status === 200 ? body.flatMap((part: { lines: string[] }) => part.lines) : body]
    }
    expect(await lines('range[start]=2&range[end]=3')).toEqual([200, ['TWO', 'new']])
    expect(await lines('range[start]=4&range[end]=400')).toEqual([200, ['three']])
    expect(await lines('range[start]=40&range[end]=400')).toEqual([200, []])
    expect(await lines('range[start]=3&range[end]=2')).toEqual([
      400,
      { message: 'range[start] must be less than or equal to range[end]' },
    ])
    expect(await lines('range[start]=3')).toEqual([400, { error: 'range[end] is missing' }])
    expect(await lines('range[start]=0&range[end]=2')).toEqual([
      400,
      { error: 'range[start] does not have a valid value' },
    ])
    expect((await lines('range=5'))[0]).toBe(400)
  })

  it('returns the headers of the file on HEAD', async () => {
    const { status, headers, text } = await as(root).head(`${at}?ref=main`)
    expect([status, text, headers.get('x-gitlab-size'), headers.get('x-gitlab-file-name')]).toEqual([
      200,
      '',
      '18',
      'a b.txt',
    ])
    expect((await as(root).head(`${at}?ref=nope`)).status).toBe(404)
  })

  it('returns an error for a missing file, ref or line', async () => {
    const of = (path: string) => `/projects/${project.id}/repository/files/${path}/blame`
    expect((await as(root).get(at)).body).toEqual({ error: 'ref is missing' })
    expect(await as(root).get(`${at}?ref=nope`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    })
    expect(await as(root).get(`${of('src')}?ref=main`)).toMatchObject({
      status: 404,
      body: { message: '404 File Not Found' },
    })
    expect(await as(root).get(`${of('..%2Fx')}?ref=main`)).toMatchObject({
      status: 400,
      body: { error: 'file_path should be a valid file path' },
    })
    expect((await as(make.user()).get(`${at}?ref=main`)).status).toBe(404)
  })
})
