import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { fill, watchEvents } from '../../repository/fill.ts'

const instance = await world()
const { as, make } = instance
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let first: string
let sha: string
let at: string

const OLD = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`)
const NEW = OLD.with(9, 'changed 10\n').toSpliced(20, 0, 'added 21\n')

beforeEach(async () => {
  project = await make.project()
  ;[first, sha] = fill(instance, project, [
    { files: { 'lib/a.txt': OLD.join(''), 'old.txt': 'x\ny\nz\n' } },
    { files: { 'lib/a.txt': NEW.join('') } },
  ]) as [string, string]
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/repository/commits/${sha}`
})

const blank = { message: `400 Bad request - Note {:note=>["can't be blank"]}` }

describe('comments of a commit', () => {
  const post = (params: object, user = developer) => as(user).post(`${at}/comments`, params)

  it('are created and listed, oldest first', async () => {
    const received = watchEvents(instance, 'note.created')
    const made = await post({ note: 'Nice' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      note: 'Nice',
      path: null,
      line: null,
      line_type: null,
      author: expect.objectContaining({ username: 'developer' }),
      created_at: expect.any(String),
    })
    await post({ note: 'Indeed' }, reporter)
    const list = await as(reporter).get(`${at}/comments`)
    expect(list.body.map((comment: { note: string }) => comment.note)).toEqual(['Nice', 'Indeed'])
    expect(list.headers.get('x-total')).toBe('2')
    // The name of a branch selects the same commit. Another commit has no comments.
    expect(
      (await as(reporter).get(`/projects/${project.id}/repository/commits/main/comments`)).body,
    ).toHaveLength(2)
    expect((await as(reporter).get(at.replace(sha, first) + '/comments')).body).toEqual([])
    expect(received[0]).toMatchObject({
      project_id: project.id,
      actor_id: developer.id,
      noteable_type: 'Commit',
      noteable_id: null,
      commit_id: sha,
      system: false,
    })
  })

  it('keep a position on a changed line, and ignore any other', async () => {
    const positionOf = async (params: object) => {
      const { status, body } = await post({ note: 'Here', ...params })
      expect(status).toBe(201)
      return [body.path, body.line, body.line_type]
    }
    expect(await positionOf({ path: 'lib/a.txt', line: 21, line_type: 'new' })).toEqual([
      'lib/a.txt',
      21,
      'new',
    ])
    expect(await positionOf({ path: 'lib/a.txt', line: 10 })).toEqual(['lib/a.txt', 10, 'new'])
    expect(await positionOf({ path: 'lib/a.txt', line: 10, line_type: 'old' })).toEqual([
      'lib/a.txt',
      10,
      'old',
    ])
    const nowhere = [null, null, null]
    expect(await positionOf({ path: 'lib/a.txt', line: 11, line_type: 'new' })).toEqual(nowhere)
    expect(await positionOf({ path: 'lib/a.txt', line: 21, line_type: 'old' })).toEqual(nowhere)
    expect(await positionOf({ path: 'old.txt', line: 1, line_type: 'new' })).toEqual(nowhere)
  })

  it('return 400 for invalid values', async () => {
    expect((await post({})).body).toEqual({ error: 'note is missing' })
    const empty = await post({ note: ' \n' })
    expect([empty.status, empty.body]).toEqual([400, blank])
    expect((await post({ note: 'x'.repeat(1_000_001) })).body.message).toContain(
      'is too long (maximum is 1000000',
    )
    expect((await post({ note: 'x', path: 'a' })).body).toEqual({ error: 'line is missing' })
    expect((await post({ note: 'x', path: 'a', line: 1, line_type: 'both' })).body).toEqual({
      error: 'line_type does not have a valid value',
    })
    const missing = await as(developer).post(at.replace(sha, '0'.repeat(40)) + '/comments', { note: 'x' })
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Commit Not Found' }])
  })

  it('are visible to readers of the code', async () => {
    expect((await post({ note: 'x' }, guest)).status).toBe(403)
    expect((await as(guest).get(`${at}/comments`)).status).toBe(403)
    expect((await post({ note: 'x' }, stranger)).body).toEqual({ message: '404 Project Not Found' })
    await as(instance.root).put(`/projects/${project.id}`, { visibility: 'public' })
    expect((await as(null).get(`${at}/comments`)).status).toBe(200)
    expect((await as(null).post(`${at}/comments`, { note: 'x' })).status).toBe(401)
    expect((await post({ note: 'x' }, stranger)).status).toBe(201)
    await as(instance.root).post(`/projects/${project.id}/archive`)
    expect((await post({ note: 'x' }, stranger)).status).toBe(403)
  })
})

