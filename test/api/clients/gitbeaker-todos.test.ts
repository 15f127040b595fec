import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const teo = here.make.user({ username: 'teo' })
const project = await here.make.project({ path: 'tern', name: 'tern' })

it('Gitbeaker creates, lists and completes to-do items', async () => {
  const issue = await api.Issues.create(project.id, 'Mind the gauge', { assigneeIds: [1] })
  await here.drain()
  await expect(api.Issues.createTodo(project.id, issue.iid)).rejects.toMatchObject({
    cause: { response: { status: 304 } },
  })
  const [todo] = await api.TodoLists.all({ action: 'assigned', type: 'Issue', state: 'pending' })
  expect(todo).toMatchObject({ action_name: 'assigned', target: { iid: issue.iid }, body: 'Mind the gauge' })
  expect(await api.TodoLists.done({ todoId: todo!.id })).toMatchObject({ state: 'done' })
  expect(await api.Issues.createTodo(project.id, issue.iid)).toMatchObject({ action_name: 'marked' })
  await api.TodoLists.done()
  expect(await api.TodoLists.all()).toEqual([])
  expect(await api.TodoLists.all({ state: 'done', projectId: project.id })).toHaveLength(2)
})

it('Gitbeaker searches, renders Markdown and reads the activity feed', async () => {
  await here.as(teo).get('/user')
  const found = await api.Search.all('issues', 'gauge', { projectId: project.id })
  expect(found).toMatchObject([{ title: 'Mind the gauge' }])
  expect(await api.Search.all('merge_requests', 'gauge')).toEqual([])
  const { html } = await api.Markdown.render('See #1, @teo', { gfm: 'true', project: 'root/tern' })
  expect(html).toContain('title="Mind the gauge"')
  expect(html).toContain('>@teo</a>')
  await here.drain()
  const events = await api.Events.all({ projectId: project.id, targetType: 'issue' })
  expect(events).toMatchObject([{ action_name: 'opened', target_title: 'Mind the gauge' }])
})
