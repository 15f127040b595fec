import { beforeAll, describe, expect, it } from 'vitest'

import { lineCode } from '../../../server/domains/discussions/index.ts'
import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Threads at positions in the diffs of a merge request, and their new positions when the branch changes.

const w = await world()
const { as, make } = w
const author = make.user({ username: 'author' })
const dev = make.user({ username: 'dev' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string
// oxlint-disable-next-line typescript/no-explicit-any
let refs: any
const BASE = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`)
const textOf = (lines: string[]) => lines.join('')
/** The head adds a line after the fifth line and removes the ninth. */
const HEAD = [...BASE.slice(0, 5), 'added\n', ...BASE.slice(5, 8), ...BASE.slice(9)]

beforeAll(async () => {
  project = await make.project({ with: 'readme' })
  await make.member('projects', project.id, dev, 30)
  await make.member('projects', project.id, author, 30)
  await pushTo(w, project, 'main', { 'a.txt': textOf(BASE), 'b.txt': 'b\n' })
})

let branches = 0
let branch: string

async function open(files: Record<string, string> = { 'a.txt': textOf(HEAD) }): Promise<void> {
  branch = `topic-${++branches}`
  const request = await openMergeRequest(w, project, { author, source_branch: branch, files })
  at = `/projects/${project.id}/merge_requests/${request.iid}`
  refs = request.diff_refs
}

async function push(files: Record<string, string>): Promise<void> {
  await pushTo(w, project, branch, files, { author })
  await w.drain()
  refs = (await as(dev).get(at)).body.diff_refs
}

const positionAt = (more: object) => ({
  ...refs,
  position_type: 'text',
  old_path: 'a.txt',
  new_path: 'a.txt',
  ...more,
})
const start = (position: object, more: object = {}) =>
  as(dev).post(`${at}/discussions`, { body: 'Look', position, ...more })
const threadOf = async (id: string) => (await as(dev).get(`${at}/discussions/${id}`)).body
const NO_LINE = {
  message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`,
}

describe('a position in the diff of a merge request', () => {
  beforeAll(() => open())

  it('is on an added, a removed or an unchanged line', async () => {
    const added = await start(positionAt({ new_line: 6 }))
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ individual_note: false })
    expect(added.body.notes[0]).toMatchObject({
      type: 'DiffNote',
      resolvable: true,
      resolved: false,
      commit_id: null,
      suggestions: [],
      position: {
        ...refs,
        old_path: 'a.txt',
        new_path: 'a.txt',
        position_type: 'text',
        old_line: null,
        new_line: 6,
        line_range: null,
      },
    })
    const removed = await start(positionAt({ old_line: 9 }))
    expect(removed.body.notes[0].position).toMatchObject({ old_line: 9, new_line: null })
    const unchanged = await start(positionAt({ old_line: 6, new_line: 7 }))
    expect(unchanged.body.notes[0].position).toMatchObject({ old_line: 6, new_line: 7 })
    const far = await start(positionAt({ old_line: 1, new_line: 1 }))
    expect(far.status).toBe(201)
  })

  it('can be a range of lines', async () => {
    const end = (line: number) => ({ type: 'new', new_line: line, line_code: lineCode('a.txt', 0, line) })
    const range = { start: { ...end(5), old_line: 5, type: undefined }, end: end(6) }
    const made = await start(positionAt({ new_line: 6, line_range: range }))
    expect(made.body.notes[0].position.line_range).toEqual({
      start: { line_code: lineCode('a.txt', 0, 5), type: null, old_line: 5, new_line: 5 },
      end: { line_code: lineCode('a.txt', 0, 6), type: 'new', old_line: null, new_line: 6 },
    })
  })

  it('is kept by replies', async () => {
    const made = (await start(positionAt({ new_line: 6 }))).body
    const answer = await as(author).post(`${at}/discussions/${made.id}/notes`, { body: 'Yes' })
    expect(answer.body).toMatchObject({ type: 'DiffNote', position: made.notes[0].position })
  })

  it.each([
    ['a line that the diff does not have', { new_line: 400 }],
    ['numbers that do not belong together', { old_line: 6, new_line: 6 }],
    ['no line', {}],
    ['a file that does not change', { old_path: 'b.txt', new_path: 'b.txt', new_line: 1 }],
    ['a file that is not there', { old_path: 'x', new_path: 'x', new_line: 1 }],
    ['commits that are none of it', { new_line: 6, head_sha: 'f'.repeat(40) }],
    ['another base', { new_line: 6, base_sha: '0'.repeat(40) }],
    ['hostile text for commits', { new_line: 6, head_sha: '--output=/tmp/x', start_sha: 'HEAD' }],
  ])('is refused for %s', async (_, more) => {
    const made = await start(positionAt(more))
    expect([made.status, made.body]).toEqual([400, NO_LINE])
  })

  it('is completed with both line numbers', async () => {
    const made = await start({ position_type: 'text', new_line: 6 })
    expect([made.status, made.body]).toEqual([
      400,
      {
        error: 'position[base_sha] is missing, position[start_sha] is missing, position[head_sha] is missing',
      },
    ])
    expect((await start(positionAt({ position_type: 'video' }))).status).toBe(400)
  })

  it('can be in the diff of one commit', async () => {
    const { head_sha } = refs
    const [commit] = (await as(dev).get(`/projects/${project.id}/repository/commits/${head_sha}/diff`)).body
    expect(commit.new_path).toBe('a.txt')
    const made = await start(positionAt({ new_line: 6 }), { commit_id: head_sha })
    expect(made.body.notes[0]).toMatchObject({ commit_id: head_sha })
    const lost = await start(positionAt({ new_line: 6 }), { commit_id: 'e'.repeat(40) })
    expect([lost.status, lost.body]).toEqual([404, { message: '404 Commit Not Found' }])
  })

  it('can be on an image', async () => {
    await open({ 'p.png': 'PNG' })
    const position = { ...refs, position_type: 'image', old_path: 'p.png', new_path: 'p.png' }
    const made = await start({ ...position, x: 3, y: 4, width: 10, height: 20 })
    expect(made.body.notes[0].position).toEqual({ ...position, x: 3, y: 4, width: 10, height: 20 })
    await push({ 'other.txt': 'x\n' })
    expect((await threadOf(made.body.id)).notes[0].position).toMatchObject({ head_sha: refs.head_sha, x: 3 })
  })
})

