import { Gitlab } from '@gitbeaker/rest'
import { beforeAll, expect, test } from 'vitest'

import { pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any
let group: Any

beforeAll(async () => {
  group = await here.make.group()
  project = await here.make.project({ with: 'readme', namespace_id: group.id })
  await pushTo(here, project, 'feature/one', { 'one.txt': '1\n' })
  await pushTo(here, project, 'two', { 'two.txt': '2\n' })
})

test('Gitbeaker creates, shows, updates, lists and deletes a merge request', async () => {
  const user = here.make.user()
  await here.make.member('projects', project.id, user, 30)
  const made = await api.MergeRequests.create(project.id, 'feature/one', 'main', 'First', {
    description: 'Text',
    labels: 'a,b',
    assigneeIds: [user.id],
    reviewerIds: [1],
    removeSourceBranch: true,
    squash: true,
  } as Any)
  expect(made).toMatchObject({ iid: 1, state: 'opened', squash: true, force_remove_source_branch: true })
  expect(made.labels).toEqual(['a', 'b'])
  const shown = await api.MergeRequests.show(project.id, 1, {
    renderHtml: true,
    includeDivergedCommitsCount: true,
    includeRebaseInProgress: true,
  } as Any)
  expect(shown).toMatchObject({ diverged_commits_count: 0, rebase_in_progress: false })
  const edited = await api.MergeRequests.edit(project.id, 1, {
    title: 'Draft: First',
    addLabels: 'c',
    removeLabels: 'a',
    discussionLocked: true,
  } as Any)
  expect(edited).toMatchObject({ draft: true, labels: ['b', 'c'], discussion_locked: true })

  await api.MergeRequests.create(project.id, 'two', 'main', 'Second')
  const titles = (rows: Any) => rows.map((row: { title: string }) => row.title)
  expect(titles(await api.MergeRequests.all({ projectId: project.id, sort: 'asc' } as Any))).toEqual([
    'Draft: First',
    'Second',
  ])
  expect(titles(await api.MergeRequests.all({ groupId: group.id, wip: 'no' } as Any))).toEqual(['Second'])
  expect(titles(await api.MergeRequests.all({ scope: 'assigned_to_me' } as Any))).toEqual([])
  const filtered = await api.MergeRequests.all({
    projectId: project.id,
    labels: 'b,c',
    state: 'opened',
    assigneeId: user.id,
    authorUsername: 'root',
    search: 'first',
    in: 'title',
    not: { labels: 'a' },
    view: 'simple',
  } as Any)
  expect(titles(filtered)).toEqual(['Draft: First'])
  expect(titles(await api.MergeRequests.all({ projectId: project.id, iids: [2] } as Any))).toEqual(['Second'])
  // The client follows the pages to the last one.
  expect(await api.MergeRequests.all({ projectId: project.id, perPage: 1 } as Any)).toHaveLength(2)
  await api.MergeRequests.remove(project.id, 2)
  await expect(api.MergeRequests.show(project.id, 2)).rejects.toThrow('404 Not found')
})

test('Gitbeaker reads and updates the records of a merge request', async () => {
  expect((await api.MergeRequests.allParticipants(project.id, 1)).length).toBe(2)
  expect(await api.MergeRequests.showReviewers(project.id, 1)).toMatchObject([{ state: 'unreviewed' }])
  expect(await api.MergeRequests.allIssuesClosed(project.id, 1)).toEqual([])
  expect(await api.MergeRequests.setTimeEstimate(project.id, 1, '3h')).toMatchObject({
    time_estimate: 10_800,
  })
  expect(await api.MergeRequests.addSpentTime(project.id, 1, '1h')).toMatchObject({ total_time_spent: 3600 })
  expect(await api.MergeRequests.showTimeStats(project.id, 1)).toMatchObject({ human_time_estimate: '3h' })
  expect(await api.MergeRequests.resetTimeEstimate(project.id, 1)).toMatchObject({ time_estimate: 0 })
  expect(await api.MergeRequests.resetSpentTime(project.id, 1)).toMatchObject({ total_time_spent: 0 })
  expect(await api.MergeRequests.unsubscribe(project.id, 1)).toMatchObject({ subscribed: false })
  expect(await api.MergeRequests.subscribe(project.id, 1)).toMatchObject({ subscribed: true })
  expect((await api.MergeRequestLabelEvents.all(project.id, 1)).length).toBe(4)
  const [commit] = await api.Commits.all(project.id, { refName: 'two' } as Any)
  const context = { mergerequestIId: 1 }
  const added = await api.MergeRequestContextCommits.create(project.id, [commit!.id], context as Any)
  expect(added).toHaveLength(1)
  const of = await api.MergeRequests.show(project.id, 1)
  expect(await api.Commits.allMergeRequests(project.id, of.sha as string)).toMatchObject([{ iid: 1 }])
})

test('Gitbeaker closes, reopens and merges a merge request', async () => {
  await api.MergeRequests.edit(project.id, 1, { title: 'First', stateEvent: 'close' })
  expect(await api.MergeRequests.show(project.id, 1)).toMatchObject({ state: 'closed' })
  await api.MergeRequests.edit(project.id, 1, { stateEvent: 'reopen' })
  await here.drain()
  const merged = await api.MergeRequests.merge(project.id, 1)
  expect(merged).toMatchObject({ state: 'merged' })
  expect((merged as Any).merge_user).toMatchObject({ username: 'root' })
  const states = await api.MergeRequestStateEvents.all(project.id, 1)
  expect(states.map((state: Any) => state.state)).toEqual(['closed', 'reopened', 'merged'])
})
