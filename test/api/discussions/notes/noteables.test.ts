import { beforeEach, describe, expect, it } from 'vitest'

import type { Ctx } from '../../../../server/ctx.ts'
import {
  createNote,
  deleteNote,
  discussionEndpoints,
  findDiscussions,
  findNotes,
  noteEndpoints,
  removeNotesOf,
  reply,
  resolveDiscussion,
  startDiscussion,
  updateNote,
  type Noteable,
  type NoteableKind,
  type NoteTarget,
} from '../../../../server/domains/discussions/index.ts'
import { abilities } from '../../../../server/domains/discussions/notes/policy.ts'
import type { UserActor } from '../../../../server/policy/actor.ts'
import { world, type TestUser } from '../../../support/world.ts'

// Tests what other domains use: records with resolvable threads, single notes with replies, and internal notes.

const { ctx, make } = await world()
const [author, other] = [make.user(), make.user()]
const project = await make.project()
let next = 0
let noteable: Noteable
let target: NoteTarget

const kind = {
  path: '/issues/:issue_iid',
  title: 'issue',
  params: {},
  read: abilities.read_note,
  write: abilities.create_commit_note,
  load: () => noteable,
  singleNotesCanBeAnswered: true,
  threadsResolve: true,
  notesCanBeInternal: true,
} satisfies NoteableKind

beforeEach(() => {
  next++
  ctx().db.exec(
    "INSERT INTO issues (iid, project_id, author_id, title, created_at, updated_at) VALUES (?, ?, ?, 'x', '', '')",
    100 + next,
    project.id,
    author.id,
  )
  const { id } = ctx().db.one<{ id: number }>('SELECT max(id) AS id FROM issues')!
  noteable = { type: 'Issue', project_id: project.id, id, sha: null, iid: 100 + next }
  target = { noteable, seesInternal: true, mayAdmin: false }
})

function asUser(user: TestUser): Ctx {
  const actor: UserActor = {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.username,
    email: '',
    is_admin: false,
    external: false,
    scopes: null,
    via: 'system',
  }
  return { ...ctx(), actor }
}
const all = { limit: 20, offset: 0, order_by: 'created_at', sort: 'asc' } as const
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return String((error as Error).message)
  }
  return ''
}

describe('notes of a record', () => {
  it('belong to that record only', () => {
    createNote(asUser(author), target, { body: 'One' })
    createNote(asUser(other), target, { body: 'Two', system: true })
    const elsewhere = { ...target, noteable: { ...noteable, type: 'Snippet' as const } }
    createNote(asUser(author), elsewhere, { body: 'Elsewhere' })
    const found = findNotes(ctx(), target, all)
    expect([found.total, found.rows.map((note) => note.note)]).toEqual([2, ['One', 'Two']])
    expect(found.rows[0]).toMatchObject({ noteable_iid: noteable.iid, author: { id: author.id } })
    expect(findNotes(ctx(), target, { ...all, activity: 'only_comments' }).total).toBe(1)
    expect(findNotes(ctx(), target, { ...all, activity: 'only_activity' }).total).toBe(1)
    removeNotesOf(ctx().db, noteable)
    expect(findNotes(ctx(), target, all).total).toBe(0)
    expect(findNotes(ctx(), elsewhere, all).total).toBe(1)
  })

  it('are hidden from others when they are internal', () => {
    const note = createNote(asUser(author), target, { body: 'Secret', internal: true })
    const outside = { ...target, seesInternal: false }
    expect(findNotes(ctx(), outside, all).total).toBe(0)
    expect(findDiscussions(ctx(), outside, all).rows).toEqual([])
    expect(refusal(() => updateNote(asUser(author), outside, note.id, { body: 'x' }))).toBe(
      '404 Note Not Found',
    )
    expect(findNotes(ctx(), target, all).total).toBe(1)
  })

  it('cannot be updated when they are system notes', () => {
    const note = createNote(asUser(author), target, { body: 'closed', system: true })
    const admin = { ...target, mayAdmin: true }
    expect(refusal(() => updateNote(asUser(author), admin, note.id, { body: 'x' }))).toBe('forbidden')
    expect(refusal(() => deleteNote(asUser(author), admin, note.id, () => {}))).toBe('forbidden')
  })
})

