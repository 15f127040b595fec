import { Gitlab } from '@gitbeaker/rest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

import { client, tempDir } from '../../support/git.ts'
import { world } from '../../support/world.ts'

// Two users take a change from the push to the merge with an unmodified client and git.
const here = await world()
const [author, reviewer] = [here.make.user({ username: 'teo' }), here.make.user({ username: 'ines' })]
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
const apiOf = (user: { token: string }): Any => new Gitlab({ host: here.url, token: user.token })
const [root, teo, ines] = [apiOf(here.root), apiOf(author), apiOf(reviewer)]
const clone = tempDir()
const lines = (tenth: string) => Array.from({ length: 30 }, (_, at) => (at === 9 ? tenth : `line ${at + 1}`))
let project: Any
let thread: Any

async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await client(clone, args)
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

const write = (text: readonly string[]) => writeFileSync(join(clone, 'tail.txt'), `${text.join('\n')}\n`)
const request = (): Promise<Any> => teo.MergeRequests.show(project.id, 1)

beforeAll(async () => {
  project = await here.make.project({
    with: 'readme',
    only_allow_merge_if_all_discussions_are_resolved: true,
    squash_option: 'default_off',
  })
  await here.make.member('projects', project.id, author, 30)
  await here.make.member('projects', project.id, reviewer, 40)
  const address = here.url.replace('://', `://ines:${reviewer.token}@`)
  await git('clone', '-q', `${address}/${project.path_with_namespace}.git`, '.')
  write(lines('line 10'))
  await git('add', '-A')
  await git('commit', '-qm', 'Begin the tail')
  await git('push', '-q', 'origin', 'HEAD:main')
})

test('the author pushes a branch, and opens a draft merge request with a reviewer', async () => {
  await ines.ProjectLabels.create(project.id, 'bug', '#d9534f')
  const milestone = await ines.ProjectMilestones.create(project.id, '0.9.3')
  const issue = await ines.Issues.create(project.id, 'Torn tail is dropped', {
    labels: 'bug',
    milestoneId: milestone.id,
    assigneeIds: [author.id],
  })
  expect(issue).toMatchObject({ iid: 1, labels: ['bug'], milestone: { title: '0.9.3' } })
  await ines.MergeRequestApprovals.createApprovalRule(project.id, 'storage', 1, { userIds: [reviewer.id] })

  const mine = here.url.replace('://', `://teo:${author.token}@`)
  await git('checkout', '-qb', 'fix/tail')
  write([...lines('line ten, torn'), 'the end'])
  await git('commit', '-qam', 'Recover torn writes')
  await git('push', '-q', `${mine}/${project.path_with_namespace}.git`, 'fix/tail')
  const made = await teo.MergeRequests.create(project.id, 'fix/tail', 'main', 'Draft: Recover torn writes', {
    description: 'Closes #1\n\n- [ ] fuzz\n- [x] read',
    labels: 'bug',
    reviewerIds: [reviewer.id],
    removeSourceBranch: true,
  })
  expect(made).toMatchObject({ draft: true, task_completion_status: { count: 2, completed_count: 1 } })
  await here.drain()
  expect(await request()).toMatchObject({
    merge_status: 'can_be_merged',
    detailed_merge_status: 'draft_status',
    changes_count: '1',
    user: { can_merge: false },
    first_contribution: true,
  })
  expect(await ines.TodoLists.all()).toMatchObject([
    { action_name: 'review_requested', target_type: 'MergeRequest', target: { iid: 1 } },
  ])
  const [todo] = await teo.TodoLists.all()
  expect(todo).toMatchObject({ action_name: 'assigned', target_type: 'Issue' })
  expect(await teo.TodoLists.done({ todoId: todo.id })).toMatchObject({ state: 'done' })
})

