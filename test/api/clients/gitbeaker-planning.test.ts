import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const group = await here.make.group()
const project = await here.make.project({ namespace_id: group.id })

it('Gitbeaker creates, lists, shows, updates, promotes and deletes labels', async () => {
  const made = await api.ProjectLabels.create(project.id, 'kind::bug', '#ff0000', {
    description: 'Broken',
    priority: 1,
  })
  expect(made).toMatchObject({ name: 'kind::bug', priority: 1, is_project_label: true })
  expect(await api.ProjectLabels.show(project.id, 'kind::bug')).toEqual(made)
  expect(await api.ProjectLabels.edit(project.id, made.id, { newName: 'kind::defect' })).toMatchObject({
    name: 'kind::defect',
  })
  expect(await api.ProjectLabels.all(project.id, { withCounts: true } as never)).toMatchObject([
    { name: 'kind::defect', open_issues_count: 0 },
  ])
  await api.ProjectLabels.promote(project.id, 'kind::defect')
  expect(await api.GroupLabels.all(group.id)).toMatchObject([{ name: 'kind::defect' }])
  await api.GroupLabels.create(group.id, 'later', 'teal')
  expect(await api.GroupLabels.edit(group.id, 'later', { color: '#fff' })).toMatchObject({ color: '#ffffff' })
  await api.GroupLabels.remove(group.id, 'later')
  await expect(api.GroupLabels.show(group.id, 'later')).rejects.toThrow(/404 Label Not Found/)
})

it('Gitbeaker creates, lists, closes, promotes and deletes milestones', async () => {
  const made = await api.ProjectMilestones.create(project.id, 'v1', {
    dueDate: '2030-01-31',
    startDate: '2030-01-01',
  } as never)
  expect(made).toMatchObject({ title: 'v1', due_date: '2030-01-31', expired: false })
  expect(await api.ProjectMilestones.edit(project.id, made.id, { stateEvent: 'close' })).toMatchObject({
    state: 'closed',
  })
  expect(await api.ProjectMilestones.all(project.id, { state: 'closed' })).toHaveLength(1)
  expect(await api.ProjectMilestones.allBurndownChartEvents(project.id, made.id)).toEqual([])
  await api.ProjectMilestones.promote(project.id, made.id)
  const [promoted] = await api.GroupMilestones.all(group.id)
  expect(promoted).toMatchObject({ title: 'v1', state: 'closed', group_id: group.id })
  await api.GroupMilestones.remove(group.id, promoted!.id)
  await expect(api.GroupMilestones.show(group.id, promoted!.id)).rejects.toThrow(/404 Not found/)
})

it('Gitbeaker creates boards with lists and moves the lists', async () => {
  const board = await api.ProjectIssueBoards.create(project.id, 'Plan')
  const lists = []
  for (const name of ['a', 'b']) {
    const label = await api.ProjectLabels.create(project.id, name, 'red')
    lists.push(await api.ProjectIssueBoards.createList(project.id, board.id, { labelId: label.id as number }))
  }
  await api.ProjectIssueBoards.editList(project.id, board.id, lists[1]!.id, 0)
  expect(await api.ProjectIssueBoards.allLists(project.id, board.id)).toMatchObject([
    { label: { name: 'b' } },
    { label: { name: 'a' } },
  ])
  expect(await api.ProjectIssueBoards.edit(project.id, board.id, { labels: 'a,b' })).toMatchObject({
    labels: [{ name: 'a' }, { name: 'b' }],
  })
  await api.ProjectIssueBoards.removeList(project.id, board.id, lists[0]!.id)
  expect(await api.ProjectIssueBoards.show(project.id, board.id)).toMatchObject({ lists: [{ position: 0 }] })
  await api.ProjectIssueBoards.remove(project.id, board.id)
  expect(await api.ProjectIssueBoards.all(project.id)).toEqual([])
  const shared = await api.GroupIssueBoards.create(group.id, 'Shared')
  expect(await api.GroupIssueBoards.show(group.id, shared.id)).toMatchObject({ group: { id: group.id } })
})
