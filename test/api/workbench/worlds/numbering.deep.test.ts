import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { applyWorld, bodyOf, roundTrip, writtenWorld } from '../../../support/written-world.ts'

const here = await world()
const root = here.as(here.root)
const get = async (path: string) => (await root.get(path)).body

const PEOPLE = `users: [{ username: ana }, { username: bo }]
groups: [{ path: num, visibility: public, members: { ana: maintainer, bo: developer } }]
`
const PROJECT = `projects:
  - path: num/bered
    visibility: public
    files: { README.md: "# One\\n" }
    commits:
      - { branch: one, message: One, author: ana, at: 2026-03-01T08:00:00Z, files: { one.txt: "1\\n" } }
      - { merge: 7 }
      - { branch: two, message: Two, author: ana, at: 2026-03-02T08:00:00Z, files: { two.txt: "2\\n" } }
    issues:
      - { iid: 9, title: Twice, author: ana }
      - { iid: 4, title: Twice, author: bo, state: closed }
      - title: Last
        author: bo
        notes: [{ author: ana, text: "+1" }, { author: ana, text: "+1" }]
        discussions:
          - author: bo
            text: "+1"
            at: 2026-03-01T09:00:00Z
            resolved_by: ana
            resolved_at: 2026-03-01T11:00:00Z
            replies: [{ author: ana, text: "+1", at: 2026-03-01T10:00:00Z }, { author: ana, text: "+1" }]
          - { author: ana, text: An open thread }
    merge_requests:
      - { iid: 7, title: Same, source: one, author: ana, state: merged, merged_by: ana }
      - iid: 3
        title: Same
        source: two
        author: ana
        notes: [{ author: bo, text: A single comment }]
        discussions: [{ author: bo, text: A thread, replies: [{ author: ana, text: An answer }] }]
`

interface Thread {
  individual_note: boolean
  notes: { body: string; system: boolean; resolved?: boolean; resolved_at?: string; resolved_by?: object }[]
}

const threadsOf = async (path: string): Promise<Thread[]> =>
  (await get(`${path}/discussions?per_page=100`)).filter(({ notes: [first] }: Thread) => !first!.system)

const numbersOf = async (kind: string) =>
  (await get(`/projects/num%2Fbered/${kind}?state=all&scope=all&order_by=created_at&sort=asc`))
    .map(({ iid, title }: { iid: number; title: string }) => `${iid} ${title}`)
    .sort()

describe('a world with IIDs', async () => {
  const first = await applyWorld(here, PEOPLE + PROJECT)

  it('creates issues and merge requests with these IIDs, and others after them', async () => {
    expect(first).toMatchObject({ status: 201 })
    expect(await numbersOf('issues')).toEqual(['10 Last', '4 Twice', '9 Twice'])
    expect(await numbersOf('merge_requests')).toEqual(['3 Same', '7 Same'])
    expect(await get('/projects/num%2Fbered/issues/4')).toMatchObject({
      author: { username: 'bo' },
      state: 'closed',
    })
    expect(await get('/projects/num%2Fbered/merge_requests/7')).toMatchObject({
      author: { username: 'ana' },
      state: 'merged',
    })
    const [tip] = await get('/projects/num%2Fbered/repository/commits?ref_name=main')
    expect(tip.message).toContain('See merge request num/bered!7')
  })

  it('creates single comments and threads of issues', async () => {
    const threads = await threadsOf('/projects/num%2Fbered/issues/10')
    const texts = threads.map(({ individual_note, notes }) => [
      individual_note,
      ...notes.map(({ body }) => body),
    ])
    expect(texts).toEqual([
      [true, '+1'],
      [true, '+1'],
      [false, '+1', '+1', '+1'],
      [false, 'An open thread'],
    ])
    expect(threads[2]!.notes[0]).toMatchObject({
      resolved: true,
      resolved_by: { username: 'ana' },
      resolved_at: '2026-03-01T11:00:00.000Z',
    })
    expect(threads[3]!.notes[0]).toMatchObject({ resolved: false })
    const ofRequest = await threadsOf('/projects/num%2Fbered/merge_requests/3')
    expect(ofRequest.map(({ individual_note }) => individual_note)).toEqual([true, false])
  })

  it('changes nothing when it is applied again', async () => {
    const again = await applyWorld(here, PEOPLE + PROJECT)
    expect(again.status).toBe(201)
    expect(again.body.counts.filter(({ made }: { made: number }) => made > 0)).toEqual([])
  })

  it('does not repeat a single comment that a reply turned into a thread', async () => {
    const at = '/projects/num%2Fbered/issues/10/discussions'
    const [first] = await get(at)
    expect(first.individual_note).toBe(true)
    expect((await root.post(`${at}/${first.id}/notes`, { body: 'Really?' })).status).toBe(201)
    const again = await applyWorld(here, PEOPLE + PROJECT)
    expect(again.body.counts.filter(({ made }: { made: number }) => made > 0)).toEqual([])
  })

  it('is refused if an IID belongs to another title, and changes nothing', async () => {
    const other = (iid: number) =>
      `projects:\n  - path: num/bered\n    issues: [{ title: Before }, { iid: ${iid}, title: Other }]\n`
    const refused = await applyWorld(here, other(9))
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ line: 3, column: 40 }] } })
    expect(refused.body.message).toContain(
      'The issue with the iid 9 already exists, and its title is "Twice".',
    )
    expect(await numbersOf('issues')).toHaveLength(3)
    const request = `projects:\n  - path: num/bered\n    merge_requests: [{ iid: 3, title: Other, source: two }]\n`
    expect((await applyWorld(here, request)).body.message).toContain(
      'The merge request with the iid 3 already exists, and its title is "Same".',
    )
  })

  it('fills gaps in the numbers of an existing project', async () => {
    const gap = `projects:\n  - path: num/bered\n    issues: [{ iid: 2, title: In a gap, author: bo }]\n`
    expect(await applyWorld(here, gap)).toMatchObject({ status: 201 })
    expect(await numbersOf('issues')).toEqual(['10 Last', '2 In a gap', '4 Twice', '9 Twice'])
    const next = await root.post('/projects/num%2Fbered/issues', { title: 'Next' })
    expect(next.body.iid).toBe(11)
  })

  it('is written with the IIDs, and creates the same world', async () => {
    const LOST = 'numbers of deleted issues, merge requests or milestones after the last one'
    expect(await writtenWorld(here)).not.toContain(LOST)
    expect((await root.delete('/projects/num%2Fbered/issues/11')).status).toBe(204)
    await here.drain()
    const { text, second } = await roundTrip(here)
    expect(text).toContain(`1 ${LOST}`)
    expect(bodyOf(text)).toContain('merge: 7')
    const issues = (await second.as(second.root).get('/projects/num%2Fbered/issues?state=all&scope=all')).body
    expect(issues.map(({ iid }: { iid: number }) => iid).sort()).toEqual([10, 2, 4, 9])
  })

  it('is written without IIDs if titles identify all entries and the numbers have no gap', async () => {
    const plain = await world()
    const text = `projects:\n  - path: root/plain\n    issues: [{ title: One }, { title: Two }]\n`
    expect(await applyWorld(plain, text)).toMatchObject({ status: 201 })
    expect((await roundTrip(plain)).text).not.toContain('iid')
  })
}, 300_000)
