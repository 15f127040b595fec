import { beforeAll, describe, expect, it } from 'vitest'

import type { Fields } from '../../../server/domains/transfer/relations/relation.ts'
import { world, type TestUser, type World } from '../../support/world.ts'
import { takeInto } from './codec.ts'

let w: World
let project: { id: number }
let dora: TestUser

const SHA = (digit: string) => digit.repeat(40)

function request(iid: number, more: Fields = {}): Fields {
  return {
    iid,
    title: `Change ${iid}`,
    description: 'Words',
    state: 'closed',
    source_branch: `side-${iid}`,
    target_branch: 'main',
    source_project_id: 7,
    target_project_id: 7,
    author_id: 11,
    created_at: '2024-01-02T03:04:05.678Z',
    updated_at: '2024-02-02T03:04:05.678Z',
    ...more,
  }
}

const member = (id: number, username: string, public_email: string | null = null): Fields => ({
  access_level: 30,
  source_type: 'Project',
  user_id: id,
  user: { id, username, public_email },
})

beforeAll(async () => {
  w = await world()
  dora = w.make.user({ username: 'dora' })
})

const fresh = async () => {
  project = await w.make.project()
  return project.id
}
const requests = async (id: number) =>
  (await w.as(w.root).get(`/projects/${id}/merge_requests?order_by=created_at&sort=asc&per_page=100`)).body

describe('records of an archive', () => {
  it('become rows, with who wrote them found by name', async () => {
    const id = await fresh()
    const taken = await takeInto(w, id, {
      project_members: [member(11, 'dora')],
      merge_requests: [
        request(4, {
          notes: [
            { note: 'Hello', author_id: 11, created_at: '2024-01-03T00:00:00.000Z', author: { name: 'D' } },
            { note: 'Bye', author_id: 12, created_at: '2024-01-04T00:00:00.000Z', author: { name: 'E' } },
          ],
          label_links: [{ label: { title: 'bug', color: '#ff0000' } }],
          milestone: { iid: 3, title: 'v1', state: 'active' },
        }),
        request(9, {
          label_links: [{ label: { title: 'bug', color: '#ff0000' } }],
          milestone: { title: 'v1' },
        }),
      ],
    })
    expect(taken).toMatchObject({
      counts: { merge_requests: { fetched: 2, imported: 2 } },
      failures: 0,
      failed: [],
    })
    const [first, second] = await requests(id)
    expect(first).toMatchObject({
      iid: 4,
      author: { username: 'dora' },
      labels: ['bug'],
      milestone: { title: 'v1', iid: 3 },
      user_notes_count: 2,
    })
    expect(second).toMatchObject({ iid: 9, labels: ['bug'], milestone: { id: first.milestone.id } })
    const notes = await w.as(w.root).get(`/projects/${id}/merge_requests/4/notes?sort=asc`)
    expect(notes.body.map((note: { author: { username: string } }) => note.author.username)).toEqual([
      'dora',
      'root',
    ])
    // The next number is behind those of the archive.
    expect(
      w
        .ctx()
        .db.one(
          'SELECT last_value FROM internal_ids WHERE project_id = ? AND usage = ?',
          id,
          'merge_requests',
        ),
    ).toEqual({ last_value: 9 })
  })

  it('belong to whoever imports, who is no administrator', async () => {
    const { id } = await w.make.project({ owner: dora })
    await takeInto(
      w,
      id,
      { project_members: [member(11, 'root')], merge_requests: [request(1)] },
      { importer: dora },
    )
    expect((await requests(id))[0]).toMatchObject({ author: { username: 'dora' } })
  })

  it('are left out where they are broken, and named', async () => {
    const id = await fresh()
    const { failed, counts, failures } = await takeInto(w, id, {
      merge_requests: [
        request(1),
        '{"iid": 2, "title": ',
        '[1]',
        request(3, { title: '' }),
        request(4, { state: 'dancing' }),
        request(1, { notes: [{ note: 'twice', author_id: 1 }] }),
        request(5, { timelogs: [{ time_spent: 'long' }, { time_spent: 60 }] }),
      ],
    })
    expect((await requests(id)).map((one: { iid: number }) => one.iid)).toEqual([1, 5])
    expect(counts['merge_requests']).toEqual({ fetched: 7, imported: 2 })
    expect(failures).toBe(6)
    const named = failed.map((one) => [one.relation_name, one.line_number, one.exception_class])
    expect(named).toEqual(
      expect.arrayContaining([
        ['merge_requests', 2, 'JSON::ParserError'],
        ['merge_requests', 3, 'JSON::ParserError'],
        ['merge_requests', 4, 'ActiveRecord::RecordInvalid'],
        ['merge_requests', 5, 'ActiveRecord::RecordInvalid'],
        ['merge_requests', 6, 'ActiveRecord::RecordNotUnique'],
        ['timelogs', 7, 'ActiveRecord::RecordInvalid'],
      ]),
    )
    expect(
      w.ctx().db.one("SELECT count(*) AS notes FROM notes WHERE project_id = ? AND note = 'twice'", id),
    ).toEqual({ notes: 0 })
  })
})
void SHA