describe('when the branch moves on', () => {
  it('threads and their replies move with their lines', async () => {
    await open()
    const added = (await start(positionAt({ new_line: 6 }))).body
    await as(author).post(`${at}/discussions/${added.id}/notes`, { body: 'Yes' })
    const removed = (await start(positionAt({ old_line: 9 }))).body
    const unchanged = (await start(positionAt({ old_line: 12, new_line: 12 }))).body
    await push({ 'a.txt': `top\n${textOf(HEAD)}` })
    const moved = await threadOf(added.id)
    expect(moved.notes.map((note: { position: object }) => note.position)).toEqual([
      expect.objectContaining({ ...refs, old_line: null, new_line: 7 }),
      expect.objectContaining({ ...refs, old_line: null, new_line: 7 }),
    ])
    expect((await threadOf(removed.id)).notes[0].position).toMatchObject({
      ...refs,
      old_line: 9,
      new_line: null,
    })
    expect((await threadOf(unchanged.id)).notes[0].position).toMatchObject({
      ...refs,
      old_line: 12,
      new_line: 13,
    })
    expect(moved.notes).toHaveLength(2)
  })

  it('a thread on a changed line keeps its position and is outdated', async () => {
    await open()
    const before = refs
    const thread = (await start(positionAt({ new_line: 6 }))).body
    await push({ 'a.txt': textOf(HEAD).replace('added', 'altered') })
    const { notes } = await threadOf(thread.id)
    expect(notes[0]).toMatchObject({ resolved: false, position: { ...before, new_line: 6 } })
    expect(notes[1]).toMatchObject({
      system: true,
      type: 'DiffNote',
      resolvable: false,
      body: 'changed this line in version 2 of the diff',
      author: { username: 'author' },
    })
    await push({ 'a.txt': textOf(HEAD) })
    expect((await threadOf(thread.id)).notes).toHaveLength(2)
  })

  it('an outdated thread is resolved, if the project says so', async () => {
    await open()
    await as(w.root).put(`/projects/${project.id}`, { resolve_outdated_diff_discussions: true })
    const [gone, stays] = [
      (await start(positionAt({ new_line: 6 }))).body,
      (await start(positionAt({ old_line: 9 }))).body,
    ]
    await push({ 'a.txt': textOf(HEAD).replace('added\n', '') })
    await as(w.root).put(`/projects/${project.id}`, { resolve_outdated_diff_discussions: false })
    const { notes } = await threadOf(gone.id)
    expect(notes.map((note: { body: string }) => note.body)).toEqual([
      'Look',
      'changed this line in version 2 of the diff',
      'automatically resolved this thread',
    ])
    expect(notes[0]).toMatchObject({ resolved: true, resolved_by: { username: 'author' } })
    expect((await threadOf(stays.id)).notes[0]).toMatchObject({ resolved: false, position: refs })
  })

  it('a position in an earlier version moves to the newest one, or is kept', async () => {
    await open()
    const former = { ...refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt' }
    await push({ 'a.txt': `top\n${textOf(HEAD).replace('line 12', 'line twelve')}` })
    const moved = await start({ ...former, new_line: 6 })
    expect(moved.body.notes[0].position).toMatchObject({ ...refs, new_line: 7 })
    const former_ = await start({ ...former, old_line: 12, new_line: 12 })
    expect(former_.body.notes[0].position).toMatchObject({ head_sha: former.head_sha, new_line: 12 })
    const between = await start({
      ...refs,
      base_sha: former.head_sha,
      start_sha: former.head_sha,
      position_type: 'text',
      old_path: 'a.txt',
      new_path: 'a.txt',
      new_line: 1,
    })
    expect(between.body.notes[0].position).toMatchObject({ base_sha: former.head_sha, new_line: 1 })
  })

  it('threads follow a renamed file', async () => {
    await open()
    const thread = (await start(positionAt({ new_line: 6 }))).body
    await as(author).post(`/projects/${project.id}/repository/commits`, {
      branch,
      commit_message: 'Move',
      actions: [{ action: 'move', previous_path: 'a.txt', file_path: 'moved.txt' }],
    })
    await w.drain()
    const { position } = (await threadOf(thread.id)).notes[0]
    expect(position).toMatchObject({ old_path: 'a.txt', new_path: 'moved.txt', new_line: 6 })
  })

  it('threads stay after a rebase onto a changed target', async () => {
    await open()
    const thread = (await start(positionAt({ new_line: 6 }))).body
    await pushTo(w, project, 'main', { 'a.txt': `first\n${textOf(BASE)}` })
    await as(author).post(`/projects/${project.id}/repository/commits`, {
      branch,
      start_branch: 'main',
      force: true,
      commit_message: 'Again',
      actions: [{ action: 'update', file_path: 'a.txt', content: `first\n${textOf(HEAD)}` }],
    })
    await w.drain()
    refs = (await as(dev).get(at)).body.diff_refs
    expect((await threadOf(thread.id)).notes[0].position).toMatchObject({
      ...refs,
      old_line: null,
      new_line: 7,
    })
    await pushTo(w, project, 'main', { 'a.txt': textOf(BASE) })
  })
})
