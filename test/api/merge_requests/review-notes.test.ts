import { beforeAll, describe, expect, it } from 'vitest'

import { openMergeRequest } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Notes, threads, resolving, locking, internal notes and emoji of merge requests.

const w = await world()
const { as, make } = w
const author = make.user({ username: 'author' })
const dev = make.user({ username: 'dev' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string
let iid: number

beforeAll(async () => {
  project = await make.project({ with: 'readme', visibility: 'public' })
  await make.member('projects', project.id, dev, 30)
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
  await make.member('projects', project.id, author, 30)
})

/** Opens a new merge request with one changed file. */
async function open(): Promise<void> {
  iid = (await openMergeRequest(w, project, { author })).iid
  at = `/projects/${project.id}/merge_requests/${iid}`
}

const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, body]
const refused = (text: string) => [400, { message: `400 Bad request - ${text}` }]

describe('notes of a merge request', () => {
  beforeAll(open)

  it('are created, listed newest first, updated and deleted', async () => {
    const made = await as(reporter).post(`${at}/notes`, { body: 'One' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: made.body.id,
      type: null,
      body: 'One',
      attachment: null,
      author: expect.objectContaining({ username: 'reporter' }),
      created_at: expect.any(String),
      updated_at: made.body.created_at,
      system: false,
      noteable_id: expect.any(Number),
      noteable_type: 'MergeRequest',
      project_id: project.id,
      resolvable: false,
      confidential: false,
      internal: false,
      noteable_iid: iid,
      commands_changes: {},
    })
    await as(stranger).post(`${at}/notes`, { body: 'Two' })
    const bodies = async (query = '') =>
      (await as(stranger).get(`${at}/notes${query}`)).body.map((note: { body: string }) => note.body)
    expect(await bodies('?activity_filter=only_comments')).toEqual(['Two', 'One'])
    expect(await bodies('?sort=asc&activity_filter=only_comments&per_page=1')).toEqual(['One'])
    const notePath = `${at}/notes/${made.body.id}`
    const edited = await as(reporter).put(notePath, { body: 'Three' })
    expect([edited.status, edited.body.body]).toEqual([200, 'Three'])
    expect(errorOf(await as(stranger).put(notePath, { body: 'x' }))).toEqual([
      403,
      { message: '403 Forbidden' },
    ])
    expect(errorOf(await as(dev).delete(notePath))).toEqual([403, { message: '403 Forbidden' }])
    expect((await as(w.root).put(notePath, { body: 'Four' })).status).toBe(200)
    expect((await as(reporter).delete(notePath)).status).toBe(204)
    expect(errorOf(await as(reporter).get(notePath))).toEqual([404, { message: '404 Note Not Found' }])
  })

  it('are counted, and update the time of the merge request', async () => {
    const shown = async () => (await as(reporter).get(at)).body
    const before = await shown()
    await as(reporter).post(`${at}/notes`, { body: 'Count me' })
    const after = await shown()
    expect(after.user_notes_count).toBe(before.user_notes_count + 1)
    expect(after.updated_at > before.updated_at).toBe(true)
  })

  it('return 400 for an invalid text', async () => {
    expect(errorOf(await as(reporter).post(`${at}/notes`, {}))).toEqual([400, { error: 'body is missing' }])
    expect(errorOf(await as(reporter).post(`${at}/notes`, { body: ' \n' }))).toEqual(
      refused(`Note {:note=>["can't be blank"]}`),
    )
    expect((await as(null).post(`${at}/notes`, { body: 'x' })).status).toBe(401)
    expect(
      errorOf(await as(reporter).post(`/projects/${project.id}/merge_requests/999/notes`, { body: 'x' })),
    ).toEqual([404, { message: '404 Not found' }])
  })

  it('are visible to readers of the merge request', async () => {
    const hidden = await make.project({ with: 'readme' })
    await make.member('projects', hidden.id, guest, 10)
    const { iid: number } = await openMergeRequest(w, hidden, {})
    const there = `/projects/${hidden.id}/merge_requests/${number}`
    for (const [path, body] of [
      ['notes', { body: 'x' }],
      ['discussions', { body: 'x' }],
      ['draft_notes', { note: 'x' }],
      ['award_emoji', { name: 'heart' }],
    ] as const)
      expect((await as(guest).post(`${there}/${path}`, body)).status).toBe(403)
  })

  it('hide lines and commits from users who may not read the code', async () => {
    const hidden = await make.project({ with: 'readme', visibility: 'public' })
    const { iid: number } = await openMergeRequest(w, hidden, {})
    const there = `/projects/${hidden.id}/merge_requests/${number}`
    const { diff_refs, sha } = (await as(w.root).get(there)).body
    await as(w.root).put(`/projects/${hidden.id}`, { repository_access_level: 'private' })
    const [{ new_path }] = (await as(w.root).get(`${there}/diffs`)).body
    const position = { position_type: 'text', ...diff_refs, new_path, new_line: 1 }
    for (const [user, status] of [
      [stranger, 403],
      [w.root, 201],
    ] as const)
      expect((await as(user).post(`${there}/discussions`, { body: 'x', position })).status).toBe(status)
    expect((await as(w.root).post(`${there}/context_commits`, { commits: [sha] })).status).toBe(201)
    expect((await as(stranger).get(`${there}/context_commits`)).status).toBe(403)
  })

  it('can be internal', async () => {
    const made = await as(reporter).post(`${at}/notes`, { body: 'Secret', internal: true })
    expect(made.body).toMatchObject({ internal: true, confidential: true })
    expect(errorOf(await as(guest).post(`${at}/notes`, { body: 'Secret', internal: true }))).toEqual([
      403,
      { message: '403 Forbidden' },
    ])
    for (const user of [guest, stranger]) {
      expect((await as(user).get(`${at}/notes/${made.body.id}`)).status).toBe(404)
      expect((await as(user).get(`${at}/discussions`)).text).not.toContain('Secret')
    }
    expect((await as(dev).get(`${at}/notes/${made.body.id}`)).status).toBe(200)
  })

  it('are published with their IDs only, and internal ones to members only', async () => {
    const write = async (body: string, internal: boolean) =>
      (await as(reporter).post(`${at}/notes`, { body, internal })).body.id as number
    const [secret, open] = [await write('Secret before', true), await write('Words before', false)]
    const listen = async (user: typeof dev) => {
      const headers = { 'private-token': user.token }
      return (await fetch(`${w.url}/-/events`, { headers })).body!.pipeThrough(new TextDecoderStream())
    }
    const streams = [await listen(dev), await listen(stranger)]
    await as(reporter).put(`${at}/notes/${secret}`, { body: 'Secret after' })
    await as(reporter).put(`${at}/notes/${open}`, { body: 'Words after' })
    const received = await Promise.all(
      streams.map(async (stream) => {
        let text = ''
        for await (const chunk of stream) {
          text += chunk
          if (new RegExp(`"note.updated".*"note_id":${open}.*\n`).test(text)) break
        }
        return text
      }),
    )
    expect(received.map((text) => text.includes(`"note_id":${secret}`))).toEqual([true, false])
    for (const text of received) expect(text).not.toMatch(/Secret|Words/)
  })

  it('take emoji, as the merge request does', async () => {
    const award = await as(stranger).post(`${at}/award_emoji`, { name: 'thumbsup' })
    expect(award.body).toMatchObject({ name: 'thumbsup', awardable_type: 'MergeRequest' })
    await as(dev).post(`${at}/award_emoji`, { name: 'thumbsdown' })
    expect((await as(stranger).get(at)).body).toMatchObject({ upvotes: 1, downvotes: 1 })
    const note = (await as(dev).post(`${at}/notes`, { body: 'x' })).body
    expect((await as(author).post(`${at}/notes/${note.id}/award_emoji`, { name: 'tada' })).status).toBe(201)
    expect((await as(stranger).delete(`${at}/award_emoji/${award.body.id}`)).status).toBe(204)
    expect((await as(stranger).get(at)).body.upvotes).toBe(0)
    await as(dev).put(at, { title: 'Renamed' })
    const [system] = (await as(dev).get(`${at}/notes?activity_filter=only_activity`)).body
    expect(errorOf(await as(dev).post(`${at}/notes/${system.id}/award_emoji`, { name: 'tada' }))).toEqual([
      404,
      { message: '404 Award Emoji Not Found' },
    ])
    expect(errorOf(await as(dev).put(`${at}/notes/${system.id}`, { body: 'x' }))).toEqual([
      403,
      { message: '403 Forbidden' },
    ])
  })
})

describe('threads of a merge request', () => {
  beforeAll(open)

  it('start with a reply to a single note', async () => {
    const note = (await as(dev).post(`${at}/notes`, { body: 'Alone' })).body
    const discussions = (await as(dev).get(`${at}/discussions`)).body
    const found = discussions.find(
      (discussion: { notes: { id: number }[] }) => discussion.notes[0]!.id === note.id,
    )
    expect(found.individual_note).toBe(true)
    const answer = await as(author).post(`${at}/discussions/${found.id}/notes`, { body: 'Together' })
    expect([answer.status, answer.body.type, answer.body.resolvable]).toEqual([201, 'DiscussionNote', true])
    expect((await as(dev).get(`${at}/discussions/${found.id}`)).body).toMatchObject({
      individual_note: false,
      notes: [
        { resolvable: true, resolved: false },
        { resolvable: true, resolved: false },
      ],
    })
  })

  it('are resolved by developers, their author and the author of the merge request', async () => {
    const thread = (await as(reporter).post(`${at}/discussions`, { body: 'Why?' })).body
    await as(dev).post(`${at}/discussions/${thread.id}/notes`, { body: 'So' })
    const discussionPath = `${at}/discussions/${thread.id}`
    for (const user of [stranger, guest]) {
      expect(errorOf(await as(user).put(discussionPath, { resolved: true }))).toEqual([
        403,
        { message: '403 Forbidden' },
      ])
      expect(
        (await as(user).put(`${discussionPath}/notes/${thread.notes[0].id}`, { resolved: true })).status,
      ).toBe(403)
    }
    const states = async () =>
      (await as(dev).get(discussionPath)).body.notes.map((note: { resolved: boolean }) => note.resolved)
    for (const user of [reporter, author, dev]) {
      const done = await as(user).put(discussionPath, { resolved: true })
      expect(done.status).toBe(200)
      expect(done.body.notes[0]).toMatchObject({ resolved: true, resolved_by: { id: user.id } })
      expect(await states()).toEqual([true, true])
      await as(user).put(`${discussionPath}/notes/${thread.notes[0].id}`, { resolved: false })
      expect(await states()).toEqual([false, false])
    }
    expect(errorOf(await as(dev).put(discussionPath, {}))).toEqual([400, { error: 'resolved is missing' }])
    await as(dev).put(discussionPath, { resolved: true })
    await as(reporter).post(`${discussionPath}/notes`, { body: 'Still so' })
    expect(await states()).toEqual([true, true, true])
    const alone = (await as(dev).post(`${at}/notes`, { body: 'Alone' })).body
    expect(errorOf(await as(dev).put(`${at}/discussions/nope`, { resolved: true }))).toEqual([
      404,
      { message: '404 Discussion Not Found' },
    ])
    const all = (await as(dev).get(`${at}/discussions?per_page=100`)).body
    const single = all.find((other: { notes: { id: number }[] }) => other.notes[0]!.id === alone.id)
    expect(
      errorOf(await as(dev).put(`${at}/discussions/${single.id}/notes/${alone.id}`, { resolved: true })),
    ).toEqual(refused('Note is not resolvable'))
  })

  it('write a system note when the last one is resolved, and block the merge if the project says so', async () => {
    await open()
    await as(w.root).put(`/projects/${project.id}`, {
      only_allow_merge_if_all_discussions_are_resolved: true,
    })
    const threads = await Promise.all(['a', 'b'].map((body) => as(dev).post(`${at}/discussions`, { body })))
    expect((await as(dev).get(at)).body.blocking_discussions_resolved).toBe(false)
    const lines = async () =>
      (await as(dev).get(`${at}/notes?activity_filter=only_activity`)).body
        .map((note: { body: string }) => note.body)
        .filter((body: string) => body === 'resolved all threads').length
    await as(dev).put(`${at}/discussions/${threads[0]!.body.id}`, { resolved: true })
    expect(await lines()).toBe(0)
    await as(dev).put(`${at}/discussions/${threads[1]!.body.id}`, { resolved: true })
    expect(await lines()).toBe(1)
    expect((await as(dev).get(at)).body.blocking_discussions_resolved).toBe(true)
    await as(w.root).put(`/projects/${project.id}`, {
      only_allow_merge_if_all_discussions_are_resolved: false,
    })
  })

  it('take replies only from members when the discussion is locked', async () => {
    const thread = (await as(stranger).post(`${at}/discussions`, { body: 'Before' })).body
    await as(author).put(at, { discussion_locked: true })
    const forbidden = [403, { message: '403 Forbidden' }]
    expect(errorOf(await as(stranger).post(`${at}/notes`, { body: 'x' }))).toEqual(forbidden)
    expect(errorOf(await as(stranger).post(`${at}/discussions`, { body: 'x' }))).toEqual(forbidden)
    const discussionPath = `${at}/discussions/${thread.id}`
    expect(errorOf(await as(stranger).post(`${discussionPath}/notes`, { body: 'x' }))).toEqual(forbidden)
    expect(errorOf(await as(stranger).put(discussionPath, { resolved: true }))).toEqual(forbidden)
    expect(errorOf(await as(stranger).delete(`${discussionPath}/notes/${thread.notes[0].id}`))).toEqual(
      forbidden,
    )
    expect((await as(stranger).post(`${at}/award_emoji`, { name: 'tada' })).status).toBe(404)
    expect((await as(guest).post(`${at}/notes`, { body: 'Still' })).status).toBe(201)
    expect((await as(stranger).get(discussionPath)).status).toBe(200)
  })

  it('return 400 above the maximum number of notes', async () => {
    await open()
    const { id } = (await as(dev).get(at)).body
    // Inserts threads with three notes each, up to the maximum number of notes.
    w.ctx().db.exec(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, discussion_id, type, author_id, note, system, internal,
           resolvable, created_at, updated_at)
         SELECT ?, 'MergeRequest', ?, 'd' || (key / 3), 'DiscussionNote', ?, 'x', 0, 0, 1, ?, ?
           FROM json_each(?)`,
      project.id,
      id,
      dev.id,
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
      JSON.stringify(Array.from({ length: 5000 }, () => 0)),
    )
    const full = refused('Note {:base=>["Maximum number of comments exceeded"]}')
    expect(errorOf(await as(dev).post(`${at}/notes`, { body: 'x' }))).toEqual(full)
    expect(errorOf(await as(dev).post(`${at}/discussions`, { body: 'x' }))).toEqual(full)
    const list = await as(dev).get(`${at}/discussions?per_page=100&page=2`)
    expect([list.body.length, list.body[0].notes.length]).toEqual([100, 3])
    expect(list.headers.get('x-total')).toMatch(/^16\d\d$/)
  })
})