describe('threads of a record', () => {
  it('start with a reply to a single note', () => {
    const single = createNote(asUser(author), target, { body: 'One' })
    expect([single.type, single.resolvable]).toEqual([null, false])
    reply(asUser(other), kind, target, { discussion_id: single.discussion_id, body: 'Two' })
    const [thread] = findDiscussions(ctx(), target, all).rows
    expect(thread!.map((note) => [note.note, note.type, note.resolvable])).toEqual([
      ['One', 'DiscussionNote', true],
      ['Two', 'DiscussionNote', true],
    ])
  })

  it('are resolved and unresolved as a whole', () => {
    const [first] = startDiscussion(asUser(author), kind, target, { body: 'Why?' })
    const id = first!.discussion_id
    reply(asUser(other), kind, target, { discussion_id: id, body: 'So' })
    const resolved = resolveDiscussion(asUser(other), target, id, true)
    expect(resolved.map((note) => note.resolved_by?.id)).toEqual([other.id, other.id])
    const opened = resolveDiscussion(asUser(author), target, id, false)
    expect(opened.map((note) => note.resolved_at)).toEqual([null, null])
    expect(refusal(() => resolveDiscussion(asUser(author), target, 'nope', true))).toBe(
      '404 Discussion Not Found',
    )
  })
})

describe('the endpoints of a kind', () => {
  const endpoints = [...noteEndpoints(kind), ...discussionEndpoints(kind)]
  // oxlint-disable-next-line typescript/no-explicit-any
  const call = async (user: TestUser, route: string, params: object = {}): Promise<any> => {
    const found = endpoints.find(
      (endpoint) => endpoint.route === route.replace('~', '/projects/:id/issues/:issue_iid'),
    )!
    const row = ctx().db.one<object>('SELECT * FROM projects WHERE id = ?', project.id)
    const owner = { ...row, lineage: '[]', owner_id: null }
    const paging = { limit: 20, offset: 0, order_by: 'created_at', sort: 'desc' }
    const http = { unmodifiedSince: () => {} }
    const out = await found.run({ ...asUser(user), project: owner, params, paging, http } as never)
    // Endpoints with two entities return the chosen one with the row.
    return out !== null && typeof out === 'object' && 'entity' in out ? (out as { row?: unknown }).row : out
  }

  it('create, show, list, update and delete notes', async () => {
    const made = await call(author, 'POST ~/notes', { body: 'One' })
    expect(await call(author, 'GET ~/notes/:note_id', { note_id: made.id })).toEqual({
      ...made,
      commands_changes: undefined,
    })
    await call(author, 'POST ~/notes', { body: 'Two' })
    const { rows, total } = await call(other, 'GET ~/notes')
    expect([total, rows.map((note: { note: string }) => note.note)]).toEqual([2, ['Two', 'One']])
    const changed = await call(author, 'PUT ~/notes/:note_id', { note_id: made.id, body: 'Three' })
    expect(changed.note).toBe('Three')
    await expect(call(other, 'DELETE ~/notes/:note_id', { note_id: made.id })).rejects.toThrow('forbidden')
    await call(author, 'DELETE ~/notes/:note_id', { note_id: made.id })
    await expect(call(author, 'GET ~/notes/:note_id', { note_id: made.id })).rejects.toThrow(
      '404 Note Not Found',
    )
  })

  it('hide internal notes from other users', async () => {
    // Neither user is a member of the project.
    await expect(call(author, 'POST ~/notes', { body: 'x', internal: true })).rejects.toThrow('forbidden')
  })

  it('resolve threads', async () => {
    const [first] = await call(author, 'POST ~/discussions', { body: 'Why?' })
    const id = first.discussion_id
    const [resolved] = await call(author, 'PUT ~/discussions/:discussion_id', {
      discussion_id: id,
      resolved: true,
    })
    expect(resolved.resolved_at).not.toBeNull()
    const opened = await call(author, 'PUT ~/discussions/:discussion_id/notes/:note_id', {
      discussion_id: id,
      note_id: first.id,
      resolved: false,
    })
    expect(opened.resolved_at).toBeNull()
  })
})