describe('discussions of a commit', () => {
  const start = (params: object, user = developer) => as(user).post(`${at}/discussions`, params)
  const replyTo = (id: string, body: string, user = reporter) =>
    as(user).post(`${at}/discussions/${id}/notes`, { body })

  it('are started, replied to, listed and shown', async () => {
    const made = await start({ body: 'Why?' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      individual_note: false,
      notes: [
        {
          id: expect.any(Number),
          type: 'DiscussionNote',
          body: 'Why?',
          attachment: null,
          author: expect.objectContaining({ username: 'developer' }),
          created_at: expect.any(String),
          updated_at: expect.any(String),
          system: false,
          noteable_id: null,
          noteable_type: 'Commit',
          project_id: project.id,
          resolvable: false,
          confidential: false,
          internal: false,
          noteable_iid: null,
          commands_changes: {},
        },
      ],
    })
    const { id } = made.body
    const answer = await replyTo(id, 'Because.')
    expect([answer.status, answer.body.type, answer.body.body]).toEqual([201, 'DiscussionNote', 'Because.'])
    await as(developer).post(`${at}/comments`, { note: 'Alone' })
    const list = await as(reporter).get(`${at}/discussions`)
    expect(list.headers.get('x-total')).toBe('2')
    expect(
      list.body.map((discussion: { individual_note: boolean; notes: { body: string }[] }) => [
        discussion.individual_note,
        discussion.notes.map((note) => note.body),
      ]),
    ).toEqual([
      [false, ['Why?', 'Because.']],
      [true, ['Alone']],
    ])
    const second = await as(reporter).get(`${at}/discussions?per_page=1&page=2`)
    expect(second.body.map((discussion: { id: string }) => discussion.id)).toEqual([list.body[1].id])
    expect((await as(reporter).get(`${at}/discussions/${id}`)).body).toEqual(list.body[0])
    expect((await as(reporter).get(`${at}/discussions/${id}/notes`)).body).toEqual(list.body[0].notes)
    const note = await as(reporter).get(`${at}/discussions/${id}/notes/${answer.body.id}`)
    expect(note.body).toEqual(answer.body)
  })

  it('return 404 for a discussion of another commit', async () => {
    const { id, notes } = (await start({ body: 'Why?' })).body
    const other = at.replace(sha, first)
    const missing = await as(reporter).get(`${other}/discussions/${id}`)
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Discussion Not Found' }])
    expect((await as(reporter).get(`${other}/discussions/${id}/notes`)).body).toEqual({
      message: '404 Notes Not Found',
    })
    expect((await as(developer).post(`${other}/discussions/${id}/notes`, { body: 'x' })).body).toEqual({
      message: '404 Discussion Not Found',
    })
    expect((await as(developer).delete(`${other}/discussions/${id}/notes/${notes[0].id}`)).body).toEqual({
      message: '404 Note Not Found',
    })
    expect((await as(developer).get(`${at}/discussions/nope/notes/${notes[0].id}`)).status).toBe(404)
  })

  it('return 400 without a text, and for a reply to a single comment', async () => {
    expect((await start({})).body).toEqual({ error: 'body is missing' })
    expect((await start({ body: '  ' })).body).toEqual(blank)
    const { id } = (await start({ body: 'Why?' })).body
    expect((await replyTo(id, ' ')).body).toEqual(blank)
    await as(developer).post(`${at}/comments`, { note: 'Alone' })
    const list = (await as(reporter).get(`${at}/discussions`)).body
    const answer = await replyTo(list[1].id, 'x')
    expect([answer.status, answer.body]).toEqual([
      400,
      { message: '400 Bad request - Discussion can not be replied to.' },
    ])
  })

  it('are updated and deleted by their authors and by maintainers', async () => {
    const [updated, deleted] = [watchEvents(instance, 'note.updated'), watchEvents(instance, 'note.deleted')]
    const { id, notes } = (await start({ body: 'Why?' })).body
    const note = `${at}/discussions/${id}/notes/${notes[0].id}`
    expect((await as(reporter).put(note, { body: 'x' })).status).toBe(403)
    expect((await as(reporter).delete(note)).status).toBe(403)
    const changed = await as(developer).put(note, { body: 'Why not?' })
    expect([changed.status, changed.body.body]).toEqual([200, 'Why not?'])
    expect((await as(maintainer).put(note, { body: 'Why, indeed?' })).body.author.username).toBe('developer')
    expect((await as(developer).put(note, { body: '' })).body.message).toBe(
      `400 Bad request - Failed to save note {:note=>["can't be blank"]}`,
    )
    expect((await as(developer).put(note, {})).body).toEqual({
      error: 'body, resolved are missing, exactly one parameter must be provided',
    })
    expect((await as(developer).put(note, { body: 'x', resolved: true })).body).toEqual({
      error: 'body, resolved are mutually exclusive',
    })
    expect((await as(developer).put(note, { resolved: true })).body).toEqual({
      message: '400 Bad request - Note is not resolvable',
    })
    const stale = await as(developer).delete(note, undefined, {
      'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT',
    })
    expect(stale.status).toBe(412)
    expect((await as(developer).delete(note)).status).toBe(204)
    expect((await as(developer).delete(note)).body).toEqual({ message: '404 Note Not Found' })
    expect((await as(reporter).get(`${at}/discussions`)).body).toEqual([])
    expect(updated.map((event) => event['changed'])).toEqual([['note'], ['note']])
    expect(deleted).toMatchObject([{ note_id: notes[0].id, author_id: developer.id, commit_id: sha }])
  })

  it('take a creation time only from maintainers', async () => {
    const created_at = '2020-02-02T02:02:02.000Z'
    expect((await start({ body: 'x', created_at }, maintainer)).body.notes[0].created_at).toBe(created_at)
    expect((await start({ body: 'x', created_at }, developer)).body.notes[0].created_at).not.toBe(created_at)
    expect((await start({ body: 'x', created_at: 'soon' })).body).toEqual({ error: 'created_at is invalid' })
  })

  describe('at a position', () => {
    const refs = () => ({ base_sha: first, start_sha: first, head_sha: sha, position_type: 'text' })
    const paths = { old_path: 'lib/a.txt', new_path: 'lib/a.txt' }
    const startAt = (position: object) => start({ body: 'Here', position })
    const badLine = {
      message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`,
    }

    it('return their position', async () => {
      const made = await startAt({ ...refs(), ...paths, new_line: 21 })
      expect(made.status).toBe(201)
      expect(made.body.notes[0]).toMatchObject({
        type: 'DiffNote',
        commit_id: sha,
        position: { ...refs(), ...paths, old_line: null, new_line: 21, line_range: null },
        suggestions: [],
      })
      const answer = await replyTo(made.body.id, 'There')
      expect(answer.body).toMatchObject({ type: 'DiffNote', position: { new_line: 21 } })
      const comments = (await as(reporter).get(`${at}/comments`)).body
      expect(comments[0]).toMatchObject({ path: 'lib/a.txt', line: 21, line_type: 'new' })
    })

    it('can be on a removed line, an unchanged line, or a line between hunks', async () => {
      for (const lines of [
        { old_line: 10 },
        { old_line: 11, new_line: 11 },
        { old_line: 1, new_line: 1 },
        { old_line: 30, new_line: 31 },
      ]) {
        const made = await startAt({ ...refs(), ...paths, ...lines })
        expect([made.status, lines]).toEqual([201, lines])
      }
      const ranged = await startAt({
        ...refs(),
        new_path: 'lib/a.txt',
        new_line: 21,
        line_range: { start: { type: 'new', new_line: 10 }, end: { type: 'new', new_line: 21 } },
      })
      expect(ranged.body.notes[0].position.line_range).toMatchObject({
        start: { line_code: expect.stringMatching(/^[0-9a-f]{40}_0_10$/), type: 'new', new_line: 10 },
      })
    })

    it('return 400 for a position that the diff does not have', async () => {
      for (const lines of [
        {},
        { new_line: 11 },
        { old_line: 11 },
        { old_line: 1, new_line: 2 },
        { old_line: 500, new_line: 501 },
        { new_line: 21, new_path: 'old.txt', old_path: 'old.txt' },
        { new_line: 21, new_path: '', old_path: '' },
      ]) {
        const { status, body } = await startAt({ ...refs(), ...paths, ...lines })
        expect([status, body, lines]).toEqual([400, badLine, lines])
      }
      const elsewhere = await startAt({ ...refs(), ...paths, head_sha: first, new_line: 21 })
      expect([elsewhere.status, elsewhere.body.message]).toEqual([
        400,
        '400 Bad request - Note {:position=>["is invalid"]}',
      ])
      const half = await startAt({ head_sha: sha, position_type: 'text' })
      expect(half.body).toEqual({
        error: 'position[base_sha] is missing, position[start_sha] is missing',
      })
      expect((await startAt({ ...refs(), ...paths, position_type: 'sound' })).status).toBe(400)
      expect((await as(reporter).get(`${at}/discussions`)).body).toEqual([])
    })

    it('can be in the first commit of a history, and on an image', async () => {
      const zero = '0'.repeat(40)
      const root = await as(developer).post(`${at.replace(sha, first)}/discussions`, {
        body: 'Begin',
        position: {
          base_sha: zero,
          start_sha: zero,
          head_sha: first,
          position_type: 'text',
          new_path: 'old.txt',
          new_line: 2,
        },
      })
      expect(root.status).toBe(201)
      const image = await startAt({
        ...refs(),
        ...paths,
        position_type: 'image',
        width: 10,
        height: 5,
        x: 1,
        y: 2,
      })
      expect(image.body.notes[0].position).toMatchObject({ position_type: 'image', x: 1, y: 2 })
    })
  })
})
