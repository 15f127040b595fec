import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { lineCode } from '../../../server/domains/discussions/index.ts'
import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Notes that only their author sees until they are published as a review.

const w = await world()
const { as, make } = w
const author = make.user({ username: 'author' })
const reviewer = make.user({ username: 'reviewer' })
const other = make.user({ username: 'other' })
const guest = make.user({ username: 'guest' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let request: any
let at: string
let drafts: string
let branch: string
let branches = 0

beforeAll(async () => {
  project = await make.project({ with: 'readme', visibility: 'public' })
  for (const user of [author, reviewer, other]) await make.member('projects', project.id, user, 30)
  await make.member('projects', project.id, guest, 10)
})

beforeEach(async () => {
  branch = `topic-${++branches}`
  const files = { 'a.txt': 'one\ntwo\nthree\n' }
  request = await openMergeRequest(w, project, {
    author,
    source_branch: branch,
    files,
    reviewer_ids: [reviewer.id],
  })
  at = `/projects/${project.id}/merge_requests/${request.iid}`
  drafts = `${at}/draft_notes`
})

const positionAt = (new_line: number) => ({
  ...request.diff_refs,
  position_type: 'text',
  old_path: 'a.txt',
  new_path: 'a.txt',
  new_line,
})
const write = async (body: object, user = reviewer) => {
  const made = await as(user).post(drafts, body)
  expect(made.status).toBe(201)
  return made.body
}
const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, body]
// oxlint-disable-next-line typescript/no-explicit-any
const discussions = async (): Promise<any[]> => (await as(author).get(`${at}/discussions?per_page=100`)).body
const noteBodies = async () =>
  (await discussions()).flatMap((discussion) =>
    discussion.notes
      .filter((note: { system: boolean }) => !note.system)
      .map((note: { body: string }) => note.body),
  )

describe('a draft note', () => {
  it('is created, listed, shown, updated and deleted by its author only', async () => {
    const made = await write({ note: 'Hm', position: positionAt(2) })
    expect(made).toEqual({
      id: expect.any(Number),
      author_id: reviewer.id,
      merge_request_id: request.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'Hm',
      commit_id: null,
      line_code: lineCode('a.txt', 0, 2),
      position: { ...positionAt(2), old_line: null, line_range: null },
    })
    await write({ note: 'Plain' })
    const list = await as(reviewer).get(`${drafts}?per_page=1`)
    expect([list.body.length, list.headers.get('x-total'), list.body[0].id]).toEqual([1, '2', made.id])
    const path = `${drafts}/${made.id}`
    expect((await as(reviewer).get(path)).body).toEqual(made)
    const changed = await as(reviewer).put(path, { note: 'Hmm', position: positionAt(3) })
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...made,
        note: 'Hmm',
        position: { ...made.position, new_line: 3 },
        line_code: expect.stringMatching(/_0_3$/),
      },
    ])
    const lost = [404, { message: '404 Draft Note Not Found' }]
    for (const user of [other, author, w.root]) {
      expect((await as(user).get(drafts)).body).toEqual([])
      expect(errorOf(await as(user).get(path))).toEqual(lost)
      expect(errorOf(await as(user).put(path, { note: 'x' }))).toEqual(lost)
      expect(errorOf(await as(user).delete(path))).toEqual(lost)
      expect(errorOf(await as(user).put(`${path}/publish`))).toEqual(lost)
    }
    expect(await noteBodies()).toEqual([])
    expect((await as(null).get(drafts)).status).toBe(401)
    expect((await as(reviewer).delete(path)).status).toBe(204)
    expect(errorOf(await as(reviewer).get(path))).toEqual(lost)
  })

  it('returns 400 for invalid texts, threads and positions', async () => {
    const line = `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`
    const refusals = [
      [{}, { error: 'note is missing' }],
      [{ note: ' ' }, { message: { note: ["can't be blank"] } }],
      [{ note: 'x', position: positionAt(99) }, { message: line }],
      [
        { note: 'x', in_reply_to_discussion_id: 'nope' },
        { message: { base: ['Thread to reply to cannot be found'] } },
      ],
    ] as const
    for (const [body, error] of refusals)
      expect(errorOf(await as(reviewer).post(drafts, body))).toEqual([400, error])
    expect(errorOf(await as(reviewer).post(drafts, { note: 'x', commit_id: 'e'.repeat(40) }))).toEqual([
      404,
      { message: '404 Commit Not Found' },
    ])
    const { id } = await write({ note: 'x' })
    expect((await as(reviewer).put(`${drafts}/${id}`, {})).status).toBe(400)
    expect((await as(reviewer).put(`${drafts}/${id}`, { note: '' })).status).toBe(400)
  })

  it('is allowed only for users who may comment', async () => {
    const stranger = make.user()
    expect((await as(stranger).post(drafts, { note: 'x' })).status).toBe(201)
    await as(author).put(at, { discussion_locked: true })
    expect((await as(stranger).post(drafts, { note: 'x' })).status).toBe(403)
    expect((await as(stranger).post(`${drafts}/bulk_publish`)).status).toBe(403)
    expect((await as(guest).post(drafts, { note: 'x' })).status).toBe(201)
  })
})