test('the reviewer requests a change at a line, and publishes the rest of the review at once', async () => {
  const [version] = await ines.MergeRequests.allDiffVersions(project.id, 1)
  const shas = {
    baseSha: version.base_commit_sha,
    startSha: version.start_commit_sha,
    headSha: version.head_commit_sha,
  }
  const at = (newLine: number) => ({
    ...shas,
    positionType: 'text',
    oldPath: 'tail.txt',
    newPath: 'tail.txt',
    newLine: String(newLine),
  })
  const body = 'Which?\n\n```suggestion:-0+0\nline 10, torn\n```'
  thread = await ines.MergeRequestDiscussions.create(project.id, 1, body, { position: at(10) })
  expect(thread.notes[0]).toMatchObject({
    type: 'DiffNote',
    suggestions: [{ appliable: true, to_content: 'line 10, torn\n' }],
  })
  await ines.MergeRequestDraftNotes.create(project.id, 1, 'Why this?', { position: at(31) })
  await ines.MergeRequestDraftNotes.create(project.id, 1, 'Nearly there.')
  expect(await teo.MergeRequestDraftNotes.all(project.id, 1)).toEqual([])
  await ines.MergeRequestDraftNotes.publishBulk(project.id, 1)
  await teo.MergeRequests.edit(project.id, 1, { title: 'Recover torn writes' })
  await here.drain()
  expect(await request()).toMatchObject({
    draft: false,
    user_notes_count: 3,
    blocking_discussions_resolved: false,
    detailed_merge_status: 'discussions_not_resolved',
  })
  await expect(ines.MergeRequests.merge(project.id, 1)).rejects.toThrow('405 Method Not Allowed')
})

test('the author applies the suggestion, replies, and resolves the threads', async () => {
  const [suggestion] = thread.notes[0].suggestions
  expect(await teo.Suggestions.edit(suggestion.id)).toMatchObject({ applied: true })
  await here.drain()
  expect(await teo.MergeRequests.allDiffVersions(project.id, 1)).toHaveLength(2)
  await git('pull', '-q', 'origin', 'fix/tail')
  expect(await git('show', 'HEAD:tail.txt')).toBe([...lines('line 10, torn'), 'the end'].join('\n'))

  const open = (await teo.MergeRequestDiscussions.all(project.id, 1)).filter((row: Any) =>
    row.notes.some((note: Any) => note.resolvable && !note.resolved),
  )
  expect(open).toHaveLength(1)
  await teo.MergeRequestDiscussions.addNote(project.id, 1, open[0].id, 'For the reader.')
  await teo.MergeRequestDiscussions.resolve(project.id, 1, open[0].id, true)
  const commands = await teo.MergeRequestNotes.create(project.id, 1, '/estimate 2h\n/spend 30m')
  expect(commands).toMatchObject({ commands_changes: { time_estimate: 7200 } })
  expect(await request()).toMatchObject({
    detailed_merge_status: 'not_approved',
    time_stats: { human_time_estimate: '2h', human_total_time_spent: '30m' },
  })
  await expect(teo.MergeRequestApprovals.approve(project.id, 1)).rejects.toThrow('401 Unauthorized')
})

test('the reviewer approves, and the merge squashes the commits and closes the issue', async () => {
  const { sha } = await request()
  const approved = await ines.MergeRequestApprovals.approve(project.id, 1, { sha })
  expect(approved.data ?? approved).toMatchObject({ approved: true, approvals_left: 0 })
  const stale = ines.MergeRequests.merge(project.id, 1, { sha: thread.notes[0].position.head_sha })
  await expect(stale).rejects.toThrow(`SHA does not match HEAD of source branch: ${sha}`)
  await expect(teo.MergeRequests.merge(project.id, 1)).rejects.toThrow('401 Unauthorized')
  const merged = await ines.MergeRequests.merge(project.id, 1, { squash: true, sha })
  expect(merged).toMatchObject({ state: 'merged', merge_user: { username: 'ines' } })
  await here.drain()

  const [merge, squashed] = await ines.Commits.all(project.id, { refName: 'main' })
  expect(merge).toMatchObject({ id: merged.merge_commit_sha, title: "Merge branch 'fix/tail' into 'main'" })
  expect(merge.message).toContain(`Closes #1\n\nSee merge request ${project.path_with_namespace}!1`)
  expect(squashed).toMatchObject({ id: merged.squash_commit_sha, title: 'Recover torn writes' })
  expect(await ines.Branches.all(project.id)).toMatchObject([{ name: 'main' }])
  expect(await ines.Issues.show(1, { projectId: project.id })).toMatchObject({
    state: 'closed',
    closed_by: { username: 'ines' },
  })
  expect(await ines.Issues.allClosedByMergeRequestst(project.id, 1)).toMatchObject([{ iid: 1 }])
  expect(await ines.TodoLists.all()).toEqual([])
  expect(
    await root.MergeRequests.all({ scope: 'all', state: 'merged', approvedByIds: [reviewer.id] }),
  ).toEqual([expect.objectContaining({ iid: 1, references: expect.objectContaining({ short: '!1' }) })])
})
