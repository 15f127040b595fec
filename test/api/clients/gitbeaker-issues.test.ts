import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const ada = here.make.user({ username: 'ada' })
const group = await here.make.group()
const project = await here.make.project({ namespace_id: group.id })
const other = await here.make.project({ namespace_id: group.id })
const titles = (rows: readonly { readonly title?: unknown }[]) => rows.map((row) => row.title)

describe('@gitbeaker/rest with issues', () => {
  it('creates, lists, updates, closes and deletes issues', async () => {
    await here.make.member('projects', project.id, ada, 30)
    const made = await api.Issues.create(project.id, 'One', {
      description: 'Text',
      labels: 'a,b',
      assigneeIds: [ada.id],
      dueDate: '2030-01-31',
      issueType: 'incident',
    })
    await api.Issues.create(project.id, 'Two')
    expect(made).toMatchObject({ title: 'One', labels: ['a', 'b'], due_date: '2030-01-31', type: 'INCIDENT' })
    expect(
      titles(await api.Issues.all({ projectId: project.id, labels: 'a', assigneeUsername: ['ada'] })),
    ).toEqual(['One'])
    expect(titles(await api.Issues.all({ groupId: group.id, sort: 'asc', orderBy: 'title' }))).toEqual([
      'One',
      'Two',
    ])
    expect(titles(await api.Issues.all({ scope: 'all', search: 'tw', in: 'title' }))).toEqual(['Two'])
    expect(titles(await api.Issues.all({ projectId: project.id, iids: [made.iid] }))).toEqual(['One'])
    expect(titles(await api.Issues.all({ projectId: project.id, not: { labels: 'a' } }))).toEqual(['Two'])
    const detailed = await api.Issues.all({ projectId: project.id, labels: 'a', withLabelsDetails: true })
    expect(detailed[0]?.labels[0]).toMatchObject({ name: 'a' })
    const changed = await api.Issues.edit(project.id, made.iid, {
      addLabels: 'c',
      removeLabels: 'a',
      stateEvent: 'close',
    })
    expect(changed).toMatchObject({ state: 'closed', labels: ['b', 'c'] })
    expect(await api.Issues.show(made.iid, { projectId: project.id })).toMatchObject({ id: made.id })
    expect(await api.Issues.show(made.id)).toMatchObject({ iid: made.iid })
    expect(await api.IssuesStatistics.all({ projectId: project.id })).toEqual({
      statistics: { counts: { all: 2, closed: 1, opened: 1 } },
    })
    expect(await api.IssueLabelEvents.all(project.id, made.iid)).toHaveLength(4)
    expect(await api.IssueStateEvents.all(project.id, made.iid)).toMatchObject([{ state: 'closed' }])
    await api.Issues.remove(project.id, made.iid)
    await expect(api.Issues.show(made.iid, { projectId: project.id })).rejects.toThrow('404 Not found')
    await expect(api.Issues.create(project.id, '')).rejects.toThrow("can't be blank")
  })

  it('tracks time, subscribes, reorders, moves, clones and links issues', async () => {
    const issue = await api.Issues.create(project.id, 'Time')
    const two = await api.Issues.create(project.id, 'Link')
    await api.Issues.addTimeEstimate(project.id, issue.iid, '3h')
    await api.Issues.addSpentTime(project.id, issue.iid, '1h', { summary: 'Work' })
    expect(await api.Issues.showTimeStats(project.id, issue.iid)).toMatchObject({
      human_time_estimate: '3h',
      human_total_time_spent: '1h',
    })
    await api.Issues.resetSpentTime(project.id, issue.iid)
    expect(await api.Issues.resetTimeEstimate(project.id, issue.iid)).toMatchObject({ time_estimate: 0 })
    expect(await api.Issues.unsubscribe(project.id, issue.iid)).toMatchObject({ subscribed: false })
    expect(await api.Issues.subscribe(project.id, issue.iid)).toMatchObject({ subscribed: true })
    expect(await api.Issues.allParticipants(project.id, issue.iid)).toMatchObject([{ username: 'root' }])
    await api.Issues.reorder(project.id, issue.iid, { moveAfterId: two.id })
    const link = await api.IssueLinks.create(project.id, issue.iid, project.id, two.iid, {
      linkType: 'blocks',
    })
    expect(link).toMatchObject({ link_type: 'blocks', target_issue: { id: two.id } })
    const [linked] = await api.IssueLinks.all(project.id, two.iid)
    expect(linked).toMatchObject({ id: issue.id, link_type: 'is_blocked_by' })
    await api.IssueLinks.remove(project.id, two.iid, linked!['issue_link_id'] as number)
    expect(await api.IssueLinks.all(project.id, issue.iid)).toEqual([])
    expect(await api.Issues.clone(project.id, issue.iid, other.id, { withNotes: true })).toMatchObject({
      project_id: other.id,
    })
    expect(await api.Issues.move(project.id, two.iid, other.id)).toMatchObject({ project_id: other.id })
  })

  it('comments on issues and awards emoji', async () => {
    const { iid } = await api.Issues.create(project.id, 'Discussed')
    const note = await api.IssueNotes.create(project.id, iid, 'Hello')
    expect(await api.IssueNotes.all(project.id, iid)).toMatchObject([{ id: note.id, body: 'Hello' }])
    const thread = await api.IssueDiscussions.create(project.id, iid, 'Why?')
    await api.IssueDiscussions.addNote(project.id, iid, thread.id, 'Because')
    expect(await api.IssueDiscussions.all(project.id, iid)).toHaveLength(2)
    await api.IssueAwardEmojis.award(project.id, iid, 'rocket')
    expect(await api.IssueAwardEmojis.all(project.id, iid)).toMatchObject([{ name: 'rocket' }])
  })
})