describe('publishing drafts', () => {
  it('publishes one draft as a note', async () => {
    const made = await write({ note: 'Here', position: positionAt(2) })
    await write({ note: 'Later' })
    const published = await as(reviewer).put(`${drafts}/${made.id}/publish`)
    expect([published.status, published.text]).toEqual([204, ''])
    expect(await noteBodies()).toEqual(['Here'])
    const found = (await discussions()).find((discussion) => discussion.notes[0].body === 'Here')
    expect(found.notes[0]).toMatchObject({
      type: 'DiffNote',
      resolvable: true,
      author: { username: 'reviewer' },
      position: { new_line: 2 },
    })
    expect((await as(reviewer).get(drafts)).body.map((draft: { note: string }) => draft.note)).toEqual([
      'Later',
    ])
  })

  it('publishes all drafts in order as one review, with replies and resolved threads', async () => {
    const [first, second] = await Promise.all(
      ['Why?', 'How?'].map(async (body) => (await as(other).post(`${at}/discussions`, { body })).body),
    )
    await write({ note: 'General' })
    await write({ note: 'So', in_reply_to_discussion_id: first.id, resolve_discussion: true })
    await write({ note: 'There', position: positionAt(1) })
    await write({ note: 'Thus', in_reply_to_discussion_id: second.id })
    await write({ note: 'Not mine' }, other)
    const states = async () =>
      (await as(author).get(`${at}/reviewers`)).body.map((reviewer: { state: string }) => reviewer.state)
    expect(await states()).toEqual(['unreviewed'])
    w.jobs()
    const published = await as(reviewer).post(`${drafts}/bulk_publish`)
    expect([published.status, published.text]).toEqual([204, ''])
    expect(await states()).toEqual(['reviewed'])
    const all = await discussions()
    const thread = (id: string) => all.find((discussion) => discussion.id === id)
    expect(thread(first.id).notes).toMatchObject([
      { body: 'Why?', resolved: true, resolved_by: { username: 'reviewer' } },
      { body: 'So', resolved: true },
    ])
    expect(thread(second.id).notes).toMatchObject([
      { body: 'How?', resolved: false },
      { body: 'Thus', resolved: false },
    ])
    const general = all.find((discussion) => discussion.notes[0].body === 'General')
    expect([general.individual_note, general.notes[0].resolvable]).toEqual([true, false])
    const notes = (await as(author).get(`${at}/notes?sort=asc&activity_filter=only_comments`)).body
    expect(notes.slice(2).map((note: { body: string }) => note.body)).toEqual([
      'General',
      'So',
      'There',
      'Thus',
    ])
    expect((await as(reviewer).get(drafts)).body).toEqual([])
    expect((await as(other).get(drafts)).body).toHaveLength(1)
    expect((await as(reviewer).post(`${drafts}/bulk_publish`)).status).toBe(204)
  })

  it('moves the position of a draft to the newest version', async () => {
    await write({ note: 'Third', position: positionAt(3) })
    await pushTo(w, project, branch, { 'a.txt': 'zero\none\ntwo\nthree\n' }, { author })
    await w.drain()
    await as(reviewer).post(`${drafts}/bulk_publish`)
    const { diff_refs } = (await as(author).get(at)).body
    const found = (await discussions()).find((discussion) => discussion.notes[0].body === 'Third')
    expect(found.notes[0].position).toMatchObject({ ...diff_refs, new_line: 4 })
  })

  it('keeps the suggestions of a draft', async () => {
    await write({ note: '```suggestion\n2\n```', position: positionAt(2) })
    await as(reviewer).post(`${drafts}/bulk_publish`)
    const found = (await discussions()).find((discussion) => discussion.notes[0].suggestions)
    expect(found.notes[0].suggestions).toMatchObject([
      { from_content: 'two\n', to_content: '2\n', appliable: true },
    ])
  })

  it('runs quick actions after the notes, also in a draft without other text', async () => {
    await write({ note: 'Fine.\n/title New title' })
    await write({ note: '/approve' })
    const answer = await as(reviewer).post(`${at}/notes`, { body: '/submit_review' })
    expect([answer.status, answer.body]).toEqual([
      202,
      { commands_changes: {}, summary: ['Submitted the current review.'] },
    ])
    expect(await noteBodies()).toEqual(['Fine.'])
    expect((await as(reviewer).get(drafts)).body).toEqual([])
    expect((await as(reviewer).get(at)).body.title).toBe('New title')
    expect((await as(reviewer).get(`${at}/approvals`)).body.user_has_approved).toBe(true)
  })

  it('publishes a reply as a new thread when its thread is deleted', async () => {
    const thread = (await as(other).post(`${at}/discussions`, { body: 'Why?' })).body
    await write({ note: 'So', in_reply_to_discussion_id: thread.id, resolve_discussion: true })
    await as(other).delete(`${at}/notes/${thread.notes[0].id}`)
    expect((await as(reviewer).post(`${drafts}/bulk_publish`)).status).toBe(204)
    expect(await noteBodies()).toEqual(['So'])
  })
})
