import { Gitlab } from '@gitbeaker/rest'
import { beforeAll, describe, expect, it } from 'vitest'

import { openMergeRequest } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const reviewer = here.make.user({ username: 'reviewer' })
const mine = new Gitlab({ host: here.url, token: here.root.token })
const api = new Gitlab({ host: here.url, token: reviewer.token })
const project = await here.make.project({ with: 'readme' })
let iid: number
let branch: string
// oxlint-disable-next-line typescript/no-explicit-any
let position: any

beforeAll(async () => {
  await here.make.member('projects', project.id, reviewer, 30)
  const files = { 'a.txt': 'one\ntwo\nthree\n' }
  const request = await openMergeRequest(here, project, { files, reviewer_ids: [reviewer.id] })
  iid = request.iid
  branch = request.source_branch
  const { base_sha: baseSha, start_sha: startSha, head_sha: headSha } = request.diff_refs
  const paths = { oldPath: 'a.txt', newPath: 'a.txt' }
  position = { baseSha, startSha, headSha, positionType: 'text', ...paths, newLine: '2' }
})

describe('@gitbeaker/rest in a review', () => {
  it('creates, lists, shows, updates and deletes notes, and awards emoji', async () => {
    const made = await api.MergeRequestNotes.create(project.id, iid, 'One', { internal: true })
    expect(made).toMatchObject({ body: 'One', internal: true, noteable_type: 'MergeRequest' })
    expect(await api.MergeRequestNotes.show(project.id, iid, made.id)).toEqual(made)
    await api.MergeRequestNotes.edit(project.id, iid, made.id, { body: 'Two' })
    const list = await api.MergeRequestNotes.all(project.id, iid, { sort: 'asc', orderBy: 'updated_at' })
    expect(list.at(-1)).toMatchObject({ id: made.id, body: 'Two' })
    const award = await api.MergeRequestNoteAwardEmojis.award(project.id, iid, made.id, 'rocket')
    expect(await api.MergeRequestNoteAwardEmojis.all(project.id, iid, made.id)).toEqual([award])
    await api.MergeRequestNoteAwardEmojis.remove(project.id, iid, made.id, award.id)
    const thumb = await api.MergeRequestAwardEmojis.award(project.id, iid, 'thumbsup')
    expect(await api.MergeRequestAwardEmojis.show(project.id, iid, thumb.id)).toEqual(thumb)
    await expect(api.MergeRequestAwardEmojis.award(project.id, iid, 'thumbsup')).rejects.toThrow(
      /has already been taken/,
    )
    await api.MergeRequestNotes.remove(project.id, iid, made.id)
    await expect(api.MergeRequestNotes.show(project.id, iid, made.id)).rejects.toThrow(/404 Note Not Found/)
  })

  it('creates threads at a position, replies and resolves them', async () => {
    const made = await api.MergeRequestDiscussions.create(project.id, iid, 'Why?', { position })
    expect(made.notes).toMatchObject([{ type: 'DiffNote', position: { new_line: 2, old_line: null } }])
    const answer = await mine.MergeRequestDiscussions.addNote(project.id, iid, made.id, 'So')
    expect(answer).toMatchObject({ type: 'DiffNote', resolved: false })
    await mine.MergeRequestDiscussions.editNote(project.id, iid, made.id, answer.id, { resolved: true })
    const shown = await api.MergeRequestDiscussions.show(project.id, iid, made.id)
    expect(shown.notes).toMatchObject([{ resolved: true }, { resolved: true }])
    const all = await api.MergeRequestDiscussions.all(project.id, iid)
    expect(all.map((row) => row.id)).toContain(made.id)
    await mine.MergeRequestDiscussions.removeNote(project.id, iid, made.id, answer.id)
    const nowhere = api.MergeRequestDiscussions.create(project.id, iid, 'x', {
      position: { ...position, newLine: '99' },
    })
    await expect(nowhere).rejects.toThrow(/must be a valid line code/)
  })

  it('publishes a review from drafts, and applies its suggestion', async () => {
    const first = await api.MergeRequestDraftNotes.create(project.id, iid, '```suggestion\n2\n```', {
      position,
    })
    expect(await api.MergeRequestDraftNotes.show(project.id, iid, first.id)).toEqual(first)
    const second = await api.MergeRequestDraftNotes.create(project.id, iid, 'Gone')
    await api.MergeRequestDraftNotes.remove(project.id, iid, second.id)
    const third = await api.MergeRequestDraftNotes.create(project.id, iid, 'Alone')
    await api.MergeRequestDraftNotes.publish(project.id, iid, third.id)
    expect(await api.MergeRequestDraftNotes.all(project.id, iid)).toMatchObject([{ id: first.id }])
    await api.MergeRequestDraftNotes.publishBulk(project.id, iid)
    expect(await api.MergeRequestDraftNotes.all(project.id, iid)).toEqual([])
    const all = await mine.MergeRequestDiscussions.all(project.id, iid)
    const [suggestion] = all
      .flatMap((row) => row.notes!)
      .flatMap((note) => (note['suggestions'] as { id: number }[]) ?? [])
    expect(await mine.Suggestions.edit(suggestion!.id, { commitMessage: 'Count' })).toMatchObject({
      applied: true,
    })
    expect((await mine.Commits.all(project.id, { refName: branch }))[0]).toMatchObject({ title: 'Count' })
  })
})
