import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Changes of lines that users suggest in threads of a merge request, and that others apply.

const w = await world()
const { as, make } = w
const author = make.user({ username: 'author' })
const dev = make.user({ username: 'dev' })
const reporter = make.user({ username: 'reporter' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let refs: any
let at: string
let branch: string
let branches = 0

const HEAD = 'one\ntwo\nthree\nfour\nfive\n'
const suggest = (text: string, info = 'suggestion') => `Better:\n\`\`\`${info}\n${text}\`\`\``

beforeAll(async () => {
  project = await make.project({ with: 'readme' })
  await make.member('projects', project.id, dev, 30)
  await make.member('projects', project.id, author, 30)
  await make.member('projects', project.id, reporter, 20)
})

beforeEach(async () => {
  branch = `topic-${++branches}`
  const files = { 'a.txt': HEAD, 'b.txt': 'b\n' }
  const request = await openMergeRequest(w, project, { author, source_branch: branch, files })
  at = `/projects/${project.id}/merge_requests/${request.iid}`
  refs = request.diff_refs
})

const positionAt = (new_line: number, path = 'a.txt') => ({
  ...refs,
  position_type: 'text',
  old_path: path,
  new_path: path,
  new_line,
})
async function thread(body: string, new_line: number, { by = reporter, path = 'a.txt' } = {}) {
  const made = await as(by).post(`${at}/discussions`, { body, position: positionAt(new_line, path) })
  expect(made.status).toBe(201)
  return made.body
}
const contentOf = async (path = 'a.txt') =>
  (await as(dev).get(`/projects/${project.id}/repository/files/${path}/raw?ref=${branch}`)).text
const apply = (id: number, body = {}, user = author) => as(user).put(`/suggestions/${id}/apply`, body)
const refusal = (sentence: string) => [400, { message: sentence }]

describe('a suggestion', () => {
  it('is returned with its note', async () => {
    const made = await thread(`${suggest('TWO\n')}\n${suggest('x\n', 'suggestion:-1+2')}`, 2)
    expect(made.notes[0].suggestions).toEqual([
      {
        id: expect.any(Number),
        from_line: 2,
        to_line: 2,
        appliable: true,
        applied: false,
        from_content: 'two\n',
        to_content: 'TWO\n',
      },
      expect.objectContaining({
        from_line: 1,
        to_line: 4,
        from_content: 'one\ntwo\nthree\nfour\n',
        to_content: 'x\n',
      }),
    ])
    const answer = await as(dev).post(`${at}/discussions/${made.id}/notes`, { body: suggest('2\n') })
    expect(answer.body.suggestions).toMatchObject([{ from_line: 2, to_content: '2\n' }])
    const edited = await as(dev).put(`${at}/notes/${answer.body.id}`, { body: suggest('3\n') })
    expect(edited.body.suggestions).toMatchObject([{ to_content: '3\n' }])
    expect((await as(dev).put(`${at}/notes/${answer.body.id}`, { body: 'None' })).body.suggestions).toEqual(
      [],
    )
    const cut = await thread(suggest('x\n', 'suggestion:-9+9'), 5)
    expect(cut.notes[0].suggestions).toMatchObject([{ from_line: 1, to_line: 5, from_content: HEAD }])
  })

  it('is applied as a commit by its author, and resolves the thread', async () => {
    const made = await thread(suggest('TWO\nand a half\n'), 2)
    const [{ id }] = made.notes[0].suggestions
    const applied = await apply(id)
    expect([applied.status, applied.body]).toEqual([
      200,
      { ...made.notes[0].suggestions[0], applied: true, appliable: false },
    ])
    expect(await contentOf()).toBe('one\nTWO\nand a half\nthree\nfour\nfive\n')
    const [commit] = (await as(dev).get(`/projects/${project.id}/repository/commits?ref_name=${branch}`)).body
    expect(commit).toMatchObject({
      title: 'Apply 1 suggestion(s) to 1 file(s)',
      author_name: 'REPORTER',
      committer_name: 'AUTHOR',
    })
    const after = (await as(dev).get(`${at}/discussions/${made.id}`)).body.notes[0]
    expect(after).toMatchObject({ resolved: true, resolved_by: { username: 'author' } })
    expect(after.suggestions).toMatchObject([{ applied: true, appliable: false }])
    const again = await apply(id)
    expect([again.status, again.body]).toEqual(refusal("Can't apply this suggestion."))
    await w.drain()
    expect((await as(dev).get(at)).body.sha).toBe(commit.id)
  })

  it('uses the given commit message, or the template', async () => {
    await as(w.root).put(`/projects/${project.id}`, {
      suggestion_commit_message:
        '%{username} (%{user_full_name}): %{suggestions_count} in %{files_count} of %{project_path} %{project_name}\n\n%{branch_name} %{file_path} %{nothing}\n\n%{co_authored_by}',
    })
    const messageOf = async () =>
      (await as(dev).get(`/projects/${project.id}/repository/commits/${branch}`)).body.message.trim()
    const first = await thread(suggest('ONE\n'), 1)
    await apply(first.notes[0].suggestions[0].id, {}, dev)
    expect(await messageOf()).toBe(
      `dev (DEV): 1 in 1 of ${project.path_with_namespace} ${project.name}\n\n${branch} a.txt %{nothing}\n\nCo-authored-by: REPORTER <reporter@example.test>`,
    )
    await w.drain()
    const second = await thread(suggest('ONE\n'), 3)
    await apply(second.notes[0].suggestions[0].id, { commit_message: 'By %{username}' })
    expect(await messageOf()).toBe('By author')
    await as(w.root).put(`/projects/${project.id}`, { suggestion_commit_message: null })
  })

  it('moves with its line', async () => {
    const made = await thread(suggest('THREE\n'), 3)
    await pushTo(w, project, branch, { 'a.txt': `zero\n${HEAD}` }, { author })
    await w.drain()
    const [suggestion] = (await as(dev).get(`${at}/discussions/${made.id}`)).body.notes[0].suggestions
    expect(suggestion).toMatchObject({ from_line: 4, appliable: true })
    expect((await apply(suggestion.id)).status).toBe(200)
    expect(await contentOf()).toBe('zero\none\ntwo\nTHREE\nfour\nfive\n')
  })

  it('cannot be applied when its lines changed, when it changes nothing, or when the merge request is closed', async () => {
    const [first, two, same] = [
      await thread(suggest('ONE\n'), 1),
      await thread(suggest('X\n', 'suggestion:-0+1'), 3),
      await thread(suggest('five\n'), 5),
    ].map((made) => made.notes[0].suggestions[0])
    await pushTo(w, project, branch, { 'a.txt': HEAD.replace('one', '1').replace('four', '4') }, { author })
    const line = "Can't apply as this line was changed in a more recent version."
    const lines = "Can't apply as these lines were changed in a more recent version."
    for (const [id, sentence] of [
      [first.id, line],
      [two.id, lines],
      [same.id, 'This suggestion already matches its content.'],
    ]) {
      const answer = await apply(id)
      expect([answer.status, answer.body]).toEqual(refusal(sentence))
    }
    expect(same.appliable).toBe(false)
    await w.drain()
    const later = await apply(first.id)
    expect([later.status, later.body]).toEqual(refusal(line))
    await as(author).put(at, { state_event: 'close' })
    const closed = await apply(first.id)
    expect([closed.status, closed.body]).toEqual(
      refusal('This merge request is closed. To apply this suggestion, edit this file directly.'),
    )
  })

  it('is applied by users who may push, and returns 404 to users who cannot see it', async () => {
    const [{ id }] = (await thread(suggest('TWO\n'), 2)).notes[0].suggestions
    const refused = await apply(id, {}, reporter)
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    const lost = [404, { message: 'Suggestion is not applicable as the suggestion was not found.' }]
    for (const [suggestionId, user] of [
      [id, stranger],
      [999_999, author],
    ] as const) {
      const answer = await apply(suggestionId, {}, user)
      expect([answer.status, answer.body]).toEqual(lost)
    }
    expect((await as(null).put(`/suggestions/${id}/apply`)).status).toBe(401)
    await as(w.root).post(`/projects/${project.id}/protected_branches`, {
      name: branch,
      push_access_level: 40,
    })
    expect((await apply(id)).status).toBe(403)
    expect((await apply(id, {}, w.root)).status).toBe(200)
  })
})

describe('a suggestion in a merge request from a fork', () => {
  it('is applied in the fork by users who may push, or who may merge if the author allows it', async () => {
    await as(w.root).put(`/projects/${project.id}`, { visibility: 'public' })
    const outsider = make.user({ username: 'outsider' })
    const fork = (await as(outsider).post(`/projects/${project.id}/fork`)).body
    await w.drain()
    const request = await openMergeRequest(w, project, {
      author: outsider,
      source: fork,
      files: { 'a.txt': HEAD },
    })
    at = `/projects/${project.id}/merge_requests/${request.iid}`
    refs = request.diff_refs
    const ids = [await thread(suggest('ONE\n'), 1), await thread(suggest('FIVE\n'), 5)].map(
      (discussion) => discussion.notes[0].suggestions[0].id,
    )
    expect((await apply(ids[0], {}, dev)).status).toBe(403)
    expect((await apply(ids[0], {}, outsider)).status).toBe(200)
    await w.drain()
    await as(outsider).put(at, { allow_collaboration: true })
    expect((await apply(ids[1], {}, reporter)).status).toBe(403)
    expect((await apply(ids[1], {}, dev)).status).toBe(403)
    expect((await apply(ids[1], {}, w.root)).status).toBe(200)
    const file = await as(w.root).get(
      `/projects/${fork.id}/repository/files/a.txt/raw?ref=${request.source_branch}`,
    )
    expect(file.text).toBe('ONE\ntwo\nthree\nfour\nFIVE\n')
    await as(w.root).put(`/projects/${project.id}`, { visibility: 'private' })
  })
})

describe('several suggestions', () => {
  const batch = (ids: unknown, body = {}, user = author) =>
    as(user).put('/suggestions/batch_apply', { ids, ...body })

  it('are applied in one commit', async () => {
    const made = [
      await thread(suggest('ONE\n'), 1),
      await thread(suggest('', 'suggestion:-0+1'), 3),
      await thread(suggest('B\n'), 1, { by: dev, path: 'b.txt' }),
    ]
    const ids = made.map((discussion) => discussion.notes[0].suggestions[0].id)
    const applied = await batch(ids)
    expect(applied.status).toBe(200)
    expect(
      applied.body.map((suggestion: { id: number; applied: boolean }) => [suggestion.id, suggestion.applied]),
    ).toEqual(ids.map((id) => [id, true]))
    expect([await contentOf(), await contentOf('b.txt')]).toEqual(['ONE\ntwo\nfive\n', 'B\n'])
    const [commit] = (await as(dev).get(`/projects/${project.id}/repository/commits?ref_name=${branch}`)).body
    expect(commit).toMatchObject({ title: 'Apply 3 suggestion(s) to 2 file(s)', author_name: 'AUTHOR' })
    for (const discussion of made)
      expect((await as(dev).get(`${at}/discussions/${discussion.id}`)).body.notes[0].resolved).toBe(true)
  })

  it('are applied all or none', async () => {
    const two = (await thread(suggest('X\n', 'suggestion:-0+1'), 2)).notes[0].suggestions[0].id
    const three = (await thread(suggest('Y\n'), 3)).notes[0].suggestions[0].id
    const crossing = await batch([two, three])
    expect([crossing.status, crossing.body]).toEqual(
      refusal('Suggestions are not applicable as their lines cannot overlap.'),
    )
    const lost = await batch([two, 999_999])
    expect([lost.status, lost.body]).toEqual([
      404,
      { message: 'Suggestions are not applicable as one or more suggestions were not found.' },
    ])
    for (const [ids, error] of [
      [undefined, 'ids is missing'],
      [[], 'ids is empty'],
      ['x', 'ids is invalid'],
    ]) {
      const answer = await batch(ids)
      expect([answer.status, answer.body]).toEqual([400, { error: error }])
    }
    expect(await contentOf()).toBe(HEAD)
    const files = { 'c.txt': 'c\n' }
    const other = await openMergeRequest(w, project, { author, source_branch: `${branch}-b`, files })
    at = `/projects/${project.id}/merge_requests/${other.iid}`
    refs = other.diff_refs
    const elsewhere = (await thread(suggest('C\n'), 1, { path: 'c.txt' })).notes[0].suggestions[0].id
    const mixed = await batch([two, elsewhere])
    expect([mixed.status, mixed.body]).toEqual(refusal('Suggestions must all be on the same branch.'))
  })
})
