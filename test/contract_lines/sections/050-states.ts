import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'States and transitions',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}`
    const request = async (branch: string) => {
      await root.post(`${at}/repository/branches`, { branch, ref: 'main' })
      await root.post(`${at}/repository/files/${branch}.txt`, { branch, content: 'x', commit_message: 'New' })
      const { body } = await root.post(`${at}/merge_requests`, {
        source_branch: branch,
        target_branch: 'main',
        title: branch,
      })
      return { at: `${at}/merge_requests/${body.iid}`, sha: body.sha }
    }
    const todo = async () => {
      const { body: issue } = await root.post(`${at}/issues`, { title: 'Do' })
      return (await root.post(`${at}/issues/${issue.iid}/todo`)).body
    }
    return { at, request, todo }
  },
  [
    line(
      'Environment | (new) | POST environments | valid name | available | 201 returned',
      'POST /projects/:id/environments → 201, available',
      async ({ root, at }) => {
        const made = await root.post(`${at}/environments`, { name: 'production' })
        expect([made.status, made.body.state]).toEqual([201, 'available'])
      },
    ),
    line(
      'Environment | available | POST `.../stop` | environment exists | stopped | 200; with `force=true`, on_stop actions are not executed',
      'POST …/stop?force=true → 200, stopped',
      async ({ root, at }) => {
        const { body } = await root.post(`${at}/environments`, { name: 'to-stop' })
        const stopped = await root.post(`${at}/environments/${body.id}/stop`, { force: true })
        expect([stopped.status, stopped.body.state]).toEqual([200, 'stopped'])
      },
    ),
    line(
      'Environment | stopped | DELETE `.../environments/review_apps` | in review-app folder, older than `before`, `dry_run=false` | scheduled for deletion | actual deletion 1 week later',
      'DELETE …/environments/review_apps?dry_run=false → scheduled_entries',
      async ({ root, at }) => {
        const { body } = await root.post(`${at}/environments`, { name: 'review/old' })
        await root.post(`${at}/environments/${body.id}/stop`, { force: true })
        const answer = await root.delete(
          `${at}/environments/review_apps?dry_run=false&before=2999-01-01T00:00:00Z`,
        )
        expect(answer.body.scheduled_entries.map((entry: { id: number }) => entry.id)).toEqual([body.id])
        expect((await root.get(`${at}/environments/${body.id}`)).status).toBe(200)
      },
    ),
    line(
      'Merge request | opened | PUT with `state_event` close | | closed |',
      'PUT …/merge_requests/:iid state_event=close → closed',
      async ({ root, request }) => {
        const opened = await request('to-close')
        expect((await root.put(opened.at, { state_event: 'close' })).body.state).toBe('closed')
      },
    ),
    line(
      'Merge request | closed | PUT with `state_event` reopen | | opened |',
      'PUT …/merge_requests/:iid state_event=reopen → opened',
      async ({ root, request }) => {
        const opened = await request('to-reopen')
        await root.put(opened.at, { state_event: 'close' })
        expect((await root.put(opened.at, { state_event: 'reopen' })).body.state).toBe('opened')
      },
    ),
    line(
      'Merge request | opened | PUT `.../merge` | `sha` if given equals source-branch HEAD | merged | with `merge_when_pipeline_succeeds=true` the merge happens when the pipeline succeeds',
      'PUT …/merge with another sha → 409, with the sha → merged',
      async ({ root, request }) => {
        const opened = await request('to-merge')
        expect((await root.put(`${opened.at}/merge`, { sha: 'f'.repeat(40) })).status).toBe(409)
        expect((await root.put(`${opened.at}/merge`, { sha: opened.sha })).body.state).toBe('merged')
      },
    ),
    line(
      'To-do item | pending | POST `/todos/:id/mark_as_done` | item belongs to caller | done | item returned',
      'POST /todos/:id/mark_as_done → the item, done; by another user → 404, the item stays pending',
      async ({ w, root, todo }) => {
        const { id } = await todo()
        expect((await w.as(w.make.user()).post(`/todos/${id}/mark_as_done`)).status).toBe(404)
        expect((await root.get('/todos')).body.map((item: { id: number }) => item.id)).toContain(id)
        const { body } = await root.post(`/todos/${id}/mark_as_done`)
        expect([body.id, body.state]).toEqual([id, 'done'])
      },
    ),
    line(
      'To-do item | pending (all) | POST `/todos/mark_as_done` | | done | 204, empty body',
      'POST /todos/mark_as_done → 204, empty',
      async ({ root, todo }) => {
        await todo()
        const answer = await root.post('/todos/mark_as_done')
        expect([answer.status, answer.text]).toEqual([204, ''])
        expect((await root.get('/todos')).body).toEqual([])
      },
    ),
    line(
      'Project import | started | POST `/import/hostA/cancel` | cancelable | canceled | 200; 400 if not cancelable; 404 if project missing',
      'POST /import/hostA/cancel of no import → 400, of no project → 404; test/api/importers cancels a running one',
      async ({ root, at }) => {
        const { body } = await root.get(at)
        expect((await root.post('/import/hostA/cancel', { project_id: body.id })).status).toBe(400)
        expect((await root.post('/import/hostA/cancel', { project_id: 999_999 })).status).toBe(404)
      },
    ),
    line(
      'Project export | (none) | POST `/projects/:id/export` | | queued | 202 with accepted message',
      'POST /projects/:id/export → 202 with message',
      async ({ root, at }) => {
        const answer = await root.post(`${at}/export`)
        expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }])
      },
    ),
    line(
      'Environment state values are `available`, `stopping`, `stopped`. The move into stopping: not shown.',
      'GET …/environments?states= each → 200, another → 400',
      async ({ root, at }) => {
        for (const state of ['available', 'stopping', 'stopped'])
          expect((await root.get(`${at}/environments?states=${state}`)).status).toBe(200)
        expect((await root.get(`${at}/environments?states=odd`)).status).toBe(400)
      },
    ),
    unproven(
      'Export status values: `none`, `queued`, `started`, `finished`, `regeneration_in_progress` (a file can be downloaded while a new export is produced). Transitions: not shown.',
      'test/api/import_export/projects meets each status.',
    ),
    unproven(
      'Import status values: `none`, `scheduled`, `failed`, `started`, `finished`, plus `canceled` after cancellation. Other import transitions: not shown.',
      'test/api/import_export/projects and test/api/importers meet each status.',
    ),
    unproven(
      'Remote mirror update_status values seen: `none`, `finished`. Transitions: not shown.',
      'test/api/mirrors meets each status.',
    ),
    line(
      'Runner status values: `online`, `offline`, `stale`, `never_contacted`, and `paused` appears in a response. Transitions: not shown.',
      'GET /runners/all?status= each → 200',
      async ({ root }) => {
        for (const status of ['online', 'offline', 'stale', 'never_contacted', 'paused'])
          expect((await root.get(`/runners/all?status=${status}`)).status).toBe(200)
      },
    ),
    unproven(
      'Repository storage move state: `finished` is the success value; in-progress and failed values are not named. Transitions: not shown.',
      'test/api/admin/storage_moves meets it.',
    ),
    unproven(
      'Merge request state `locked` is short-lived. Moves into and out of locked: not shown.',
      'It lasts for the moment of a merge; the kill test meets it.',
    ),
  ],
)
